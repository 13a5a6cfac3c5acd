"""Several models in one file: each is a whole model file of its own, one behind the other."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np

from bough.store.container import damaged, to_bytes
from bough.store.model import BUNDLE, FORMAT, opened

PART = "part."


def dumps_bundle(parts: Sequence[bytes], about: Mapping[str, Any]) -> bytes:
    head = {"library": version("bough"), "kind": BUNDLE, "about": dict(about)}
    text = json.dumps(head, sort_keys=True, separators=(",", ":"), allow_nan=False)
    arrays = {f"{PART}{i:06d}": np.frombuffer(part, dtype=np.uint8) for i, part in enumerate(parts)}
    return to_bytes(arrays, {"bough": str(FORMAT), "model": text})


def loads_bundle(data: memoryview) -> tuple[list[memoryview], dict[str, Any]] | None:
    """The files inside and what is said of them together; None if it is the file of one model."""
    head, arrays = opened(data)
    if head.get("kind") != BUNDLE:
        return None
    names = [f"{PART}{i:06d}" for i in range(len(arrays))]
    if (
        not names
        or set(names) != set(arrays)
        or any(a.dtype != np.uint8 or a.ndim != 1 for a in arrays.values())
    ):
        raise damaged("the models in it do not fit together")
    if not isinstance(head.get("about"), dict):
        raise damaged("it does not say what its models are together")
    return [memoryview(arrays[name].tobytes()) for name in names], head["about"]
