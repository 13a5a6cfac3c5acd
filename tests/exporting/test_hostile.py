"""Names and categories that try to break out of texts and identifiers do not, in any format."""

import csv
import io

import every_model
import numpy as np
import pandas as pd
import pytest

import bough
from bough.estimators.exports import ALL
from bough.exporting.fuzz import fuzz
from bough.exporting.plan import Plan
from bough.exporting.sql_run import RUNNERS
from bough.exporting.verify import differences

NAMES = [
    "it's",
    'quo"te',
    "back`tick",
    "back\\slash\\",
    "new\nline",
    "end */ comment",
    "dash -- comment",
    "; DROP TABLE bough_rows; --",
    "=1+1",
    "@SUM(A1)",
    "{table}",
    "${x} `${1}`",
    "</script><b>&amp;",
    "]]>",
    "%s %d {0}",
    "select",
    "class",
    "prediction",
    "probabilities",
    "p_no",
    "bough_row_2",
    "ünïcödé 漢字 🙂",
    "\u2028separator",
    "x" * 200,
    "UPPER",
    "?? / ??=",
    "//#",
    "__proto__",
    "1starts",
    "tab\there",
]
DRAWN = ("svg", "png", "dot", "mermaid")  # not run; their escapes have tests of their own
FORMATS = [(f.name, d) for f in ALL if f.name not in DRAWN for d in f.dialects or ("",)]
FORMATS = [(name, dialect) for name, dialect in FORMATS if name != "sql" or dialect in RUNNERS]


def hostile_model(names=NAMES, n=240):
    """A tree that asks for many columns, whose categories are hostile too."""
    rng = np.random.default_rng(0)
    data = pd.DataFrame({name: rng.choice(names, n) for name in names[:12]})
    for name in names[12:]:
        data[name] = rng.normal(size=n).round(3)
    y = rng.choice(np.array(["no", "it's", 'a"b\\', "</b>\n--", "=1"], dtype=object), n)
    return bough.DecisionTreeClassifier(min_samples_leaf=2, max_depth=8).fit(data, y)


@pytest.fixture(scope="module")
def model():
    return hostile_model()


@pytest.mark.parametrize(("to", "dialect"), FORMATS, ids=str)
def test_hostile_names_stay_names(to, dialect, model):
    plan = Plan(model.tree_)
    format_ = next(f for f in ALL if f.name == to)
    run, by = format_.runner(dialect)
    if run is None:
        pytest.skip(f"{to} cannot be run here: {by}")
    rows = fuzz(plan, 400)
    content = format_.write(plan, **({"dialect": dialect} if dialect else {}))
    wrong, texts = differences(plan, rows.table, run(content, plan, rows))
    assert not wrong.size, texts


def test_a_forest_of_hostile_names(model):
    small = bough.prune(model.tree_, method="max_leaves", max_leaves=12)
    forest = every_model.joined([small, small], "mean")
    for to in ("sql", "python", "c", "js", "onnx"):
        assert bough.export(forest, to).verified, to


@pytest.mark.parametrize("text", ["zero\0byte", "\ud800"])
def test_what_a_format_cannot_write_it_refuses(text):
    data = {"a": [text, "b", "c", text, "b", "c"]}
    model = bough.DecisionTreeClassifier().fit(data, [0, 1, 1, 0, 1, 1])
    for to in ("sql", "python", "c", "js", "onnx", "pmml", "json", "xlsx"):
        try:
            made = bough.export(model, to)
        except bough.BoughError as error:
            if error.code != "export":
                raise
        else:
            assert made.verified, to


def test_the_empty_text_is_a_category_or_refused():
    model = bough.DecisionTreeClassifier().fit({"a": ["", "b", "c", "", "b", "c"]}, [0, 1, 1, 0, 1, 1])
    for to in ("sql", "python", "c", "js", "pmml", "json"):
        if next(f for f in ALL if f.name == to).runner("duckdb")[0] is not None:
            assert bough.export(model, to).verified, to
    for to in ("onnx", "xlsx"):
        with pytest.raises(bough.BoughError, match='category ""'):
            bough.export(model, to)


@pytest.mark.parametrize("dialect", ["mysql", "bigquery", "snowflake", "postgres"])
def test_texts_of_other_dialects_are_closed(dialect, model):
    """Read by the rules of the dialect, every text and name ends where it is meant to end."""
    query = bough.export(model, "sql", dialect=dialect, verify=False).content
    backslash = dialect in ("mysql", "bigquery", "snowflake")
    doubled = dialect != "bigquery"
    place, outside = 0, []
    while place < len(query):
        mark = query[place]
        if mark not in "'\"`":
            outside.append(mark)
            place += 1
            continue
        place += 1
        while query[place] != mark or (doubled and query[place + 1 : place + 2] == mark):
            escapes = backslash and (mark == "'" or not doubled)
            place += 2 if (query[place] == "\\" and escapes) or query[place] == mark else 1
        place += 1
    text = "".join(outside)
    assert "DROP" not in text
    assert "--" not in text
    assert "*/" not in text
    assert text.count("CASE") == text.count(" END")


def test_csv_of_rules_holds_no_formula(model):
    made = bough.export(model, "rules", dialect="csv").content
    cells = [cell for row in csv.reader(io.StringIO(made, newline="")) for cell in row]
    assert len(cells) == 6 * (1 + model.tree_.n_leaves)
    assert not any(cell.startswith(("=", "+", "@")) for cell in cells)
