"""The measures of uncertainty that split criteria are made of: entropy, gain, Gini, error rate and their kin.

A function of one distribution takes counts, or shares, along the last axis; leading axes make it many
distributions at once. They need not add up to 1: each distribution is divided by its sum.

    >>> round(entropy([9, 5]), 6)                            # play tennis: 9 Yes, 5 No
    0.940286
    >>> entropy([[16, 2], [8, 10]]).round(6)                 # two coins
    array([0.503258, 0.991076])

A function of two variables takes a contingency table on the last two axes: a row for each value of X (the
column that is split), a column for each class of Y (the target). `contingency` makes one from two columns.

    >>> patrons = [[0, 2], [4, 0], [2, 4]]                   # None, Some, Full; will wait: T, F
    >>> round(conditional_entropy(patrons), 6), round(information_gain(patrons), 6)
    (0.459148, 0.540852)

Logarithms are to base 2 unless `base` says otherwise, and 0 log 0 is 0. A distribution without any
weight has no entropy: asking for it is an error; a row of a table without weight counts for nothing.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from bough.contingency import (
    Floats,
    contingency,
    counts_in,
    known_values,
    numbered,
    numbers_in,
    require_weight,
    shares_of,
    table_in,
    unequal_lengths,
)
from bough.errors import BoughError, BoughTypeError

__all__ = [
    "ChiSquare",
    "chi_square",
    "conditional_entropy",
    "conditional_error_rate",
    "conditional_gini",
    "contingency",
    "cross_entropy",
    "entropy",
    "error_rate",
    "gain_ratio",
    "gini",
    "gini_gain",
    "information",
    "information_gain",
    "joint_entropy",
    "mutual_information",
    "number_of_trees",
    "specific_conditional_entropy",
    "split_information",
    "squared_loss",
]

# A float for one distribution and an array for many; Any, as numpy's own reductions are typed, because a
# union would make `round(entropy(...), 4)` a type error for everyone.
Measure: TypeAlias = Any


class ChiSquare(NamedTuple):
    """Pearson's test of independence: the statistic, its degrees of freedom and its p-value."""

    statistic: float
    df: int
    p_value: float


def information(p: npt.ArrayLike, *, base: float = 2) -> Measure:
    """Information of an event of probability p, log 1/p; infinite for p = 0.

    >>> information(1 / 4)
    2.0
    >>> round(information(1 / 6**3), 6)                      # three dice show 666
    7.754888
    """
    shares = numbers_in(p, "probabilities")
    outside = ~((shares >= 0) & (shares <= 1))
    if outside.any():
        raise BoughError(
            f"{shares[outside].flat[0]} is not a probability",
            code="parameter",
            hint="A probability lies between 0 and 1; for counts use entropy().",
        )
    with np.errstate(divide="ignore"):
        return _plain(-_log(shares, base) + 0.0)


def entropy(counts: npt.ArrayLike, *, base: float = 2) -> Measure:
    """Entropy of a distribution, the mean information of its events.

    >>> round(entropy([2, 4]), 6), round(entropy([2, 4], base=math.e), 6)
    (0.918296, 0.636514)
    >>> entropy([1, 0, 0, 0]), entropy([1, 1, 1, 1])
    (0.0, 2.0)
    """
    return _plain(_entropy(shares_of(counts_in(counts)), base))


def joint_entropy(table: npt.ArrayLike, *, base: float = 2) -> Measure:
    """Entropy H(X, Y) of the pairs that the cells of a contingency table count.

    >>> round(joint_entropy([[24, 1], [25, 50]]), 6)         # rows raining, not; columns cloudy, not
    1.560573
    """
    cells = table_in(table)
    return _plain(_entropy(shares_of(cells.reshape(*cells.shape[:-2], -1)), base))


def specific_conditional_entropy(table: npt.ArrayLike, row: int, *, base: float = 2) -> Measure:
    """Entropy H(Y | X = x) of Y among the cases of one row of the table, given by its number.

    >>> round(specific_conditional_entropy([[24, 1], [25, 50]], 0), 6)
    0.242292
    """
    cells = table_in(table)
    number = _whole(row, "row")
    if not 0 <= number < cells.shape[-2]:
        raise BoughError(
            f"the table has no row {row}",
            code="parameter",
            hint=f"Rows are numbered from 0 to {cells.shape[-2] - 1}.",
        )
    return entropy(cells[..., number, :], base=base)


def conditional_entropy(table: npt.ArrayLike, *, base: float = 2) -> Measure:
    """Entropy H(Y | X) left in Y, on average, once the row is known.

    >>> round(conditional_entropy([[24, 1], [25, 50]]), 6)
    0.749295
    """
    return _plain(_mean_over_rows(table_in(table), lambda shares: _entropy(shares, base)))


def mutual_information(table: npt.ArrayLike, *, base: float = 2) -> Measure:
    """Mutual information H(Y) - H(Y | X), which is the information gain of a split into the rows.

    >>> round(mutual_information([[24, 1], [25, 50]]), 6)
    0.250417
    >>> outlook = [[2, 3], [4, 0], [3, 2]]                   # Sunny, Overcast, Rain; play: Yes, No
    >>> round(information_gain(outlook), 6)
    0.24675
    """
    return _plain(_gain(table_in(table), lambda shares: _entropy(shares, base)))


information_gain = mutual_information


def split_information(table: npt.ArrayLike, *, base: float = 2) -> Measure:
    """Entropy H(X) of the rows themselves: what it takes to say which branch was taken.

    >>> round(split_information([[0, 2], [4, 0], [2, 4]]), 6)
    1.459148
    """
    return entropy(table_in(table).sum(axis=-1), base=base)


def gain_ratio(table: npt.ArrayLike) -> Measure:
    """Information gain divided by split information (the same in every base); 0 where only one row has cases.

    >>> round(gain_ratio([[0, 2], [4, 0], [2, 4]]), 6)
    0.370663
    """
    cells = table_in(table)
    gain = np.asarray(mutual_information(cells))
    split = np.asarray(split_information(cells))
    return _plain(np.divide(gain, split, out=np.zeros_like(gain), where=split > 0))


def gini(counts: npt.ArrayLike) -> Measure:
    """Gini impurity: the chance that two draws differ; at most 1 - 1/K for K classes.

    >>> round(gini([2, 4]), 6)
    0.444444
    """
    return _plain(_gini(shares_of(counts_in(counts))))


def conditional_gini(table: npt.ArrayLike) -> Measure:
    """Mean Gini impurity of the rows, each weighted by its share of the cases.

    >>> round(conditional_gini([[0, 2], [4, 0], [2, 4]]), 6)
    0.222222
    """
    return _plain(_mean_over_rows(table_in(table), _gini))


def gini_gain(table: npt.ArrayLike) -> Measure:
    """Gini impurity of Y less the conditional Gini impurity given X.

    >>> round(gini_gain([[2, 3], [4, 0], [3, 2]]), 6)
    0.116327
    """
    return _plain(_gain(table_in(table), _gini))


def error_rate(counts: npt.ArrayLike) -> Measure:
    """Share of the cases that the most frequent class gets wrong.

    >>> error_rate([5, 3])                                   # poll 1: five +, three -
    0.375
    """
    return _plain(_error(shares_of(counts_in(counts))))


def conditional_error_rate(table: npt.ArrayLike) -> Measure:
    """Error rate when each row predicts its own most frequent class: the training error of a stump.

    >>> conditional_error_rate([[1, 3], [4, 0]])             # poll 1, split on B; columns +, -
    0.125
    """
    return _plain(_mean_over_rows(table_in(table), _error))


def cross_entropy(p: npt.ArrayLike, q: npt.ArrayLike, *, base: float = 2) -> Measure:
    """Mean information under q of events that follow p; infinite where q excludes what p has.

    >>> cross_entropy([1, 0], [1, 3]), cross_entropy([1, 1], [1, 1])
    (2.0, 1.0)
    """
    true, model = shares_of(counts_in(p)), shares_of(counts_in(q))
    try:
        if true.shape[-1] != model.shape[-1]:
            raise ValueError("one class in p or q must not stand for all of the other")
        true, model = np.broadcast_arrays(true, model)
    except ValueError:
        raise BoughError(
            f"p and q have different shapes: {true.shape} and {model.shape}",
            code="counts",
            hint="Give both a share for each class, in the same order.",
        ) from None
    with np.errstate(divide="ignore"):
        logs = _log(model, base)
    return _plain(-np.multiply(true, logs, out=np.zeros_like(true), where=true > 0).sum(axis=-1) + 0.0)


def squared_loss(values: npt.ArrayLike, groups: Iterable[object] | None = None) -> float:
    """Sum of squares around the mean; with groups (one label a value), around the mean of each group.

    >>> squared_loss([1, 2, 6])
    14.0
    >>> squared_loss([1, 2, 6], groups=["a", "a", "b"])
    0.5
    """
    numbers = numbers_in(values, "values")
    if numbers.ndim != 1 or numbers.size == 0 or not np.isfinite(numbers).all():
        raise BoughError(
            "squared_loss needs one list of finite numbers",
            code="counts",
            hint="Leave out missing values first.",
        )
    codes = np.zeros(numbers.size, dtype=np.intp)
    if groups is not None:
        labels, _ = known_values(groups, "groups")
        if len(labels) != numbers.size:
            raise unequal_lengths("values", numbers.size, "groups", len(labels))
        codes = numbered(labels, None, "groups")[0]
    with np.errstate(over="ignore", invalid="ignore"):
        means = np.bincount(codes, weights=numbers) / np.bincount(codes)
        loss = float(np.square(numbers - means[codes]).sum())
    if not math.isfinite(loss):
        raise BoughError("the values are too large to be squared", code="counts", hint="Rescale them first.")
    return loss


def chi_square(table: npt.ArrayLike) -> ChiSquare:
    """Pearson's chi-square test of independence on one table of counts, without continuity correction.

    Shares will not do, because the statistic grows with the number of cases. Rows and columns without
    cases do not count towards the degrees of freedom.

    >>> statistic, df, p_value = chi_square([[2, 3], [4, 0], [3, 2]])
    >>> round(statistic, 4), df, round(p_value, 4)           # so at 5 % Outlook does not matter
    (3.5467, 2, 0.1698)
    """
    from scipy.special import chdtrc  # 0.19 s (measured) that `import bough` should not pay

    cells = table_in(table)
    if cells.ndim != 2:
        raise BoughError("chi_square takes one table", code="counts", hint="Call it once for each table.")
    cells = cells[cells.sum(axis=1) > 0][:, cells.sum(axis=0) > 0]
    require_weight(cells.sum())
    df = (cells.shape[0] - 1) * (cells.shape[1] - 1)
    if df == 0:
        return ChiSquare(0.0, 0, 1.0)
    expected = np.outer(cells.sum(axis=1), cells.sum(axis=0) / cells.sum())
    statistic = float(np.sum((cells - expected) ** 2 / expected))
    return ChiSquare(statistic, df, float(chdtrc(df, statistic)))


def number_of_trees(d: int, m: int = 2) -> int:
    """Number of full trees over d columns of m values each: f(d) = d f(d-1)^m, f(0) = 1.

    >>> [number_of_trees(d) for d in range(1, 6)]
    [1, 2, 12, 576, 1658880]
    """
    columns, values = _whole(d, "d"), _whole(m, "m")
    if columns < 0 or values < 1:
        raise BoughError("number_of_trees needs d >= 0 and m >= 1", code="parameter")
    trees = 1
    for used in range(1, columns + 1):
        # The number of digits grows as m^d: stop before the machine does.
        if trees.bit_length() * values > 4_000_000:
            raise BoughError(
                f"the number of trees over {d} columns of {m} values has more than a million digits",
                code="parameter",
                hint=f"The largest d that can be written out for m = {m} is {used - 1}.",
            )
        trees = used * trees**values
    return trees


def _entropy(shares: Floats, base: float) -> Floats:
    present = shares > 0
    logs = _log(np.where(present, shares, 1.0), base)
    # Adding 0.0 turns the -0.0 of a pure distribution into 0.0.
    result: Floats = -(shares * logs).sum(axis=-1) + 0.0
    return result


def _gini(shares: Floats) -> Floats:
    result: Floats = (shares * (1.0 - shares)).sum(axis=-1)
    return result


def _error(shares: Floats) -> Floats:
    result: Floats = 1.0 - shares.max(axis=-1)
    return result


def _mean_over_rows(cells: Floats, impurity: Callable[[Floats], Floats]) -> Floats:
    weight = shares_of(cells.sum(axis=-1))
    result: Floats = (weight * impurity(shares_of(cells, empty_ok=True))).sum(axis=-1)
    return result


def _gain(cells: Floats, impurity: Callable[[Floats], Floats]) -> Floats:
    gain = impurity(shares_of(cells.sum(axis=-2))) - _mean_over_rows(cells, impurity)
    # All these impurities are concave, so a gain below zero is rounding.
    return np.maximum(gain, 0.0)


def _log(values: Floats, base: float) -> Floats:
    if not (isinstance(base, (int, float, np.number)) and 1 < base < math.inf):
        raise BoughError(
            f"base={base!r}: a logarithm needs a finite base above 1",
            code="parameter",
            hint="E.g. 2, 10 or math.e.",
        )
    if base == 2:  # log(x) / log(2) would make the entropy of a fair coin 0.9999...
        return np.log2(values)
    return np.log10(values) if base == 10 else np.log(values) / math.log(base)


def _whole(value: int, name: str) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise BoughTypeError(f"{name}={value!r} is not a whole number", code="parameter") from None


def _plain(values: Floats | np.float64) -> Measure:
    return float(values) if np.ndim(values) == 0 else values
