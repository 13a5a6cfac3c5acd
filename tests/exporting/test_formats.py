"""Every format answers as the model does, run by what runs it, on rows around every threshold and gap."""

import every_model
import numpy as np
import pytest

import bough
from bough.estimators.exports import ALL
from bough.exporting import fuzz as fuzzing
from bough.exporting.fuzz import fuzz
from bough.exporting.plan import Plan
from bough.exporting.sql_run import RUNNERS
from bough.exporting.verify import differences

DRAWN = ("svg", "png", "dot", "mermaid")
MODELS = every_model.estimators() | every_model.ensembles()
SINGLE = set(every_model.estimators())
# What a format cannot say, and says so.
REFUSED = {
    "sql": {"median"},
    "onnx": {"fractional", "spread_numbers", "median"},
    "pmml": {"fractional", "spread_numbers", "median"},
    "xlsx": {"fractional", "spread_numbers"} | (set(MODELS) - SINGLE),
    "rules": set(MODELS) - SINGLE,
}
RUNS = [(f.name, dialect) for f in ALL for dialect in f.dialects or ("",) if f.name not in DRAWN]
RUNS = [(name, dialect) for name, dialect in RUNS if name != "sql" or dialect in RUNNERS]
RUNS = [(name, dialect) for name, dialect in RUNS if name != "rules" or dialect == "text"]


def planned(name):
    model = MODELS[name]
    return Plan(getattr(model, "tree_", model))


def content_and_runner(to, dialect, plan):
    format_ = next(f for f in ALL if f.name == to)
    run, by = format_.runner(dialect)
    if run is None:
        pytest.skip(f"{to} cannot be run here: {by}")
    return format_.write(plan, **({"dialect": dialect} if dialect else {})), run


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(("to", "dialect"), RUNS, ids=str)
def test_answers_are_those_of_the_model(to, dialect, name):
    plan = planned(name)
    if name in REFUSED.get(to, ()):
        with pytest.raises(bough.BoughError) as error:
            bough.export(plan.model, to)
        assert error.value.code == "export"
        return
    content, run = content_and_runner(to, dialect, plan)
    rows = fuzz(plan, 300, seed=len(name))
    wrong, texts = differences(plan, rows.table, run(content, plan, rows))
    assert not wrong.size, texts


def test_the_fuzz_table_has_what_it_must():
    plan = planned("subset")
    rows = fuzz(plan, 2000)
    for i, field in enumerate(plan.fields):
        values = rows.table.columns[i].values
        alone = np.isnan(values)
        for other in range(len(plan.fields)):
            if other != i:
                alone &= ~np.isnan(rows.table.columns[other].values)
        assert alone.any(), f"{field.name} is never missing alone"
        if field.kind == "nominal":
            assert rows.new in rows.values(i)
            assert rows.new not in field.categories
    tree = plan.model
    for node in np.flatnonzero((tree.feature >= 0) & np.isfinite(tree.threshold) & (tree.kind == 1)):
        field = plan.fields[tree.feature[node]]
        seen = set(rows.table.columns[tree.feature[node]].values.tolist())
        if field.kind == "numeric":
            t = float(tree.threshold[node])
            assert {t, np.nextafter(t, np.inf), np.nextafter(t, -np.inf)} <= seen
    assert {0.0, 1.7976931348623157e308, 5e-324} <= set(rows.table.columns[0].values.tolist())
    reached = np.unique(tree.apply(rows.table))
    assert len(reached) == tree.n_leaves


def test_categories_seen_in_training_but_not_at_the_node_are_in_the_table():
    """Some row comes to a node that asks for groups with a category that it does not list."""
    plan = planned("rare")
    tree, rows = plan.model, fuzz(plan, 2000)
    found = 0
    for node in np.flatnonzero(tree.kind == 2):
        listed = set(tree.category[tree.category_start[node] : tree.category_start[node + 1]].tolist())
        values = rows.table.columns[tree.feature[node]].values
        passing = np.asarray(tree.decision_path(rows.table)[:, [node]].todense())[:, 0] > 0
        others = set(range(len(plan.fields[tree.feature[node]].categories))) - listed
        found += int(np.isin(values[passing], list(others)).sum())
    assert found > 5


def test_special_values_are_not_lost():
    assert str(fuzzing.SPECIAL[1]) == "-0.0"


def test_sums_of_many_trees_are_taken_in_steps(monkeypatch):
    from bough.exporting import sql

    monkeypatch.setattr(sql, "STEP", 2)
    for name in ("softmax", "forest", "exp"):
        for dialect in RUNNERS:
            made = bough.export(MODELS[name], "sql", dialect=dialect)
            assert made.verified
            assert made.content.count("bough_part_0_1") == 2  # made in one step, used in the next


def test_deep_trees_are_written_in_parts():
    model = bough.DecisionTreeRegressor().fit(np.arange(90.0).reshape(-1, 1), 2.0 ** np.arange(90))
    assert model.get_depth() > 45
    for to in ("python", "c", "js", "onnx"):
        assert bough.export(model, to).verified, to


def test_a_limit_of_the_runtime_is_named(monkeypatch):
    def limited(plan, rows, query):
        raise RuntimeError("parser stack overflow")

    monkeypatch.setitem(RUNNERS, "sqlite", limited)
    with pytest.raises(bough.BoughError, match="does not run in sqlite: parser stack overflow") as error:
        bough.export(MODELS["subset"], "sql", dialect="sqlite")
    assert "smaller model" in error.value.hint


def test_a_report_says_what_was_done(tmp_path):
    data = every_model.frame(50, seed=9)
    made = bough.export(MODELS["subset"], "python", tmp_path / "m.py", verify=data)
    assert made.verified
    assert made.report == "verified by Python: 2,000 made rows and 50 rows of the data equal"
    assert (tmp_path / "m.py").read_text(encoding="utf-8") == made.content
    assert not bough.export(MODELS["subset"], "python", verify=False).verified
    for dialect in ("postgres", "mysql", "bigquery", "snowflake"):
        made = bough.export(MODELS["subset"], "sql", dialect=dialect)
        assert not made.verified
        assert made.report == f"not verified: no {dialect} server at hand"
    assert "not verified" in repr(made)


def test_ensembles_and_estimators_are_taken():
    assert bough.export(MODELS["forest"], "python").verified
    text = bough.export(MODELS["subset"], "json").content
    assert type(bough.from_json(text)) is bough.DecisionTreeClassifier


def test_wrong_names_are_answered_with_the_right_ones():
    with pytest.raises(bough.BoughError, match='Did you mean "js"'):
        bough.export(MODELS["subset"], "JavaScript")
    with pytest.raises(bough.BoughError, match='Did you mean "python"'):
        bough.export(MODELS["subset"], "pyton")
    with pytest.raises(bough.BoughError, match='Did you mean "postgres"'):
        bough.export(MODELS["subset"], "sql", dialect="postgre")
    with pytest.raises(bough.BoughError, match="no dialect"):
        bough.export(MODELS["subset"], "c", dialect="c99")
    with pytest.raises(bough.BoughError, match="not a model"):
        bough.export(object(), "c")


@pytest.mark.parametrize("to", ["svg", "dot", "mermaid"])
def test_drawings(to):
    made = bough.export(MODELS["subset"], to)
    assert not made.verified
    assert "age" in made.content


@pytest.mark.parametrize("dialect", ["text", "markdown", "csv"])
def test_rules(dialect):
    made = bough.export(MODELS["subset"], "rules", dialect=dialect)
    lines = made.content.strip().split("\n")
    assert len(lines) == MODELS["subset"].tree_.n_leaves + {"text": 0, "markdown": 2, "csv": 1}[dialect]


def test_equal_models_are_equal_exports():
    for to in ("sql", "python", "c", "js", "onnx", "pmml", "json", "xlsx"):
        made = [bough.export(MODELS["subset"], to, verify=False).content for _ in range(2)]
        assert made[0] == made[1], to


def test_packages_that_are_not_there_are_named(monkeypatch):
    import sys

    for to, package in (("onnx", "onnx"), ("xlsx", "xlsxwriter")):
        monkeypatch.setitem(sys.modules, package, None)
        with pytest.raises(bough.BoughError, match="needs the package") as error:
            bough.export(MODELS["subset"], to)
        assert error.value.code == "extra"
        assert "bough[export]" in error.value.hint
