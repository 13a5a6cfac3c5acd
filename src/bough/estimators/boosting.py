"""Boosting behind the scikit-learn API: GradientBoostingClassifier and GradientBoostingRegressor."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from bough.data.encode import by_name
from bough.data.ingest import to_table
from bough.data.stages import profiled
from bough.data.target import class_codes, number_target, weights
from bough.ensemble.boosting import Stopping, boost, staged, staged_losses
from bough.ensemble.boosting_settings import BoostingSettings
from bough.ensemble.losses import REGRESSION, Loss, class_loss
from bough.ensemble.own_loss import Own
from bough.ensemble.progress import watching
from bough.errors import BoughError
from bough.estimators.base import _random_state
from bough.estimators.boosting_parameters import TREES, boosting_defaults, boosting_parameters
from bough.estimators.elsewhere import own_arguments
from bough.estimators.growth import divided_rows
from bough.estimators.many import MOST_WALKS, ManyTrees
from bough.estimators.parameters import constructor, documentation
from bough.estimators.seen import Seen, data_digest, kept_rows, seen
from bough.estimators.warm_start import check_boosting_goes_on, loss_name
from bough.estimators.weighting import checked_product, class_weights
from bough.growing import thread_count
from bough.growing.early import HeldOut
from bough.growing.settings import check_name, check_seconds, is_count, is_finite_number, wrong
from bough.tree.ensemble import Ensemble

Floats = NDArray[np.float64]

DATA = """
Strings, categories, booleans, dates and missing values are taken as they are, from numpy, pandas, polars,
pyarrow, dicts of lists or lists of dicts. `docs/boosting.md` defines what grows.
After fit: ensemble_ (a bough.tree.Ensemble), n_estimators_ (rounds kept), train_loss_ and validation_loss_
(mean losses after 0, 1, 2 … rounds, where rows were held out or progress was asked for), held_out_digest_ (of
the rows that no tree has seen; None: none were held out), fitted_loss_ (what the trees make small),
n_features_in_, feature_names_in_, feature_importances_."""


class BoostingEstimator(ManyTrees):
    """What all of them share: parameters to settings, one call, the questions asked of the result."""

    predicts: ClassVar[str]  # "classes", "numbers" or "queries"
    _loss: Any  # makes the Loss that the parameters name; of a classifier, for so many classes
    # Set by the constructor; every parameter is described in bough.estimators.boosting_parameters.
    loss: Any
    init: Any
    early_stopping: Any
    validation_fraction: Any
    n_iter_no_change: Any
    tol: Any
    time_limit: Any
    warm_start: Any
    verbose: Any
    callback: Any

    def __init_subclass__(cls, **others: Any) -> None:
        super().__init_subclass__(**others)
        if "predicts" not in vars(cls):  # a user's class has its own constructor
            return
        values = boosting_defaults(cls.predicts)
        cls.__init__ = constructor(values)  # type: ignore[method-assign]  # one for each class
        cls.__doc__ = documentation(
            (cls.__doc__ or "") + DATA, cls.predicts, values, boosting_parameters(cls.predicts)
        )

    def _settings(self, random: np.random.RandomState) -> BoostingSettings:
        seed = int(random.randint(2**31 - 1))
        return BoostingSettings(**{p.name: getattr(self, p.name) for p in TREES}, seed=seed)

    def _check(self) -> None:
        for name in ("early_stopping", "warm_start"):
            if not isinstance(getattr(self, name), bool | np.bool_):
                raise wrong(name, getattr(self, name), "True or False")
        if not is_count(self.n_iter_no_change) or self.n_iter_no_change < 1:
            raise wrong("n_iter_no_change", self.n_iter_no_change, "a whole number from 1 up")
        share = self.validation_fraction
        if not is_finite_number(share) or not 0 < share < 1:
            raise wrong("validation_fraction", share, "a share between 0 and 1")
        if not is_finite_number(self.tol) or self.tol < 0:
            raise wrong("tol", self.tol, "a number from 0 up")
        check_seconds("time_limit", self.time_limit)

    def _init(self, loss: Loss) -> Floats | None:
        if self.init is None:
            return None
        try:
            given = np.atleast_1d(np.array(self.init, dtype=np.float64))
        except (TypeError, ValueError, OverflowError):
            given = np.empty(0)
        if given.shape != (loss.n_outputs,) or not np.isfinite(given).all():
            raise wrong("init", self.init, f"{loss.n_outputs} finite number(s), or None")
        return given

    def _boost(
        self,
        X: Any,
        rows: HeldOut,
        classes: NDArray[Any] | None,
        losses: tuple[Loss, Loss],
        held_out: HeldOut | None,
        given: bool,
    ) -> None:
        """A fit that fails leaves the model as it was. `losses`: of the rows and of those held out; `given`:
        these are the user's, and not some of the rows of the fit."""
        self._check()
        settings = self._settings(_random_state(self.random_state))
        threads = thread_count(self.n_jobs)
        stopping = None
        if held_out is not None:
            patience = int(self.n_iter_no_change) if self.early_stopping else None
            stopping = Stopping(held_out, losses[1], patience, float(self.tol))
        init = self._init(losses[0])
        start: Ensemble | None = None
        if self.warm_start and hasattr(self, "ensemble_"):
            check_boosting_goes_on(self, rows.table.fields, losses[0], classes, init)
            start = self.ensemble_
        parted = None
        if held_out is not None and not given:
            parted = data_digest(Seen(held_out.table, held_out.target, None))
            if start is not None and getattr(self, "held_out_digest_", None) != parted:
                raise self._not_held_out()
        found = boost(
            rows.table,
            rows.target,
            rows.weights,
            classes,
            losses[0],
            settings,
            threads=threads,
            init=init,
            stopping=stopping,
            start=start,
            watch=watching(self.verbose, self.callback),
            seconds=self.time_limit,
        )
        self._learned(
            X,
            rows.table,
            classes,
            ensemble_=found.ensemble,
            n_estimators_=len(found.ensemble) // losses[0].n_outputs,
            train_loss_=found.losses,
            validation_loss_=found.validation_losses,
            held_out_digest_=parted,
            fitted_loss_=loss_name(self),
            _seen=seen(X, rows.table, rows.target, rows.weights),
        )
        self._say_stopped(found.stopped, self.n_estimators_, settings.n_estimators, "rounds")
        if (rows.target != rows.target[0]).any():  # else there is nothing to divide
            self._say_no_split(rows.table.n_rows)

    def _not_held_out(self) -> BoughError:
        return BoughError(
            f"early_stopping=True is not possible: the {self.n_estimators_} rounds that are there have seen "
            "rows that would be held out now.",
            code="parameter",
            hint="Fit with warm_start=False. Or hold out from the first fit on, with the same rows, "
            "validation_fraction and random_state; or give other rows to stop by: X_val=, y_val=.",
        )

    def _divided(self, rows: HeldOut, codes: NDArray[Any] | None) -> tuple[HeldOut, HeldOut | None]:
        """The rows to fit and those to stop by, if fit was given none."""
        self._check()
        if not self.early_stopping:
            return rows, None
        random = _random_state(0 if self.random_state is None else self.random_state)
        kept, rest = divided_rows(rows.table.n_rows, codes, self.validation_fraction, random)
        return part(rows, kept), part(rows, rest)

    @profiled("prediction")
    def predict(self, X: Any) -> NDArray[Any]:
        """The answer for each row."""
        threads, owner = self._asked()
        return self.ensemble_.predict(X, threads, owner)

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """The answers after 1, 2, 3 … rounds."""
        asked = self._asked()
        return (self.ensemble_.answers(raw) for raw in staged(self.ensemble_, X, *asked))

    def apply(self, X: Any) -> NDArray[np.int64]:
        """The number of the leaf that each row comes to, rows by trees."""
        asked = self._asked()
        return self.ensemble_.apply(X, *asked)

    def _late_losses(self) -> Floats:
        rows = kept_rows(self)
        if rows is None or self.predicts == "queries" or callable(self.loss) or len(self.train_loss_):
            return np.empty(0)
        if rows.table.n_rows * len(self) > MOST_WALKS:
            return np.empty(0)
        classes = self.ensemble_.classes
        loss = self._loss() if classes is None else self._loss(len(classes))
        found = staged_losses(self.ensemble_, rows.table, rows.target, rows.weights, loss)
        return np.array(list(found))

    def digest(self) -> str:
        """SHA-256 of the model's content, equal for equal models everywhere."""
        check_is_fitted(self)
        return self.ensemble_.digest()


def part(rows: HeldOut, kept: NDArray[Any]) -> HeldOut:
    """Some of the rows, by number or mask."""
    weights_left = None if rows.weights is None else rows.weights[kept]
    return HeldOut(rows.table.take(kept), rows.target[kept], weights_left)


def weighing(rows: HeldOut) -> HeldOut:
    """The rows with a weight."""
    return rows if rows.weights is None or rows.weights.all() else part(rows, rows.weights > 0)


def check_both(X_val: Any, y_val: Any, **others: Any) -> None:
    """`others`: what is said of these rows besides."""
    if (X_val is None) != (y_val is None):
        raise BoughError(
            "of X_val and y_val one is missing.", code="parameter", hint="Give both, or neither of them."
        )
    if X_val is None and (given := [name for name, value in others.items() if value is not None]):
        raise BoughError(
            f"{given[0]} is given without the rows that it is about.",
            code="parameter",
            hint="Give X_val and y_val, too.",
        )


@contextmanager
def of_validation() -> Iterator[None]:
    """What is wrong with the rows to stop by is not wrong with X and y."""
    try:
        yield
    except BoughError as error:
        raise type(error)(
            f"the validation rows, X_val and y_val: {error.message}", code=error.code, hint=error.hint
        ) from None


def known_classes(y_val: Any, n_rows: int, owner: str, classes: NDArray[Any]) -> NDArray[np.int32]:
    _, own = class_codes(y_val, n_rows, owner)
    if absent := [label for label in own.tolist() if label not in classes.tolist()]:
        raise BoughError(
            f"no row of y has the class {absent[0]!r}.",
            code="target",
            hint="Leave such rows out, or spell their class as y does.",
        )
    return class_codes(y_val, n_rows, owner, classes)[0]


class GradientBoostingClassifier(ClassifierMixin, BoostingEstimator):  # type: ignore[misc]
    """Boosted trees that answer with a class, by log loss or a loss of your own."""

    predicts = "classes"
    class_weight: Any

    @own_arguments
    @profiled("fit")
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
    ) -> GradientBoostingClassifier:
        self._check_target(y)
        owner = type(self).__name__
        table = by_name(to_table(X, owner=owner))
        codes, classes = class_codes(y, table.n_rows, owner)
        w = weights(sample_weight, table.n_rows)
        if self.class_weight is not None:
            w = checked_product(w, class_weights(self.class_weight, codes, classes, w), codes)
        loss = self._loss(len(classes))
        rows = weighing(HeldOut(table, codes, w))
        check_both(X_val, y_val, sample_weight_val=sample_weight_val)
        held_out = None
        if X_val is None:
            rows, held_out = self._divided(rows, rows.target)
        else:
            with of_validation():
                other = to_table(X_val, fields=table.fields, owner=owner)
                found = known_classes(y_val, other.n_rows, owner, classes)
                held_out = weighing(HeldOut(other, found, weights(sample_weight_val, other.n_rows)))
        # Bytes for what the core reads in every tree; two classes of a user's own loss are numbers.
        kind = np.uint8 if loss.log_loss else np.float64 if len(classes) == 2 else np.int32
        rows, held_out = with_target(rows, kind), held_out and with_target(held_out, kind)
        del codes
        self._boost(X, rows, classes, (loss, loss), held_out, X_val is not None)
        return self

    def _loss(self, n_classes: int) -> Loss:
        built_in = class_loss(n_classes)
        if callable(self.loss):
            return Own(self.loss, built_in.n_outputs, built_in.link)
        check_name("loss", self.loss, ("log_loss",), own=True)
        return built_in

    @profiled("prediction")
    def predict_proba(self, X: Any) -> Floats:
        """The shares of the classes, as in `classes_`."""
        threads, owner = self._asked()
        return self.ensemble_.predict_proba(X, threads, owner)

    def predict_log_proba(self, X: Any) -> Floats:
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def decision_function(self, X: Any) -> Floats:
        """The sums of the trees: log odds of the second class, or one for each of several classes."""
        asked = self._asked()
        raw = self.ensemble_.raw(X, *asked)
        return raw[:, 0] if raw.shape[1] == 1 else raw

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """The shares after 1, 2, 3 … rounds."""
        asked = self._asked()
        return (self.ensemble_.shares(raw) for raw in staged(self.ensemble_, X, *asked))


class GradientBoostingRegressor(RegressorMixin, BoostingEstimator):  # type: ignore[misc]
    """Boosted trees that answer with a number, by any of several losses or one of your own."""

    predicts = "numbers"

    @own_arguments
    @profiled("fit")
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
    ) -> GradientBoostingRegressor:
        self._check_target(y)
        owner = type(self).__name__
        table = by_name(to_table(X, owner=owner))
        loss = self._loss()
        target = number_target(y, table.n_rows, owner)
        rows = weighing(HeldOut(table, target, weights(sample_weight, table.n_rows)))
        loss.check(rows.target)
        check_both(X_val, y_val, sample_weight_val=sample_weight_val)
        held_out = None
        if X_val is None:
            rows, held_out = self._divided(rows, None)
        else:
            with of_validation():
                other = to_table(X_val, fields=table.fields, owner=owner)
                found = number_target(y_val, other.n_rows, owner)
                held_out = weighing(HeldOut(other, found, weights(sample_weight_val, other.n_rows)))
        self._boost(X, rows, None, (loss, loss), held_out, X_val is not None)
        return self

    def _loss(self) -> Loss:
        given = {name: getattr(self, name) for name in ("quantile", "huber_delta", "tweedie_power")}
        # All are made, because each checks its parameter, which is wrong whichever is asked for.
        losses = {name: make(**given) for name, make in REGRESSION.items()}
        if callable(self.loss):
            return Own(self.loss, 1, "identity")
        check_name("loss", self.loss, tuple(REGRESSION), own=True)
        return losses[self.loss]


def with_target(rows: HeldOut, kind: Any) -> HeldOut:
    """Class numbers as their loss calculates with them."""
    return HeldOut(rows.table, rows.target.astype(kind, copy=False), rows.weights)
