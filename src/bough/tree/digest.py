"""The digest of a tree: SHA-256 over its canonical content, independent of how and where it was made."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bough.tree.condition import MULTIWAY

if TYPE_CHECKING:
    from bough.tree.tree import Tree


def digest(tree: Tree) -> str:
    """Columns count by name, categories by name (in order only where the order means something), numbers
    by their bits; so neither the order of columns nor of nominal categories changes the digest."""
    order = _canonical_order(tree)
    place = np.empty(tree.n_nodes, dtype=np.int64)
    place[order] = np.arange(tree.n_nodes)
    names = sorted(field.name for field in tree.fields)
    column = {name: number for number, name in enumerate(names)}
    columns = np.array([column[field.name] for field in tree.fields] + [-1], dtype=np.int64)
    sha = hashlib.sha256(json.dumps(_schema(tree), ensure_ascii=False).encode("utf-8", "surrogatepass"))
    asking = tree.feature >= 0
    missing = tree.missing_child.astype(np.int64)
    to_child = asking & (missing >= 0)
    missing[to_child] = place[tree.first_child[to_child] + tree.missing_child[to_child]]
    numbers: list[NDArray[Any]] = [
        columns[tree.feature[order]],
        tree.kind[order],
        tree.n_children[order],
        missing[order],
    ]
    for array in numbers:
        sha.update(np.ascontiguousarray(array, dtype="<i8").tobytes())
    for array in (tree.threshold, tree.value):
        sha.update(np.ascontiguousarray(array[order], dtype="<f8").tobytes())
    for node in order[(tree.category_start[1:] > tree.category_start[:-1])[order]]:
        sha.update(_categories(tree, int(node)))
    for node in order[(tree.surrogate_start[1:] > tree.surrogate_start[:-1])[order]]:
        sha.update(_surrogates(tree, int(node)))
    if changes := tree.rules.changes():
        sha.update(json.dumps(changes, sort_keys=True, ensure_ascii=False).encode("utf-8", "surrogatepass"))
    return sha.hexdigest()


def _schema(tree: Tree) -> list[Any]:
    fields = []
    for field in sorted(tree.fields, key=lambda f: f.name):
        ordered = field.kind == "ordinal"
        fields.append(
            [field.name, field.kind, list(field.categories) if ordered else sorted(field.categories)]
        )
    return [fields, None if tree.classes is None else [_class_name(label) for label in tree.classes]]


def _class_name(label: Any) -> list[str]:
    """The kind of the label and the label: the number 1 is not the text 1."""
    plain = label.item() if isinstance(label, np.generic) else label
    return [type(plain).__name__, str(plain)]


def _categories(tree: Tree, node: int) -> bytes:
    start, end = tree.category_start[node], tree.category_start[node + 1]
    names = tree.fields[tree.feature[node]].categories
    pairs = zip(tree.category[start:end], tree.category_child[start:end], strict=True)
    return json.dumps(sorted((names[c], int(child)) for c, child in pairs), ensure_ascii=False).encode(
        "utf-8", "surrogatepass"
    )


def _surrogates(tree: Tree, node: int) -> bytes:
    out: list[Any] = []
    for s in range(int(tree.surrogate_start[node]), int(tree.surrogate_start[node + 1])):
        field = tree.fields[tree.surrogate_feature[s]]
        part = slice(int(tree.surrogate_category_start[s]), int(tree.surrogate_category_start[s + 1]))
        pairs = zip(tree.surrogate_category[part], tree.surrogate_category_child[part], strict=True)
        sides = sorted((field.categories[c], int(child)) for c, child in pairs)
        threshold = float(tree.surrogate_threshold[s]).hex()
        out.append([field.name, int(tree.surrogate_kind[s]), threshold, int(tree.surrogate_first[s]), sides])
    return json.dumps(out, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _canonical_order(tree: Tree) -> NDArray[np.int64]:
    """Breadth-first with the branches of a multiway split by category name; mostly the order they have."""
    sorting = {
        number: np.argsort(np.array(field.categories, dtype=object), kind="stable")
        for number, field in enumerate(tree.fields)
        if list(field.categories) != sorted(field.categories)
    }
    if not any(f in sorting for f in np.unique(tree.feature[tree.kind == MULTIWAY])):
        return np.arange(tree.n_nodes)
    order = [0]
    for node in order:  # grows while it is walked
        first, count = int(tree.first_child[node]), int(tree.n_children[node])
        turn = sorting.get(int(tree.feature[node])) if tree.kind[node] == MULTIWAY else None
        if turn is None:
            order.extend(first + np.arange(count))
        else:  # a branch for missing values stays last
            order.extend([*(first + turn), *range(first + len(turn), first + count)])
    return np.array(order, dtype=np.int64)
