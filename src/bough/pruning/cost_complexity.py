"""Cost-complexity pruning (CART): the nested subtrees that minimise R(T) + alpha * leaves(T).

R(T) is the sum over the leaves of T of what they cost. A question t lowers it by
d(t) = R(t) - sum of R(children), for w(t) = children - 1 more leaves. As alpha rises, the weakest links go:
blocks of questions, each when alpha reaches its sum of d / sum of w, and none after the block above it. So
these ratios fall from the root down, and where a question's own ratio does not, it is of one block with the
question above it. This is isotonic regression on the tree. Taking the largest ratio first, each step settles
a block or joins it with the one above: n log n steps for any shape of tree, where updating all ancestors of
each pruned node takes n * depth.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.growing.settings import check_name, wrong
from bough.pruning.options import MEASURES, check_number, cost_matrix
from bough.pruning.risk import Risk, training_risk
from bough.pruning.sweeps import Floats, asking, cheapest, child_sums, subtree_sums
from bough.tree import Tree
from bough.tree.rebuild import rebuild

TIE = 1e-12  # of the root's cost: alphas closer than this are one


@dataclass(frozen=True)
class Path:
    """The nested subtrees, from the whole tree to the root alone: subtree i is the smallest of those that
    are best for an alpha from ccp_alphas[i] up to ccp_alphas[i + 1].

    One entry for each node that becomes a leaf, so equal alphas may follow each other, as in
    scikit-learn; R of each subtree is in `impurities`.
    """

    ccp_alphas: Floats
    impurities: Floats
    n_leaves: NDArray[np.int64]

    def cp_table(self, cp: float = 0.0) -> dict[str, list[float]]:
        """The first three columns of rpart's cptable: alpha, splits and cost, relative to the root's cost,
        down to the complexity `cp`; equal alphas are one line."""
        scale = self.impurities[-1] or 1.0
        alphas = self.ccp_alphas / scale
        last = np.flatnonzero(np.append(np.diff(alphas) > TIE, True))  # of each run of equal ones
        # The first subtree that is best for some alpha above cp; it is best at cp, too.
        kept = last[np.append(alphas[last][1:] > cp + TIE, True)][::-1]
        return {
            "CP": np.maximum(alphas[kept], cp).tolist(),
            "nsplit": (self.n_leaves[kept] - 1).tolist(),
            "rel error": (self.impurities[kept] / scale).tolist(),
        }


def cost_complexity(
    tree: Tree,
    *,
    ccp_alpha: float | None = None,
    cp: float | None = None,
    measure: str = "impurity",
    costs: Any = None,
) -> Tree:
    """The smallest subtree that minimises R(T) + alpha * leaves(T).

    `ccp_alpha` is alpha as in scikit-learn (cost per unit of training weight), `cp` is alpha as in rpart: a
    share of the root's cost; without either, alpha is 0 and what goes lowers R by nothing.
    """
    if ccp_alpha is not None and cp is not None:
        raise wrong("cp", cp, "None where ccp_alpha is given")
    for name, value in (("ccp_alpha", ccp_alpha), ("cp", cp)):
        if value is not None:
            check_number(name, value, 0.0, None, "a number from 0 up")
    risk = checked_risk(tree, measure, costs)
    root = float(risk.as_leaf[0])
    alpha = float(cp) * root if cp is not None else float(ccp_alpha or 0.0)
    return rebuild(tree, cheapest(tree, risk.as_leaf + alpha + TIE * root, risk.staying))


def path(tree: Tree, *, measure: str = "impurity", costs: Any = None) -> Path:
    """All subtrees of cost-complexity pruning; with the defaults, scikit-learn's
    cost_complexity_pruning_path."""
    risk = checked_risk(tree, measure, costs)
    blocks = weakest_links(tree, risk)
    order = np.lexsort((-blocks.top, blocks.alpha))  # what is below goes first where alphas are equal
    leaves = ~asking(tree)
    whole = float(risk.as_leaf[leaves].sum() + risk.staying.sum())
    return Path(
        ccp_alphas=np.concatenate([np.zeros(1), blocks.alpha[order]]),
        impurities=whole + np.concatenate([np.zeros(1), np.cumsum(blocks.gain[order])]),
        n_leaves=np.count_nonzero(leaves) - np.concatenate([[0], np.cumsum(blocks.width[order])]),
    )


def strengths(tree: Tree, *, measure: str = "impurity", costs: Any = None) -> Floats:
    """Breiman's g(t) of each question of the whole tree: what its subtree saves for each leaf more than one;
    infinite in a leaf. The smallest is the weakest link."""
    risk = checked_risk(tree, measure, costs)
    saved = subtree_sums(tree, _gains(tree, risk))
    more = subtree_sums(tree, np.where(asking(tree), tree.n_children - 1, 0))
    strength: Floats = np.divide(saved, more, out=np.full(tree.n_nodes, np.inf), where=more > 0)
    return strength


def checked_risk(tree: Tree, measure: str, costs: Any) -> Risk:
    check_name("measure", measure, MEASURES)
    return training_risk(tree, measure, cost_matrix(tree, costs))


@dataclass(frozen=True)
class Blocks:
    """The questions that go together: the uppermost, the alpha at which it becomes a leaf, what that
    costs, how many leaves fewer there are then; and for each node the alpha of its block, -inf in a leaf."""

    top: NDArray[np.int64]
    alpha: Floats
    gain: Floats
    width: NDArray[np.int64]
    of_node: Floats


def weakest_links(tree: Tree, risk: Risk) -> Blocks:
    """Joins each question with those below it that would go later than it; see the head of this file."""
    asks = asking(tree)
    gain = np.where(asks, _gains(tree, risk), 0.0)
    width = np.where(asks, tree.n_children - 1, 0)
    questions = np.flatnonzero(asks)
    ratio = np.zeros(tree.n_nodes)
    ratio[questions] = gain[questions] / width[questions]
    # Of equal ratios the lower question comes first and joins the one above it.
    order = questions[np.lexsort((-questions, -ratio[questions]))]
    into, settled, gains, widths = _joined(
        order.tolist(), tree.parent.tolist(), gain.tolist(), width.tolist(), (-ratio).tolist()
    )
    top = np.array(settled, dtype=np.int64)
    gain, width, block = np.array(gains), np.array(widths, dtype=np.int64), np.array(into)
    while not np.array_equal(block, block[block]):
        block = block[block]
    alpha = np.full(tree.n_nodes, -np.inf)
    alpha[top] = gain[top] / width[top]
    return Blocks(top, alpha[top], gain[top], width[top], alpha[block])


def _joined(
    order: list[int], parent: list[int], gain: list[float], width: list[int], minus_ratio: list[float]
) -> tuple[list[int], list[int], list[float], list[int]]:
    """The block that each question's block was joined with (itself: none), the blocks that remain, by their
    uppermost question, and the sums of all; `order` is that of the questions alone."""
    into = list(range(len(parent)))
    done = [False] * len(parent)
    settled: list[int] = []
    grown: list[tuple[float, int]] = []  # a heap: blocks of several questions
    for negative, minus_t in _falling(order, minus_ratio, into, grown):
        t = -minus_t
        if into[t] != t or negative != minus_ratio[t] or done[t]:
            continue  # joined meanwhile, or grown and entered once more
        above = parent[t]
        while above >= 0 and into[above] != above:
            into[above] = above = into[into[above]]
        if above < 0 or done[above]:
            done[t] = True
            settled.append(t)
        else:
            into[t] = above
            gain[above] += gain[t]
            width[above] += width[t]
            minus_ratio[above] = -gain[above] / width[above]
            heapq.heappush(grown, (minus_ratio[above], -above))
    return into, settled, gain, width


def _falling(
    order: list[int], minus_ratio: list[float], into: list[int], grown: list[tuple[float, int]]
) -> Iterator[tuple[float, int]]:
    """-ratio and -number of the next block, while blocks grow. Questions alone come from a sorted list: with
    all of them in the heap it takes four times as long."""
    for t in order:
        if into[t] == t:
            own = (minus_ratio[t], -t)
            while grown and grown[0] < own:
                yield heapq.heappop(grown)
            yield own
    while grown:
        yield heapq.heappop(grown)


def _gains(tree: Tree, risk: Risk) -> Floats:
    """By how much each question lowers the cost; 0 in a leaf."""
    return np.where(asking(tree), risk.as_leaf - risk.staying - child_sums(tree, risk.as_leaf), 0.0)
