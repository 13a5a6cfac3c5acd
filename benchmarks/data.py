"""Data of the benchmarks: seeded generators, train and test rows from the same stream; bundled tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.categories import FRAMES

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Data:
    """What a user would hold, to fit on and to judge with: floats in C order, or a pandas frame."""

    X: Any
    y: NDArray[Any]
    X_test: Any
    y_test: NDArray[Any]


def two_classes(rows: int, columns: int, rng: np.random.Generator) -> tuple[Floats, NDArray[Any]]:
    """Normal columns; a crossed, bent border in the first five and noise on it."""
    X = rng.normal(size=(rows, columns))
    score = X[:, 0] + X[:, 1] * X[:, 2] + np.sin(3.0 * X[:, 3]) + 0.5 * X[:, 4] ** 2 - 0.5
    return X, (score + rng.normal(scale=0.7, size=rows) > 0).astype(np.int64)


# Pairs of the five objects whose mass is a column, and the mass that signal rows are near to.
PAIRS = ((0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (2, 4), (3, 4))
PEAKS = np.array([0.8, 1.3, 0.9, 1.6, 1.1, 0.7, 1.4])


def higgs(rows: int, columns: int, rng: np.random.Generator) -> tuple[Floats, NDArray[Any]]:
    """Like events of a collider: 5 objects (momentum, two angles), lost energy, 4 tags of few values, and 7
    masses that are worked out from them; two classes that overlap (AUC about .8)."""
    if columns != 28:
        raise ValueError(f"higgs has 28 columns, not {columns}")
    momentum = rng.lognormal(sigma=0.5, size=(rows, 5))
    eta, phi = rng.normal(size=(rows, 5)), rng.uniform(-np.pi, np.pi, size=(rows, 5))
    lost = np.column_stack([rng.lognormal(sigma=0.6, size=rows), rng.uniform(-np.pi, np.pi, size=rows)])
    tags = rng.choice([0.0, 1.09, 2.17], p=[0.5, 0.3, 0.2], size=(rows, 4))
    one, two = np.array(PAIRS).T
    apart = np.cosh(np.clip(eta[:, one] - eta[:, two], -3, 3)) - np.cos(phi[:, one] - phi[:, two])
    masses = np.sqrt(2.0 * momentum[:, one] * momentum[:, two] * apart) / 2.5
    near = np.exp(-4.0 * (np.log(masses) - np.log(PEAKS)) ** 2)
    score = near @ np.array([1.6, 0.8, 1.2, 0.5, 1.0, 0.7, 0.4]) + 0.25 * tags.sum(axis=1) * near[:, 0]
    score += 0.5 * np.log(momentum[:, 0]) - 0.35 * np.abs(eta[:, 1]) + 0.4 * np.cos(lost[:, 1] - phi[:, 0])
    y = (score - 3.0 + rng.logistic(scale=0.75, size=rows) > 0).astype(np.int64)
    return np.column_stack([momentum, eta, phi, lost, tags, masses]), y


def friedman(rows: int, columns: int, rng: np.random.Generator) -> tuple[Floats, NDArray[Any]]:
    """Friedman's first function in five uniform columns, the others idle, noise of deviation 1."""
    X = rng.uniform(size=(rows, columns))
    y = (
        10.0 * np.sin(np.pi * X[:, 0] * X[:, 1])
        + 20.0 * (X[:, 2] - 0.5) ** 2
        + 10.0 * X[:, 3]
        + 5.0 * X[:, 4]
    )
    return X, y + rng.normal(size=rows)


def counts(rows: int, columns: int, rng: np.random.Generator) -> tuple[Floats, NDArray[Any]]:
    """Numbers of events, mean about 1.7, whose logarithm is bent and crossed in four of the columns."""
    X = rng.normal(size=(rows, columns))
    log_mean = 0.4 * X[:, 0] + 0.5 * np.sin(2.0 * X[:, 1]) + 0.3 * X[:, 2] * X[:, 3]
    return X, rng.poisson(1.3 * np.exp(np.clip(log_mean, -4, 2.5))).astype(np.float64)


# Lowest and highest whole number of each numeric column: elevation, aspect, slope, distances, shades.
LOWEST = np.array([1859, 0, 0, 0, -173, 0, 0, 0, 0, 0], dtype=np.float64)
HIGHEST = np.array([3858, 360, 660, 1397, 601, 7117, 254, 254, 254, 7173], dtype=np.float64)
# Gives the classes shares of about .365, .488, .062, .005, .016, .030 and .034.
BIAS = np.array([0.0, -1.96, -3.95, -3.75, -6.57, -1.63, -2.58])


def cover(rows: int, columns: int, rng: np.random.Generator) -> tuple[Floats, NDArray[Any]]:
    """Like forest cover types: 10 columns of whole numbers, 4 + 40 indicators, 7 unequal classes."""
    if columns != 54:
        raise ValueError(f"cover has 54 columns, not {columns}")
    X = np.zeros((rows, columns))
    X[:, :10] = np.round(LOWEST + (HIGHEST - LOWEST) * rng.beta(2.0, 2.0, size=(rows, 10)))
    area, soil = rng.integers(0, 4, size=rows), np.minimum(rng.geometric(0.09, size=rows) - 1, 39)
    X[np.arange(rows), 10 + area] = 1.0
    X[np.arange(rows), 14 + soil] = 1.0
    unit = (X[:, :10] - LOWEST) / (HIGHEST - LOWEST)
    waves = np.column_stack([unit, np.sin(9.0 * unit[:, :4]), unit[:, :3] * unit[:, 3:6], X[:, 10:]])
    fixed = np.random.default_rng(7)  # the same forest for every seed
    score = waves @ fixed.normal(scale=1.6, size=(waves.shape[1], 7))
    score += rng.gumbel(scale=0.35, size=score.shape)
    # Numbered from 0, as XGBoost wants them.
    return X, np.argmax(score + BIAS, axis=1).astype(np.int64)


def flight(rows: int, columns: int, rng: np.random.Generator) -> tuple[Floats, NDArray[Any]]:
    """States of an aircraft, many of them going together, and which of five things a pilot does, who is
    slow at times and takes the largest of the errors first."""
    hidden = rng.normal(size=(rows, 5))
    fixed = np.random.default_rng(11)
    X = hidden @ fixed.normal(size=(5, columns)) + 0.6 * rng.normal(size=(rows, columns))
    X[:, ::4] = np.round(X[:, ::4], 1)  # some instruments have few digits
    height, bank, pitch, speed = X[:, 1], X[:, 2], X[:, 3], X[:, 5]
    waits = np.full(rows, 1.2)
    wants = np.column_stack([waits, height - 0.3 * pitch, -height, np.abs(bank) + 0.2 * speed, speed - bank])
    y = np.argmax(wants + rng.gumbel(scale=0.7, size=wants.shape), axis=1)
    return X, y.astype(np.int64)


def twelve(rows: int, columns: int, rng: np.random.Generator) -> tuple[Floats, NDArray[Any]]:
    """Twelve classes of unequal size with linear and bent borders."""
    X = rng.normal(size=(rows, columns))
    fixed = np.random.default_rng(5)
    bent = np.column_stack([X[:, :6], X[:, :3] * X[:, 3:6], np.abs(X[:, 6:8])])
    score = bent @ fixed.normal(size=(bent.shape[1], 12)) + fixed.normal(size=12)
    return X, np.argmax(score + rng.gumbel(scale=0.5, size=score.shape), axis=1).astype(np.int64)


def tiny(rows: int, columns: int, rng: np.random.Generator) -> tuple[Floats, NDArray[Any]]:
    """Three overlapping clouds of equal size, one decimal."""
    y = np.arange(rows) % 3
    X = np.round(5.0 + y[:, None] * 0.9 + rng.normal(scale=0.6, size=(rows, columns)), 1)
    return X, y.astype(np.int64)


def with_holes(rows: int, columns: int, rng: np.random.Generator) -> tuple[Floats, NDArray[Any]]:
    """`two_classes` with a twentieth of the cells missing."""
    X, y = two_classes(rows, columns, rng)
    X[rng.random(X.shape) < 0.05] = np.nan
    return X, y


GENERATORS: dict[str, Callable[[int, int, np.random.Generator], tuple[Any, NDArray[Any]]]] = {
    "two-classes": two_classes,
    "two-classes-holes": with_holes,
    "higgs": higgs,
    "friedman": friedman,
    "counts": counts,
    "cover": cover,
    "flight": flight,
    "twelve": twelve,
    "tiny": tiny,
    **FRAMES,
}
# Tables that come with scikit-learn and need no network.
BUNDLED = {
    "iris": "load_iris",
    "wine": "load_wine",
    "breast-cancer": "load_breast_cancer",
    "digits": "load_digits",
    "diabetes": "load_diabetes",
}


def make(name: str, rows: int = 0, columns: int = 0, test_rows: int = 0, seed: int = 20240) -> Data:
    """The same data for the same arguments, in every process. Bundled tables have their own sizes; a third
    of their rows, drawn by the seed, is to judge with.

    Columns are shuffled: ties go to the first column with us and to any with others, so informative columns
    in front would make one side better (by 2 % of RMSE on `friedman`) for no merit of its own.
    """
    if name in BUNDLED:
        return _bundled(name, seed)
    X, y = GENERATORS[name](rows + test_rows, columns, np.random.default_rng(seed))
    order = np.random.default_rng([seed, columns]).permutation(X.shape[1])
    if name in FRAMES:
        X = X.iloc[:, order]
        return Data(X[:rows], y[:rows], X[rows:], y[rows:])
    X = np.take(X, order, axis=1)
    return Data(X[:rows], y[:rows], X[rows:], y[rows:])


def _bundled(name: str, seed: int) -> Data:
    import sklearn.datasets

    X, y = getattr(sklearn.datasets, BUNDLED[name])(return_X_y=True)
    order = np.random.default_rng(seed).permutation(len(y))
    fit, judge = order[len(y) // 3 :], order[: len(y) // 3]
    return Data(X[fit], y[fit], X[judge], y[judge])
