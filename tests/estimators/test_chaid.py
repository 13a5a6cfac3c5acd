"""CHAIDClassifier on random tables of categories against merging in plain Python."""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reference.chaid import Merged, merge

import bough

BATCH = 20
LABELS = [f"c{k}" for k in range(9)]


@dataclass(frozen=True)
class Problem:
    columns: list[list[int | None]]
    target: list[int]
    weights: list[int] | None
    n_classes: int
    merge_level: float
    level: float
    min_split: int
    min_leaf: int

    def merged(self, column: list[int | None], rows: list[int]) -> tuple[list[int | None], Merged]:
        """The categories present, missing ones last as one of their own, and what becomes of them."""
        seen = {column[i] for i in rows}
        present = [*sorted(v for v in seen if v is not None), *([None] if None in seen else [])]
        table = [[0] * self.n_classes for _ in present]
        counts = [0] * len(present)
        for i in rows:
            at = present.index(column[i])
            table[at][self.target[i]] += self.weights[i] if self.weights else 1
            counts[at] += 1
        return present, merge(table, counts, self.merge_level, missing=None in seen, min_rows=self.min_leaf)

    def split(self, rows: list[int]) -> tuple[int, list[list[int]]] | None:
        """The column and the rows of each branch; None: a leaf."""
        if len(rows) < max(self.min_split, 2 * self.min_leaf) or len({self.target[i] for i in rows}) == 1:
            return None
        found = [self.merged(column, rows) for column in self.columns]
        tested = {j: m.log_p_adjusted for j, (_, m) in enumerate(found) if len(m.groups) > 1}
        if not tested or min(tested.values()) >= math.log(self.level):
            return None
        best = next(j for j, log_p in tested.items() if log_p <= min(tested.values()) * (1 - 1e-12))
        present, merged = found[best]
        branches = [{present[c] for c in group} for group in merged.groups]
        return best, [[i for i in rows if self.columns[best][i] in branch] for branch in branches]


def random_problem(seed: int, n: int, n_columns: int) -> Problem:
    rng = Random(f"chaid/{seed}")
    k = rng.choice((2, 2, 3, 4))
    target = [rng.randrange(k) for _ in range(n)]
    columns: list[list[int | None]] = []
    for _ in range(n_columns):
        size, follow, holes = (
            rng.choice((2, 3, 5, 9)),
            rng.choice((0.0, 0.3, 0.8)),
            rng.choice((0.0, 0.0, 0.2)),
        )
        column: list[int | None] = []
        for y in target:
            value = (y + rng.randrange(3)) % size if rng.random() < follow else rng.randrange(size)
            column.append(None if rng.random() < holes else value)
        columns.append(column)
    weights = [rng.randint(1, 4) for _ in range(n)] if rng.random() < 0.3 else None
    return Problem(
        columns,
        target,
        weights,
        k,
        merge_level=rng.choice((0.05, 0.2, 0.6)),
        level=rng.choice((0.05, 0.5)),
        min_split=rng.choice((2, 20)),
        min_leaf=rng.choice((1, 3, 7)),
    )


def check(problem: Problem) -> int:
    """The number of splits compared."""
    frame = pd.DataFrame(
        {
            f"x{j}": pd.Categorical([None if v is None else LABELS[v] for v in column], LABELS)
            for j, column in enumerate(problem.columns)
        }
    )
    model: Any = bough.CHAIDClassifier(
        classes=range(problem.n_classes),
        merge_level=problem.merge_level,
        significance_level=problem.level,
        min_samples_split=problem.min_split,
        min_samples_leaf=problem.min_leaf,
    )
    model.fit(frame, problem.target, problem.weights)
    passed = model.decision_path(frame).toarray() == 1
    splits = 0
    for node in model.tree_.nodes():
        rows = np.flatnonzero(passed[:, node.id]).tolist()
        expected = problem.split(rows)
        assert node.column == (None if expected is None else f"x{expected[0]}")
        if expected is not None:
            splits += 1
            mine = [np.flatnonzero(passed[:, child.id]).tolist() for child in node.children]
            assert sorted(mine) == sorted(expected[1])
    return splits


@settings(max_examples=20, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**32), st.integers(2, 150), st.integers(1, 4))
def test_random_tables(seed: int, n: int, n_columns: int) -> None:
    for k in range(BATCH):
        check(random_problem(seed + k, 2 + (n + 17 * k) % 150, n_columns))
