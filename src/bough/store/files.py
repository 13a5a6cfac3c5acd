"""Files that are never half-written: the new content appears under its name at once, or not at all."""

from __future__ import annotations

import contextlib
import mmap
import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from bough.errors import BoughError, BoughTypeError

T = TypeVar("T")


def _place(path: str | os.PathLike[str]) -> Path:
    """The path with the home folder filled in; an error if no file can have this name."""
    try:
        place = Path(path).expanduser()
    except RuntimeError:
        raise BoughError(
            f"{path}: there is no such home folder.", code="file", hint="Give the whole path."
        ) from None
    except TypeError:
        raise BoughTypeError(
            f"{path!r:.60} is no name of a file.", code="file", hint="Give a text or a pathlib.Path."
        ) from None
    what = "is empty" if os.fspath(path) == "" else "holds the character NUL" if "\0" in str(place) else ""
    try:
        os.fsencode(place)
    except UnicodeEncodeError:
        what = "holds half of a pair of characters"
    if what:
        raise BoughError(
            f"the name of the file, {os.fspath(path)!r}, {what}.", code="file", hint="Give another name."
        )
    return place


def write_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """Whatever stops it, the file holds either its old content or all of the new one."""
    # A link stays a link: the file behind it is replaced.
    target = Path(os.path.realpath(_place(path)))
    if target.is_symlink():
        raise BoughError(
            f"{path} is a link that leads back to itself.",
            code="file",
            hint="Remove it, or give another name.",
        )
    if target.is_dir():
        raise BoughError(f"{path} is a folder.", code="file", hint="Give the name of a file.")
    if not target.parent.is_dir():
        raise BoughError(
            f"there is no folder {target.parent}.", code="file", hint="Make it first, or give another path."
        )
    if target.exists() and not target.is_file():
        target.write_bytes(data)  # a device or a pipe: nothing may stand in its place
        return
    temporary = target.with_name(f".{target.name[:100]}.{secrets.token_hex(6)}.part")
    try:
        descriptor = os.open(
            temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666
        )
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            os.chmod(temporary, target.stat().st_mode & 0o7777)
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """So that the new name survives a power cut; not every system lets a folder be opened."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def with_mapped(path: str | os.PathLike[str], read: Callable[[memoryview], T]) -> T:
    """What `read` makes of the file's bytes, which are mapped into memory, not read; it must keep no view of
    them, since another program could shorten the file later."""
    place = _place(path)
    if not place.is_file():
        what = "is a folder, not a model file" if place.is_dir() else "does not exist"
        if place.exists() and not place.is_dir():
            what = "is a device or a pipe, not a model file"
        raise BoughError(f"{path} {what}.", code="file", hint="Model files are made by m.save(path).")
    with place.open("rb") as file:
        if not os.fstat(file.fileno()).st_size:
            raise BoughError(f"{path} is empty (0 bytes).", code="file", hint="Was it written completely?")
        # Unmapped when the last array that views it is gone.
        return read(memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)))
