"""What an estimator says of its columns: importances, and Shapley values of each answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from bough.ensemble.interrupts import one_of_several
from bough.errors import BoughError, warn_caller
from bough.estimators.parameters import copy_with
from bough.estimators.seen import Seen, are_training_rows, training_rows
from bough.growing import thread_count
from bough.growing.settings import check_name, is_count, wrong
from bough.pruning import Evidence
from bough.tree import Ensemble, Tree
from bough.tree.gains import gain_importance

# A fit needs none of these, nor scikit-learn's `model_selection`: they are imported where they are asked for.
if TYPE_CHECKING:
    from bough.evaluation.folds import Folds
    from bough.explain.importance import Importance
    from bough.explain.shap import ShapValues


class Importances:
    """Mixed into every estimator; hands the fitted trees and rows to `bough.explain`."""

    def importances(
        self,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        method: str | None = None,
        groups: Any = None,
        folds: int = 5,
        repeats: int = 5,
        random_state: Any = 0,
    ) -> Importance:
        """How much each column matters, judged by rows that the trees did not grow on: those given here;
        without any, the out-of-bag rows of a forest, or else the training rows, each by a model grown without
        its fold. The errors are over trees, folds or repeats of this one table; they are no interval for what
        other rows would say.

        method : "unbiased" (None; of trees that are added up, "permutation"), "permutation" or "gain", which
            is the share in all gains on the training rows and prefers columns of many values
        groups : of the training rows, whose groups are to be judged as new ones: all rows of a group are in
            one fold, for forests too, whose bags divide groups
        folds : of the training rows, where these are divided
        repeats : of each permutation
        random_state : seed of folds and permutations
        """
        from bough.explain.importance import (
            METHODS,
            Importance,
            names_of,
            permutation_importance,
            unbiased_importance,
        )

        model = _model(self)
        summed = isinstance(model, Ensemble) and model.combine == "sum"
        method = method or ("permutation" if summed else "unbiased")
        check_name("method", method, METHODS)
        if method == "unbiased" and summed:
            raise wrong("method", method, '"permutation" or "gain" where trees are added up')
        for name, count, least in (("folds", folds, 2), ("repeats", repeats, 1)):
            if not is_count(count) or count < least:
                raise wrong(name, count, f"a whole number from {least} up")
        random = check_random_state(random_state)
        if method == "gain":
            none = np.full(len(model.fields), np.nan)
            return Importance(names_of(model), gain_importance(model), none, method)
        if getattr(self, "predicts", None) == "queries":
            raise BoughError(
                f"{type(self).__name__} does not keep its queries, so its own rows cannot judge its columns.",
                code="parameter",
                hint="Give rows that it was not fitted on: importances(X, y, qid=…); or call "
                'importances(method="gain").',
            )
        if groups is not None and (X is not None or y is not None):
            raise wrong("groups", groups, "for the training rows, and other rows are given")
        if X is not None or y is not None:
            rows = given_rows(self, model, X, y, sample_weight)
            return _judged(method, model, rows, repeats, random)
        seen = training_rows(
            self, "Give rows that the model was not fitted on: importances(X, y); a copy by pickle has none."
        )
        w = np.ones(seen.table.n_rows) if seen.weights is None else seen.weights
        target = seen.target if model.classes is None else seen.target.astype(np.int64)
        rows = Evidence(seen.table, target, w)
        outside = _out_of_bag(self) if groups is None else None
        if outside is None:
            return _cross_fitted(
                self, method, rows, _cuts(self, rows, folds, groups, random), repeats, random
            )
        if method == "unbiased":
            return unbiased_importance(model, rows, outside)
        return permutation_importance(model, rows, repeats, random, outside)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The share of each column in the sum of all gains, as in scikit-learn; biased towards columns of
        many values, which `importances()` is not."""
        return gain_importance(_model(self))

    def shap_values(self, X: Any, background: Any = None) -> ShapValues:
        """What each column adds to the answer for each row of X: exact Shapley values, which add up to
        `predict_proba`, to the number, or of boosting to the raw output. What is not known is averaged over
        the training rows of each node; with `background`, over the rows of that table."""
        from bough.explain.shap import shap_values

        threads = thread_count(getattr(self, "n_jobs", None))
        return shap_values(_model(self), X, background, threads, type(self).__name__)


def _model(estimator: Any) -> Tree | Ensemble:
    check_is_fitted(estimator)
    model: Tree | Ensemble = getattr(estimator, "ensemble_", None) or estimator.tree_
    return model


def given_rows(estimator: Any, model: Tree | Ensemble, X: Any, y: Any, sample_weight: Any) -> Evidence:
    """The rows of the user; with a warning if the model has seen them."""
    if X is None or y is None:
        absent, there = ("X", "y") if X is None else ("y", "X")
        ranks = getattr(estimator, "predicts", None) == "queries"
        other = 'importances(method="gain")' if ranks else "importances()"
        raise BoughError(
            f"importances has {there} but no {absent}: rows that judge the columns need both.",
            code="parameter",
            hint=f"Call importances(X, y) with rows that the model was not fitted on, or {other}.",
        )
    rows = Evidence.of(model, X, y, sample_weight)
    if are_training_rows(estimator, Seen(rows.table, rows.target, rows.weights)):
        warn_caller(
            "these are the rows that the model was fitted on: they flatter every column that it asks for, "
            "noise too. Give rows that it was not fitted on.",
        )
    return rows


def _out_of_bag(estimator: Any) -> list[NDArray[np.intp]] | None:
    """Of each tree of a forest, the training rows that it did not see; None where there are none."""
    bagged = getattr(estimator, "_bagged", None)
    if bagged is None:
        return None
    _, bags = bagged
    outside = [np.flatnonzero(bags.counts(tree) == 0) for tree in range(len(estimator.ensemble_))]
    return outside if any(len(rows) for rows in outside) else None


def _judged(
    method: str, model: Tree | Ensemble, rows: Evidence, repeats: int, random: np.random.RandomState
) -> Importance:
    from bough.explain.importance import permutation_importance, unbiased_importance

    if method == "unbiased":
        return unbiased_importance(model, rows)
    return permutation_importance(model, rows, repeats, random)


def _cuts(estimator: Any, rows: Evidence, folds: int, groups: Any, random: np.random.RandomState) -> Folds:
    """Which training rows judge, and which the model that they judge is fitted on."""
    from sklearn.model_selection import KFold, StratifiedKFold

    from bough.evaluation.folds import checked_groups, splits

    n_rows, classes = rows.table.n_rows, getattr(estimator, "classes_", None)
    if groups is not None:
        together = np.asarray(groups)
        if together.shape != (n_rows,):
            raise BoughError(
                f"groups has the shape {together.shape}, and the model was fitted on {n_rows:,} rows.",
                code="shape",
                hint="Give one group for each row of fit; rows of weight 0 are left out.",
            )
        together = checked_groups(together, n_rows)
        seed = int(random.randint(2**31 - 1))
        cuts = splits(folds, rows.target, classes=classes is not None, seed=seed, groups=together)
        if not cuts:
            raise BoughError(
                "groups names no two groups, of which one could judge.",
                code="parameter",
                hint="Leave it out, or give rows that the model was not fitted on: importances(X, y).",
            )
        return cuts
    count = min(folds, n_rows)
    if count < 2:
        raise BoughError(
            "one training row cannot be divided into folds.", code="model", hint="Give other rows: X=, y=."
        )
    even = classes is not None and np.bincount(rows.target)[np.unique(rows.target)].min() >= count
    kind = StratifiedKFold if even else KFold
    return list(kind(count, shuffle=True, random_state=random).split(np.zeros(n_rows), rows.target))


@one_of_several()
def _cross_fitted(
    estimator: Any, method: str, rows: Evidence, cuts: Folds, repeats: int, random: np.random.RandomState
) -> Importance:
    """Each fold of the training rows judges a model that was fitted on the others."""
    from bough.explain.importance import Importance, mean_and_error

    classes = getattr(estimator, "classes_", None)
    found = []
    for seed, (kept, held_out) in enumerate(cuts):
        some, others = rows.take(kept), rows.take(held_out)
        target = some.target if classes is None else classes[some.target]
        fitted = _model(_afresh(estimator, seed).fit(some.table, target, some.weights))
        if classes is not None and len(fitted.classes) < len(classes):  # type: ignore[arg-type]  # classes
            others = _known(others, np.unique(some.target))
        if len(others.target):
            found.append(_judged(method, fitted, others, repeats, random).values)
    if not found:
        raise BoughError(
            "every training row has a class of its own: no fold can judge a model of the others.",
            code="model",
            hint="Give other rows: X=, y=.",
        )
    values, errors = mean_and_error(found)
    return Importance(rows.table.names, values, errors, method, "folds")


def _afresh(estimator: Any, seed: int) -> Any:
    """To be fitted on some of its rows, whose weights hold those of the classes already (in forests both are
    apart). The seed: where it has none, so that nothing is drawn from everybody's."""
    in_weights = () if hasattr(estimator, "_bagged") else ("class_weight", "priors")
    changed: dict[str, Any] = {name: None for name in in_weights if hasattr(estimator, name)}
    if estimator.random_state is None:
        changed["random_state"] = seed
    return copy_with(estimator, **changed)


def _known(rows: Evidence, codes: NDArray[Any]) -> Evidence:
    """The rows whose class is among these, by their number among them."""
    kept = rows.take(np.isin(rows.target, codes))
    return Evidence(kept.table, np.searchsorted(codes, kept.target), kept.weights)
