"""How wide a text will be, without a font at hand: widths of a wide sans-serif, so that no font overflows."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

# Hundredths of the font size, for the signs from space to tilde, of DejaVu Sans: wider than Arial, Segoe UI,
# Noto Sans and Helvetica, so what fits by these fits in them too.
_ASCII = (
    *(32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64),
    *(
        34,
        34,
        84,
        84,
        84,
        53,
        100,
        68,
        69,
        70,
        77,
        63,
        58,
        77,
        75,
        29,
        29,
        66,
        56,
        86,
        75,
        79,
        60,
        79,
        69,
        63,
    ),
    *(61, 73, 68, 99, 69, 61, 69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35, 63, 63, 28, 28, 58, 28, 97),
    *(63, 61, 63, 63, 41, 52, 39, 63, 59, 82, 59, 59, 52, 64, 34, 64, 84),
)
_SIGNS = {"·": 32, "–": 50, "≤": 84, "±": 84, "∅": 87, "⚠": 92, "…": 100}
_BOLD = 1.12
_WIDE = 110  # East Asian letters, and what has no width of its own here: emoji, signs
_LETTER = 80


def _hundredths(char: str) -> int:
    code = ord(char) - 32
    if 0 <= code < len(_ASCII):
        return _ASCII[code]
    kind = unicodedata.category(char)
    if kind in ("Mn", "Me", "Cf"):
        return 0
    if char in _SIGNS:
        return _SIGNS[char]
    if unicodedata.east_asian_width(char) in "WF" or kind == "So":
        return 140
    return _LETTER if kind.startswith("L") else _WIDE


@lru_cache(maxsize=20_000)
def width(text: str, size: float = 11, *, bold: bool = False) -> float:
    """In pixels.

    >>> round(width("survived", 12, bold=True))
    57
    """
    return sum(map(_hundredths, text)) / 100 * size * (_BOLD if bold else 1.0)


def cut(text: str, room: float, size: float = 11, *, bold: bool = False) -> str:
    """The text, or as much of it as fits with an ellipsis.

    >>> cut("a rather long name", 60)
    'a rather…'
    """
    if width(text, size, bold=bold) <= room:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        fits = width(text[:middle].rstrip() + "…", size, bold=bold) <= room
        low, high = (middle, high) if fits else (low, middle - 1)
    return text[:low].rstrip() + "…"
