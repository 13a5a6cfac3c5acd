"""Trees to few compact arrays and back: what follows from the rest is left out and worked out again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.data.table import Field
from bough.store.container import damaged
from bough.store.narrow import get, put, same
from bough.store.shape import Shape
from bough.store.statistics import STATISTICS, close, floats_between, floats_off, gains, impurities, means
from bough.tree.condition import MULTIWAY, THRESHOLD
from bough.tree.tree import ARRAYS, Tree

Array = NDArray[Any]
SUBSET = THRESHOLD + 1
ASKING, LEAVES = ".asking", ".leaves"  # of an array that is stored for these nodes only
STEPS = ".steps"  # how many floats the means of inner nodes are off those worked out from their leaves
DTYPES: dict[str, type] = {
    **dict.fromkeys(("feature", "n_children", "missing_child", "category", "category_child"), np.int32),
    **dict.fromkeys(("surrogate_feature", "surrogate_first"), np.int32),
    **dict.fromkeys(("surrogate_category", "surrogate_category_child"), np.int32),
    **dict.fromkeys(("kind", "surrogate_kind"), np.uint8),
    **dict.fromkeys(("first_child", "n_rows", "n_missing", "category_start"), np.int64),
    **dict.fromkeys(("surrogate_start", "surrogate_category_start"), np.int64),
}
_LISTS = (  # an array of starts, what it counts over, and the arrays that it parts
    ("category_start", "node", ("category", "category_child")),
    (
        "surrogate_start",
        "node",
        (
            "surrogate_feature",
            "surrogate_kind",
            "surrogate_threshold",
            "surrogate_first",
            "surrogate_agree",
            "surrogate_adjusted",
        ),
    ),
    ("surrogate_category_start", "surrogate", ("surrogate_category", "surrogate_category_child")),
)


@dataclass(frozen=True)
class _Nodes:
    """Arrays of all nodes of all trees, as far as they are known yet."""

    fields: Sequence[Field]
    sizes: Array
    width: int  # classes; 0: numbers
    known: dict[str, Array]

    def shape(self) -> Shape:
        return Shape(self.sizes, self.known["n_children"])


def _kinds(nodes: _Nodes) -> Array:
    grouped = np.array([f.kind in ("nominal", "boolean") for f in nodes.fields])
    feature = nodes.known["feature"]
    return np.where(feature < 0, 0, np.where(grouped[feature], SUBSET, THRESHOLD)).astype(np.uint8)


def _child_counts(nodes: _Nodes) -> Array:
    feature, kind = nodes.known["feature"], nodes.known["kind"]
    categories = np.array([len(f.categories) for f in nodes.fields])[feature]
    counts = np.where(feature < 0, 0, np.where(kind == MULTIWAY, categories, 2))
    return counts.astype(np.int32)


def _no_numbers(nodes: _Nodes) -> Array:
    return np.zeros(int(nodes.sizes.sum()))


def _summed_rows(nodes: _Nodes, leaves: Array) -> Array:
    return nodes.shape().summed(leaves).astype(np.int64)


def _weights(nodes: _Nodes) -> Array:
    if nodes.width:
        total: Array = nodes.known["value"].sum(axis=1)
        return total
    return nodes.known["n_rows"].astype(np.float64)


def _missing_children(nodes: _Nodes) -> Array:
    return nodes.shape().heaviest_child(nodes.known["weight"])


@dataclass(frozen=True)
class _Rule:
    """How an array follows from those before it: all of it, or what is not in the part that is stored."""

    whole: Callable[[_Nodes], Array] | None = None
    part: str = ""
    rest: Callable[[_Nodes, Array], Array] | None = None


def _asking_only(otherwise: float) -> Callable[[_Nodes, Array], Array]:
    def rest(nodes: _Nodes, part: Array) -> Array:
        full = np.full(int(nodes.sizes.sum()), otherwise)
        full[nodes.known["n_children"] > 0] = part
        return full

    return rest


# In this order: a rule reads only what stands above it.
NODES: dict[str, _Rule] = {
    "feature": _Rule(),
    "kind": _Rule(_kinds),
    "n_children": _Rule(_child_counts),
    "first_child": _Rule(lambda nodes: nodes.shape().first_child),
    "threshold": _Rule(_no_numbers, ASKING, _asking_only(0.0)),
    "value": _Rule(None, LEAVES, lambda nodes, part: nodes.shape().summed(part)),
    "n_rows": _Rule(None, LEAVES, _summed_rows),
    "weight": _Rule(_weights, LEAVES, lambda nodes, part: nodes.shape().summed(part)),
    "n_missing": _Rule(_no_numbers, ASKING, _asking_only(0)),
    "missing_child": _Rule(_missing_children, ASKING, _asking_only(-1)),
}


def _order(width: int) -> list[tuple[str, _Rule]]:
    """Weights follow from the values of classes; means follow from weights."""
    names = list(NODES)
    if not width:
        names.remove("value")
        names.insert(names.index("weight") + 1, "value")
    return [(name, NODES[name]) for name in names]


GAIN = _Rule(None, ASKING, _asking_only(0.0))


def pack(trees: Sequence[Tree], *, exact: bool) -> tuple[dict[str, Array], str]:
    """The arrays to store, and the name of the loss from which statistics are worked out again ("": they are
    stored). Not `exact`: impurities and gains, which no answer needs, may come back with another rounding."""
    trees = [tree.opened() for tree in trees]
    first = trees[0]
    arrays: dict[str, Array] = {}
    sizes = np.array([tree.n_nodes for tree in trees])
    put(arrays, "nodes", sizes)
    nodes = _Nodes(first.fields, sizes, 0 if first.classes is None else len(first.classes), {})
    for name, rule in _order(nodes.width):
        full = np.concatenate([getattr(tree, name) for tree in trees])
        if name != "value" or nodes.width or not _put_means(arrays, nodes, full):
            _put_nodes(arrays, nodes, name, rule, full)
        nodes.known[name] = full
    given = {name: np.concatenate([getattr(tree, name) for tree in trees]) for name in STATISTICS}
    loss = "" if exact else _loss(nodes, given)
    if not loss:
        put(arrays, "impurity", given["impurity"])
        _put_nodes(arrays, nodes, "gain", GAIN, given["gain"])
    elif loss == "squared_error":
        leaves = given["impurity"][nodes.known["n_children"] == 0]
        put(arrays, "impurity" + LEAVES, leaves.astype(np.float32).astype(np.float64))
    for start, _, parts in _LISTS:
        counts = np.concatenate([np.diff(getattr(tree, start)) for tree in trees])
        if counts.any():
            put(arrays, start, counts)
            for name in parts:
                put(arrays, name, np.concatenate([getattr(tree, name) for tree in trees]))
    return arrays, loss


def _put_means(arrays: dict[str, Array], nodes: _Nodes, full: Array) -> bool:
    """Means of leaves, and how far the means of inner nodes are from those of their children."""
    inner = nodes.known["n_children"] > 0
    steps = floats_between(
        means(nodes.shape(), full[~inner, 0], nodes.known["weight"])[inner], full[inner, 0]
    )
    if steps is None:
        return False
    stored: dict[str, Array] = {}
    put(stored, "value" + LEAVES, full[~inner])
    put(stored, "value" + STEPS, steps)
    arrays.update(stored)
    return True


def _get_means(arrays: Mapping[str, Array], nodes: _Nodes, used: set[str]) -> Array:
    inner = nodes.known["n_children"] > 0
    if nodes.width:
        raise damaged("it has means of classes")
    leaves = _get(arrays, "value" + LEAVES, (int((~inner).sum()), 1), used)
    steps = _get(arrays, "value" + STEPS, (int(inner.sum()),), used, np.int64)
    full = means(nodes.shape(), leaves[:, 0], nodes.known["weight"])
    full[inner] = floats_off(full[inner], steps)
    return full[:, None]


def _loss(nodes: _Nodes, given: dict[str, Array]) -> str:
    """The loss whose impurities and gains these are, to rounding; "" if it is none of the known ones."""
    shape, known = nodes.shape(), nodes.known
    leaves = given["impurity"][known["n_children"] == 0].astype(np.float32).astype(np.float64)
    for loss in ("gini", "entropy", "error") if nodes.width else ("squared_error",):
        impurity = impurities(loss, shape, known["value"], known["weight"], leaves)
        gain = gains(shape, impurity, known["weight"])
        if close(impurity, given["impurity"]) and close(gain, given["gain"]):
            return loss
    return ""


def _put_nodes(arrays: dict[str, Array], nodes: _Nodes, name: str, rule: _Rule, full: Array) -> None:
    if rule.whole is not None and same(full, rule.whole(nodes).astype(full.dtype)):
        return
    if rule.rest is not None and "n_children" in nodes.known:
        part = full[(nodes.known["n_children"] > 0) == (rule.part == ASKING)]
        if same(full, rule.rest(nodes, part).astype(full.dtype)):
            put(arrays, name + rule.part, part)
            return
    put(arrays, name, full)


def unpack(
    arrays: Mapping[str, Array], fields: Sequence[Field], width: int, loss: str
) -> tuple[Array, dict[str, Array]]:
    """The sizes of the trees and the arrays of Tree, those of all trees one behind the other; lists of
    categories and surrogates come as counts."""
    used = {"nodes"}
    if "nodes" not in arrays or arrays["nodes"].ndim != 1 or not arrays["nodes"].size:
        raise damaged("it has no nodes")
    sizes = get(arrays, "nodes", np.int64, arrays["nodes"].shape)
    if "feature" not in arrays or sizes.min() < 1 or sizes.max() > arrays["feature"].size:
        raise damaged("the trees and their nodes do not fit together")
    nodes = _Nodes(fields, sizes, width, {})
    for name, rule in _order(width):
        if name + STEPS in arrays:
            nodes.known[name] = _get_means(arrays, nodes, used)
        else:
            nodes.known[name] = _get_nodes(arrays, nodes, name, rule, used)
        if name == "feature" and nodes.known[name].max() >= len(fields):
            raise damaged("a node asks for a column that there is not")
    known = nodes.known
    known.update(_statistics(arrays, nodes, loss, used))
    counted = {"node": int(sizes.sum())}
    for start, over, parts in _LISTS:
        counts = np.zeros(counted[over], dtype=np.int64)
        if start in arrays:
            counts = _get(arrays, start, counts.shape, used, np.int64)
            if counts.size and (counts.min() < 0 or counts.max() > 1 << 40):
                raise damaged(f'"{start}" counts less than nothing')
        known[start] = counts
        if start == "surrogate_start":
            counted["surrogate"] = int(counts.sum())
        for name in parts:
            known[name] = (
                _get(arrays, name, (int(counts.sum()),), used)
                if start in arrays
                else np.empty(0, dtype=DTYPES.get(name, np.float64))
            )
    extra = {n for n in arrays if n not in used and n.removesuffix(".values") not in used}
    if extra:
        raise damaged(f'it has an array "{min(extra):.40}" that no model has')
    return sizes, known


def _get(
    arrays: Mapping[str, Array], name: str, shape: tuple[int, ...], used: set[str], dtype: type | None = None
) -> Array:
    if name not in arrays:
        raise damaged(f'it has no "{name}"')
    used.add(name)
    base = name.removesuffix(ASKING).removesuffix(LEAVES)
    return get(arrays, name, dtype or DTYPES.get(base, np.float64), shape)


def _get_nodes(arrays: Mapping[str, Array], nodes: _Nodes, name: str, rule: _Rule, used: set[str]) -> Array:
    n_nodes = int(nodes.sizes.sum())
    more = (max(nodes.width, 1),) if name == "value" else ()
    if name in arrays:
        return _get(arrays, name, (n_nodes, *more), used)
    dtype = DTYPES.get(name, np.float64)
    if rule.rest is not None and name + rule.part in arrays:
        count = int(((nodes.known["n_children"] > 0) == (rule.part == ASKING)).sum())
        part = _get(arrays, name + rule.part, (count, *more), used)
        return rule.rest(nodes, part).astype(dtype)
    if rule.whole is None:
        raise damaged(f'it has no "{name}"')
    return rule.whole(nodes).astype(dtype)


def _statistics(arrays: Mapping[str, Array], nodes: _Nodes, loss: str, used: set[str]) -> dict[str, Array]:
    shape = nodes.shape()
    inner = nodes.known["n_children"] > 0
    if not loss:
        impurity = _get(arrays, "impurity", (len(inner),), used)
        return {"impurity": impurity, "gain": _get_nodes(arrays, nodes, "gain", GAIN, used)}
    leaves = np.zeros(0)
    if loss == "squared_error":
        leaves = _get(arrays, "impurity" + LEAVES, (int((~inner).sum()),), used)
    impurity = impurities(loss, shape, nodes.known["value"], nodes.known["weight"], leaves)
    return {"impurity": impurity, "gain": gains(shape, impurity, nodes.known["weight"])}


def split(sizes: Array, arrays: dict[str, Array]) -> list[dict[str, Array]]:
    """The arrays of each tree, as parts of those of all; counts become starts."""
    bounds = np.concatenate([[0], np.cumsum(sizes)])
    parts: list[dict[str, Array]] = [{} for _ in sizes]
    for name in (*NODES, *STATISTICS):
        for i, part in enumerate(parts):
            part[name] = arrays[name][bounds[i] : bounds[i + 1]]
    surrogates = np.zeros(len(bounds), dtype=np.int64)
    for start, over, names in _LISTS:
        outer = bounds if over == "node" else surrogates
        ends = np.concatenate([[0], np.cumsum(arrays[start])]).astype(np.int64)
        inner = ends[outer]
        if start == "surrogate_start":
            surrogates = inner
        for i, part in enumerate(parts):
            part[start] = ends[outer[i] : outer[i + 1] + 1] - ends[outer[i]]
            for name in names:
                part[name] = arrays[name][inner[i] : inner[i + 1]]
    assert set(parts[0]) == set(ARRAYS)
    return parts
