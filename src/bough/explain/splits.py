"""Every number of a node: what each column offers, which one wins and why, or why nothing is asked.

The splits are found by the core itself, on the rows of the node and one column at a time; the tests compare
winner and gain with the tree.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough import information as info
from bough.data.objects import label
from bough.errors import BoughError
from bough.explain.candidates import Search
from bough.explain.choice import Verdict, decide
from bough.explain.condition import conditions_to
from bough.explain.numbers import Candidate, NodeNumbers
from bough.explain.pruning_numbers import PruningNumbers, of_part, pruning_numbers
from bough.explain.sample import Sample, at_node, one_split
from bough.explain.stopping import GREW_ON, why_a_leaf
from bough.explain.words import answer_name
from bough.growing.settings import Settings
from bough.tree.tree import Tree

SAME = 1e-9  # relative: gains this close are the same


@dataclass(frozen=True)
class Grown:
    """How a tree grew: its rows, its settings, and what was done to it afterwards (`pruning`, in words).
    `factor`: what a class counted for in growth, beyond the weights."""

    sample: Sample
    settings: Settings
    pruning: str | None = None
    confidence: float = 0.25
    estimate: str = "normal"
    forced: bool = False
    factor: NDArray[np.float64] | None = None

    @property
    def counted(self) -> Sample:
        """The rows with the weights that growth counted."""
        if self.factor is None:
            return self.sample
        return replace(self.sample, weights=self.sample.each * self.factor[self.sample.target])


def explain_split(tree: Tree, node: int, grown: Grown) -> NodeNumbers:
    """Every number of the node, from the rows that the tree grew on."""
    tree.node(node)  # an error if there is none
    whole = grown.counted
    here = at_node(tree, whole, node)
    if not here.table.n_rows:
        raise BoughError(
            f"no row comes to node {node}, so there is nothing to count.",
            code="model",
            hint="It answers as the node above it.",
        )
    search = Search(here, whole, tree.classes, grown.settings)
    with np.errstate(over="ignore", invalid="ignore"):
        group = search.group("", here)
    if not (math.isfinite(group.impurity) and math.isfinite(tree.impurity[node])):
        raise BoughError(
            f"the impurity of node {node} is too large for float64, so its splits cannot be compared.",
            code="target",
            hint="Grow the tree on smaller numbers, e.g. y / y.max().",
        )
    found = [_candidate(search, tree, node, j) for j in range(len(tree.fields))]
    verdict = decide(search, found, group.impurity)
    actual = int(tree.feature[node]) if tree.feature[node] >= 0 else None
    same = bool(here.table.n_rows == tree.n_rows[node])
    if actual is not None:
        theirs = found[actual]
        found[actual] = replace(
            search.candidate(actual, one_split(tree, node)),
            chosen=True,
            cuts=theirs.cuts,
            n_cuts=theirs.n_cuts,
        )
        found[actual] = replace(found[actual], gain=_own_gain(tree, node, here.total))
        best = _counted_gain(found[actual], grown, here.total) if grown.forced else theirs.gain
        same = same and _close(best, found[actual].gain, group.impurity)
    ties = verdict.ties if len(verdict.ties) > 1 else ()
    found = [replace(c, tied=j in ties) for j, c in enumerate(found)]
    order = _order(verdict, actual, found)
    labels = () if tree.classes is None else tuple(label(c) for c in tree.classes)
    leaf = () if actual is not None else why_a_leaf(tree, node, search, found, verdict, grown.pruning)
    return NodeNumbers(
        node=node,
        path=tuple(c.text() for c in conditions_to(tree, node)),
        whole=group,
        classes=labels,
        criterion="custom" if callable(grown.settings.criterion) else grown.settings.criterion,
        choice=grown.settings.choice,
        entropy=_measure(info.entropy, group.counts),
        gini=_measure(info.gini, group.counts),
        error=_measure(info.error_rate, group.counts),
        candidates=tuple(found[j] for j in order),
        chosen=None if actual is None else tree.fields[actual].name,
        ties=tuple(tree.fields[j].name for j in ties),
        tie_rule=grown.settings.ties,
        average=verdict.average,
        leaf=leaf,
        answer=answer_name(tree.answers[node]),
        pruning=_pruning(tree, node, grown, search, bool(leaf) and leaf[0].startswith(GREW_ON)),
        same=same,
        notes=_notes(tree, node, grown, verdict, actual, same),
    )


def _pruning(tree: Tree, node: int, grown: Grown, search: Search, pruned: bool) -> PruningNumbers:
    """Of a leaf that was pruned: the numbers of the subtree that stood there, which is grown once more."""
    adds_up = grown.settings.criterion != "chi_square"
    given = (grown.confidence, grown.estimate, adds_up)
    if not pruned or grown.forced:
        return pruning_numbers(tree, node, *given)
    return of_part(pruning_numbers(search.subtree(int(tree.depth[node])), 0, *given), search.whole.total)


def _candidate(search: Search, tree: Tree, node: int, column: int) -> Candidate:
    field = tree.fields[column]
    core = search.settings.for_core(tree.fields, search.whole.table.n_rows)
    asked = {int(tree.feature[above]) for above in tree.path(node)[:-1]}
    reason = ""
    if core.forbidden[column]:
        reason = "the column is among forbidden_columns"
    elif core.interactions and not any({column, *asked} <= set(group) for group in core.interactions):
        reason = "interaction_cst keeps it apart from the columns asked above"
    if reason:
        return Candidate(field.name, field.kind, why_not=reason)
    return search.candidate(column)


def _own_gain(tree: Tree, node: int, total: float) -> float:
    """The tree's gain, for each unit of the weight that growth counted."""
    times = float(tree.weight[node]) / total
    return float(tree.gain[node]) * (1.0 if abs(times - 1) < SAME else times)


def _counted_gain(c: Candidate, grown: Grown, total: float) -> float:
    """What a split gains on these rows, which need not be the best that its column has."""
    if grown.settings.criterion == "chi_square":
        return c.statistic / total
    return c.known * (c.before - c.after)


def _close(a: float, b: float, scale: float) -> bool:
    return abs(a - b) <= SAME * max(abs(scale), abs(a), 1e-300) or (math.isnan(a) and math.isnan(b))


def _measure(measure: Any, counts: tuple[float, ...]) -> float | None:
    return float(measure(counts)) if counts else None


def _order(verdict: Verdict, actual: int | None, found: list[Candidate]) -> list[int]:
    """The winner first, then by what is compared, those without a split last."""
    order = list(verdict.order) or list(range(len(found)))
    return sorted(order, key=lambda j: (j != actual, not found[j].possible))


def _notes(
    tree: Tree, node: int, grown: Grown, verdict: Verdict, actual: int | None, same: bool
) -> tuple[str, ...]:
    s, notes = grown.settings, []
    if actual is not None and grown.forced and actual != verdict.winner:
        notes.append("The split may be one of forced_splits, which are made whatever they gain.")
    elif actual is not None and actual != verdict.winner:
        why = {
            "max_features drew some of the columns here": s.max_features is not None,
            "equal columns are drawn at random": s.ties == "random" and actual in verdict.ties,
            "equal columns are compared in single precision": s.ties == "single" and actual in verdict.ties,
            "p-values were drawn by permutations": s.p_values == "monte_carlo",
            "monotonic_cst bounds the answers below the splits above": s.monotonic_cst is not None,
            "required_columns come first": s.required_columns is not None,
        }
        found = [text for text, holds in why.items() if holds]
        notes.append(
            f"Not the first of the list: {found[0] if found else 'the rows differ from those of growth'}."
        )
    if not same:
        notes.append(
            "These rows do not give the tree's own counts or gain here: it grew on others, or was changed "
            "by pruning."
        )
    if grown.factor is not None:
        notes.append("Classes count by the costs of their mistakes, as they did in growth.")
    return tuple(notes)
