"""What all tree estimators share: parameters to settings, one growth, the questions asked of the result."""

from __future__ import annotations

import copy
import dataclasses
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import DataConversionWarning
from sklearn.utils import Bunch, check_random_state
from sklearn.utils.validation import check_is_fitted

from bough.data.sources import column_names
from bough.data.stages import profiled
from bough.data.table import Table
from bough.errors import BoughError, warn_caller
from bough.estimators.elsewhere import unknown_parameter
from bough.estimators.growth import Growth, Pruning
from bough.estimators.importances import Importances
from bough.estimators.parameters import (
    GROWTH,
    OTHERS,
    constructor,
    copy_with,
    defaults,
    documentation,
)
from bough.estimators.reading import Reading
from bough.estimators.saving import Saving, model_of
from bough.estimators.seen import Seen, known_digest, seen, was_fitted_on
from bough.estimators.showing import Showing
from bough.growing import Settings, thread_count
from bough.growing.settings import check_name
from bough.pruning import path
from bough.tree import Tree
from bough.tree.rules import UNSEEN, Rules

# Pessimistic pruning counts errors of classes.
NOT_FOR_NUMBERS: dict[str, Any] = {p.name: p.default for p in OTHERS if p.of == "classes"}
ROWS = ("_seen", "_bagged")  # attributes about training rows, which nothing changes
PRUNED_BY = tuple(f.name for f in dataclasses.fields(Pruning))


def _random_state(random_state: Any) -> np.random.RandomState:
    try:
        made: np.random.RandomState = check_random_state(random_state)
    except (ValueError, TypeError):
        raise BoughError(
            f"random_state={random_state!r} is not possible.",
            code="parameter",
            hint="random_state is a whole number from 0 to 2**32 - 1, a numpy RandomState, or None.",
        ) from None
    return made


def set_learned(model: Any, found: dict[str, Any]) -> None:
    """Takes the place of what an earlier fit learned, in one step: Ctrl-C comes before it or after."""
    kept = {name: value for name, value in vars(model).items() if not name.endswith("_")}
    model.__dict__ = kept | found


class Model(Importances, Reading, Showing, Saving, BaseEstimator):  # type: ignore[misc]  # no types there
    """What one tree and many have in common."""

    predicts: ClassVar[str]  # "classes" or "numbers"
    _seen: Seen | None  # what was fitted on, for questions about it; not part of the model
    # Set by the constructor; every parameter is described in bough.estimators.parameters.
    criterion: Any
    missing: Any
    unseen: Any
    monotonic_cst: Any
    random_state: Any
    n_jobs: Any

    def set_params(self, **params: Any) -> Any:
        """Sets parameters; a wrong name is answered with the right one."""
        known = self.get_params()
        for name in params:
            if name not in known:
                raise unknown_parameter(self, name, list(known))
        return super().set_params(**params)

    def _rules(self, table: Table, settings: Settings) -> Rules:
        check_name("unseen", self.unseen, UNSEEN)
        names = zip(table.names, settings.missing_rules(table.fields), strict=True)
        return Rules(unseen=self.unseen, never_missing=tuple(name for name, rule in names if rule == "error"))

    def _learned(self, X: Any, table: Table, classes: NDArray[Any] | None, **found: Any) -> None:
        found["n_features_in_"] = len(table.columns)
        if column_names(X) is not None:
            found["feature_names_in_"] = np.array(table.names, dtype=object)
        if classes is not None:
            found["classes_"] = classes
        found["_data_digest"] = None  # of rows of an earlier model that was loaded
        set_learned(self, found)

    def _check_target(self, y: Any) -> None:
        """A column vector is taken as a vector, with scikit-learn's warning."""
        if y is not None and getattr(y, "ndim", 1) == 2 and y.shape[1] == 1:
            text = "A column-vector y was passed when a 1d array was expected; it is taken as y.ravel()."
            warn_caller(text, DataConversionWarning)

    def _asked(self) -> tuple[int, str]:
        """How the model is asked: with how many threads, and by whom."""
        if "n_features_in_" not in self.__dict__:  # the whole check looks at every attribute
            check_is_fitted(self)
        return thread_count(self.n_jobs), type(self).__name__

    def _was_fitted_on(self, X: Any, y: Any, sample_weight: Any) -> bool:
        """As far as the model knows its rows; `bough.evaluate` asks."""
        return was_fitted_on(self, model_of(self), X, y, sample_weight)

    def __getstate__(self) -> dict[str, Any]:
        """Without the training rows; their digest tells them when they come again."""
        state = {name: value for name, value in super().__getstate__().items() if name != "_seen"}
        return state | {"_data_digest": known_digest(self)} if "_seen" in vars(self) else state

    def __copy__(self) -> Any:
        made = type(self).__new__(type(self))
        made.__dict__ = dict(vars(self))
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        """With the training rows, which a pickle leaves out; both have the same, as nothing changes them."""
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        made.__dict__ = {n: v if n in ROWS else copy.deepcopy(v, memo) for n, v in vars(self).items()}
        return made

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


class TreeEstimator(Model):
    """Fits one tree; classifier and regressor differ in the target, presets in their defaults."""

    tree_: Tree
    forced_splits: Any
    pruning_measure: Any

    def __init_subclass__(cls, changes: dict[str, Any] | None = None, **others: Any) -> None:
        """`changes`: the defaults in which the class differs."""
        super().__init_subclass__(**others)
        if changes is not None:
            values = defaults(cls.predicts, changes)
            cls.__init__ = constructor(values)  # type: ignore[method-assign]  # one for each class
            cls.__doc__ = documentation(cls.__doc__ or "", cls.predicts, values)

    def _settings(self, random: np.random.RandomState, pruning: Pruning) -> Settings:
        settings = Settings(**{p.name: getattr(self, p.name) for p in GROWTH})
        if settings.subset_correction is None and pruning.by_cross_validation:
            settings = replace(settings, subset_correction=settings.corrects_subsets)
        draws = settings.ties == "random" or settings.p_values == "monte_carlo"
        if not draws and settings.max_features is None:
            return settings
        return replace(settings, seed=int(random.randint(2**31 - 1)))

    def _pruning(self) -> Pruning:
        given: dict[str, Any] = {name: getattr(self, name, NOT_FOR_NUMBERS.get(name)) for name in PRUNED_BY}
        return Pruning(**given)

    def _grow(
        self,
        X: Any,
        table: Table,
        target: NDArray[Any],
        classes: NDArray[Any] | None,
        w: NDArray[np.float64] | None,
        altered: NDArray[np.float64] | None = None,
        **answers: Any,
    ) -> None:
        """A fit that fails or is stopped leaves the model as it was: what it learns is set at the end.
        `altered`: see Growth. `answers`: how the tree is to answer, beyond what concerns all trees."""
        random = _random_state(self.random_state)
        pruning = self._pruning()
        settings = self._settings(random, pruning)
        rules = dataclasses.replace(self._rules(table, settings), **answers)
        if w is not None and not w.all():
            kept = w > 0
            table, target, w = table.take(kept), target[kept], w[kept]
        growth = Growth(
            table,
            target,
            classes,
            w,
            altered,
            settings,
            thread_count(self.n_jobs),
            rules,
            self.forced_splits,
        )
        # Folds and held-out rows are the same each time unless a seed says otherwise. A number and not a
        # generator: to make one takes half as long as a small tree, which needs none.
        tree, choice = pruning.tree(growth, 0 if self.random_state is None else random)
        self._learned(X, table, classes, tree_=tree, pruning_choice_=choice, _seen=seen(X, table, target, w))

    @profiled("prediction")
    def predict(self, X: Any) -> NDArray[Any]:
        """The answer for each row: the class with the largest weight in its leaf, or the leaf's mean."""
        threads, owner = self._asked()
        return self.tree_.predict(X, threads, owner)

    def apply(self, X: Any) -> NDArray[np.int64]:
        """The number of the leaf that each row comes to."""
        asked = self._asked()
        return self.tree_.apply(X, *asked)

    def decision_path(self, X: Any) -> Any:
        """A sparse matrix, rows by nodes, with a one for each node that the row passes."""
        asked = self._asked()
        return self.tree_.decision_path(X, *asked)

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """As in scikit-learn: `ccp_alphas`, at which the whole tree loses leaves, and what the tree then left
        costs (`impurities`). The model itself is not fitted."""
        whole = copy_with(self, pruning=None, ccp_alpha=0.0, cp=0.0).fit(X, y, sample_weight)
        found = path(whole.tree_, measure=self.pruning_measure or "impurity")
        return Bunch(ccp_alphas=found.ccp_alphas, impurities=found.impurities)

    def digest(self) -> str:
        """SHA-256 of the model's content, equal for equal models everywhere."""
        check_is_fitted(self)
        return self.tree_.digest()

    def get_depth(self) -> int:
        check_is_fitted(self)
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        check_is_fitted(self)
        return self.tree_.n_leaves
