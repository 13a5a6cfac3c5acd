"""The table of bad and odd inputs: one row each, and what fit and predict must do with it."""

# ruff: noqa: E501  one line for each row of the table

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from scipy import sparse

NAN, INF = math.nan, math.inf
ROWS = 24
TOWNS = ["Rome", "Oslo", "Bonn"]
WORKS = "works"


def good() -> dict[str, list[Any]]:
    """A table without any fault: a number, a text, a date, a boolean; some cells are empty."""
    return {
        "age": [None if i == 5 else float(20 + 7 * i % 50) for i in range(ROWS)],
        "town": [None if i == 7 else TOWNS[i % 3] for i in range(ROWS)],
        "day": [dt.datetime(2024, 1, 1 + i) for i in range(ROWS)],
        "member": [i % 4 < 2 for i in range(ROWS)],
    }


def classes() -> list[str]:
    return ["yes" if i % 3 == 0 or i > 18 else "no" for i in range(ROWS)]


def numbers() -> list[float]:
    return [float(i % 5) + (i > 12) for i in range(ROWS)]


@dataclass(frozen=True)
class Case:
    """`fit`, `predict`: "works" or the code of the error, for every family; `differ`: where one does not,
    by "family verb" or "family". `table` changes the good table; a model of the good one is asked for it."""

    name: str
    fit: str = WORKS
    predict: str = WORKS
    says: str = ""  # what the message must name; a regular expression
    table: Callable[[dict[str, list[Any]]], Any] | None = None
    classes: Callable[[], Any] | None = None  # targets; None: the good one
    numbers: Callable[[], Any] | None = None
    weights: Callable[[], Any] | None = None
    parameters: dict[str, Any] = field(default_factory=dict)
    boosting: dict[str, Any] | None = None  # parameters that go by another name there
    of: tuple[str, ...] = ("classes", "numbers")
    differ: dict[str, str] = field(default_factory=dict)
    flags: tuple[str, ...] = ()  # of the command line
    file: Callable[[], bytes] | None = None  # a CSV file that holds the fault; None: from the table
    no_file: bool = False  # a file cannot hold it, or the command line has no such flag
    note: str = ""

    @property
    def about(self) -> str:
        """Which part of the input is bad."""
        if self.table is not None or self.file is not None:
            return "table"
        if self.weights is not None:
            return "weights"
        return "target" if self.classes is not None or self.numbers is not None else "parameters"

    def expected(self, family: str, verb: str) -> str:
        default = self.fit if verb == "fit" else self.predict
        return self.differ.get(f"{family} {verb}", self.differ.get(family, default))


def put(column: str, row: int, value: Any) -> Callable[[dict[str, list[Any]]], Any]:
    """Another value in one cell."""

    def change(table: dict[str, list[Any]]) -> Any:
        table[column][row] = value
        return table

    return change


def whole(column: str, make: Callable[[int], Any]) -> Callable[[dict[str, list[Any]]], Any]:
    """Other values in a whole column."""

    def change(table: dict[str, list[Any]]) -> Any:
        return table | {column: [make(i) for i in range(ROWS)]}

    return change


def renamed(old: str, new: Any) -> Callable[[dict[str, list[Any]]], Any]:
    return lambda t: {new if name == old else name: values for name, values in t.items()}


def given(make: Callable[[], Any]) -> Callable[[dict[str, list[Any]]], Any]:
    """Something else altogether."""
    return lambda _: make()


def csv(text: str) -> Callable[[], bytes]:
    return text.encode


def with_target(change: Callable[[list[Any]], Any]) -> dict[str, Callable[[], Any]]:
    return {"classes": lambda: change(classes()), "numbers": lambda: change(numbers())}


def at(row: int, value: Any) -> Callable[[list[Any]], list[Any]]:
    return lambda y: [value if i == row else v for i, v in enumerate(y)]


HEAD = "age,town,day,member,y\n"
FIRST = "20,Rome,2024-01-01,true,yes\n30,Oslo,2024-01-02,false,no\n"
# Where the row is about numpy, pandas or Python objects, a file cannot hold it.
OBJECTS = {"no_file": True}

TABLES = [
    Case("no rows", "empty", "empty", r"0 sample", table=lambda t: {k: [] for k in t}, differ={"command line": "csv"}),
    Case("no columns", "empty", "empty", "0 feature", table=given(lambda: pd.DataFrame(index=range(ROWS))), differ={"command line fit": "column", "command line predict": "missing-column"}),
    Case("one row", table=lambda t: {k: v[:1] for k, v in t.items()}, differ={"command line fit": "target"}),
    Case("a column that is all missing", table=whole("age", lambda i: None)),
    Case("a constant column", table=whole("age", lambda i: 3.0)),
    Case("every cell missing", table=lambda t: {k: [None] * ROWS for k in t}),
    Case("+inf", "column", "column", r'"age", row 3: .* inf', put("age", 3, INF)),
    Case("-inf", "column", "column", r'"age", row 3: .* -inf', put("age", 3, -INF)),
    Case("1e308 against 1.7e308", table=whole("age", lambda i: 1e308 if i % 2 else 1.7e308)),
    Case("neighbours in float64", table=whole("age", lambda i: 1.0 if i % 2 else math.nextafter(1.0, 2))),
    Case("denormal numbers", table=whole("age", lambda i: 5e-324 * (i % 3))),
    Case("zeros of both signs", table=whole("age", lambda i: -0.0 if i % 2 else 0.0)),
    Case("integers beyond 2^24", table=whole("age", lambda i: 2**24 + i)),
    Case("integers beyond 2^53", "column", "column", r'"age", row 1: the integer', whole("age", lambda i: 2**53 + i)),
    Case("integers beyond 2^64", "column", "column", r'"age", row 0: the integer', whole("age", lambda i: 2**65 + 1 + i)),
    Case("an integer of 400 digits", "column", "column", r'"age", row 2: the integer', put("age", 2, 10**400)),
    Case("a text in a column of numbers", "column", "column", '"age" mixes', put("age", 4, "old"), differ={"command line fit": "works"}),
    Case("texts instead of numbers", WORKS, "column", '"age", row 0: the value is "old"', whole("age", lambda i: "old")),
    Case("numbers as text", WORKS, "column", '"age", row 0', whole("age", str), differ={"command line predict": "works"}),
    Case("numbers instead of texts", WORKS, "column", '"town", row 0', table=whole("town", lambda i: i % 3), differ={"command line predict": "works"}),
    Case("dates instead of numbers", WORKS, "column", '"age", row 0', whole("age", lambda i: dt.date(2024, 1, 1 + i))),
    Case("numbers instead of dates", WORKS, "column", '"day", row 0', whole("day", float)),
    Case("text instead of dates", WORKS, "column", '"day", row 0', whole("day", lambda i: f"day {i}")),
    Case("a date among numbers", "column", "column", '"age" mixes', put("age", 4, dt.date(2024, 1, 1)), **OBJECTS),
    Case("dates of the years 1 and 9999", table=whole("day", lambda i: dt.datetime(1 if i % 2 else 9999, 1, 1))),
    Case("dates with time zones", WORKS, "column", '"day"', whole("day", lambda i: dt.datetime(2024, 1, 1 + i, tzinfo=dt.UTC))),
    Case("a duration", table=whole("age", dt.timedelta), **OBJECTS),
    Case("booleans in a column of numbers", table=whole("age", lambda i: i % 2 == 0)),
    Case("booleans in a column of texts", table=whole("town", lambda i: i % 2 == 0)),
    Case("a category never seen", table=put("town", 2, "Lima")),
    Case("only categories never seen", table=whole("town", lambda i: f"town {i}")),
    Case("one category for each row", table=whole("town", lambda i: f"id-{i:05d}")),
    Case("empty texts as categories", table=whole("town", lambda i: "" if i % 2 else "Rome")),
    Case("categories that differ in case and spaces", table=whole("town", lambda i: ["rome", "Rome", "Rome "][i % 3])),
    Case("categories with quotes, commas, line ends", table=whole("town", lambda i: ['a"b', "a,b", "a\nb", "<b>"][i % 4])),
    Case("a category of 100,000 letters", table=put("town", 2, "x" * 100_000)),
    Case("a category with a NUL", table=put("town", 2, "a\0b"), no_file=True),
    Case("a text with half a surrogate pair", table=put("town", 2, "a\ud800"), no_file=True),
    Case("bytes as text", table=whole("town", lambda i: TOWNS[i % 3].encode()), **OBJECTS),
    Case("bytes that are not UTF-8", "column", "column", '"town", row 1', whole("town", lambda i: [b"ok", b"\xff"][i % 2]), differ={"command line": WORKS},
         file=lambda: (HEAD + FIRST * 6).encode() + b"40,\xff\xfe,2024-01-03,true,no\n"),
    Case("lists in a column", "column", "column", '"age", row 0', whole("age", lambda i: [i]), **OBJECTS),
    Case("objects in a column", "column", "column", '"age", row 2', put("age", 2, object()), **OBJECTS),
    Case("functions in a column", "column", "column", '"age", row 0', whole("age", lambda i: print), **OBJECTS),
    Case("decimals", table=whole("age", lambda i: Decimal(i) / 4), **OBJECTS),
    Case("fractions", table=whole("age", lambda i: Fraction(i, 3)), **OBJECTS),
    Case("complex numbers", "column", "column", 'Complex .*"age"', whole("age", lambda i: i + 1j), **OBJECTS),
    Case("columns in another order", table=lambda t: dict(reversed(t.items()))),
    Case("a column more", table=lambda t: t | {"more": list(range(ROWS))}),
    Case("a column less", WORKS, "missing-column", '"town"', lambda t: {k: v for k, v in t.items() if k != "town"}),
    Case("a renamed column", WORKS, "missing-column", '"age".*', renamed("age", "years")),
    Case("a column name in other case", WORKS, "missing-column", '"age"(?s:.*)"Age"', renamed("age", "Age")),
    Case("a column name with a space", WORKS, "missing-column", '"age"', renamed("age", "age ")),
    Case("an empty column name", WORKS, "missing-column", '"age"', renamed("age", "")),
    Case("a hostile column name", WORKS, "missing-column", '"age"', renamed("age", "<script>'\";--\x1b[31m")),
    Case("a column name of 10,000 letters", WORKS, "missing-column", '"age"', renamed("age", "a" * 10_000)),
    Case("column names that are numbers", "column", "column", "int", given(lambda: pd.DataFrame({"a": range(ROWS), 5: 1})), **OBJECTS),
    Case("two columns of one name", "column", "column", '"age"',
         lambda t: pd.concat([pd.DataFrame(t), pd.DataFrame({"age": t["age"]})], axis=1),
         file=csv("age,age,town,y\n" + "1,2,Rome,yes\n2,3,Oslo,no\n" * 8)),
    Case("columns of several levels", "column", "column", "levels",
         lambda t: pd.DataFrame({("a", k): v for k, v in t.items()}), **OBJECTS),
    Case("an array without names", WORKS, "shape", "features", given(lambda: np.arange(2.0 * ROWS).reshape(ROWS, 2)), **OBJECTS),
    Case("one dimension", "shape", "shape", "Expected 2D", given(lambda: np.arange(float(ROWS))), **OBJECTS),
    Case("three dimensions", "shape", "shape", "dim 3", given(lambda: np.zeros((ROWS, 2, 2))), **OBJECTS),
    Case("a single number", "shape", "shape", "scalar", given(lambda: np.array(5.0)), **OBJECTS),
    Case("a sparse matrix", "type", "type", "Sparse", given(lambda: sparse.eye(ROWS, 4, format="csr")), **OBJECTS),
    Case("rows of several lengths", "shape", "shape", "row 1", given(lambda: [[1, 2, 3, 4], [1, 2, 3]] * 12), differ={"command line": "csv"},
         file=csv(HEAD + FIRST * 8 + "1,2\n")),
    Case("columns of several lengths", "shape", "shape", '"age"', lambda t: t | {"age": t["age"][:3]}, **OBJECTS),
    Case("None for a table", "type", "type", "NoneType", given(lambda: None), **OBJECTS),
    Case("a text for a table", "type", "type", "str", given(lambda: "table"), **OBJECTS),
    Case("a set for a table", "type", "type", "set", given(lambda: {1, 2}), **OBJECTS),
    Case("a generator for a table", "type", "type", "generator", given(lambda: ([i] for i in range(ROWS))), **OBJECTS),
    Case("a lazy frame", "type", "type", "lazy", lambda t: pl.DataFrame(t).lazy(), **OBJECTS),
    Case("a masked array", WORKS, "column", "", given(lambda: np.ma.masked_equal(np.arange(4.0 * ROWS).reshape(ROWS, 4), 3)), **OBJECTS),
    Case("nullable integers", table=lambda t: pd.DataFrame(t).assign(age=pd.array([None, 1] * 12, dtype="Int64")), **OBJECTS),
    Case("a category declared and never used",
         table=lambda t: pd.DataFrame(t).assign(town=pd.Categorical(t["town"], [*TOWNS, "never"])), **OBJECTS),
    Case("booleans with holes", table=lambda t: pd.DataFrame(t).assign(member=pd.array([True, None, False] * 8, dtype="boolean")), **OBJECTS),
    Case("columns of Arrow in pandas", table=lambda t: pd.DataFrame(t).assign(age=pd.array([None, 1.5] * 12, dtype="double[pyarrow]"), town=pd.array(["Rome", None] * 12, dtype="string[pyarrow]")), **OBJECTS),
    Case("decimals, enums and times of polars", WORKS, "column", '"day"', lambda t: pl.DataFrame({"age": [Decimal(i) / 4 for i in range(ROWS)], "town": pl.Series([TOWNS[i % 3] for i in range(ROWS)], dtype=pl.Enum(TOWNS)), "day": [dt.time(i) for i in range(ROWS)], "member": t["member"]}), **OBJECTS),
    Case("lists of polars", "column", "column", '"age" holds nested', lambda t: pl.DataFrame(t).with_columns(age=pl.Series([[i] for i in range(ROWS)])), **OBJECTS),
    Case("periods", "column", "column", '"day", row 0: cannot use a Period', lambda t: pd.DataFrame(t).assign(day=pd.period_range("2024", periods=ROWS)), **OBJECTS),
    Case("an index that repeats", table=lambda t: pd.DataFrame(t, index=[0] * ROWS), **OBJECTS),
    Case("moments of several time zones", WORKS, "column", '"day"', whole("day", lambda i: dt.datetime(2024, 1, 1 + i, tzinfo=dt.timezone(dt.timedelta(hours=i % 3)))), **OBJECTS),
    Case("a column that is a generator", "type", "type", '"age" is a single generator', lambda t: t | {"age": (float(i) for i in range(ROWS))}, **OBJECTS),
    Case("intervals", "column", "column", '"age"', lambda t: pd.DataFrame(t).assign(age=pd.interval_range(0, ROWS)), **OBJECTS),
    Case("a structured array", WORKS, "missing-column", '"day"', given(lambda: np.zeros(ROWS, dtype=[("age", float), ("town", "U4")])), **OBJECTS),
    Case("half and long floats", table=lambda t: pd.DataFrame(t).assign(age=np.arange(ROWS, dtype=np.float16)), **OBJECTS),
    Case("the other byte order", table=lambda t: t | {"age": np.arange(ROWS, dtype=">f8")}, **OBJECTS),
    Case("an array that may not be written", table=lambda t: t | {"age": np.broadcast_to(1.0, ROWS)}, **OBJECTS),
    Case("a column that equals the target", table=lambda t: t | {"copy": classes()}),
    Case("a column that is the number of the row", table=lambda t: t | {"id": [f"row {i:04d}" for i in range(ROWS)]}),
    Case("a file that is empty", file=lambda: b"", differ={"command line": "csv"}),
    Case("a file with a header only", file=csv(HEAD), differ={"command line": "csv"}),
    Case("a file of zero bytes", file=lambda: b"\0" * 500, differ={"command line": "csv"}),
    Case("a binary file", file=lambda: bytes(range(256)) * 8, differ={"command line": "csv"}),
    Case("a file in UTF-16", file=lambda: (HEAD + FIRST * 12).encode("utf-16")),
    Case("a file in UTF-32", file=lambda: (HEAD + FIRST * 12).encode("utf-32")),
    Case("a file in UTF-16 that does not say so", file=lambda: (HEAD + FIRST * 12).encode("utf-16-le"), differ={"command line": "csv"}),
    Case("a file that begins with a byte order mark", file=lambda: (HEAD + FIRST * 12).encode("utf-8-sig")),
    Case("a line of a million letters", file=csv(HEAD + FIRST * 12 + "1," + "x" * 1_000_000 + ",2024-01-03,true,no\n")),
    Case("names of columns longer than a million letters", file=csv("a" * 1_100_000 + HEAD + FIRST * 12), differ={"command line": "csv"}),
    Case("a quote that is never closed", file=csv(HEAD + FIRST * 8 + '5,"Rome,2024-01-03,true,no\n'), differ={"command line": "csv"}),
]  # fmt: skip

TARGETS = [
    Case("no target", "target", "unfitted", "y", **with_target(lambda y: None), no_file=True),
    Case("a target too short", "target", "unfitted", r"\[24, 23\]", **with_target(lambda y: y[:-1]), no_file=True),
    Case("a target too long", "target", "unfitted", r"\[24, 25\]", **with_target(lambda y: [*y, y[0]]), no_file=True),
    Case("NaN in the target", "target", "unfitted", "row 4", **with_target(at(4, NAN))),
    Case("None in the target", "target", "unfitted", "row 4", **with_target(at(4, None))),
    Case("inf in the target", "target", "unfitted", "row 4", numbers=lambda: at(4, INF)(numbers()), of=("numbers",), differ={"command line fit": "column"}),
    Case("a target of two columns", "target", "unfitted", "1d", **with_target(lambda y: [[v, v] for v in y]), no_file=True),
    Case("a complex target", "column", "unfitted", "Complex", numbers=lambda: np.arange(ROWS) * 1j, of=("numbers",), no_file=True),
    Case("texts and numbers in the target", "column", "unfitted", "mixes", classes=lambda: at(4, 7)(classes()), of=("classes",), no_file=True),
    Case("texts for a regressor", "target", "unfitted", "'yes'", numbers=classes, of=("numbers",), flags=("--task", "reg")),
    Case("fractions as classes", "target", "unfitted", "continuous", classes=lambda: [i / 7 for i in range(ROWS)], of=("classes",),
         flags=("--task", "class")),
    Case("dates as target", "target", "unfitted", "date", **with_target(lambda y: [dt.date(2024, 1, 1 + i) for i in range(ROWS)])),
    Case("one class", classes=lambda: ["only"] * ROWS, of=("classes",), differ={"command line fit": "target", "command line predict": "unfitted"}),
    Case("one number", numbers=lambda: [0.1] * ROWS, of=("numbers",), differ={"command line fit": "target", "command line predict": "unfitted"}),
    Case("targets of +-1e200", numbers=lambda: [1e200 if i % 2 else -1e200 for i in range(ROWS)], of=("numbers",), flags=("--task", "reg")),
    Case("targets of +-1.7e308", numbers=lambda: [1.7e308 if i % 2 else -1.7e308 for i in range(ROWS)], of=("numbers",), flags=("--task", "reg")),
    Case("targets of 1e-300", numbers=lambda: [i * 1e-300 for i in range(ROWS)], of=("numbers",), flags=("--task", "reg")),
    Case("integer labels with gaps", classes=lambda: [[-7, 10**12, 3][i % 3] for i in range(ROWS)], of=("classes",)),
    Case("integer labels beyond 2^53", classes=lambda: [2**60 + i % 2 for i in range(ROWS)], of=("classes",), no_file=True),
    Case("boolean labels", classes=lambda: [i % 3 == 0 for i in range(ROWS)], of=("classes",)),
    Case("labels of bytes", classes=lambda: [[b"a", b"b"][i % 2] for i in range(ROWS)], of=("classes",), no_file=True),
    Case("categorical labels", classes=lambda: pd.Series(pd.Categorical(classes(), ["no", "never", "yes"])), of=("classes",), no_file=True),
    Case("an empty text as label", classes=lambda: ["" if i % 2 else "a" for i in range(ROWS)], of=("classes",),
         differ={"command line fit": "target", "command line predict": "unfitted"}),
    Case("labels that differ in case and spaces", classes=lambda: [["a", "A", "a "][i % 3] for i in range(ROWS)], of=("classes",)),
    Case("a class for each row", classes=lambda: [f"c{i}" for i in range(ROWS)], of=("classes",),
         differ={"command line fit": "target", "command line predict": "unfitted"}),
    Case("a class of one row", classes=lambda: at(3, "rare")(classes()), of=("classes",)),
]  # fmt: skip


def weighted(change: Callable[[list[float]], Any]) -> Callable[[], Any]:
    return lambda: change([1.0] * ROWS)


WEIGHTS = [
    Case("negative weights", "weights", "unfitted", "row 2", weights=weighted(at(2, -1.0))),
    Case("all weights zero", "weights", "unfitted", "zero", weights=weighted(lambda w: [0.0] * len(w))),
    Case("some weights zero", weights=weighted(lambda w: [float(i % 2) for i in range(len(w))])),
    Case("NaN as weight", "weights", "unfitted", "row 2", weights=weighted(at(2, NAN))),
    Case("inf as weight", "weights", "unfitted", "row 2", weights=weighted(at(2, INF)), differ={"command line fit": "column"}),
    Case("too few weights", "weights", "unfitted", r"\[24, 23\]", weights=weighted(lambda w: w[1:]), no_file=True),
    Case("weights in two dimensions", "weights", "unfitted", "1D", weights=weighted(lambda w: [[x] for x in w]), no_file=True),
    Case("texts as weights", "weights", "unfitted", "numbers", weights=weighted(lambda w: ["heavy"] * len(w))),
    Case("weights with a sum beyond float64", "weights", "unfitted", "sum", weights=weighted(lambda w: [1e308] * len(w))),
    Case("weights of 1e-300", weights=weighted(lambda w: [1e-300] * len(w))),
    Case("weights of 1e300", weights=weighted(lambda w: [1e300] * len(w))),
    Case("weights from 1e-10 to 1e10", weights=weighted(lambda w: [10.0 ** (i % 21 - 10) for i in range(len(w))])),
]  # fmt: skip


def wrong(
    name: str, says: str, flags: tuple[str, ...] = (), *, of: dict[str, Any], boosting: Any = None
) -> Case:
    return Case(name, "parameter", "unfitted", says, parameters=of, boosting=boosting, flags=flags, no_file=not flags,
                differ={"command line fit": "usage"} if flags else {})  # fmt: skip


PARAMETERS = [
    wrong("a parameter name with a typing error", "max_dep", ("--max-dept", "3"), of={"max_dept": 3}),
    wrong("a name of a parameter that does not exist", "colour", ("--colour", "red"), of={"colour": "red"}),
    wrong("a text for a number", "max_depth", ("--max-depth", "deep"), of={"max_depth": "deep"}),
    wrong("NaN for a number", "max_depth", ("--max-depth", "nan"), of={"max_depth": NAN}),
    wrong("a negative number", "max_depth", ("--max-depth", "-1"), of={"max_depth": -1}),
    wrong("a fraction for a count", "max_depth", ("--max-depth", "1.5"), of={"max_depth": 1.5}),
    wrong("True for a count", "max_depth", of={"max_depth": True}),
    wrong("a leaf of no rows", "min_samples_leaf", ("--min-leaf", "0"), of={"min_samples_leaf": 0}),
    wrong("no leaves", "max_leaf_nodes", ("--max-leaves", "0"), of={"max_leaf_nodes": 0}),
    wrong("max_features of 0", "max_features", of={"max_features": 0}, boosting={"max_features": 0.0}),
    wrong("a name that is not in the list", "criterion|loss", ("--criterion", "ginny"),
          of={"criterion": "ginny"}, boosting={"loss": "logg"}),
    wrong("a negative seed", "random_state", ("--seed", "-1"), of={"random_state": -1}),
    wrong("a text as seed", "random_state", ("--seed", "x"), of={"random_state": "x"}),
    wrong("no threads", "n_jobs", ("--threads", "0"), of={"n_jobs": 0}),
    wrong("monotone columns of the wrong number", "monotonic_cst", of={"monotonic_cst": [1, 0]}),
    wrong("a monotone column that does not exist", "monotonic_cst", of={"monotonic_cst": {"no such": 1}}),
    wrong("a text for a switch", "verbose", of={"verbose": "loud"}),
    Case("a function of the wrong number of arguments", "parameter", "unfitted", "argument|criterion", parameters={"criterion": lambda a, b: 0},
         boosting={"loss": lambda y: 0}, no_file=True, differ={"boosting fit": "loss"}),
    Case("a learning rate beyond any sum", boosting={"learning_rate": 1e308, "min_samples_leaf": 1}, of=("numbers",), no_file=True,
         differ={"boosting fit": "loss", "boosting predict": "unfitted"}),
    Case("a depth beyond any number", "works", "works", parameters={"max_depth": 2**62}, flags=("--max-depth", str(2**62))),
]  # fmt: skip

CASES = [*TABLES, *TARGETS, *WEIGHTS, *PARAMETERS]
