"""CARTClassifier and CARTRegressor on random tables against the plain CART that has rpart's rules."""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reference.cart import Cart, Control, Group, Node, Problem, prefixes, reach
from reference.surrogates import Column

import bough

BATCH = 30
MISSING: list[dict[str, Any]] = [{"missing": "stop"}, {"surrogate_last": "stop"}, {}]


def random_column(rng: Random, name: str, target: list[int]) -> Column:
    n_categories, follow, holes = (
        rng.choice((0, 0, 2, 3, 5)),
        rng.choice((0.0, 0.5, 0.9)),
        rng.choice((0.0, 0.1, 0.4)),
    )
    size = n_categories or rng.choice((2, 4, 30))
    values: list[int | None] = []
    for y in target:
        value = (y + rng.randrange(2)) % size if rng.random() < follow else rng.randrange(size)
        values.append(None if rng.random() < holes else value)
    return Column(name, values, n_categories)


def random_problem(seed: int, n: int, n_columns: int) -> Problem:
    rng = Random(f"cart/{seed}")
    k = rng.choice((0, 2, 2, 3))
    target = [rng.randrange(k or 6) for _ in range(n)]
    columns = [random_column(rng, f"x{j}", target) for j in range(n_columns)]
    usesurrogate = rng.choice((0, 1, 2))
    extra: dict[str, Any] = {}
    if k and usesurrogate == 0 and rng.random() < 0.5:  # surrogates count rows otherwise than rpart then
        extra["prior"] = [1 / 2**j for j in range(1, k)] + [1 / 2 ** (k - 1)]
        extra["costs"] = [[0 if i == j else rng.choice((1, 2, 4)) for j in range(k)] for i in range(k)]
    if k and rng.random() < 0.3:
        extra["criterion"] = "information"
    return Problem(
        columns,
        target,
        k,
        weights=[rng.randint(1, 4) for _ in range(n)] if rng.random() < 0.4 else None,
        control=Control(
            minsplit=rng.choice((2, 5, 20)),
            minbucket=rng.choice((1, 2, 7)),
            cp=-1.0,
            maxsurrogate=rng.choice((0, 2, 5)),
            usesurrogate=usesurrogate,
            maxdepth=rng.choice((2, 30)),
        ),
        **extra,
    )


def frame_of(problem: Problem) -> pd.DataFrame:
    columns: dict[str, Any] = {}
    for c in problem.columns:
        if c.n_categories:
            labels = list("abcde")[: c.n_categories]
            columns[c.name] = pd.Categorical([None if v is None else labels[v] for v in c.values], labels)
        else:
            columns[c.name] = np.array([math.nan if v is None else v for v in c.values], dtype=float)
    return pd.DataFrame(columns)


def fitted(problem: Problem, rows: list[int]) -> Any:
    control, k = problem.control, problem.n_classes
    given: dict[str, Any] = {
        "min_samples_split": control.minsplit,
        "min_samples_leaf": control.minbucket,
        "max_depth": control.maxdepth,
        "max_surrogates": control.maxsurrogate,
        "pruning": None,
        "cp": 0.0,
        **MISSING[control.usesurrogate],
    }
    if k:
        given |= {"classes": range(k), "costs": problem.costs}
        given["criterion"] = {"gini": "gini", "information": "entropy"}[problem.criterion]
        given["priors"] = problem.prior and dict(enumerate(problem.prior))
    model = (bough.CARTClassifier if k else bough.CARTRegressor)(**given)
    weights = None if problem.weights is None else np.array(problem.weights)[rows]
    return model.fit(frame_of(problem).iloc[rows], np.array(problem.target)[rows], weights)


class Grown(Cart):
    """Of equal subsets of categories the first counts, and our order is another than rpart's: the share of
    the second of two classes rises (for rpart, the first's); for more classes see docs/semantics.md."""

    def subsets(self, groups: dict[Any, Group], n_categories: int) -> Iterator[frozenset[Any]]:
        if self.k <= 2:
            yield from prefixes(sorted(groups, key=lambda c: self.mean(groups[c])))
            return
        first, others = list(groups)[:1], list(groups)[1:]
        for b in range(2 ** len(others) - 1):
            yield frozenset(first + [c for i, c in enumerate(others) if b >> i & 1])


def lost_rows(node: Node) -> bool:
    """Whether rows are in no child because both sides weigh the same: we send them to the first child."""
    if not node.children:
        return False
    halved = not node.heavier and sum(len(child.rows) for child in node.children) < len(node.rows)
    return halved or any(map(lost_rows, node.children))


def check(problem: Problem) -> int:
    """The number of nodes compared."""
    if not any(v is not None for c in problem.columns for v in c.values):
        return 0
    cart = Grown(problem)
    root = cart.grow()
    if problem.control.usesurrogate == 2 and lost_rows(root):
        return 0
    tree = fitted(problem, cart.rows).tree_
    frame = frame_of(problem)
    passed = tree.decision_path(frame.iloc[cart.rows]).toarray() == 1
    pairs, compared = [(root, tree.root)], 0
    for plain, mine in pairs:
        compared += 1
        assert [cart.rows[i] for i in np.flatnonzero(passed[:, mine.id])] == plain.rows
        assert mine.column == (problem.columns[plain.splits[0].column].name if plain.children else None)
        places = slice(tree.surrogate_start[mine.id], tree.surrogate_start[mine.id + 1])
        if problem.control.usesurrogate:
            assert tree.surrogate_feature[places].tolist() == [s.column for s in plain.surrogates]
            expected = [float(s.improve) for s in plain.surrogates]
            np.testing.assert_allclose(tree.surrogate_agree[places], expected, rtol=1e-12)
        first = set(np.array(cart.rows)[passed[:, mine.children[0].id]]) if plain.children else set()
        same_order = plain.children and first == set(plain.children[0].rows)
        pairs += zip(plain.children, mine.children[:: 1 if same_order else -1], strict=True)
    ends = [
        reach(root, [c.values[i] for c in problem.columns], problem.control.usesurrogate) for i in cart.rows
    ]
    answers = [float(end.answer) for end in ends]
    np.testing.assert_allclose(tree.predict(frame.iloc[cart.rows]), answers, rtol=1e-12)
    return compared


@settings(max_examples=20, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**32), st.integers(2, 60), st.integers(1, 5))
def test_random_tables(seed: int, n: int, n_columns: int) -> None:
    for k in range(BATCH):
        check(random_problem(seed + k, 2 + (n + 7 * k) % 60, n_columns))
