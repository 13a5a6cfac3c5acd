"""Data of the benchmarks: seeded generators, floats in C order, train and test rows from the same stream."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Data:
    """What a user would hold: arrays to fit on and arrays to judge with."""

    X: Floats
    y: NDArray[Any]
    X_test: Floats
    y_test: NDArray[Any]


def two_classes(rows: int, columns: int, rng: np.random.Generator) -> tuple[Floats, NDArray[Any]]:
    """Normal columns; a crossed, bent border in the first five and noise on it."""
    X = rng.normal(size=(rows, columns))
    score = X[:, 0] + X[:, 1] * X[:, 2] + np.sin(3.0 * X[:, 3]) + 0.5 * X[:, 4] ** 2 - 0.5
    return X, (score + rng.normal(scale=0.7, size=rows) > 0).astype(np.int64)


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
    y = np.argmax(score + BIAS, axis=1) + 1
    return X, y.astype(np.int64)


def iris(rows: int, columns: int, rng: np.random.Generator) -> tuple[Floats, NDArray[Any]]:
    """Three overlapping clouds of equal size, one decimal."""
    y = np.arange(rows) % 3
    X = np.round(5.0 + y[:, None] * 0.9 + rng.normal(scale=0.6, size=(rows, columns)), 1)
    return X, y.astype(np.int64)


def with_holes(rows: int, columns: int, rng: np.random.Generator) -> tuple[Floats, NDArray[Any]]:
    """`two_classes` with a twentieth of the cells missing."""
    X, y = two_classes(rows, columns, rng)
    X[rng.random(X.shape) < 0.05] = np.nan
    return X, y


GENERATORS: dict[str, Callable[[int, int, np.random.Generator], tuple[Floats, NDArray[Any]]]] = {
    "two-classes": two_classes,
    "two-classes-holes": with_holes,
    "friedman": friedman,
    "cover": cover,
    "iris": iris,
}


def make(name: str, rows: int, columns: int, test_rows: int = 0, seed: int = 20240) -> Data:
    """The same arrays for the same arguments, in every process.

    Columns are shuffled: ties go to the first column with us and to any with others, so informative columns
    in front would make one side better (by 2 % of RMSE on `friedman`) for no merit of its own.
    """
    X, y = GENERATORS[name](rows + test_rows, columns, np.random.default_rng(seed))
    X = np.take(X, np.random.default_rng([seed, columns]).permutation(columns), axis=1)
    return Data(X[:rows], y[:rows], X[rows:], y[rows:])
