"""Pruning in plain Python: trees made by hand, rows counted one by one, and all prunings of a tree."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from random import Random
from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings

from bough import Tree, information
from bough.data.table import Column, Field, Table

STAY, SPREAD = -1, -2
SOME = settings(deadline=None, max_examples=100, suppress_health_check=list(HealthCheck))
KINDS = {"leaf": 0, "threshold": 1, "subset": 2, "multiway": 3}

Shares = list[tuple[int, float]]  # row, weight


@dataclass
class Question:
    """A column and what is asked of it; `groups` has the child of each category of a subset."""

    column: int
    kind: str
    children: list[Question | None]
    threshold: float = 0.0
    groups: dict[int, int] = field(default_factory=dict)
    missing: int = SPREAD

    def child(self, x: float) -> int | None:
        """None: the value says nothing."""
        if math.isnan(x):
            return None
        if self.kind == "threshold":
            return int(x > self.threshold)
        return int(x) if self.kind == "multiway" else self.groups.get(int(x))

    def parts(self, table: Table, rows: Shares, known: list[float] | None = None) -> list[Shares]:
        """The rows of each child, then those that stay; `known`: the children's weights, to spread by."""
        values = table.columns[self.column].values
        parts: list[Shares] = [[] for _ in range(len(self.children) + 1)]
        spread = []
        for row, weight in rows:
            child = self.child(values[row])
            child = self.missing if child is None else child
            if child == SPREAD:
                spread.append((row, weight))
            else:
                parts[child].append((row, weight))
        mass = known or [sum(w for _, w in part) for part in parts[:-1]]
        for row, weight in spread:
            for part, m in zip(parts, mass, strict=False):
                if m > 0:
                    part.append((row, weight * m / sum(mass)))
        return parts


def make_tree(root: Question | None, table: Table, target: Any, classes: Any, weights: Any = None) -> Tree:
    """The arrays of a tree whose questions are given, counted from the rows; impurity is Gini or variance. A
    question that does not part the rows is left out."""
    weights = np.ones(table.n_rows) if weights is None else weights
    queue: list[tuple[Question | None, Shares, float]] = [(root, list(enumerate(map(float, weights))), 0.0)]
    columns: dict[str, list[Any]] = {name: [] for name in NODE_ARRAYS}
    start, category, category_child = [0], [], []
    for given, rows, above in queue:
        question = given
        w = np.array([weight for _, weight in rows])
        y = np.asarray(target)[[row for row, _ in rows]] if rows else np.empty(0)
        value, impurity = statistics(y, w, classes, above)
        parts = question.parts(table, rows) if question else []
        if sum(map(bool, parts[:-1])) < 2:
            question = None  # as growth, which needs two branches with rows
        asked = question is not None
        nodes = {
            "feature": question.column if question else -1,
            "kind": KINDS[question.kind if question else "leaf"],
            "threshold": question.threshold if question else 0.0,
            "first_child": len(queue) if asked else -1,
            "n_children": len(question.children) if question else 0,
            "missing_child": question.missing if question else -1,
            "n_rows": len(rows),
            "n_missing": 0,
            "weight": w.sum(),
            "impurity": impurity,
            "gain": 0.0,
            "value": value,
        }
        if question:
            values = table.columns[question.column].values
            nodes["n_missing"] = sum(math.isnan(values[row]) for row, _ in rows)
            for number in sorted(question.groups):
                category.append(number)
                category_child.append(question.groups[number])
            queue += [(child, part, value[0]) for child, part in zip(question.children, parts, strict=False)]
        start.append(len(category))
        for name, entry in nodes.items():
            columns[name].append(entry)
    arrays = {name: np.array(columns[name], dtype=kind) for name, kind in NODE_ARRAYS.items()}
    return Tree(
        fields=table.fields,
        classes=classes,
        category_start=np.array(start, dtype=np.int64),
        category=np.array(category, dtype=np.int32),
        category_child=np.array(category_child, dtype=np.int32),
        **arrays,
    )


NODE_ARRAYS = {
    "feature": np.int32,
    "kind": np.uint8,
    "threshold": np.float64,
    "first_child": np.int64,
    "n_children": np.int32,
    "missing_child": np.int32,
    "n_rows": np.int64,
    "n_missing": np.int64,
    "weight": np.float64,
    "impurity": np.float64,
    "gain": np.float64,
    "value": np.float64,
}


def statistics(y: Any, w: Any, classes: Any, above: float) -> tuple[list[float], float]:
    if classes is not None:
        value = [float(w[y == k].sum()) for k in range(len(classes))]
        return value, float(information.gini(value)) if w.sum() > 0 else 0.0
    if not w.sum():
        return [above], 0.0
    mean = float(np.average(y, weights=w))
    return [mean], float(np.average((y - mean) ** 2, weights=w))


def random_table(random: Random, n_rows: int, holes: float = 0.2) -> Table:
    """Two columns of few numbers and two of categories."""
    columns = []
    for name, categories in (("x", 0), ("y", 0), ("c", 3), ("d", 4)):
        values = [float(random.randrange(categories or 5)) for _ in range(n_rows)]
        values = [math.nan if random.random() < holes else v for v in values]
        names = tuple("abcdefgh"[:categories])
        kind: Any = "nominal" if categories else "numeric"
        columns.append(Column(Field(name, kind, names), np.array(values)))
    return Table(tuple(columns), n_rows)


def random_questions(
    random: Random, table: Table, depth: int, missing: tuple[int, ...] = (0, 1, STAY, SPREAD)
) -> Question | None:
    """Any questions: nothing says that they are good ones."""
    if depth == 0 or random.random() < 0.15:
        return None
    column = random.randrange(len(table.columns))
    domain = len(table.columns[column].field.categories)
    kind = random.choice(["subset", "multiway"]) if domain else "threshold"
    count = domain if kind == "multiway" else random.choice([2, 2, 3]) if kind == "subset" else 2
    own = random.choice(missing)
    groups = {}
    if kind == "subset":
        listed = [number for number in range(domain) if random.random() < 0.9]
        groups = {number: random.randrange(count) for number in listed}
    if kind == "threshold" and own == 1 and random.random() < 0.5:
        count, own = 3, 2
    children = [random_questions(random, table, depth - 1, missing) for _ in range(count)]
    return Question(column, kind, children, random.choice([0.5, 1.5, 2.5, 3.5]), groups, own)


def question_at(tree: Tree, node: int) -> Question:
    """A node of a tree as a question; its children are given by their numbers elsewhere."""
    kind = {number: name for name, number in KINDS.items()}[int(tree.kind[node])]
    listed = slice(tree.category_start[node], tree.category_start[node + 1])
    groups = dict(zip(tree.category[listed].tolist(), tree.category_child[listed].tolist(), strict=True))
    children: list[Question | None] = [None] * int(tree.n_children[node])
    missing = int(tree.missing_child[node])
    return Question(int(tree.feature[node]), kind, children, float(tree.threshold[node]), groups, missing)


def ends(tree: Tree, table: Table, row: int) -> dict[int, float]:
    """Where one row comes to rest, and with which shares."""
    found: dict[int, float] = {}
    todo = [(0, 1.0)]
    while todo:
        node, weight = todo.pop()
        if tree.feature[node] < 0:
            found[node] = found.get(node, 0.0) + weight
            continue
        first, count = int(tree.first_child[node]), int(tree.n_children[node])
        known = tree.weight[first : first + count].tolist()
        parts = question_at(tree, node).parts(table, [(row, weight)], known)
        if parts[-1]:
            found[node] = found.get(node, 0.0) + weight
        todo += [(first + c, w) for c, part in enumerate(parts[:-1]) for _, w in part]
    return found


def costs_of(tree: Tree, table: Table, weights: Any, loss: Any) -> tuple[list[float], list[float]]:
    """What the rows cost that pass each node, and those that rest at it; loss(row, node) of one row."""
    passing, resting = [0.0] * tree.n_nodes, [0.0] * tree.n_nodes
    for row in range(table.n_rows):
        at = dict.fromkeys(range(tree.n_nodes), 0.0)
        for node, share in ends(tree, table, row).items():
            if tree.feature[node] >= 0:
                resting[node] += share * weights[row] * loss(row, node)
            for above in tree.path(node):
                at[above] += share
        for node, share in at.items():
            if share:
                passing[node] += share * weights[row] * loss(row, node)
    return passing, resting


def cost_of(tree: Tree, asks: frozenset[int], passing: Any, resting: Any) -> float:
    """Of a whole pruning."""
    return sum(passing[n] for n in leaves_of(tree, asks)) + sum(resting[n] for n in asks)


def prunings(tree: Tree, node: int = 0) -> Iterator[frozenset[int]]:
    """Every pruning of the subtree at a node, as the set of nodes that go on asking."""
    yield frozenset()
    if tree.feature[node] < 0:
        return
    first = int(tree.first_child[node])
    below = [list(prunings(tree, first + c)) for c in range(int(tree.n_children[node]))]
    for choice in product(*below):
        yield frozenset({node}).union(*choice)


def n_prunings(tree: Tree) -> int:
    count = [1] * tree.n_nodes
    for node in range(tree.n_nodes - 1, -1, -1):
        if tree.feature[node] >= 0:
            first = int(tree.first_child[node])
            count[node] = 1 + math.prod(count[first : first + int(tree.n_children[node])])
    return count[0]


def leaves_of(tree: Tree, asks: frozenset[int]) -> list[int]:
    """The leaves of a pruning."""
    return [n for n in range(tree.n_nodes) if n not in asks and (n == 0 or int(tree.parent[n]) in asks)]


def asking_nodes(original: Tree, pruned: Tree) -> frozenset[int]:
    """The questions of a pruned tree, by their old numbers; fails if it is not a pruning of the original."""
    asks, pairs = set(), [(0, 0)]
    for old, new in pairs:
        assert pruned.weight[new] == original.weight[old]
        assert pruned.n_rows[new] == original.n_rows[old]
        assert pruned.impurity[new] == original.impurity[old]
        np.testing.assert_array_equal(pruned.value[new], original.value[old])
        if pruned.feature[new] < 0:
            assert (pruned.kind[new], pruned.n_children[new], pruned.first_child[new]) == (0, 0, -1)
            assert (pruned.missing_child[new], pruned.gain[new], pruned.n_missing[new]) == (-1, 0, 0)
            continue
        asks.add(old)
        assert question_at(pruned, new) == question_at(original, old)
        assert pruned.gain[new] == original.gain[old]
        count = int(pruned.n_children[new])
        a, b = int(original.first_child[old]), int(pruned.first_child[new])
        pairs += [(a + c, b + c) for c in range(count)]
    assert len(pairs) == pruned.n_nodes
    return frozenset(asks)
