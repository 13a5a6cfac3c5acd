"""What the page's script knows: the arrays of the tree, and texts for nodes that are not drawn yet."""

from __future__ import annotations

import math
from typing import Any

from bough.data.objects import label
from bough.tree import Node, Tree
from bough.tree.condition import MULTIWAY, THRESHOLD
from bough.tree.text import printable, shown_name
from bough.view.layout import BEND, MARGIN
from bough.view.measure import cut, width
from bough.view.paths import conditions
from bough.view.pen import SMALL
from bough.view.picture import Picture
from bough.view.words import Answer, answer_name, answers, count, size


def page_data(picture: Picture) -> dict[str, Any]:
    tree = picture.tree
    drawn = set(picture.shown.nodes)
    hidden = [n for n in range(tree.n_nodes) if n not in drawn]
    return {
        "columns": [_column(tree, f) for f in range(len(tree.fields))],
        "classes": None if tree.classes is None else [printable(label(c)) for c in tree.classes.tolist()],
        "roles": [picture.palette.role(c) for c in range(len(picture.palette.slots))],
        "groups": picture.palette.groups,
        "sign": picture.sign if tree.classes is not None else "variance",
        "unseen": tree.rules.unseen,
        "root": picture.shown.root,
        "open": sorted(picture.shown.open),
        "size": [picture.size.width, picture.size.height, picture.size.gap],
        "margin": MARGIN,
        "bend": BEND,
        "axis": picture.axis if tree.classes is None else None,
        "nodes": _nodes(picture),
        "branches": _branches(tree),
        "surrogates": _surrogates(tree),
        "later": _later(picture, hidden),
    }


def _column(tree: Tree, f: int) -> dict[str, Any]:
    found = tree.fields[f]
    used = bool((tree.feature == f).any() or (tree.surrogate_feature == f).any())
    known = {"name": printable(found.name), "kind": found.kind, "used": used}
    return known | ({"categories": [printable(c) for c in found.categories]} if found.categories else {})


def _short(x: float) -> float | int | None:
    """Ten digits are more than any page shows; endless ones are left out."""
    if not math.isfinite(x):
        return None
    rounded = float(f"{x:.10g}")
    return int(rounded) if rounded == int(rounded) else rounded


def _nodes(picture: Picture) -> dict[str, Any]:
    """Columns of the table of nodes. The threshold is exact, since it decides."""
    tree = picture.tree
    best = [0] * tree.n_nodes if tree.classes is None else _answers(tree)
    return {
        "feature": tree.feature.tolist(),
        "kind": tree.kind.tolist(),
        "threshold": [t if math.isfinite(t) else None for t in tree.threshold.tolist()],
        "first": tree.first_child.tolist(),
        "children": tree.n_children.tolist(),
        "missing": tree.missing_child.tolist(),
        "rows": tree.n_rows.tolist(),
        "gone": tree.n_missing.tolist(),
        "weight": list(map(_short, tree.weight.tolist())),
        "impurity": list(map(_short, tree.impurity.tolist())),
        "gain": list(map(_short, tree.gain.tolist())),
        "value": [list(map(_short, row)) for row in tree.value.tolist()],
        "answer": best,
        "leaves": picture.leaves.tolist(),
    }


def _answers(tree: Tree) -> list[int]:
    assert tree.classes is not None
    place = {value: number_ for number_, value in enumerate(tree.classes.tolist())}
    return [place[value] for value in tree.answers.tolist()]


def _branches(tree: Tree) -> dict[int, list[int]]:
    """Category and child in turn, of splits into groups of categories."""
    found = {}
    for node in range(tree.n_nodes):
        start, end = int(tree.category_start[node]), int(tree.category_start[node + 1])
        if end > start and tree.kind[node] not in (THRESHOLD, MULTIWAY):
            pairs = zip(
                tree.category[start:end].tolist(), tree.category_child[start:end].tolist(), strict=True
            )
            found[node] = [number_ for pair in pairs for number_ in pair]
    return found


def _surrogates(tree: Tree) -> dict[int, list[Any]]:
    """Of each node: column, whether it is a threshold, the threshold, the child below it, groups."""
    found: dict[int, list[Any]] = {}
    for node in range(tree.n_nodes):
        for s in range(int(tree.surrogate_start[node]), int(tree.surrogate_start[node + 1])):
            start, end = int(tree.surrogate_category_start[s]), int(tree.surrogate_category_start[s + 1])
            groups = zip(
                tree.surrogate_category[start:end].tolist(),
                tree.surrogate_category_child[start:end].tolist(),
                strict=True,
            )
            is_cut = bool(tree.surrogate_kind[s] == THRESHOLD)
            cut_at = float(tree.surrogate_threshold[s]) if is_cut else 0.0
            column, first = int(tree.surrogate_feature[s]), int(tree.surrogate_first[s])
            one = [column, is_cut, cut_at, first, [number_ for pair in groups for number_ in pair]]
            found.setdefault(node, []).append(one)
    return found


def _later(picture: Picture, hidden: list[int]) -> dict[str, Any]:
    """Texts of the nodes that appear when something is unfolded; a text that occurs often is written once.
    `rules`: the conditions of the nodes that are folded."""
    tree = picture.tree
    texts: dict[str, int] = {}
    said: dict[int, Answer] = {}
    for parent in sorted({int(tree.parent[n]) for n in hidden if n}):
        first = int(tree.first_child[parent])
        said |= {first + c: one for c, one in enumerate(answers(tree.node(parent), short=True))}
    rows = []
    for n in hidden:
        node = tree.node(n)
        if n not in said:  # above the part that is shown
            continue
        name = answer_name(node) if node.column is None else shown_name(node.column)
        n_rows = count(size(node))
        name = cut(name, picture.size.width - 26 - width(n_rows), SMALL, bold=True)
        words = [name, n_rows, said[n].text, said[n].missing, _step(tree, node, said[n].full)]
        name_, rows_, text, pill, step = (texts.setdefault(word, len(texts)) for word in words)
        long = round(width(said[n].text)), round(width(said[n].missing))
        rows.append([n, name_, rows_, text, long[0], pill, long[1], step])
    rules = {n: " and ".join(conditions(tree, n)) for n in picture.shown.folded}
    return {"texts": list(texts), "nodes": rows, "rules": rules}


def _step(tree: Tree, node: Node, full: str) -> str:
    """The condition of the last edge to a node."""
    parent = tree.node(int(tree.parent[node.id]))
    name, child = shown_name(parent.column or ""), node.id - int(tree.first_child[parent.id])
    asks = "" if tree.kind[parent.id] == THRESHOLD and full[0] in "≤>" else "= "
    asks = "is " if full in ("missing", "known") else asks
    too = " (or missing)" if parent.n_missing and parent.missing_child == child and full != "missing" else ""
    return f"{name} {asks}{printable(full)}{too}"
