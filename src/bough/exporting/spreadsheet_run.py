"""Reads an exported spreadsheet back and works its formulas out, for the functions that the export uses.

It is no spreadsheet program: it shows that the formulas in the file say what the model says, as the functions
are documented. EXACT and = on texts differ as they do there (= takes "a" for "A")."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np

from bough.exporting.fuzz import Fuzz
from bough.exporting.plan import Plan
from bough.exporting.spreadsheet import DAY, FIRST, NODES, TRY
from bough.exporting.verify import Said

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
DIGITS, LETTERS = "0123456789", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
Formula = Callable[[], Any]
_TOKEN = re.compile(
    r"""\s*(?:(?P<text>"(?:[^"]|"")*")
    |(?P<place>(?:'[^']+'|[A-Za-z]+)!\$[A-Z]+\$\d+(?::\$[A-Z]+\$\d+)?)
    |(?P<number>\d+\.?\d*(?:E[+-]?\d+)?)|(?P<word>[A-Z]+)|(?P<sign><=|[-+>=&(),]))""",
    re.VERBOSE,
)


class Sheets:
    """The cells of a workbook: values, or formulas that are worked out when they are asked for."""

    def __init__(self, data: bytes) -> None:
        self.cells: dict[str, Any] = {}
        self.formulas: dict[str, Formula] = {}
        self.inputs: dict[str, Any] = {}
        with zipfile.ZipFile(io.BytesIO(data)) as book:
            shared = ET.fromstring(book.read("xl/sharedStrings.xml"))
            texts = ["".join(t.text or "" for t in item.iter(f"{MAIN}t")) for item in shared]
            for number, name in enumerate((TRY, NODES), start=1):
                sheet = ET.fromstring(book.read(f"xl/worksheets/sheet{number}.xml"))
                for cell in sheet.iter(f"{MAIN}c"):
                    self._read(f"{name}!{cell.get('r')}", cell, texts)

    def _read(self, place: str, cell: ET.Element, texts: list[str]) -> None:
        formula, value = cell.find(f"{MAIN}f"), cell.find(f"{MAIN}v")
        if formula is not None:
            self.formulas[place] = _Parser(self, formula.text or "").whole()
        elif value is not None and value.text is not None:
            self.cells[place] = texts[int(value.text)] if cell.get("t") == "s" else float(value.text)

    def value(self, place: str) -> Any:
        """None: an empty cell."""
        if place in self.inputs:
            return self.inputs[place]
        return self.formulas[place]() if place in self.formulas else self.cells.get(place)


class _Parser:
    """comparison := sum (sign sum)?; sum := atom ((+|&) atom)*; formulas become functions."""

    def __init__(self, sheets: Sheets, text: str) -> None:
        self.sheets = sheets
        self.tokens: list[tuple[str, str]] = []
        at = 0
        while at < len(text):
            found = _TOKEN.match(text, at)
            if found is None or found.lastgroup is None:
                raise ValueError(f"a formula has {text[at : at + 20]!r}")
            self.tokens.append((found.lastgroup, found[found.lastgroup]))
            at = found.end()
        self.at = 0

    def whole(self) -> Formula:
        made = self._comparison()
        if self.at != len(self.tokens):
            raise ValueError("a formula goes on after its end")
        return made

    def _next(self) -> tuple[str, str]:
        self.at += 1
        return self.tokens[self.at - 1]

    def _take(self, *signs: str) -> str | None:
        if (
            self.at < len(self.tokens)
            and self.tokens[self.at][1] in signs
            and self.tokens[self.at][0] == "sign"
        ):
            return self._next()[1]
        return None

    def _comparison(self) -> Formula:
        left = self._sum()
        sign = self._take("<=", ">", "=")
        if sign is None:
            return left
        right = self._sum()
        compare = {"<=": lambda a, b: a <= b, ">": lambda a, b: a > b, "=": _equal}[sign]
        return lambda: compare(left(), right())

    def _sum(self) -> Formula:
        made = self._atom()
        while sign := self._take("+", "&"):
            made = _added(made, self._atom(), sign)
        return made

    def _atom(self) -> Formula:
        if self._take("-"):
            inner = self._atom()
            return lambda: -inner()
        if self._take("("):
            inner = self._comparison()
            self._close()
            return inner
        kind, token = self._next()
        if kind == "place":
            return self._place(token)
        if kind == "word" and token not in ("TRUE", "FALSE"):
            return self._function(token)
        constants: dict[str, Callable[[], Any]] = {
            "number": lambda: float(token),
            "text": lambda: token[1:-1].replace('""', '"'),
            "word": lambda: token == "TRUE",
        }
        constant = constants[kind]()
        return lambda: constant

    def _close(self) -> None:
        if self._take(")") is None:
            raise ValueError("a bracket is not closed")

    def _place(self, token: str) -> Formula:
        sheet, _, cells = token.replace("'", "").replace("$", "").partition("!")
        first, _, last = cells.partition(":")
        if not last:
            return lambda: self.sheets.value(f"{sheet}!{first}")
        column, start, end = first.rstrip(DIGITS), int(first.lstrip(LETTERS)), int(last.lstrip(LETTERS))
        return lambda: [f"{sheet}!{column}{row}" for row in range(start, end + 1)]

    def _function(self, name: str) -> Formula:
        if self._take("(") is None:
            raise ValueError(f"{name} is no function")
        given = [self._comparison()]
        while self._take(","):
            given.append(self._comparison())
        self._close()
        if name == "INDEX":
            return lambda: self.sheets.value(given[0]()[int(given[1]()) - 1])
        function = _FUNCTIONS[name]
        return lambda: function(*given)


def _added(left: Formula, right: Formula, sign: str) -> Formula:
    return lambda: left() + right()


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, str) and isinstance(b, str):
        return a.lower() == b.lower()
    return type(a) is type(b) and bool(a == b)


def _text(value: Any) -> str:
    return "" if value is None else str(value)


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "IF": lambda test, yes, no: yes() if test() else no(),
    "AND": lambda *given: all(g() for g in given),
    "OR": lambda *given: any(g() for g in given),
    "NOT": lambda given: not given(),
    "EXACT": lambda a, b: _text(a()) == _text(b()),
    "ISNUMBER": lambda given: isinstance(given(), float),
    "ISLOGICAL": lambda given: isinstance(given(), bool),
    "ISBLANK": lambda given: given() is None,
}


def run(data: bytes, plan: Plan, rows: Fuzz) -> Said:
    """Puts each row into the cells for it and reads the answer's cells."""
    sheets = Sheets(data)
    columns = [rows.values(i) for i in range(len(plan.fields))]
    for i, field in enumerate(plan.fields):
        if field.kind == "datetime":
            columns[i] = [None if v is None else v / DAY + FIRST for v in columns[i]]
    first = len(plan.fields) + 3
    answers, shares = [], []
    for values in zip(*columns, strict=True):
        sheets.inputs = {f"{TRY}!B{i + 2}": value for i, value in enumerate(values)}
        answers.append(sheets.value(f"{TRY}!B{first}"))
        shares.append([sheets.value(f"{TRY}!B{first + 1 + k}") for k in range(len(plan.classes or []))])
    if plan.classes is None:
        return Said(np.array(answers, dtype=np.float64))
    number = {str(label): k for k, label in enumerate(plan.classes)}
    return Said(np.array([number[answer] for answer in answers]), np.array(shares, dtype=np.float64))
