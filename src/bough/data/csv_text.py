"""A CSV file before it is read: its encoding, its delimiter, the names in its first line."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from bough.errors import BoughError

LONGEST_HEADER = 1 << 20  # characters that are looked at; a line of gigabytes is never taken into memory
DELIMITERS = ",;\t|"  # those that duckdb looks for too
_BOMS = {  # the longer ones first: one of them begins with a shorter one
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_OTHER = "cp1252"  # what text is that is not utf-8, more often than not
_CHUNK = 1 << 20


@dataclass(frozen=True)
class Look:
    delimiter: str
    names: list[str]


def look(path: Path) -> Look:
    """The delimiter and the names of the columns, from the first line of text in utf-8."""
    try:
        with opened(path, "rt", encoding="utf-8-sig", newline="") as file:
            start = file.read(LONGEST_HEADER)
    except UnicodeDecodeError:
        raise
    except (EOFError, OSError) as error:
        raise unreadable(path, str(error)) from None
    first = start.partition("\n")[0]
    if len(first) == LONGEST_HEADER:
        raise BoughError(
            f"the first line of {path.name} is longer than a million characters.",
            code="csv",
            hint="It must hold the names of the columns. Is this a CSV file?",
        )
    delimiter = max(DELIMITERS, key=first.count)
    try:
        names = next(csv.reader(io.StringIO(start, newline=""), delimiter=delimiter), [])
    except csv.Error as error:
        raise unreadable(path, str(error)) from None
    if not names:
        raise BoughError(
            f"{path.name} line 1 is empty, it must hold the names of the columns.",
            code="csv",
            hint="Remove the empty lines above the names.",
        )
    return Look(delimiter, names)


def in_utf8(path: Path, folder: Path) -> tuple[Path, str]:
    """A copy of the file in utf-8, and what it was; text that is not utf-8 is Windows' western letters unless
    it says otherwise."""
    with opened(path, "rb") as file:
        start = file.read(_CHUNK)
    encoding = next((name for bom, name in _BOMS.items() if start.startswith(bom)), _OTHER)
    if encoding == _OTHER and _binary(start):
        raise BoughError(
            f"{path.name} is not text.",
            code="csv",
            hint="It holds bytes that no CSV file has. Which program wrote it?",
        )
    copy = folder / "utf8.csv"
    try:
        with (
            opened(path, "rt", encoding=encoding, newline="") as old,
            copy.open("w", encoding="utf-8", newline="") as new,
        ):
            while text := old.read(_CHUNK):
                new.write(text)
    except (UnicodeError, EOFError):
        raise BoughError(
            f"{path.name} is not text in utf-8, nor in {encoding}.",
            code="csv",
            hint=f"If it is a text file, convert it:  iconv -f latin1 -t utf-8 {path.name} > new.csv",
        ) from None
    return copy, encoding


def with_even_ends(path: Path, folder: Path) -> Path:
    """A copy of the file in which every line ends in the same way."""
    copy = folder / "even.csv"
    with opened(path, "rt", encoding="utf-8") as old, copy.open("w", encoding="utf-8", newline="") as new:
        while text := old.read(_CHUNK):
            new.write(text)
    return copy


def check_text(path: Path) -> None:
    """An error if the file begins with what no text has; utf-16 has it, but says so."""
    try:
        with opened(path, "rb") as file:
            start = file.read(4096)
    except (EOFError, OSError) as error:
        raise unreadable(path, str(error)) from None
    if _binary(start) and not any(start.startswith(bom) for bom in _BOMS):
        raise BoughError(
            f"{path.name} is not text.",
            code="csv",
            hint="It holds bytes that no CSV file has. Which program wrote it?",
        )


def is_utf8(path: Path) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        with opened(path, "rb") as file:
            while data := file.read(_CHUNK):
                decoder.decode(data)
            decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    except (EOFError, OSError):  # not a whole gz file: another problem
        pass
    return True


def opened(path: Path, mode: str, **options: str) -> IO[Any]:
    opener: Callable[..., IO[Any]] = gzip.open if path.suffix.lower() == ".gz" else open
    return opener(path, mode, **options)


def unreadable(path: Path | os.PathLike[str], why: str) -> BoughError:
    name = Path(path).name
    return BoughError(f"{name} cannot be read as csv: {why}", code="csv", hint="Was it written completely?")


def _binary(start: bytes) -> bool:
    return b"\0" in start
