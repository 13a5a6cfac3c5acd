"""Which reference trees a core that rounds must reproduce: the gaps of grower.py against its rounding.

The core computes in doubles from exact sums of weights and targets that it has rounded to fixed point of
at least `bits` bits below the largest of them. `trusted(table, settings, tree)` says that no decision in the
tree was so close that this may turn it; compare only trusted trees (or discard with hypothesis.assume).
When the sums are exact in doubles as well (`exact_sums`: unit weights and classes always) only the last
digits of losses and gains can differ, and practically nothing is left out.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

from .grower import Grower, Node, Settings, Table, as_integers, number

SUMS = {"fraction", "missing", "answer"}  # decided by sums of weights
DIGITS = 2.0**-49  # some roundings of a double


def exact_sums(table: Table) -> bool:
    """Whether every sum of w, w*y and w*y*y over rows is an integer below 2^53 in its unit."""
    weights, _ = as_integers(table.weights or [1.0])
    targets, _ = as_integers([0.0] if table.n_classes else table.target)
    w, y = max(map(abs, weights)), max(map(abs, targets))
    return (w * max(1, y * y) * len(table.target)).bit_length() <= 53


def exact_weights(table: Table) -> bool:
    """Whether rounded weights compare as the given ones do: few bits, or multiples of one number."""
    weights, _ = as_integers(table.weights or [1.0])
    return (max(weights) // (math.gcd(*weights) or 1)).bit_length() <= 30


def order_gap(grower: Grower, node: Node) -> tuple[float, bool]:
    """Smallest gap between neighbours in the category orders of a node, times the lighter category's share
    of the largest weight; and whether two different mixtures tied exactly. Shares 0 and 1, and means of one
    target value only, stay equal whatever the rounding."""
    smallest, even = math.inf, False
    top = max(grower.weight(s) for s in grower.stats.values())
    scale = 1 if grower.classes else max(abs(s[2]) // s[1] for s in grower.stats.values()) + 1
    classes = grower.classes
    for col in grower.table.columns:
        if col.kind == "ordered" or grower.settings.categories == "multiway":
            continue
        stats: dict[int, list[tuple[int, ...]]] = {}
        for i in node.rows:
            if (v := col.values[i]) is not None:
                stats.setdefault(int(v), []).append(grower.stats[i])
        sums = [tuple(map(sum, zip(*group, strict=True))) for group in stats.values()]
        if classes and classes > 2 and len(sums) <= 8:
            continue
        for k in range(classes) if classes and classes > 2 else [1]:
            keys = sorted((grower.key(s, k), grower.weight(s), grower.loss(s) == 0) for s in sums)
            for (a, v, pure_a), (b, w, pure_b) in pairwise(keys):
                if a != b:
                    smallest = min(smallest, float((b - a) * min(v, w, top) / (scale * top)))
                elif not (pure_a and pure_b) and not (classes and a in (0, 1)):
                    even = True
    return smallest, even


def sensitivity(grower: Grower, node: Node) -> float:
    """How many times loss(node) a relative error of the inputs (against the largest) may shift it by."""
    rows = [grower.stats[i] for i in node.rows]
    top = max(grower.weight(s) for s in grower.stats.values())
    if grower.classes:
        logs = 64 if grower.settings.criterion == "entropy" else 2
        return float(Fraction(logs * len(rows) * top, grower.w_unit) / Fraction(node.loss))
    assert isinstance(node.value, Fraction)
    mean = node.value * grower.y_unit
    largest = max(abs(Fraction(s[2], s[1])) for s in grower.stats.values())
    off = [(s[1], abs(Fraction(s[2], s[1]) - mean)) for s in rows]
    shift = sum(top * d * d + 2 * largest * w * d for w, d in off)
    return float(min(shift / grower.loss_unit / node.loss, Fraction(10) ** 300))


def cancellation(grower: Grower, node: Node, centred: bool) -> float:
    """How many times larger than loss(node) the terms are whose difference it is."""
    if grower.classes:
        return float(node.weight / Fraction(node.loss))
    mean = Fraction(grower.root_stat[2], grower.root_stat[1]) if centred else Fraction(0)
    stats = [grower.stats[i] for i in node.rows]
    terms = sum(s[3] - 2 * s[2] * mean + s[1] * mean * mean for s in stats)
    return float(min(max(Fraction(1), terms / grower.loss_unit / node.loss), Fraction(10) ** 300))


def close_call(
    table: Table,
    settings: Settings,
    tree: Node,
    bits: int = 40,
    centred: bool = False,
    grown_by: Grower | None = None,
) -> str | None:
    """The first decision of the tree that rounding may turn, in words; None if there is none.

    centred: the core subtracts about the mean from the targets first, so that a far zero costs no digits.
    grown_by: what grew the tree, where its rows are not those of the table alone.
    """
    grower = grown_by or Grower(table, settings)
    whole = len(grower.table.target) == len(table.target)
    unit = 0.0 if whole and exact_sums(table) else 8 * 2.0**-bits
    weight_unit = 0.0 if whole and exact_weights(table) else unit
    gain_unit = weight_unit if table.n_classes else unit  # a common factor of the weights turns no choice
    top = max(grower.weight(s) for s in grower.stats.values())
    for at, node in enumerate(number(tree)):
        if not node.rows:
            continue
        gaps, noise = dict(node.gaps), 0.0
        if "loss" in gaps:  # it was searched
            noise = DIGITS * cancellation(grower, node, centred) + gain_unit * sensitivity(grower, node)
            gaps["order"], even = order_gap(grower, node)
            if even:
                gaps["order="] = 0.0
        spread = len(node.rows) * top / (float(node.weight) * grower.w_unit)
        for name, gap in gaps.items():
            if name.startswith("order"):
                least = unit * len(grower.rows)
            elif name.rstrip("=") in SUMS:
                least = weight_unit * spread
            else:
                least = gain_unit if name.endswith("=") else noise
            if least > 0 if name.endswith("=") else gap <= least + 2.0**-52:
                return f"node {at}: {name} gap {gap:.3g}"
    return None


def trusted(table: Table, settings: Settings, tree: Node, bits: int = 40, centred: bool = False) -> bool:
    return close_call(table, settings, tree, bits, centred) is None
