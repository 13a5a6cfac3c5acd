"""A model as JSON that a person can read, and back: one object for each node, floats exact."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.errors import BoughError, BoughTypeError
from bough.store.check import SUBSET, broken, check_ensemble, check_tree
from bough.store.container import damaged, read_json
from bough.store.model import (
    FORMAT,
    Model,
    describe,
    read_about,
    read_classes,
    read_fields,
    read_notes,
    read_rules,
)
from bough.store.plain import from_plain, to_plain
from bough.tree import Ensemble, Tree
from bough.tree.condition import MULTIWAY, SPREAD, STAY, THRESHOLD, branch_categories
from bough.tree.tree import ARRAYS

KINDS = {THRESHOLD: "threshold", SUBSET: "subset", MULTIWAY: "multiway"}
NUMBERS = {name: number for number, name in KINDS.items()}
_PLACES = {STAY: "stay", SPREAD: "spread"}
_FLOATS = ("threshold", "weight", "impurity", "gain")
_SURROGATE_FLOATS = ("surrogate_threshold", "surrogate_agree", "surrogate_adjusted")


def to_json(model: Model, about: Mapping[str, Any] | None = None) -> str:
    """The model as text; `about` as in `save`."""
    head: dict[str, Any] = {"format": f"bough {FORMAT}", "library": version("bough"), **describe(model)}
    if isinstance(model, Ensemble):
        for name in ("weights", "output", "base"):
            head[name] = getattr(model, name).tolist()
    head["about"] = dict(about or {})
    trees = model.trees if isinstance(model, Ensemble) else (model,)
    dumps = json.JSONEncoder(ensure_ascii=not _encodable(model), allow_nan=False).encode
    lines = [f" {json.dumps(name)}: {dumps(value)}" for name, value in head.items()]
    nodes = [",\n".join("   " + dumps(_node(tree, i)) for i in range(tree.n_nodes)) for tree in trees]
    body = ",\n".join(f'  {{"nodes": [\n{text}\n  ]}}' for text in nodes)
    return "{\n" + ",\n".join(lines) + f',\n "trees": [\n{body}\n ]\n}}\n'


def _encodable(model: Model) -> bool:
    """Half of a surrogate pair in a name can only be written as an escape."""
    try:
        json.dumps(describe(model), ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _node(tree: Tree, i: int) -> dict[str, Any]:
    node: dict[str, Any] = {
        "id": i,
        "rows": int(tree.n_rows[i]),
        "weight": float(tree.weight[i]),
        "value": tree.value[i].tolist(),
        "impurity": float(tree.impurity[i]),
    }
    if tree.feature[i] < 0:
        return node
    first, count = int(tree.first_child[i]), int(tree.n_children[i])
    node |= {
        "column": tree.fields[tree.feature[i]].name,
        "split": KINDS[int(tree.kind[i])],
        "gain": float(tree.gain[i]),
        "missing_rows": int(tree.n_missing[i]),
        "children": list(range(first, first + count)),
    }
    if tree.kind[i] == THRESHOLD:
        node["threshold"] = to_plain(float(tree.threshold[i]))
    elif tree.kind[i] == SUBSET:
        node["categories"] = branch_categories(tree, i)
    missing = int(tree.missing_child[i])
    node["missing"] = _PLACES.get(missing, first + missing)
    start, end = int(tree.surrogate_start[i]), int(tree.surrogate_start[i + 1])
    if end > start:
        node["surrogates"] = [_surrogate(tree, s) for s in range(start, end)]
    return node


def _surrogate(tree: Tree, s: int) -> dict[str, Any]:
    field = tree.fields[tree.surrogate_feature[s]]
    found: dict[str, Any] = {
        "column": field.name,
        "agree": float(tree.surrogate_agree[s]),
        "adjusted": float(tree.surrogate_adjusted[s]),
    }
    if tree.surrogate_kind[s] == THRESHOLD:
        first = int(tree.surrogate_first[s])
        return found | {"threshold": to_plain(float(tree.surrogate_threshold[s])), "at_most": first}
    part = slice(int(tree.surrogate_category_start[s]), int(tree.surrogate_category_start[s + 1]))
    pairs = zip(tree.surrogate_category[part], tree.surrogate_category_child[part], strict=True)
    return found | {"categories": {field.categories[c]: int(child) for c, child in pairs}}


def from_json(text: str | bytes) -> Model:
    """The tree or ensemble of such a text; anything else is an error that says so."""
    return from_json_all(text)[0]


def from_json_all(text: str | bytes) -> tuple[Model, dict[str, Any]]:
    if not isinstance(text, str | bytes | bytearray):
        raise BoughTypeError(
            f"a model cannot be read from {text!r:.60}.", code="type", hint="Give the text of m.to_json()."
        )
    head = read_json(text)
    known = str(head.get("format", "")).split(" ")
    if known[0] != "bough" or len(known) != 2 or not (known[1].isascii() and known[1].isdigit()):
        raise BoughError(
            "this JSON is not a model of bough.", code="file", hint="Such texts are made by m.to_json()."
        )
    if int(known[1]) > FORMAT:
        raise BoughError(
            f"the model is of format {known[1]:.9}, this version of bough reads up to {FORMAT}.",
            code="file",
            hint="Install a newer bough:  pip install --upgrade bough",
        )
    try:
        return _built(head), read_about(head)
    except (KeyError, TypeError, AttributeError, ValueError, IndexError, OverflowError) as error:
        if isinstance(error, BoughError):
            raise
        raise damaged("its parts do not fit together") from error


def _built(head: dict[str, Any]) -> Model:
    fields, classes = read_fields(head["fields"]), read_classes(head["classes"])
    own = classes if head["kind"] == "tree" or head["tree_classes"] else None
    rules = [read_rules(r) for r in head["rules"]]
    found = head["trees"]
    if not found or len(rules) not in (1, len(found)):
        raise damaged("it has rules for another number of trees")
    trees = []
    for i, part in enumerate(found):
        arrays = _arrays(part["nodes"], {f.name: (n, f) for n, f in enumerate(fields)})
        trees.append(Tree(fields, own, **arrays, rules=rules[i % len(rules)]))
        check_tree(trees[-1])
    if head["kind"] == "tree":
        if len(trees) != 1:
            raise damaged("it holds several trees")
        return trees[0]
    joint = {name: np.array(head[name], dtype=np.float64) for name in ("weights", "base")}
    output = np.array(head["output"], dtype=np.int32)
    model = Ensemble(
        tuple(trees),
        fields,
        classes,
        combine=head["combine"],
        link=head["link"],
        output=output,
        notes=read_notes(head),
        **joint,
    )
    check_ensemble(model)
    return model


def _arrays(nodes: list[dict[str, Any]], columns: dict[str, Any]) -> dict[str, NDArray[Any]]:
    lists: dict[str, list[Any]] = {name: [] for name in ARRAYS}
    for name in ("category_start", "surrogate_start", "surrogate_category_start"):
        lists[name].append(0)
    for i, node in enumerate(nodes):
        if node["id"] != i:
            raise broken(f"node {i} is called {node['id']!r:.20}")
        _add(lists, node, columns)
    dtypes: dict[str, type] = dict.fromkeys(ARRAYS, np.int32) | dict.fromkeys(
        _FLOATS + _SURROGATE_FLOATS + ("value",), np.float64
    )
    dtypes |= dict.fromkeys(("kind", "surrogate_kind"), np.uint8)
    longs = ("first_child", "n_rows", "n_missing", "category_start", "surrogate_start")
    dtypes |= dict.fromkeys((*longs, "surrogate_category_start"), np.int64)
    return {name: _array(name, lists[name], dtypes[name]) for name in ARRAYS}


def _array(name: str, values: list[Any], dtype: type) -> NDArray[Any]:
    """Numbers only: JSON's true and "1" would become numbers too."""
    flat = [v for row in values for v in row] if name == "value" else values
    allowed = (int, float) if np.dtype(dtype).kind == "f" else (int,)
    if not all(type(v) in allowed for v in flat):
        raise broken(f'"{name}" has something that is not a number')
    return np.array(values, dtype=dtype)


def _add(lists: dict[str, list[Any]], node: dict[str, Any], columns: dict[str, Any]) -> None:
    """One more node at the end of every list."""
    asks = "column" in node
    number, field = columns[node["column"]] if asks else (-1, None)
    children = node["children"] if asks else []
    if asks and (not children or children != list(range(children[0], children[0] + len(children)))):
        raise broken(f"the children of node {node['id']} do not stand side by side")
    missing = node["missing"] if asks else "stay"
    places = {text: place for place, text in _PLACES.items()}
    for name, value in {
        "feature": number,
        "kind": NUMBERS[node["split"]] if asks else 0,
        "threshold": from_plain(node.get("threshold", 0.0)),
        "first_child": children[0] if asks else -1,
        "n_children": len(children),
        "missing_child": places[missing] if isinstance(missing, str) else missing - children[0],
        "n_rows": node["rows"],
        "n_missing": node.get("missing_rows", 0),
        "weight": node["weight"],
        "impurity": node["impurity"],
        "gain": node.get("gain", 0.0),
        "value": node["value"],
    }.items():
        lists[name].append(value)
    code = {} if field is None else {name: c for c, name in enumerate(field.categories)}
    pairs = sorted((code[c], child) for child, side in enumerate(node.get("categories", [])) for c in side)
    lists["category"] += [category for category, _ in pairs]
    lists["category_child"] += [child for _, child in pairs]
    lists["category_start"].append(len(lists["category"]))
    for surrogate in node.get("surrogates", []):
        _add_surrogate(lists, surrogate, columns)
    lists["surrogate_start"].append(len(lists["surrogate_feature"]))


def _add_surrogate(lists: dict[str, list[Any]], surrogate: dict[str, Any], columns: dict[str, Any]) -> None:
    number, field = columns[surrogate["column"]]
    code = {name: c for c, name in enumerate(field.categories)}
    pairs = sorted((code[c], child) for c, child in surrogate.get("categories", {}).items())
    for name, value in {
        "surrogate_feature": number,
        "surrogate_kind": SUBSET if "categories" in surrogate else THRESHOLD,
        "surrogate_threshold": from_plain(surrogate.get("threshold", 0.0)),
        "surrogate_first": surrogate.get("at_most", 0),
        "surrogate_agree": surrogate["agree"],
        "surrogate_adjusted": surrogate["adjusted"],
    }.items():
        lists[name].append(value)
    lists["surrogate_category"] += [category for category, _ in pairs]
    lists["surrogate_category_child"] += [child for _, child in pairs]
    lists["surrogate_category_start"].append(len(lists["surrogate_category"]))
