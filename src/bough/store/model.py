"""A model to the bytes of a file and back: the header that describes it, and its trees' arrays."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import fields as dataclass_fields
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.data.table import Field
from bough.errors import BoughError
from bough.store.check import broken, check_classes, check_ensemble, check_fields, check_tree
from bough.store.container import damaged, from_bytes, read_json, to_bytes
from bough.store.files import with_mapped, write_atomically
from bough.store.narrow import get, put
from bough.store.pack import pack, split, unpack
from bough.store.plain import NotPlain, from_plain, to_plain
from bough.store.statistics import LOSSES
from bough.tree import Ensemble, Tree
from bough.tree.notes import JUDGED, Notes
from bough.tree.rules import Rules

FORMAT = 1  # of the file; a reader reads its own and all before it
BUNDLE = "bundle"  # the kind of a file that holds several
Model = Tree | Ensemble


class SeveralModels(BoughError):
    """The file is of a bundle, not of one model."""


_JOINT = ("weights", "output", "base")  # the arrays of an Ensemble


def save(model: Model, path: str | os.PathLike[str], about: Mapping[str, Any] | None = None) -> None:
    """Writes the model to one file, at once or not at all. `about`: what else is to travel with it, in the
    types of JSON."""
    write_atomically(path, dumps(model, about))


def read(path: str | os.PathLike[str]) -> Model:
    """The tree or ensemble of a model file; nothing that the file names is imported or run."""
    return read_all(path)[0]


def read_all(path: str | os.PathLike[str]) -> tuple[Model, dict[str, Any]]:
    """The model and what travelled with it."""
    return with_mapped(path, loads)


def dumps(model: Model, about: Mapping[str, Any] | None = None) -> bytes:
    trees = model.trees if isinstance(model, Ensemble) else (model,)
    if not trees or any(tree.fields != model.fields for tree in trees):
        raise BoughError(
            "the trees of the model ask different columns.",
            code="model",
            hint="Give all trees the same fields.",
        )
    arrays, loss = pack(trees, exact=isinstance(model, Tree))
    head = {"library": version("bough"), **describe(model), "loss": loss, "about": dict(about or {})}
    if isinstance(model, Ensemble):
        for name in _JOINT:
            put(arrays, name, getattr(model, name))
    text = json.dumps(head, sort_keys=True, separators=(",", ":"), allow_nan=False)
    data = to_bytes(arrays, {"bough": str(FORMAT), "model": text})
    loads(memoryview(data))  # what cannot be read is not written
    return data


def opened(data: memoryview) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """What a file says of itself, and its arrays; of a format that can be read."""
    arrays, metadata = from_bytes(data)
    number = metadata.get("bough", "")
    if not number.isascii() or not number.isdigit():
        raise damaged("it does not say that it is of bough")
    if int(number) > FORMAT:
        raise BoughError(
            f"the file is of format {number:.9}, this version of bough reads up to {FORMAT}.",
            code="file",
            hint="Install a newer bough:  pip install --upgrade bough",
        )
    return read_json(metadata.get("model", "")), arrays


def loads(data: memoryview) -> tuple[Model, dict[str, Any]]:
    try:
        head, arrays = opened(data)
        if head["kind"] == BUNDLE:
            raise SeveralModels(
                "the file holds several models.", code="model", hint="bough.load(path) gives them together."
            )
        return _built(head, arrays), read_about(head)
    except (KeyError, TypeError, AttributeError, ValueError, IndexError, OverflowError) as error:
        if isinstance(error, BoughError):
            raise
        raise damaged("its parts do not fit together") from error


def read_about(head: dict[str, Any]) -> dict[str, Any]:
    found = head["about"]
    if not isinstance(found, dict):
        raise damaged("what it says of its model is no object")
    return found


def describe(model: Model) -> dict[str, Any]:
    """Everything but the nodes, in the types of JSON."""
    trees = model.trees if isinstance(model, Ensemble) else (model,)
    rules = [_plain_rules(tree.rules) for tree in trees]
    head: dict[str, Any] = {
        "kind": "ensemble" if isinstance(model, Ensemble) else "tree",
        "fields": [_plain_field(f) for f in model.fields],
        "classes": _labels(model.classes),
        "rules": rules[:1] if all(r == rules[0] for r in rules) else rules,
    }
    if isinstance(model, Ensemble):
        head |= {"combine": model.combine, "link": model.link}
        same = [_same_labels(tree.classes, trees[0].classes) for tree in trees]
        own = trees[0].classes is not None
        if not all(same) or (own and not _same_labels(trees[0].classes, model.classes)):
            raise BoughError(
                "the trees of the model know other classes than the model.",
                code="model",
                hint="Grow all trees with the same classes.",
            )
        head["tree_classes"] = own
        if model.notes != Notes():
            notes = model.notes
            head["notes"] = {"lines": notes.lines, "measure": notes.measure, "values": notes.values}
    return head


def _plain_rules(rules: Rules) -> dict[str, Any]:
    return {name: to_plain(value) for name, value in rules.changes().items()}


def _labels(classes: NDArray[Any] | None) -> Any:
    try:
        return None if classes is None else to_plain(classes)
    except NotPlain as error:
        raise BoughError(
            f"the classes cannot be written to a file: {error}.",
            code="model",
            hint="Give the classes as text, integers or booleans, at most 10,000 of them.",
        ) from None


def _same_labels(a: NDArray[Any] | None, b: NDArray[Any] | None) -> bool:
    if a is None or b is None:
        return a is b
    return bool(a.dtype == b.dtype and a.tolist() == b.tolist())


def _plain_field(field: Field) -> dict[str, Any]:
    zoned = {} if field.zoned is None else {"zoned": field.zoned}
    return {"name": field.name, "kind": field.kind, "categories": list(field.categories)} | zoned


def read_fields(found: Any) -> tuple[Field, ...]:
    fields = tuple(Field(f["name"], f["kind"], tuple(f["categories"]), f.get("zoned")) for f in found)
    check_fields(fields)
    return fields


def read_rules(found: dict[str, Any]) -> Rules:
    if not set(found) <= {f.name for f in dataclass_fields(Rules)}:
        raise broken("it has rules that are not known")
    return Rules(**{name: from_plain(value) for name, value in found.items()})


def read_notes(head: dict[str, Any]) -> Notes:
    """None in files of trees that nothing else is known of, and in older ones."""
    found = head.get("notes")
    if found is None:
        return Notes()
    lines, measure, values = found["lines"], found["measure"], found["values"]
    numbers = isinstance(values, list) and all(type(v) is float and np.isfinite(v) for v in values)
    judged = measure in JUDGED and len(values) == len(head["fields"])
    if not (numbers and (judged or (measure == "" and not values))):
        raise damaged("its notes are not about its columns")
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        raise damaged("its notes are no lines of text")
    return Notes(tuple(lines), measure, tuple(values))


def read_classes(found: Any) -> NDArray[Any] | None:
    classes: NDArray[Any] | None = from_plain(found)
    check_classes(classes)
    return classes


def _built(head: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Model:
    fields, classes = read_fields(head["fields"]), read_classes(head["classes"])
    if head["kind"] not in ("tree", "ensemble") or head["loss"] not in LOSSES:
        raise damaged(f"it holds a model of the kind {head['kind']!r:.20}")
    joint: dict[str, Any] = {}
    own = classes
    if head["kind"] == "ensemble":
        joint = {name: _joint(arrays, name) for name in _JOINT}
        own = classes if head["tree_classes"] else None
    nodes = {name: array for name, array in arrays.items() if name.split(".")[0] not in joint}
    sizes, found = unpack(nodes, fields, 0 if own is None else len(own), head["loss"])
    rules = [read_rules(r) for r in head["rules"]]
    if len(rules) not in (1, len(sizes)):
        raise damaged("it has rules for another number of trees")
    trees = tuple(
        Tree(fields, own, **part, rules=rules[i % len(rules)]) for i, part in enumerate(split(sizes, found))
    )
    for tree in trees:
        check_tree(tree)
    if head["kind"] == "tree":
        if len(trees) != 1:
            raise damaged("it holds several trees")
        return trees[0]
    told = {"combine": head["combine"], "link": head["link"], "notes": read_notes(head)}
    model = Ensemble(trees, fields, classes, **told, **joint)
    check_ensemble(model)
    return model


def _joint(arrays: dict[str, NDArray[Any]], name: str) -> NDArray[Any]:
    if name not in arrays or arrays[name].ndim != 1:
        raise damaged(f'it has no "{name}"')
    return get(arrays, name, np.int32 if name == "output" else np.float64, arrays[name].shape)
