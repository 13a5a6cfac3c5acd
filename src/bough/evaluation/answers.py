"""What a model answers on rows that are to judge it: those left out of each fold, or a test set as it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from bough.data.ingest import check_not_empty
from bough.data.objects import label
from bough.data.target import class_codes, number_target
from bough.ensemble.interrupts import one_of_several
from bough.ensemble.ranking import GIVE_QUERIES, check_relevant, gains
from bough.errors import BoughError, warn_caller
from bough.evaluation.folds import Folds
from bough.tree.text import shown_name

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]

OWN_ROWS = "was fitted on these very rows: the figures flatter it."


@dataclass(frozen=True)
class Target:
    """Class numbers and the classes, or numbers and None. `queries`: the number of the query of each row,
    where the order within queries is judged."""

    values: NDArray[Any]
    classes: NDArray[Any] | None
    queries: Longs | None = None

    @property
    def labels(self) -> NDArray[Any]:
        """What an estimator is fitted on."""
        return self.values if self.classes is None else self.classes[self.values]


@dataclass(frozen=True)
class Answers:
    """One entry for each row that was judged, fold after fold."""

    rows: Longs  # numbers in the data
    fold: Longs
    truth: NDArray[Any]
    given: NDArray[Any]  # class numbers, or numbers
    classes: NDArray[Any] | None
    shares: Floats | None  # rows by classes; None: the model gives none
    scores: Floats | None  # of two classes: what ranks the rows for the second
    weights: Floats
    n_folds: int  # 0: the model as it is
    queries: Longs | None = None  # of each row, where the order within them is judged


def target_of(model: Any, y: Any, n_rows: int, queries: Longs | None = None) -> Target:
    name = type(model).__name__
    check_not_empty(n_rows, 1)
    if queries is None and getattr(model, "predicts", None) == "queries":
        raise BoughError(
            f"{name} orders the rows of queries, and no queries are given.",
            code="parameter",
            hint=GIVE_QUERIES,
        )
    if queries is not None:
        if is_classifier(model):
            raise BoughError(
                f"{name} answers with classes, which put no rows of a query in order.",
                code="parameter",
                hint="Leave group and qid out, or take a ranker or a regressor.",
            )
        values = number_target(y, n_rows, name)
        check_relevant(gains(values))
        return Target(values, None, queries)
    if is_classifier(model):
        codes, classes = class_codes(y, n_rows, name)
        return Target(codes.astype(np.int64), classes)
    return Target(number_target(y, n_rows, name), None)


def held_out(
    model: Any, rows: Any, target: Target, weights: Floats, folds: Folds
) -> tuple[Answers, list[Any]]:
    """Answers for the rows that each fold leaves out, by copies fitted on the others; and these."""
    models, parts = [], []
    for number, (given, left) in enumerate(folds):
        fit_on, queries = given, None
        if target.queries is not None:  # a query's rows together, as some libraries want them
            fit_on = given[np.argsort(target.queries[given], kind="stable")]
            queries = target.queries[fit_on]
        model_of_fold = fitted_copy(
            model, _safe_indexing(rows, fit_on), target.labels[fit_on], weights[fit_on], queries
        )
        models.append(model_of_fold)
        parts.append(
            _answers(model_of_fold, _safe_indexing(rows, left), target, weights, left, number, len(folds))
        )
    return _joined(parts), models


def as_it_is(model: Any, rows: Any, target: Target, weights: Floats) -> Answers:
    """The answers of the fitted model. A class that it does not know is one that it never gives."""
    check_is_fitted(model)
    return _answers(model, rows, target, weights, np.arange(len(target.values)), 0, 0)


def warn_of_own_rows(models: Mapping[str, Any], X: Any, y: Any, weights: Any) -> None:
    """Of each model that was fitted on the very rows that are to judge it, as far as it knows them: models of
    bough do, and averages of these."""
    for name, model in models.items():
        members = getattr(model, "estimators_", ())
        for one in (model, *(members if isinstance(members, list) else ())):
            if hasattr(one, "_was_fitted_on") and one._was_fitted_on(X, y, weights):
                warn_caller(f"{name} {OWN_ROWS} Give rows that it has not seen, or cv=10 instead of None.")
                break


def known_classes(model: Any, target: Target) -> Target:
    """The target with the model's classes among its own, for a model that is judged as it is."""
    own = getattr(model, "classes_", None)
    if target.classes is None or own is None:
        return target
    labels = target.labels
    try:
        classes = np.unique(np.concatenate([np.asarray(own), target.classes]))
    except TypeError:
        raise BoughError(
            f"the model answers {list(own)[:3]} and the target holds {target.classes.tolist()[:3]}.",
            code="target",
            hint="Give the labels in the type that the model was fitted on.",
        ) from None
    return Target(np.searchsorted(classes, labels), classes)


def baseline(answers: Answers) -> Answers:
    """The same rows, all answered with their largest class, or with their mean; of queries, with the same
    score. Of the judged rows rather than of those fitted on: no other constant is right more often, so the
    model never looks good beside it where the judged rows are of another kind (a group left out)."""
    y, w = answers.truth, answers.weights
    if answers.queries is not None:
        return replace(answers, given=np.zeros(len(y)))
    if answers.classes is None:
        return replace(answers, given=np.full(len(y), np.average(y, weights=w)))
    share = np.bincount(y, w, minlength=len(answers.classes)) / w.sum()
    shares = np.tile(share, (len(y), 1))
    scores = shares[:, 1] if len(share) == 2 else None
    return replace(answers, given=np.full(len(y), share.argmax()), shares=shares, scores=scores)


def baseline_name(base: Answers) -> str:
    """What the baseline answers."""
    if base.queries is not None:
        return "any order"
    if base.classes is None:
        return "always the mean"
    return f'always "{shown_name(label(base.classes[base.given[0]]))}"'


@one_of_several()
def fitted_copy(
    model: Any, rows: Any, labels: NDArray[Any], weights: Floats, queries: Longs | None = None
) -> Any:
    """Weights are handed on where they differ, so that models without them can be judged too; queries, whose
    rows are together, to models that know of them."""
    copy = clone(model)
    last, before = copy, ""
    if hasattr(copy, "steps"):
        last, before = copy.steps[-1][1], f"{copy.steps[-1][0]}__"
    given: dict[str, Any] = {}
    if queries is not None and has_fit_parameter(last, "group"):
        given[f"{before}group"] = np.unique(queries, return_counts=True)[1]
    elif queries is not None and has_fit_parameter(last, "qid"):
        given[f"{before}qid"] = queries
    if bool((weights == 1).all()):
        return copy.fit(rows, labels, **given)
    if not has_fit_parameter(last, "sample_weight"):
        raise BoughError(
            f"{type(last).__name__} cannot be fitted with weights.",
            code="weights",
            hint="Leave sample_weight out. bough.evaluate can also judge the fitted model as it is: cv=None.",
        )
    return copy.fit(rows, labels, **given, **{f"{before}sample_weight": weights})


def _answers(
    model: Any, rows: Any, target: Target, weights: Floats, numbers: Longs, fold: int, n_folds: int
) -> Answers:
    truth, given = target.values[numbers], np.asarray(model.predict(rows))
    shares = scores = None
    if target.classes is not None:
        place = {value: i for i, value in enumerate(target.classes.tolist())}
        known = [place[value] for value in np.asarray(model.classes_).tolist()]
        given = np.array([place[value] for value in given.tolist()], dtype=np.int64)
        if hasattr(model, "predict_proba"):
            shares = np.zeros((len(numbers), len(target.classes)))
            shares[:, known] = model.predict_proba(rows)
            scores = shares[:, 1] if len(target.classes) == 2 else None
        elif len(target.classes) == 2 and hasattr(model, "decision_function"):
            scores = np.asarray(model.decision_function(rows), dtype=np.float64)
    return Answers(
        np.asarray(numbers, dtype=np.int64),
        np.full(len(numbers), fold),
        truth,
        given,
        target.classes,
        shares,
        scores,
        weights[numbers],
        n_folds,
        None if target.queries is None else target.queries[numbers],
    )


def _joined(parts: list[Answers]) -> Answers:
    def together(name: str) -> Any:
        arrays = [getattr(part, name) for part in parts]
        return None if any(array is None for array in arrays) else np.concatenate(arrays)

    names = ("rows", "fold", "truth", "given", "shares", "scores", "weights", "queries")
    first = parts[0]
    return Answers(**{name: together(name) for name in names}, classes=first.classes, n_folds=first.n_folds)
