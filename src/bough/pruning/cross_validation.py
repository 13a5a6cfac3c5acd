"""The choice of alpha by cross-validation, as CART and rpart do it.

Each fold grows a tree on the other rows, and all its subtrees are judged by the rows of the fold in one
pass: a node is a leaf from the alpha of its own block up to that of its parent, so what it costs is added at
the one and taken away at the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.errors import BoughError
from bough.growing.settings import check_name
from bough.pruning.cost_complexity import TIE, checked_risk, path, weakest_links
from bough.pruning.evidence import Evidence, rested
from bough.pruning.options import cost_matrix
from bough.pruning.risk import Floats, Longs, Risk, training_risk
from bough.tree import Tree

RULES = ("1-se", "best")


@dataclass(frozen=True)
class Choice:
    """The subtrees from the root alone to the whole tree, and the line that was chosen.

    `alpha` is where a subtree begins to be the best (in the units of ccp_alpha), `cp` the same as a share of
    the root's cost. Errors (with costs: costs; for numbers: squared errors) are relative to the root's: on
    the training rows, on rows left out (`xerror`), and the standard error of that.
    """

    alpha: Floats
    cp: Floats
    n_leaves: Longs
    rel_error: Floats
    xerror: Floats
    xstd: Floats
    chosen: int

    @property
    def ccp_alpha(self) -> float:
        """The alpha to prune at."""
        return float(self.alpha[self.chosen])

    def __str__(self) -> str:
        lines = [f"  {'CP':>10} {'leaves':>7} {'rel error':>10} {'xerror':>8} {'xstd':>8}"]
        columns = (self.cp, self.n_leaves, self.rel_error, self.xerror, self.xstd)
        for i, (cp, leaves, error, xerror, xstd) in enumerate(zip(*columns, strict=True)):
            mark = "*" if i == self.chosen else " "
            lines.append(f"{mark} {cp:10.6f} {leaves:7d} {error:10.5f} {xerror:8.5f} {xstd:8.5f}")
        return "\n".join(lines)


def choose_alpha(
    tree: Tree,
    rows: Evidence,
    folds: Iterable[tuple[NDArray[Any], NDArray[Any]]],
    grow_fold: Callable[[NDArray[Any]], Tree],
    *,
    rule: str = "1-se",
    measure: str = "impurity",
    costs: Any = None,
    cp: float = 0.0,
) -> Choice:
    """Which of a tree's cost-complexity subtrees to take.

    `rows` are those that the tree was grown on; a fold is a pair of row numbers, to grow on and to judge by;
    `grow_fold` grows a tree with the same classes on the first. Between two neighbouring alphas of the
    whole tree their geometric mean stands for the subtree. `rule`: "best" has the smallest error on rows
    left out, the smaller tree of equal ones; "1-se" is the smallest tree within one standard error of it.
    Subtrees for alphas below `cp` (a share of the root's cost) are not considered.
    """
    check_name("rule", rule, RULES)
    matrix = cost_matrix(tree, costs)
    table = path(tree, measure=measure, costs=costs).cp_table(cp)
    scale = float(checked_risk(tree, measure, costs).as_leaf[0]) or 1.0
    alphas = np.array(table["CP"])[::-1] * scale  # rising
    middle = np.append(np.sqrt(alphas[:-1] * alphas[1:]), np.inf)  # the last alpha may be 0
    cost, squares, weight = np.zeros(len(alphas)), np.zeros(len(alphas)), 0.0
    for train, test in folds:
        grown = grow_fold(train)
        _check_same_classes(tree, grown)
        left_out = rows.take(test)
        found = rested(grown, left_out, matrix)
        block = weakest_links(grown, checked_risk(grown, measure, costs)).of_node
        cost += over_path(grown, block, middle, found.risk)
        squares += over_path(grown, block, middle, found.squares)
        weight += float(left_out.weights.sum())
    if weight == 0:
        raise BoughError(
            "there are no rows to judge by.", code="parameter", hint="Give at least one fold with rows."
        )
    root = float(training_risk(tree, "error", matrix).as_leaf[0]) or 1.0
    whole = weakest_links(tree, checked_risk(tree, measure, costs)).of_node
    fitted = over_path(tree, whole, alphas + TIE * scale, training_risk(tree, "error", matrix))
    xerror = (cost / weight / root)[::-1]
    xstd = (np.sqrt(np.maximum(squares - cost**2 / weight, 0.0)) / weight / root)[::-1]
    leaves = np.array(table["nsplit"], dtype=np.int64) + 1
    return Choice(
        alpha=alphas[::-1],
        cp=alphas[::-1] / scale,
        n_leaves=leaves,
        rel_error=(fitted / root)[::-1],
        xerror=xerror,
        xstd=xstd,
        chosen=_line(xerror, xstd, rule),
    )


def over_path(tree: Tree, block: Floats, alphas: Floats, risk: Risk) -> Floats:
    """What the subtree for each alpha (rising) costs, of all subtrees at once."""
    asks_before = np.searchsorted(alphas, block)  # the first alpha for which the node does not ask
    above = np.append(asks_before, len(alphas))[tree.parent]  # the root has nothing above it
    steps = (
        np.bincount(asks_before, risk.as_leaf, len(alphas) + 1)
        - np.bincount(np.maximum(above, asks_before), risk.as_leaf, len(alphas) + 1)
        - np.bincount(asks_before, risk.staying, len(alphas) + 1)
    )
    steps[0] += risk.staying.sum()
    totals: Floats = np.cumsum(steps)[:-1]
    return totals


def _line(xerror: Floats, xstd: Floats, rule: str) -> int:
    """The lines come with rising size, so the first that is good enough is the smallest tree."""
    best = int(np.argmin(xerror))
    limit = xerror[best] + (xstd[best] if rule == "1-se" else 0.0)
    return int(np.argmax(xerror <= limit + TIE))


def _check_same_classes(tree: Tree, grown: Tree) -> None:
    ours, theirs = tree.classes, grown.classes
    same = (ours is None and theirs is None) or (
        ours is not None and theirs is not None and np.array_equal(ours, theirs)
    )
    if not same:
        raise BoughError(
            "a fold's tree has other classes than the whole tree.",
            code="parameter",
            hint="Grow it with the same list of classes, whichever of them its rows have.",
        )
