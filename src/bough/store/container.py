"""The file itself: safetensors' layout of a JSON header and arrays, with a checksum over every byte.

8 bytes  length of the header, little-endian
header   JSON: each array's dtype, shape and place; "__metadata__": texts
data     the arrays, one after the other, 8-byte aligned
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.errors import BoughError

DTYPES = {
    "BOOL": "|b1",
    "I8": "|i1",
    "U8": "|u1",
    "I16": "<i2",
    "U16": "<u2",
    "I32": "<i4",
    "U32": "<u4",
    "I64": "<i8",
    "U64": "<u8",
    "F32": "<f4",
    "F64": "<f8",
}
NAMES = {np.dtype(text): name for name, text in DTYPES.items()}
METADATA, SHA = "__metadata__", "sha256"
NO_SHA = "0" * 64  # stands in the header while the checksum is taken
LONGEST_HEADER = 1 << 28
MOST_DEPTH = 60  # of nested JSON


def damaged(why: str) -> BoughError:
    return BoughError(
        f"this is not a whole model file: {why}.",
        code="file",
        hint="Was it copied completely? Save the model again, or take a copy that was not changed.",
    )


def to_bytes(arrays: Mapping[str, NDArray[Any]], metadata: Mapping[str, str]) -> bytes:
    """The same bytes for the same content: names sorted, nothing of the machine or the moment."""
    entries: dict[str, Any] = {METADATA: {**metadata, SHA: NO_SHA}}
    parts: list[bytes] = []
    place = 0
    # Wide numbers first, so that each array stands aligned without gaps.
    for name in sorted(arrays, key=lambda name: (-arrays[name].dtype.itemsize, name)):
        array = np.ascontiguousarray(arrays[name])
        data = array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
        offsets = [place, place + len(data)]
        entries[name] = {"dtype": NAMES[array.dtype], "shape": list(array.shape), "data_offsets": offsets}
        parts.append(data)
        place += len(data)
    header = json.dumps(entries, separators=(",", ":")).encode("ascii")
    header += b" " * (-len(header) % 8)
    start = len(header).to_bytes(8, "little") + header
    sha = hashlib.sha256(start)
    for data in parts:
        sha.update(data)
    start = start.replace(_sha_entry(NO_SHA), _sha_entry(sha.hexdigest()), 1)
    return start + b"".join(parts)


def from_bytes(data: memoryview) -> tuple[dict[str, NDArray[Any]], dict[str, str]]:
    """The arrays, as views of the data, and the metadata."""
    header = _header(data)
    entries = read_json(bytes(header))
    metadata = entries.pop(METADATA, None)
    if not isinstance(metadata, dict) or not all(isinstance(v, str) for v in metadata.values()):
        raise damaged("its header has no metadata")
    _check_sha(data, bytes(header), metadata.pop(SHA, ""))
    body = data[8 + len(header) :]
    return _arrays(entries, body), metadata


def _sha_entry(digest: str) -> bytes:
    return f'"{SHA}":"{digest}"'.encode()


def _header(data: memoryview) -> memoryview:
    if len(data) < 8:
        raise damaged(f"it has {len(data)} bytes")
    length = int.from_bytes(data[:8], "little")
    if length > LONGEST_HEADER:
        raise BoughError(
            "this is not a model file of bough.", code="file", hint="Model files are made by m.save(path)."
        )
    if length > len(data) - 8:
        raise damaged("it ends within its header")
    return data[8 : 8 + length]


def _check_sha(data: memoryview, header: bytes, digest: str) -> None:
    entry = _sha_entry(digest)
    if len(digest) != 64 or not digest.isascii() or header.count(entry) != 1:
        raise damaged("it has no checksum")
    sha = hashlib.sha256(data[:8])
    sha.update(header.replace(entry, _sha_entry(NO_SHA)))
    sha.update(data[8 + len(header) :])
    if sha.hexdigest() != digest:
        raise damaged("its checksum does not fit its content")


def _no_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name twice")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def read_json(text: bytes | str) -> dict[str, Any]:
    """An object, or an error; no name twice, no NaN, no depth that would end Python's stack."""
    try:
        found = json.loads(text, object_pairs_hook=_no_doubles, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise damaged("its header is not JSON") from None
    if not isinstance(found, dict) or not _flat(found, MOST_DEPTH):
        raise damaged("its header is not an object of JSON")
    return found


def _flat(value: Any, depth: int) -> bool:
    level = [value]
    for _ in range(depth):
        level = [
            inner
            for v in level
            if isinstance(v, dict | list)
            for inner in (v.values() if isinstance(v, dict) else v)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return True
    return False


def _arrays(entries: dict[str, Any], body: memoryview) -> dict[str, NDArray[Any]]:
    arrays: dict[str, NDArray[Any]] = {}
    places: list[tuple[int, int]] = []
    for name, entry in entries.items():
        arrays[name], place = _one(name, entry, body)
        places.append(place)
    end = 0
    for start, stop in sorted(places):
        if start != end:
            raise damaged("its arrays overlap or leave a gap")
        end = stop
    if end != len(body):
        raise damaged(f"it has {len(body)} bytes of data, the header speaks of {end}")
    return arrays


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 1 << 48


def _one(name: str, entry: Any, body: memoryview) -> tuple[NDArray[Any], tuple[int, int]]:
    try:
        dtype = np.dtype(DTYPES[entry["dtype"]])
        shape, (start, stop) = entry["shape"], entry["data_offsets"]
        good = (
            len(entry) == 3
            and isinstance(shape, list)
            and len(shape) <= 2
            and all(map(_is_count, [*shape, start, stop]))
            and start <= stop <= len(body)
        )
    except (TypeError, KeyError, ValueError):
        good = False
    if not good:
        raise damaged(f'the entry of "{name:.40}" is wrong')
    count = 1
    for size in shape:
        count *= size
    if count * dtype.itemsize != stop - start:
        raise damaged(f'"{name:.40}" has another size than its shape')
    array = np.frombuffer(body[start:stop], dtype=dtype).reshape(shape)
    return array.astype(dtype.newbyteorder("="), copy=False), (start, stop)
