"""A tree as text with box-drawing lines: one line a node, answers on the branches, counts at the end."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bough.data.objects import label
from bough.tree.condition import SPREAD, THRESHOLD, branch_categories, branch_labels

if TYPE_CHECKING:
    from bough.tree.node import Node
    from bough.tree.tree import Tree

FEW = 20  # rows below which a leaf is marked, in trees of at least five times as many
LONGEST_ANSWER = 40
LONGEST_NAME = 60
WIDE = 10_000  # signs in a line: no limit
PROSE = 80  # signs in a line of words, however wide the place
MOST_LINES = 1000
DEEPEST = 100  # levels; below, a line is mostly indentation

_BOX = ("├─ ", "└─ ", "│  ", "   ")
_PLAIN = ("|-- ", "`-- ", "|   ", "    ")
_ASCII = str.maketrans(
    {"≤": "<=", "→": "->", "⚠": "!", "…": "...", "±": "+/-", "·": "-", "²": "2", "–": "-", "—": "-", "−": "-"}
    | {"×": "x", "←": "<-", "Σ": "sum", "α": "alpha", "χ": "chi", "▇": "#"},
)
_JOINERS = "\u200c\u200d"  # Persian and Indian scripts need them, and they move nothing


def printable(text: str) -> str:
    r"""The text with everything that could leave its line or hide in it written as an escape.

    >>> print(printable("red\x1b[0m\nblue"))
    red\x1b[0m\nblue
    """
    if text.isprintable():
        return text
    return "".join(c if _harmless(c) else c.encode("unicode_escape").decode() for c in text)


def _harmless(char: str) -> bool:
    return char.isprintable() or char in _JOINERS or unicodedata.category(char) == "Zs"


def ascii_text(text: str) -> str:
    """The same in ASCII: the signs of this program by their usual stand-ins, other letters as escapes."""
    return text.translate(_ASCII).encode("ascii", "backslashreplace").decode()


def display_width(text: str) -> int:
    """Columns in a terminal: two for East Asian letters, none for accents that join the letter before."""
    if text.isascii():
        return len(text)
    return sum(_cells(char) for char in text)


def _cells(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def padded(text: str, width: int) -> str:
    return text + " " * (width - display_width(text))


def folded(line: str, width: int) -> list[str]:
    """The line in parts that fit, cut where its columns are or else between words; the first is not indented.

    >>> folded("accuracy 0.9   AUC 0.95   Brier 0.1", 25)
    ['accuracy 0.9   AUC 0.95', '  Brier 0.1']
    """
    if display_width(line) <= width:
        return [line]
    gap = "   " if "   " in line else " "
    first, *others = line.split(gap)
    parts = [first]
    for piece in others:
        if display_width(longer := f"{parts[-1]}{gap}{piece}") <= width:
            parts[-1] = longer
        else:
            parts.append(f"  {piece}")
    return parts


def shown_name(name: str) -> str:
    """A column, category or class as it is printed: escaped, not endless, not invisible."""
    text = printable(name)
    if len(text) > LONGEST_NAME:
        text = text[: LONGEST_NAME - 1] + "…"
    return text if text.strip() else f'"{text}"'


def shortened(text: str, width: int) -> str:
    """At most so wide; what is left out is in the middle, as names of a kind often begin alike.

    >>> shortened("pressure_of_the_left_pump", 15)
    'pressur…ft_pump'
    """
    if display_width(text) <= width:
        return text
    start, end = text, text
    while display_width(start) > width // 2:
        start = start[:-1]
    while display_width(end) > width - 1 - display_width(start):
        end = end[1:]
    return f"{start}…{end}"


def significant(x: float, digits: int) -> str:
    """The number rounded to so many digits, in plain notation where that is short.

    >>> significant(3706.1644, 5), significant(0.00123456, 3), significant(1234567.0, 5)
    ('3706.2', '0.00123', '1234567')
    """
    if x == 0 or not math.isfinite(x):
        return str(x).removesuffix(".0").removeprefix("-") if x == 0 else str(x)
    exponent = math.floor(math.log10(abs(x)))
    if not -5 <= exponent < 15:
        return f"{x:.{digits - 1}e}"
    text = f"{x:.{max(0, digits - 1 - exponent)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


@dataclass(frozen=True, slots=True)
class _Line:
    node: Node
    text: str  # branches, the answer that leads here, the question asked here


def box_text(tree: Tree, *, plain: bool = False) -> str:
    """At most MOST_LINES nodes and DEEPEST levels are printed; the last line says how many are left out."""
    write: Callable[[str], str] = ascii_text if plain else str
    lines = _lines(tree, _PLAIN if plain else _BOX, write)
    leaves = [line.node for line in lines if line.node.is_leaf]
    texts = _number_answers(leaves) if tree.classes is None else _class_answers(leaves, write)
    answers = dict(zip((leaf.id for leaf in leaves), map(write, texts), strict=True))
    left = max((display_width(line.text) for line in lines if line.node.is_leaf), default=0)
    gap = "  " if left else ""
    bodies = [
        f"{padded(line.text, left)}{gap}{answers[line.node.id]}" if line.node.is_leaf else line.text
        for line in lines
    ]
    width = max(map(display_width, bodies))
    sizes = [_size(line.node) for line in lines]
    digits = max(map(len, sizes))
    out = [
        f"{padded(body, width)}  {size:>{digits}}{write(_mark(line.node))}"
        for line, body, size in zip(lines, bodies, sizes, strict=True)
    ]
    if len(lines) < tree.n_nodes:
        out.append(write(f"… and {tree.n_nodes - len(lines):,} more nodes"))
    if tree.note:
        out.append(write(tree.note))
    return "\n".join(out)


def _lines(tree: Tree, marks: tuple[str, str, str, str], write: Callable[[str], str]) -> list[_Line]:
    lines: list[_Line] = []
    stack: list[tuple[Node, str, str]] = [(tree.root, "", "")]
    while stack and len(lines) < MOST_LINES:
        node, head, indent = stack.pop()
        if node.column is None:
            lines.append(_Line(node, head))
            continue
        fold = node.depth >= DEEPEST
        lines.append(_Line(node, head + write(shown_name(node.column) + ("? …" if fold else "?"))))
        if not fold:
            stack.extend(reversed(_children(node, indent, marks, write)))
    return lines


def _children(
    node: Node, indent: str, marks: tuple[str, str, str, str], write: Callable[[str], str]
) -> list[tuple[Node, str, str]]:
    """The children, the text before the question of each, and the indentation of what is below it."""
    middle, last, line, blank = marks
    children = node.children
    labels = [write(text) for text in _labels(node)]
    width = max((display_width(t) for t, c in zip(labels, children, strict=True) if not c.is_leaf), default=0)
    out = []
    for child, text in zip(children, labels, strict=True):
        ends = child.id == children[-1].id
        head = f"{indent}{last if ends else middle}{text if child.is_leaf else padded(text, width) + '  '}"
        out.append((child, head, indent + (blank if ends else line)))
    return out


def _labels(node: Node) -> list[str]:
    labels = []
    for number, names in enumerate(_sides(node)):
        text = _listed(names) if names else "missing"
        if names and node.n_missing and number == node.missing_child:
            text += f", or missing ({node.n_missing:,})"
        labels.append(text)
    return labels


def _sides(node: Node) -> list[list[str]]:
    """What each branch takes; nothing where it takes missing values only."""
    tree, kind = node.tree, node.tree.kind[node.id]
    if kind == THRESHOLD:
        if math.isinf(node.threshold):
            return [["known"], []]
        labels = [[shown_name(text)] for text in branch_labels(tree, node.id)]
        return labels[:2] + [[]] * (len(labels) - 2)
    return [[category_name(name) for name in names] for names in branch_categories(tree, node.id)]


def category_name(name: str) -> str:
    """A category in a list: in quotes where it could be read as something else."""
    text = shown_name(name)
    return f'"{text}"' if "," in text or text in ("missing", "known") else text


def _listed(names: list[str]) -> str:
    whole = ", ".join(names)
    if len(names) == 1 or display_width(whole) <= LONGEST_ANSWER:
        return whole
    count, width = 1, display_width(names[0])
    while width + 2 + display_width(names[count]) <= LONGEST_ANSWER - 10:
        width += 2 + display_width(names[count])
        count += 1
    return f"{', '.join(names[:count])} + {len(names) - count:,} more"


def _class_answers(leaves: list[Node], write: Callable[[str], str]) -> list[str]:
    names = [write(shown_name(label(leaf.prediction))) for leaf in leaves]
    shares = [percent(leaf.share) for leaf in leaves]
    wide, digits = max(map(display_width, names), default=0), max(map(len, shares), default=0)
    return [f"→ {padded(name, wide)} {share:>{digits}}" for name, share in zip(names, shares, strict=True)]


def percent(share: float) -> str:
    """100% means all of them, so 99.7% is cut to 99%."""
    return f"{share:.0%}" if share == 1 else f"{min(share, 0.99):.0%}"


def _number_answers(leaves: list[Node]) -> list[str]:
    """Mean and standard deviation, the points under each other; one row has no deviation, and a tree whose
    impurity is something else has none to show."""
    means = _under_each_other([significant(float(leaf.prediction), 5) for leaf in leaves])
    if not leaves or not leaves[0].tree.has_variances:
        return [f"→ {mean}" for mean in means]
    deviations = _under_each_other([significant(_deviation(leaf), 3) for leaf in leaves])
    return [
        f"→ {mean} ± {sd}" if leaf.n_rows > 1 else f"→ {mean}   " + " " * len(sd)
        for leaf, mean, sd in zip(leaves, means, deviations, strict=True)
    ]


def _deviation(leaf: Node) -> float:
    """The impurity of numbers is their variance, exactly zero if they are equal."""
    return math.sqrt(leaf.impurity)


def _under_each_other(texts: list[str]) -> list[str]:
    wholes = max((len(text.partition(".")[0]) for text in texts), default=0)
    lined = [" " * (wholes - len(text.partition(".")[0])) + text for text in texts]
    width = max(map(len, lined), default=0)
    return [f"{text:<{width}}" for text in lined]


def _size(node: Node) -> str:
    """Rows; their weight, to a tenth, where rows are spread over several branches."""
    tree = node.tree
    if not tree.n_missing[tree.missing_child == SPREAD].any():
        return f"{node.n_rows:,}"
    return f"{node.weight:,.1f}".removesuffix(".0")


def _mark(node: Node) -> str:
    """Small tables of lectures would have the mark on every leaf."""
    few = node.is_leaf and 0 < node.n_rows < FEW and node.tree.n_rows[0] >= 5 * FEW
    return "  ⚠ few" if few else ""
