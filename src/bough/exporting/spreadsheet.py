"""Export to a spreadsheet: a sheet to try values on, with live formulas, and a sheet of all nodes.

Each node is a cell whose formula is the cell of the child that the row goes to; the root's is the end that it
comes to. So no formula grows with the tree."""

from __future__ import annotations

import io
from typing import Any

from bough.errors import BoughError
from bough.exporting.plan import ABOVE, AT_MOST, IN, Plan, PlannedTree, Test, cannot, xml_text
from bough.tree.condition import STAY, branch_labels

TRY, NODES = "Try it", "Nodes"
MOST_TESTS = 60  # nested IF: 64
MOST_MEMBERS = 250  # of OR: 255
LONGEST = 8000  # of a formula: 8192
LONGEST_TEXT = 250  # in a formula: 255
DAY, FIRST = 86_400_000_000, 25_569  # microseconds; 1970-01-01 as a spreadsheet counts days
NODE_ROW = 2  # of the root in the sheet of nodes


def number_text(value: float) -> str:
    """Formulas keep 15 digits, so other numbers are written as sums.

    >>> number_text(23.35), number_text(0.1 + 0.2)
    ('23.35', '(0.3+5.55111512312578E-17)')
    """
    near = float(f"{value:.15g}")
    if near == value:
        return f"{value:.15g}".upper()
    return f"({near:.15g}+{value - near:.15g})".upper()


def text_text(text: str) -> str:
    parts = [text[i : i + LONGEST_TEXT] for i in range(0, len(text), LONGEST_TEXT)] or [""]
    return "&".join('"' + part.replace('"', '""') + '"' for part in parts)


def write(plan: Plan) -> bytes:
    plan.check("a spreadsheet", spread=False)
    if plan.combine != "tree":
        raise cannot(
            "a spreadsheet holds a single tree.",
            "Export one of them, model.ensemble_[0], or choose another format.",
        )
    try:
        import xlsxwriter
    except ImportError:
        raise BoughError(
            "the export to a spreadsheet needs the package XlsxWriter.",
            code="extra",
            hint='  pip install "bough[export]"',
        ) from None
    file = io.BytesIO()
    book = xlsxwriter.Workbook(file, {"in_memory": True})
    _Book(plan, book).write()
    book.close()
    return file.getvalue()


class _Book:
    def __init__(self, plan: Plan, book: Any) -> None:
        self.plan, self.planned = plan, plan.trees[0]
        # The day is fixed, so that equal models are equal files.
        import datetime as dt

        book.set_properties({"created": dt.datetime(2000, 1, 1), "comments": "A model of bough"})
        self.sheet = book.add_worksheet(TRY)
        self.nodes = book.add_worksheet(NODES)
        self.bold = book.add_format({"bold": True})
        self.input = book.add_format({"bg_color": "#FFF4CE", "border": 1, "border_color": "#A9B3BE"})
        self.date = book.add_format(
            {
                "bg_color": "#FFF4CE",
                "border": 1,
                "border_color": "#A9B3BE",
                "num_format": "yyyy-mm-dd hh:mm:ss.000",
            }
        )
        self.percent = book.add_format({"num_format": "0.0%"})

    def write(self) -> None:
        self._inputs()
        self._nodes()
        self._answers()
        self.sheet.set_column(0, 0, 28)
        self.sheet.set_column(1, 1, 22)
        self.sheet.set_column(2, 2, 60)
        self.nodes.set_column(1, 2, 26)
        self.nodes.freeze_panes(1, 0)

    def _inputs(self) -> None:
        """Names in column A, cells to fill in in column B."""
        for column, text in enumerate(("Column", "Value (empty: missing)", "Possible values")):
            self.sheet.write_string(0, column, text, self.bold)
        hints = {"numeric": "a number", "datetime": "a date and time (UTC)", "boolean": "TRUE or FALSE"}
        for i, field in enumerate(self.plan.fields):
            for text in (field.name, *field.categories):
                xml_text(text)
            if "" in field.categories:
                raise cannot(f'column "{field.name}" has the category "", which is an empty cell.')
            self.sheet.write_string(i + 1, 0, field.name)
            self.sheet.write_blank(i + 1, 1, None, self.date if field.kind == "datetime" else self.input)
            hint = hints.get(field.kind) or ", ".join(field.categories)
            self.sheet.write_string(i + 1, 2, hint[:1000])
            listed = [c for c in field.categories if "," not in c]
            usable = field.kind not in hints and len(listed) == len(field.categories) and len(hint) <= 250
            if usable and listed:
                self.sheet.data_validation(
                    i + 1, 1, i + 1, 1, {"validate": "list", "source": listed, "error_type": "information"}
                )

    def _cell(self, node: int) -> str:
        return f"{NODES}!$D${NODE_ROW + node}"

    def _nodes(self) -> None:
        tree, planned = self.planned.tree, self.planned
        for column, text in enumerate(("Node", "Asks", "Branches", "Ends in", "Answer")):
            self.nodes.write_string(0, column, text, self.bold)
        labels = [] if self.plan.classes is None else [xml_text(str(label)) for label in self.plan.classes]
        for k, label in enumerate(labels):
            self.nodes.write_string(0, 5 + k, f"share of {label}", self.bold)
        for node in range(tree.n_nodes):
            row = NODE_ROW - 1 + node
            self.nodes.write_number(row, 0, node)
            if node in planned.ways:
                self.nodes.write_string(row, 1, tree.fields[tree.feature[node]].name)
                self.nodes.write_string(row, 2, " | ".join(branch_labels(tree, node))[:1000])
                self.nodes.write_formula(row, 3, self._formula(planned, node))
            else:
                self.nodes.write_number(row, 3, node)
            self._said(row, node, labels)

    def _said(self, row: int, node: int, labels: list[str]) -> None:
        values = self.planned.values(node)
        if not labels:
            self.nodes.write_formula(row, 4, "=" + number_text(values[0]), None, values[0])
            return
        self.nodes.write_string(row, 4, labels[self.planned.answers[node]])
        for k, value in enumerate(values):
            self.nodes.write_formula(row, 5 + k, "=" + number_text(value), self.percent, value)

    def _formula(self, planned: PlannedTree, node: int) -> str:
        ways = planned.ways[node]
        if len(ways.tests) > MOST_TESTS:
            raise cannot(
                f"node {node} has {len(ways.tests)} branches; a spreadsheet's formula can have {MOST_TESTS}."
            )
        text = str(node) if ways.rest == STAY else self._cell(planned.child(node, ways.rest))
        for test, to in reversed(ways.tests):
            text = f"IF({self._test(test)},{self._cell(planned.child(node, to))},{text})"
        if len(text) > LONGEST or any(len(test.members) > MOST_MEMBERS for test, _ in ways.tests):
            raise cannot(f"node {node} lists so many categories that no formula can hold them.")
        return "=" + text

    def _test(self, test: Test) -> str:
        x, field = f"'{TRY}'!$B${test.column + 2}", self.plan.fields[test.column]
        if test.way in (AT_MOST, ABOVE):
            limit = test.threshold if field.kind != "datetime" else test.threshold / DAY + FIRST
            return f"IF(ISNUMBER({x}),{x}{'<=' if test.way == AT_MOST else '>'}{number_text(limit)},FALSE)"
        if test.way != IN:
            return f"NOT(ISBLANK({x}))"
        if field.kind == "boolean":
            tests = [f"{x}={'TRUE' if c else 'FALSE'}" for c in test.members]
            return f"IF(ISLOGICAL({x}),{tests[0] if len(tests) == 1 else 'TRUE'},FALSE)"
        # EXACT, since = takes "a" for "A".
        tests = [f"EXACT({x},{text_text(field.categories[c])})" for c in test.members]
        return tests[0] if len(tests) == 1 else f"OR({','.join(tests)})"

    def _answers(self) -> None:
        """Below the inputs: what the model says to them."""
        row = len(self.plan.fields) + 2
        last = NODE_ROW + self.planned.tree.n_nodes - 1
        pick = f"$D${NODE_ROW}+1)"
        self.sheet.write_string(row, 0, "Prediction", self.bold)
        self.sheet.write_formula(row, 1, f"=INDEX({NODES}!$E${NODE_ROW}:$E${last},{NODES}!{pick}")
        for k, label in enumerate(self.plan.classes or []):
            letter = _letters(5 + k)
            self.sheet.write_string(row + 1 + k, 0, f"share of {label}")
            area = f"{NODES}!${letter}${NODE_ROW}:${letter}${last}"
            self.sheet.write_formula(row + 1 + k, 1, f"=INDEX({area},{NODES}!{pick}", self.percent)


def _letters(column: int) -> str:
    text = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        text = chr(65 + rest) + text
    return text
