"""How good a model is: cross-validated by default, next to a baseline, with intervals."""

from __future__ import annotations

import dataclasses
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.data.target import weights as checked_weights
from bough.ensemble.ranking import Queries
from bough.errors import BoughError
from bough.evaluation.answers import (
    Answers,
    Target,
    as_it_is,
    baseline,
    baseline_name,
    held_out,
    known_classes,
    target_of,
    warn_of_own_rows,
)
from bough.evaluation.class_figures import Sampling, class_figures, confusion, cost_matrix
from bough.evaluation.folds import Folds, folds_of, indexable, row_count, standard_error
from bough.evaluation.intervals import check_level
from bough.evaluation.number_figures import number_figures
from bough.evaluation.rank_figures import by_query, check_whole, mean_ndcg, query_numbers, rank_figures
from bough.evaluation.result import (
    ClassEvaluation,
    Evaluation,
    NumberEvaluation,
    RankEvaluation,
    class_number,
)
from bough.evaluation.sizes import plain_score

Floats = NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class Wish:
    """How answers are to be judged; the same for all models that are compared."""

    positive: Any = None
    threshold: float | None = None
    costs: Any = None
    bins: int = 10
    level: float = 0.95
    bootstrap: int = 500
    seed: int = 0

    def __post_init__(self) -> None:
        check_level(self.level)
        if not isinstance(self.bootstrap, int) or self.bootstrap < 0:
            raise BoughError(
                f"bootstrap={self.bootstrap!r} is not possible.",
                code="parameter",
                hint="bootstrap is the number of samples; 0: no such intervals.",
            )
        if not isinstance(self.bins, int) or self.bins < 1:
            raise BoughError(
                f"bins={self.bins!r} is not possible.", code="parameter", hint="bins is a number from 1 up."
            )

    @property
    def sampling(self) -> Sampling:
        return Sampling(self.level, self.bootstrap, self.seed)


def evaluate(
    model: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = 10,
    sample_weight: Any = None,
    groups: Any = None,
    group: Any = None,
    qid: Any = None,
    positive: Any = None,
    threshold: float | None = None,
    costs: Any = None,
    bins: int = 10,
    level: float = 0.95,
    bootstrap: int = 500,
    random_state: int = 0,
) -> Any:
    """How good a model is on rows that it was not fitted on.

    Parameters
    ----------
    model : any scikit-learn classifier or regressor, or a ranker; in folds, copies of it are fitted
    X, y : the data, as for fit; with cv=None a test set
    cv : number of folds (shuffled, classes in their shares; fewer if there are not enough rows), or whatever
        scikit-learn takes as cv; None: the fitted model is judged as it is on X and y
    sample_weight : how many times each row counts, in fitting and in judging
    groups : rows of one group are never in different folds
    group, qid : of a ranker, as in its fit: the number of rows of each query, or the query of each row. The
        order within queries is judged, of any model that answers with numbers; folds keep queries whole
    positive : of two classes the one that the rates are about; None: the second
    threshold : of two classes the share of the positive one from which on it is the answer; None: the model's
        own answers
    costs : of mistakes: {"fn": 5, "fp": 1}, or a matrix with the actual classes down
    bins : of the calibration
    level : of the intervals; those of shares of rows are Wilson's, the others come from the bootstrap
    bootstrap : number of samples of the judged rows; 0: none
    random_state : seed of folds and samples

    Returns
    -------
    Figures by name, printed as tables; `to_dict()` for JSON, `to_html()`; for classes also `confusion`,
    `roc()`, `precision_recall()`, `calibration()`, `threshold()`; for numbers `residuals`; for queries
    `by_query`.
    """
    wish = Wish(positive, threshold, costs, bins, level, bootstrap, random_state)
    rows = indexable(X)
    n_rows = row_count(rows)
    target = target_of(model, y, n_rows, query_numbers(n_rows, group, qid, groups))
    w = row_weights(sample_weight, target, group, qid)
    if cv is None:
        target = known_classes(model, target)
        answers = as_it_is(model, rows, target, w)
        warn_of_own_rows({type(model).__name__: model}, rows, y, sample_weight)
    else:
        folds = folds_for(target, cv, random_state, groups)
        answers, _ = held_out(model, rows, target, w, folds)
    return judged(answers, wish)


def row_weights(given: Any, target: Target, group: Any, qid: Any) -> Floats:
    """How many times each row counts; of queries, one weight for each of them will do."""
    n_rows = len(target.values)
    if target.queries is None:
        found = checked_weights(given, n_rows)
    else:
        found = Queries.of(n_rows, group, qid).row_weights(given)
    return np.ones(n_rows) if found is None else found


def folds_for(target: Target, cv: Any, seed: int, groups: Any) -> Folds:
    if target.queries is not None:
        groups = target.queries
        if not len(groups) or groups.max() == groups.min():
            raise BoughError(
                "cross-validation needs at least two queries.",
                code="target",
                hint="Judge the fitted model as it is: cv=None.",
            )
    with warnings.catch_warnings():
        if target.queries is not None:  # a splitter that leaves them aside is told of below
            warnings.filterwarnings("ignore", "The groups parameter is ignored")
        folds = folds_of(cv, target.values, classes=target.classes is not None, seed=seed, groups=groups)
    check_whole(folds, target.queries)
    return folds


def judged(answers: Answers, wish: Wish) -> Evaluation:
    """Answers become figures."""
    base = baseline(answers)
    how = f"{answers.n_folds}-fold cross-validated" if answers.n_folds else "the model as it is"
    always = baseline_name(base)
    if answers.classes is None:
        if wish.threshold is not None or wish.costs is not None or wish.positive is not None:
            raise BoughError(
                "positive, threshold and costs are about classes, and this model answers with numbers.",
                code="parameter",
                hint="Leave them out.",
            )
        if answers.queries is not None:
            ranks, error = rank_figures(answers, base, wish.sampling), _fold_error(answers)
            return RankEvaluation(ranks, how, always, error, wish.level, answers, by_query(answers, None))
        figures = number_figures(answers, base, wish.sampling)
        error = _fold_error(answers)
        return NumberEvaluation(figures, how, always, error, wish.level, answers)
    positive = _positive(answers.classes, wish.positive)
    costs = cost_matrix(wish.costs, answers.classes, positive)
    if wish.threshold is not None:
        answers = _answered_from(answers, positive, wish.threshold)
    figures = class_figures(answers, base, positive, wish.sampling, costs)
    error = _fold_error(answers)
    return ClassEvaluation(
        figures, how, always, error, wish.level, answers, positive, confusion(answers), wish.bins
    )


def _positive(classes: NDArray[Any], wanted: Any) -> int | None:
    if wanted is not None:
        number = class_number(classes, wanted)
        return number if len(classes) == 2 else None
    return 1 if len(classes) == 2 else None


def _answered_from(answers: Answers, positive: int | None, threshold: float) -> Answers:
    if positive is None or answers.shares is None:
        raise BoughError(
            f"threshold={threshold!r} needs two classes and a model that gives class shares.",
            code="parameter",
            hint="Leave it out.",
        )
    given = np.where(answers.shares[:, positive] >= threshold, positive, 1 - positive)
    return dataclasses.replace(answers, given=given)


def _fold_error(answers: Answers) -> float:
    """The standard error over the folds of accuracy, of the root mean squared error, or of NDCG, which folds
    without a relevant row do not have."""
    scores = []
    for fold in np.unique(answers.fold) if answers.n_folds else []:
        inside = answers.fold == fold
        if answers.queries is not None:
            queries = answers.queries[inside]
            some = {name: getattr(answers, name)[inside] for name in ("truth", "given", "fold", "weights")}
            scores.append(mean_ndcg(dataclasses.replace(answers, **some, queries=queries)))
            continue
        part = answers.truth[inside], answers.given[inside], answers.weights[inside]
        scores.append(plain_score(*part, numbers=answers.classes is None))
    return standard_error([score for score in scores if not np.isnan(score)])
