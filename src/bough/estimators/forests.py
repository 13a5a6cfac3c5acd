"""Forests behind the scikit-learn API: random forests, extremely randomised trees, bagged trees."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from bough import _core
from bough.data.encode import by_name
from bough.data.ingest import to_table
from bough.data.stages import profiled
from bough.data.target import number_target, weights
from bough.ensemble.forest import Data, Grove, Sampling
from bough.ensemble.leaves import LeafSamples, proximity
from bough.ensemble.loop import Run, Stop, run
from bough.ensemble.out_of_bag import OutOfBag, forest_of
from bough.ensemble.progress import watching
from bough.errors import BoughError, warn_caller
from bough.estimators.base import _random_state
from bough.estimators.elsewhere import own_arguments
from bough.estimators.forest_parameters import (
    COLUMNS_OF_TREES,
    forest_defaults,
    forest_parameters,
)
from bough.estimators.growth import unaltered
from bough.estimators.many import ManyTrees
from bough.estimators.parameters import GROWTH, constructor, documentation
from bough.estimators.problem import class_problem
from bough.estimators.seen import seen, training_rows
from bough.estimators.warm_start import check_goes_on
from bough.growing import Settings, thread_count
from bough.growing.settings import (
    NUMBER_CRITERIA,
    check_criterion,
    check_name,
    is_count,
    is_finite_number,
    wrong,
)

Floats = NDArray[np.float64]

VOTING = ("mean", "vote")
DATA = """
Strings, categories, booleans, dates and missing values are taken as they are, from numpy, pandas, polars,
pyarrow, dicts of lists or lists of dicts. `docs/forests.md` tells how the trees are grown.
After fit: ensemble_ (a bough.tree.Ensemble), seed_, bags_digest_ (of what all bags were drawn from; None: not
the same for all trees), n_features_in_, feature_names_in_, feature_importances_;
with oob_score=True also oob_score_, oob_interval_ (95 %), oob_curve_, and oob_decision_function_ or
oob_prediction_."""


class ForestEstimator(ManyTrees):
    """Fits many trees; the classes below differ in what is random and in the target."""

    random_cuts: ClassVar[bool] = False  # extremely randomised trees
    columns_of_trees: ClassVar[bool] = False  # max_features are drawn for a tree, not at each node
    seed_: int  # decides every tree, together with its number
    # Of what the bags were drawn from; None: from one thing here, from another there.
    bags_digest_: str | None
    # What the trees have seen; not part of the model.
    _bagged: tuple[Data, _core.Bags] | None = None
    _leaf_samples: LeafSamples | None = None
    # Set by the constructor; every parameter is described in bough.estimators.forest_parameters.
    n_estimators: Any
    bootstrap: Any
    max_samples: Any
    max_features: Any
    oob_score: Any
    oob_patience: Any
    oob_tol: Any
    warm_start: Any
    verbose: Any
    callback: Any
    time_limit: Any

    def __init_subclass__(cls, changes: dict[str, Any] | None = None, **others: Any) -> None:
        """`changes`: the defaults in which the class differs."""
        super().__init_subclass__(**others)
        if changes is None:
            return
        values = forest_defaults(cls.predicts, changes)
        listed = forest_parameters(cls.predicts)
        if cls.columns_of_trees:
            listed = tuple(
                dataclasses.replace(p, doc=COLUMNS_OF_TREES) if p.name == "max_features" else p
                for p in listed
            )
        cls.__init__ = constructor(values)  # type: ignore[method-assign]  # one for each class
        cls.__doc__ = documentation((cls.__doc__ or "") + DATA, cls.predicts, values, listed)

    @property
    def _combine(self) -> str:
        return "mean"

    def _settings(self) -> Settings:
        given = {p.name: getattr(self, p.name) for p in GROWTH}
        if self.columns_of_trees:
            given["max_features"] = None
        return Settings(**given)

    def _sampling(self) -> Sampling:
        return Sampling(
            bootstrap=self.bootstrap,
            max_samples=self.max_samples,
            max_columns=self.max_features if self.columns_of_trees else None,
            random_cuts=self.random_cuts,
        )

    def _check(self) -> None:
        if not is_count(self.n_estimators) or self.n_estimators < 1:
            raise wrong("n_estimators", self.n_estimators, "a whole number from 1 up")
        for name in ("warm_start", "oob_score"):
            if not isinstance(getattr(self, name), bool | np.bool_):
                raise wrong(name, getattr(self, name), "True or False")
        flat = self.oob_patience
        if flat is not None and (not is_count(flat) or flat < 1):
            raise wrong("oob_patience", flat, "a whole number from 1 up, or None")
        if not is_finite_number(self.oob_tol) or self.oob_tol < 0:
            raise wrong("oob_tol", self.oob_tol, "a number from 0 up")
        for name in ("oob_score", "oob_patience"):
            asked = getattr(self, name)
            if asked and not self.bootstrap and self.max_samples is None:
                raise wrong(name, asked, "not possible where every tree sees all rows: set bootstrap=True")

    def _before(self, data: Data) -> tuple[Any, ...]:
        """The trees to go on from."""
        if not self.warm_start or not hasattr(self, "ensemble_"):
            return ()
        old = self.ensemble_
        check_goes_on(old, data.table.fields, data.classes)
        if self.n_estimators < len(old):
            raise wrong("n_estimators", self.n_estimators, f"at least {len(old)}, the trees that are there")
        if self.n_estimators == len(old):
            text = "warm_start: there are n_estimators trees already, so none was grown."
            warn_caller(text)
        return old.trees

    def _grow(
        self, X: Any, data: Data, sampling: Sampling, altered: Floats | None = None, **answers: Any
    ) -> None:
        """A fit that fails leaves the model as it was; one that Ctrl-C stops keeps the trees that are
        there."""
        self._check()
        settings = self._settings()
        rules = dataclasses.replace(self._rules(data.table, settings), **answers)
        whole = data
        data, kept = data.without_weightless()
        before = self._before(data)
        seed = self.seed_ if before else int(_random_state(self.random_state).randint(2**31 - 1))
        finish = None if altered is None else lambda tree: unaltered(tree, altered)
        grove = Grove(data, settings, sampling, seed, rules, finish)
        drawn_from = grove.drawn_from()
        judged = self.oob_score or self.oob_patience is not None
        mixed = bool(before) and getattr(self, "bags_digest_", None) != drawn_from
        if mixed and judged:
            raise self._other_bags()
        unseen = OutOfBag(grove, self._combine) if judged else None
        stop = Stop(self.time_limit, self.oob_patience, float(self.oob_tol))
        watch = watching(self.verbose, self.callback)
        grown = run(grove, int(self.n_estimators), before, unseen, stop, watch)
        rows = None if mixed else seen(X, data.table, data.target, data.weights)
        self._learned(
            X,
            data.table,
            data.classes,
            ensemble_=forest_of(tuple(grown.trees), data, self._combine),
            seed_=seed,
            bags_digest_=None if mixed else drawn_from,
            _seen=rows,
            _bagged=None if rows is None else (dataclasses.replace(data, table=rows.table), grove.bags),
            _leaf_samples=None,
            **self._out_of_bag(grown, unseen, kept, whole.table.n_rows),
        )
        self._say_stopped(grown.stopped, len(grown.trees), int(self.n_estimators))

    def _other_bags(self) -> BoughError:
        asked = "oob_score=True" if self.oob_score else f"oob_patience={self.oob_patience!r}"
        return BoughError(
            f"{asked} is not possible: the {len(self.ensemble_)} trees that are there grew on other rows, "
            "weights or bags (bootstrap, max_samples), and which of these rows they have seen is not known.",
            code="parameter",
            hint="Fit with warm_start=False, or go on with the rows, weights and bags of the first fit.",
        )

    def _out_of_bag(
        self, grown: Run, unseen: OutOfBag | None, kept: NDArray[np.bool_], n_rows: int
    ) -> dict[str, Any]:
        """The attributes that the rows outside of the bags give."""
        if unseen is None or not grown.curve:
            return {}
        final = grown.curve[-1][1]
        answers = np.full((n_rows, unseen.total.shape[1]), np.nan)
        answers[kept] = unseen.answers()
        if final.n_rows < kept.sum():
            count = int(kept.sum()) - final.n_rows
            some = "1 row was" if count == 1 else f"{count:,} rows were"
            more = (
                "Of a class that small, balanced bags leave hardly a row out."
                if isinstance(self.bootstrap, str)
                else "Grow more trees."
            )
            text = f"{some} seen by every tree, so there is no out-of-bag answer (NaN). {more}"
            warn_caller(text)
        return {
            "oob_score_": final.value,
            "oob_interval_": (final.low, final.high),
            "oob_curve_": np.array([(n, score.value) for n, score in grown.curve]),
            self._oob_answers: answers[:, 0] if self.predicts == "numbers" else answers,
        }

    _oob_answers: ClassVar[str]

    @profiled("prediction")
    def predict(self, X: Any) -> NDArray[Any]:
        """The class with the largest averaged share (or with the most votes), or the average of the trees."""
        threads, owner = self._asked()
        return self.ensemble_.predict(X, threads, owner)

    def apply(self, X: Any) -> NDArray[np.int64]:
        """The number of the leaf that each row comes to, rows by trees."""
        asked = self._asked()
        return self.ensemble_.apply(X, *asked)

    def proximity(self, X: Any, others: Any = None) -> Floats:
        """Of each row and each of the others (None: the same rows), the share of the trees in which both come
        to the same leaf. A row that missing="fractional" spreads over leaves has a part in each; parts are
        multiplied, so that even with itself it has less than 1."""
        asked = self._asked()
        return proximity(self.ensemble_, X, others, *asked)

    def digest(self) -> str:
        """SHA-256 of the model's content, equal for equal models everywhere."""
        check_is_fitted(self)
        return self.ensemble_.digest()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in super().__getstate__().items() if name != "_bagged"}


class ForestClassifier(ClassifierMixin, ForestEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """What forests that answer with a class share."""

    predicts = "classes"
    _oob_answers = "oob_decision_function_"
    class_weight: Any
    voting: Any

    @property
    def _combine(self) -> str:
        return str(self.voting)

    @own_arguments
    @profiled("fit")
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ForestClassifier:
        check_name("voting", self.voting, VOTING)
        weight = self.class_weight
        if isinstance(weight, str) and weight not in ("balanced", "balanced_subsample"):
            allowed = 'a dict of weights by class, "balanced", "balanced_subsample" or None'
            raise wrong("class_weight", weight, allowed)
        in_bags = isinstance(weight, str) and weight == "balanced_subsample"
        problem = class_problem(self, X, y, sample_weight, None if in_bags else weight)
        factors = [f for f in (problem.by_class, problem.altered) if f is not None]
        by_row = np.prod(factors, axis=0)[problem.codes] if factors else None
        data = Data(
            by_name(problem.table),
            problem.codes,
            problem.classes,
            problem.given,
            by_row,
            thread_count(self.n_jobs),
        )
        sampling = dataclasses.replace(self._sampling(), balanced=in_bags)
        self._grow(X, data, sampling, problem.altered, **problem.answers)
        return self

    @profiled("prediction")
    def predict_proba(self, X: Any) -> Floats:
        """The trees' class shares, averaged, or their votes; classes as in `classes_`."""
        threads, owner = self._asked()
        return self.ensemble_.predict_proba(X, threads, owner)

    def predict_log_proba(self, X: Any) -> Floats:
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


class ForestRegressor(RegressorMixin, ForestEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """What forests that answer with a number share."""

    predicts = "numbers"
    _oob_answers = "oob_prediction_"

    @own_arguments
    @profiled("fit")
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ForestRegressor:
        check_criterion(self.criterion, NUMBER_CRITERIA)
        self._check_target(y)
        table = by_name(to_table(X, owner=type(self).__name__))
        target = number_target(y, table.n_rows, type(self).__name__)
        given = weights(sample_weight, table.n_rows)
        self._grow(X, Data(table, target, None, given, None, thread_count(self.n_jobs)), self._sampling())
        return self

    def predict_quantiles(self, X: Any, quantiles: Any = (0.1, 0.5, 0.9)) -> Floats:
        """Rows by quantiles, of the targets of the training rows that share the leaves with the row, each
        weighted by its share of the leaf. The first call collects the rows of the leaves, which are then part
        of the model."""
        asked = self._asked()
        levels = _levels(quantiles)
        if self._leaf_samples is None:
            hint = "Fit it again; or call predict_quantiles once and pickle it: save() has the trees alone."
            training_rows(self, hint)
            assert self._bagged is not None  # beside the rows
            self._leaf_samples = LeafSamples.of(self.ensemble_, *self._bagged)
        return self._leaf_samples.quantiles(self.ensemble_, X, levels, *asked)

    def predict_interval(self, X: Any, coverage: float = 0.9) -> Floats:
        """Rows by lower and upper end of the interval that leaves equal shares out on either side."""
        if not is_finite_number(coverage) or not 0 < coverage < 1:
            raise wrong("coverage", coverage, "a share between 0 and 1")
        return self.predict_quantiles(X, ((1 - coverage) / 2, (1 + coverage) / 2))


def _levels(quantiles: Any) -> Floats:
    try:
        levels = np.atleast_1d(np.array(quantiles, dtype=np.float64))
    except (TypeError, ValueError):
        levels = np.empty(0)
    if levels.ndim != 1 or not levels.size or not ((levels >= 0) & (levels <= 1)).all():
        raise wrong("quantiles", quantiles, "a number from 0 to 1, or several")
    return levels


class RandomForestClassifier(ForestClassifier, changes={"max_features": "sqrt"}):
    """A random forest that answers with a class: every tree on a bootstrap sample of the rows, every split
    the best of a few columns drawn for it."""


class RandomForestRegressor(ForestRegressor, changes={"criterion": "squared_error", "max_features": 1 / 3}):
    """A random forest that answers with a number: every tree on a bootstrap sample of the rows, every split
    the best of a third of the columns, drawn for it."""


class ExtraTreesClassifier(ForestClassifier, changes={"bootstrap": False, "max_features": "sqrt"}):
    """Extremely randomised trees that answer with a class: every split the best of one random cut in each of
    a few columns drawn for it."""

    random_cuts = True


class ExtraTreesRegressor(
    ForestRegressor, changes={"criterion": "squared_error", "bootstrap": False, "max_features": 1.0}
):
    """Extremely randomised trees that answer with a number: every split the best of one random cut in each
    column."""

    random_cuts = True


class BaggingTreesClassifier(ForestClassifier, changes={}):
    """Bagged trees that answer with a class: every tree on a sample of the rows and, where max_features says
    so, of the columns; every split the best of all of these."""

    columns_of_trees = True


class BaggingTreesRegressor(ForestRegressor, changes={"criterion": "squared_error"}):
    """Bagged trees that answer with a number: every tree on a sample of the rows and, where max_features says
    so, of the columns; every split the best of all of these."""

    columns_of_trees = True
