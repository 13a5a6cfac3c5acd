"""Which model, and how large: cross-validation over estimators and parameters, and curves of the error.

Folds, fits and scores are scikit-learn's (GridSearchCV, learning_curve, validation_curve); here they get
standard errors, sizes, a rule that chooses, and a table to read."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import model_selection
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.metrics import check_scoring

from bough.ensemble.interrupts import one_of_several
from bough.errors import BoughError, did_you_mean
from bough.estimators.elsewhere import unknown_parameter
from bough.estimators.ranked import Ranked, last_step, query_counts, ranked_rows, with_parameters
from bough.estimators.selected import Candidate, Curve, Selection
from bough.evaluation.folds import indexable, standard_error
from bough.growing.settings import check_name

RULES = ("best", "1-se")
SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
SIZES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)


@one_of_several()
def select(
    estimators: Any,
    X: Any,
    y: Any,
    grid: Any = None,
    *,
    cv: Any = 10,
    scoring: Any = None,
    rule: str = "best",
    group: Any = None,
    qid: Any = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> Selection:
    """Compares estimators and parameters by cross-validation and fits the chosen one on all rows.

    Parameters
    ----------
    estimators : one estimator, a list of them, or a dict of estimators by name
    X, y : as for fit
    grid : parameters and the values to try, as for scikit-learn's GridSearchCV; for several estimators either
        one grid for all or a dict of grids by the estimators' names; None: the estimators as they are
    cv : number of folds (shuffled, with the classes in their shares), or whatever scikit-learn takes as cv;
        all candidates are tried on the same folds
    scoring : as in scikit-learn; None: the estimators' own score
    rule : "best": the highest mean score, of equal ones the fewest leaves; "1-se": the fewest leaves
        among those within one standard error of the highest mean, of equal ones the highest mean
    group, qid : of rankers, as in their fit; whole queries are held out, and NDCG is the score
    random_state : seed of the folds
    n_jobs : processes, as in scikit-learn
    """
    check_name("rule", rule, RULES)
    named = _named(estimators)
    if not (scoring is None or isinstance(scoring, str) or callable(scoring)):
        raise BoughError(
            f"scoring={scoring!r} is not possible.",
            code="parameter",
            hint="Candidates are compared by one score: a name, a function or None.",
        )
    rows = indexable(X)
    ranked = ranked_rows(list(named.values()), rows, y, group, qid)
    if ranked is not None:
        return _selected_ranker(named, ranked, grid, cv, scoring, rule, random_state, n_jobs)
    folds = _folds(cv, rows, y, list(named.values()), random_state)
    candidates = [
        candidate
        for name, estimator in named.items()
        for candidate in _candidates(
            name, estimator, _grid_of(grid, name, named), rows, y, folds, scoring, n_jobs
        )
    ]
    best = _chosen(candidates, rule)
    fitted = clone(named[best.name]).set_params(**best.params).fit(X, y)
    return Selection(tuple(candidates), best, fitted, rule, _score_name(scoring, list(named.values())))


@one_of_several()
def learning_curve(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    sizes: Sequence[float] = SHARES,
    cv: Any = 10,
    group: Any = None,
    qid: Any = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> Curve:
    """The error on the rows that the model was fitted on and on those held out, against the number of rows
    fitted on: mean over the folds and its standard error. The error is the share of wrong answers, or the
    root of the mean squared error.

    `sizes` are shares of the rows that a fold leaves to fit on, or numbers of rows. Of a ranker, with `group`
    or `qid` as in its fit, they are of queries, and the error is 1 - NDCG."""
    rows = indexable(X)
    ranked = ranked_rows([estimator], rows, y, group, qid)
    if ranked is not None:
        folds = ranked.folds(cv, random_state)
        counts = query_counts(ranked, sizes, folds)
        drawn = [(ranked.some_queries(fit_on, counts, random_state), left) for fit_on, left in folds]
        tried = [
            ranked.all_tried([estimator], [(some[i], left) for some, left in drawn], n_jobs)[0]
            for i in range(len(counts))
        ]
        return _ranked_curve("queries", counts, np.array(tried))
    scoring, error_of = _error(estimator)
    n_rows, fitted, held_out = model_selection.learning_curve(
        estimator,
        rows,
        np.asarray(y),
        train_sizes=np.asarray(sizes),
        cv=_folds(cv, rows, y, [estimator], random_state),
        scoring=scoring,
        shuffle=True,
        random_state=random_state,
        n_jobs=n_jobs,
        error_score="raise",
    )
    return _curve("rows", n_rows.tolist(), error_of(fitted), error_of(held_out))


@one_of_several()
def complexity_curve(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    parameter: str = "max_leaf_nodes",
    values: Sequence[Any] = SIZES,
    cv: Any = 10,
    group: Any = None,
    qid: Any = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> Curve:
    """The error on the rows that the model was fitted on and on those held out, against a parameter: mean
    over the folds and its standard error. The error is the share of wrong answers, or the root of the mean
    squared error; of a ranker, with `group` or `qid` as in its fit, 1 - NDCG."""
    known = estimator.get_params()
    if parameter not in known:
        raise unknown_parameter(estimator, parameter, list(known))
    if not len(values):
        raise BoughError(
            "there are no values to try.", code="parameter", hint=f"Give some values of {parameter}."
        )
    rows = indexable(X)
    ranked = ranked_rows([estimator], rows, y, group, qid)
    if ranked is not None:
        models = [model for _, model in with_parameters(estimator, {parameter: list(values)})]
        tried = ranked.all_tried(models, ranked.folds(cv, random_state), n_jobs)
        return _ranked_curve(parameter, list(values), tried)
    scoring, error_of = _error(estimator)
    fitted, held_out = model_selection.validation_curve(
        estimator,
        rows,
        np.asarray(y),
        param_name=parameter,
        param_range=list(values),
        cv=_folds(cv, rows, y, [estimator], random_state),
        scoring=scoring,
        n_jobs=n_jobs,
        error_score="raise",
    )
    return _curve(parameter, list(values), error_of(fitted), error_of(held_out))


def _named(estimators: Any) -> Mapping[str, Any]:
    """Estimators by name; in a list, those of one class are numbered."""
    if isinstance(estimators, Mapping):
        named: Mapping[str, Any] = estimators
    else:
        several = list(estimators) if isinstance(estimators, list | tuple) else [estimators]
        kinds = [type(estimator).__name__ for estimator in several]
        numbers_of = [kinds[: i + 1].count(kind) for i, kind in enumerate(kinds)]
        names = [
            f"{kind} {number}" if kinds.count(kind) > 1 else kind
            for kind, number in zip(kinds, numbers_of, strict=True)
        ]
        named = dict(zip(names, several, strict=True))
    if not named:
        raise BoughError(
            "there are no estimators to select from.", code="parameter", hint="Give at least one."
        )
    for name, estimator in named.items():
        if isinstance(estimator, type) or not hasattr(estimator, "get_params"):
            raise BoughError(
                f'"{name}" is {estimator!r}, which is no estimator.',
                code="parameter",
                hint="Give estimators, such as bough.DecisionTreeClassifier().",
            )
    return named


def _folds(cv: Any, rows: Any, y: Any, estimators: Sequence[Any], random_state: Any) -> list[Any]:
    """Rows to fit on and rows to score, drawn once for all candidates."""
    splitter = model_selection.check_cv(cv, np.asarray(y), classifier=all(map(is_classifier, estimators)))
    if isinstance(cv, numbers.Integral):  # tables are often sorted by the target
        splitter = type(splitter)(int(cv), shuffle=True, random_state=random_state)
    return list(splitter.split(rows, np.asarray(y)))


def _grid_of(grid: Any, name: str, estimators: Mapping[str, Any]) -> Any:
    """The grid of one of the estimators."""
    if not isinstance(grid, Mapping) or not grid:
        return grid or {}
    by_name = [key for key in grid if key in estimators]
    if not by_name:
        return grid
    strange = [key for key in grid if key not in estimators]
    if strange:
        raise BoughError(
            f'grid has a grid for "{by_name[0]}", but "{strange[0]}" is no estimator.'
            + did_you_mean(str(strange[0]), estimators),
            code="parameter",
            hint="Give one grid for all estimators, or a dict of grids by the estimators' names.",
        )
    return grid.get(name) or {}


def _candidates(
    name: str,
    estimator: Any,
    grid: Any,
    rows: Any,
    y: Any,
    folds: list[Any],
    scoring: Any,
    n_jobs: int | None,
) -> list[Candidate]:
    asked = {"score": check_scoring(estimator, scoring)}
    if hasattr(last_step(estimator), "get_n_leaves"):
        asked["leaves"] = _leaves
    search = model_selection.GridSearchCV(
        estimator, grid, scoring=asked, refit=False, cv=folds, n_jobs=n_jobs, error_score="raise"
    )
    found = search.fit(rows, np.asarray(y)).cv_results_
    scores = np.array([found[f"split{fold}_test_score"] for fold in range(len(folds))])
    leaves = found.get("mean_test_leaves", np.full(scores.shape[1], np.nan))
    return [
        Candidate(
            name,
            dict(params),
            tuple(scores[:, i].tolist()),
            float(scores[:, i].mean()),
            standard_error(scores[:, i]),
            float(leaves[i]),
            float(found["mean_fit_time"][i]),
        )
        for i, params in enumerate(found["params"])
    ]


def _selected_ranker(
    named: Mapping[str, Any],
    ranked: Ranked,
    grid: Any,
    cv: Any,
    scoring: Any,
    rule: str,
    seed: Any,
    n_jobs: int | None,
) -> Selection:
    if scoring is not None:
        raise BoughError(
            f"scoring={scoring!r} is not possible where queries are given.",
            code="parameter",
            hint="Leave it out: NDCG is the score.",
        )
    folds = ranked.folds(cv, seed)
    candidates, models = [], []
    for name, estimator in named.items():
        choices = with_parameters(estimator, _grid_of(grid, name, named))
        tried = ranked.all_tried([model for _, model in choices], folds, n_jobs)
        for (params, model), (_, held_out, seconds) in zip(choices, tried.transpose(0, 2, 1), strict=True):
            there = held_out[~np.isnan(held_out)]
            candidates.append(
                Candidate(
                    name,
                    dict(params),
                    tuple(held_out.tolist()),
                    float(there.mean()),
                    standard_error(there),
                    math.nan,
                    float(seconds.mean()),
                )
            )
            models.append(model)
    best = _chosen(candidates, rule)
    fitted = ranked.fitted(models[next(i for i, one in enumerate(candidates) if one is best)])
    return Selection(tuple(candidates), best, fitted, rule, "NDCG")


def _ranked_curve(name: str, values: list[Any], tried: NDArray[Any]) -> Curve:
    """`tried`: values by folds by NDCG of fitted rows, of held-out rows, and seconds."""
    return _curve(name, values, 1 - tried[:, :, 0], 1 - tried[:, :, 1])


def _leaves(estimator: Any, X: Any, y: Any) -> float:
    return float(last_step(estimator).get_n_leaves())


def _chosen(candidates: Sequence[Candidate], rule: str) -> Candidate:
    top = max(candidates, key=lambda c: c.mean)
    if rule == "1-se" and any(math.isnan(c.leaves) for c in candidates):
        name = next(c.name for c in candidates if math.isnan(c.leaves))
        raise BoughError(
            f'rule="1-se" compares numbers of leaves, and "{name}" has none.',
            code="parameter",
            hint='Use rule="best".',
        )
    within = 0.0 if rule == "best" or math.isnan(top.error) else top.error
    good = [c for c in candidates if c.mean >= top.mean - within - 1e-12]
    return min(good, key=lambda c: (math.inf if math.isnan(c.leaves) else c.leaves, -c.mean))


def _score_name(scoring: Any, estimators: Sequence[Any]) -> str:
    if isinstance(scoring, str):
        return scoring
    if scoring is not None:
        return getattr(scoring, "__name__", "score")
    if all(map(is_classifier, estimators)):
        return "accuracy"
    return "R²" if all(map(is_regressor, estimators)) else "score"


def _error(estimator: Any) -> tuple[str, Any]:
    """The name of a score, and how it becomes an error."""
    if is_classifier(estimator):
        return "accuracy", lambda score: 1.0 - score
    return "neg_root_mean_squared_error", lambda score: -score


def _curve(name: str, values: list[Any], fitted: NDArray[Any], held_out: NDArray[Any]) -> Curve:
    curve = Curve({name: values})
    for part, errors in (("training", fitted), ("held_out", held_out)):
        known = [row[~np.isnan(row)] for row in errors]  # of rankers, folds with a relevant row
        curve[f"{part}_error"] = [float(row.mean()) if len(row) else math.nan for row in known]
        curve[f"{part}_standard_error"] = [standard_error(row) for row in known]
    return curve
