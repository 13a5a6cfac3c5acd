"""Small formulas as data, written as text, LaTeX or MathML: fractions, logarithms, sums."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from bough.tree.text import printable

_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%",
    "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}", '"': "''", "≤": r"$\leq$", "→": r"$\to$",
    "–": "--", "·": r"$\cdot$", "×": r"$\times$", "χ": r"$\chi$", "²": r"\textsuperscript{2}", "±": r"$\pm$",
    "−": r"$-$", "∞": r"$\infty$", "…": r"\dots{}", "←": r"$\leftarrow$",
}  # fmt: skip


def latex_text(text: str) -> str:
    r"""Any text as LaTeX: nothing in it is a command.

    >>> print(latex_text("50% of $x_1$"))
    50\% of \$x\_1\$
    """
    return "".join(_LATEX.get(char, char) for char in printable(text))


def html_text(text: str) -> str:
    """Any text as HTML: nothing in it is a tag, and what runs from right to left stays in its place."""
    return html.escape(printable(text), quote=True)


class Part(Protocol):
    def text(self) -> str: ...
    def latex(self) -> str: ...
    def mathml(self) -> str: ...


@dataclass(frozen=True)
class Number:
    value: str

    def text(self) -> str:
        return self.value

    def latex(self) -> str:
        if exponent := re.fullmatch(r"(.+)e([-+]\d+)", self.value):
            return rf"{exponent[1]} \cdot 10^{{{int(exponent[2])}}}"
        return {"∞": r"\infty", "−∞": r"-\infty", "–": r"\text{--}"}.get(self.value, self.value)

    def mathml(self) -> str:
        return f"<mn>{html_text(self.value)}</mn>"


@dataclass(frozen=True)
class Name:
    """A letter, or a word of any letters."""

    value: str

    def text(self) -> str:
        return printable(self.value)

    def latex(self) -> str:
        known = {"χ²": r"\chi^2", "α": r"\alpha"}
        if self.value in known:
            return known[self.value]
        return self.value if re.fullmatch("[A-Za-z]", self.value) else rf"\text{{{latex_text(self.value)}}}"

    def mathml(self) -> str:
        if re.fullmatch("[A-Za-zα]", self.value):
            return f"<mi>{self.value}</mi>"
        return f"<mtext>{html_text(self.value)}</mtext>"


@dataclass(frozen=True)
class Sign:
    """An operator: = − + · × ( ) Σ."""

    value: str

    def text(self) -> str:
        return {"(": "(", ")": ")", "·": "·", "unary −": "−", ",": ", "}.get(self.value, f" {self.value} ")

    def latex(self) -> str:
        signs = {
            "·": r" \cdot ",
            "×": r" \times ",
            "−": " - ",
            "unary −": "-",
            "(": r"\left(",
            ")": r"\right)",
        }
        return signs.get(self.value, f" {self.value} ")

    def mathml(self) -> str:
        return f"<mo>{self.value.removeprefix('unary ')}</mo>"


@dataclass(frozen=True)
class Fraction:
    above: str
    below: str

    def text(self) -> str:
        above, below = (f"({t})" if " " in t and t[0] != "(" else t for t in (self.above, self.below))
        return f"{above}/{below}"

    def latex(self) -> str:
        above, below = (t.replace("−", "-").replace("χ²", r"\chi^2") for t in (self.above, self.below))
        return rf"\frac{{{above}}}{{{below.replace('leaves', r'|T|')}}}"

    def mathml(self) -> str:
        return f"<mfrac><mn>{html_text(self.above)}</mn><mn>{html_text(self.below)}</mn></mfrac>"


@dataclass(frozen=True)
class Log:
    base: float
    of: Part

    @property
    def _name(self) -> tuple[str, str]:
        if self.base == math.e:
            return "ln", ""
        return "log", f"{self.base:g}"

    def text(self) -> str:
        return f"{''.join(self._name)}({self.of.text()})"

    def latex(self) -> str:
        name, base = self._name
        return rf"\{name}" + (f"_{{{base}}}" if base else "") + f" {self.of.latex()}"

    def mathml(self) -> str:
        name, base = self._name
        log = f"<msub><mi>{name}</mi><mn>{base}</mn></msub>" if base else f"<mi>{name}</mi>"
        return f"{log}<mo>&#x2061;</mo>{self.of.mathml()}"


@dataclass(frozen=True)
class Square:
    of: Part

    def text(self) -> str:
        return f"({self.of.text()})²"

    def latex(self) -> str:
        return rf"\left({self.of.latex()}\right)^2"

    def mathml(self) -> str:
        return f"<msup><mrow><mo>(</mo>{self.of.mathml()}<mo>)</mo></mrow><mn>2</mn></msup>"


@dataclass(frozen=True)
class Row:
    parts: tuple[Part, ...]

    def text(self) -> str:
        return "".join(part.text() for part in self.parts)

    def latex(self) -> str:
        return "".join(part.latex() for part in self.parts)

    def mathml(self) -> str:
        return f"<mrow>{''.join(part.mathml() for part in self.parts)}</mrow>"


def row(*parts: Part | str) -> Row:
    """Strings of one sign are operators."""
    return Row(tuple(Sign(part) if isinstance(part, str) else part for part in parts))


def joined(parts: Sequence[Part], sign: str) -> list[Part]:
    """The parts with a sign between them."""
    out: list[Part] = []
    for part in parts:
        out += [Sign(sign), part] if out else [part]
    return out


def math_block(part: Part) -> str:
    """A formula on a line of its own, for HTML."""
    return f'<math display="block">{part.mathml()}</math>'


def math_inline(part: Part) -> str:
    return f"<math>{part.mathml()}</math>"
