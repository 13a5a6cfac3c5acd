"""Why a node asks nothing: the tests of growth in their order, and what remains if all of them pass."""

from __future__ import annotations

from collections.abc import Sequence

from bough.explain.candidates import Search
from bough.explain.choice import Verdict
from bough.explain.numbers import Candidate
from bough.explain.words import amount
from bough.tree.tree import Tree

GREW_ON = "growth went on here"


def why_a_leaf(
    tree: Tree,
    node: int,
    search: Search,
    found: Sequence[Candidate],
    verdict: Verdict,
    pruning: str | None,
) -> tuple[str, ...]:
    """All reasons that hold, in the order in which growth looks at them."""
    s = search.settings
    core = s.for_core(tree.fields, search.whole.table.n_rows)
    n, weight, depth = search.here.table.n_rows, search.here.total, int(tree.depth[node])
    target = search.here.target
    least = core.min_samples_leaf
    reasons = []
    if (target == target[0]).all():
        what = "one class" if search.classes is not None else "one value"
        reasons.append(f"all rows have {what}")
    if s.max_depth is not None and depth >= s.max_depth:
        reasons.append(f"its depth {depth} is max_depth")
    if n < core.min_samples_split:
        reasons.append(f"its {n} rows are fewer than min_samples_split={core.min_samples_split}")
    if n < 2 * least:
        reasons.append(f"its {n} rows are fewer than 2 × min_samples_leaf={least}")
    if weight < 2 * (s.min_weight_leaf - 1e-6):
        reasons.append(f"its weight {amount(weight)} is less than 2 × min_weight_leaf={s.min_weight_leaf:g}")
    if reasons:
        return tuple(reasons)
    if not any(c.possible for c in found):
        return ("no column has a split here: values are all the same, or branches would be too small",)
    if verdict.winner is None:
        return (verdict.refused,)
    limits = [name for name in ("max_leaf_nodes", "max_nodes", "time_limit") if getattr(s, name) is not None]
    if pruning:
        return (f"{GREW_ON}; {pruning} made it a leaf",)
    if limits:
        return (f"{limits[0]}={getattr(s, limits[0])} was reached",)
    return ("its subtree was taken away after growth",)
