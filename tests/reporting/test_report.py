"""Tests of the report: its numbers are the model's, its parts are all there, its names are only text."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bough
from bough.data.examples import load
from reporting.parsed import Report

PARTS = [
    "summary",
    "check",
    "tree",
    "rules",
    "quality",
    "columns",
    "missing",
    "stability",
    "numbers",
    "reproduce",
]
HOSTILE = [
    "</script><script>window.hurt=1</script>",
    '"><img src=x onerror=window.hurt=1>',
    "'; DROP TABLE x; --",
    "\u202eevil\u202c",
    "🌳" * 5,
    "x" * 200,
    "=1+1",
    "a & b < c",
    "${1}`",
]


def titanic() -> tuple[Any, Any]:
    return load("titanic")


def mass() -> tuple[Any, Any]:
    columns, species = load("penguins")
    weights = columns.pop("body_mass_g")
    kept = [i for i, value in enumerate(weights) if value is not None]
    columns["species"] = species
    return {name: [values[i] for i in kept] for name, values in columns.items()}, [weights[i] for i in kept]


CASES: dict[str, tuple[Any, Any]] = {
    "two classes": (bough.DecisionTreeClassifier(max_leaf_nodes=7), titanic),
    "more classes": (bough.DecisionTreeClassifier(max_leaf_nodes=5), lambda: load("penguins")),
    "numbers": (bough.DecisionTreeRegressor(max_leaf_nodes=6), mass),
    "many branches": (bough.C45Classifier(), titanic),
    "rows in parts": (
        bough.DecisionTreeClassifier(criterion="entropy", categories="multiway", missing="fractional"),
        lambda: load("csection"),
    ),
    "surrogates": (bough.CARTClassifier(), titanic),
    "a few rows": (bough.ID3Classifier(), lambda: load("tennis")),
    "pruned numbers": (bough.CARTRegressor(), mass),
}


@pytest.fixture(scope="module", params=list(CASES))
def made(request: pytest.FixtureRequest) -> tuple[Any, Any, Any, Report, str]:
    model, data = CASES[request.param]
    X, y = data()
    model.fit(X, y)
    text = bough.report(model, X, y, source="some.csv", target="aim", bootstrap=10)
    return model, X, y, Report(text), text


def test_all_parts_are_there(made: Any) -> None:
    *_, page, text = made
    assert re.findall(r'<section id="([a-z]+)"', text) == PARTS
    links = [given["href"] for tag, given in page.tags if tag == "a"]
    assert links == [f"#{name}" for name in PARTS]
    assert "some.csv" in text
    assert re.search(r"<h1>aim: a tree with \d+ leaves</h1>", text)


def test_rows_of_the_rules_are_the_leaves(made: Any) -> None:
    model, X, _, page, _ = made
    tree = model.tree_
    rows = page.body("rules", "data-node")
    shown = {int(row.attributes["data-node"]): row for row in rows}
    assert set(shown) == {leaf.id for leaf in tree.leaves()}
    for node, row in shown.items():
        assert int(row.attributes["data-rows"]) == tree.n_rows[node]
    spreads = (tree.missing_child == -2).any() and tree.n_missing.any()
    total = sum(float(row.cells[6].replace(",", "")) for row in rows)
    assert total == pytest.approx(tree.weight[0], abs=0.05 * len(rows) if spreads else 0)
    sizes = [float(row.cells[6].replace(",", "")) for row in rows]
    assert sizes == sorted(sizes, reverse=True)
    if not spreads and not len(tree.surrogate_feature):
        ends, counts = np.unique(model.apply(X), return_counts=True)
        for node, count in zip(ends.tolist(), counts.tolist(), strict=True):
            assert int(shown[node].attributes["data-rows"]) == count


def test_figures_are_those_of_evaluate(made: Any) -> None:
    model, X, y, page, _ = made
    found = bough.evaluate(model, X, y)
    rows = page.body("quality", "data-figure")
    shown = {row.attributes["data-figure"]: float(row.attributes["data-value"]) for row in rows}
    assert set(shown) == set(found) - ({"recall"} if "sensitivity" in found else set())
    for name, value in shown.items():
        assert value == pytest.approx(found[name].value, rel=1e-12), name
        printed = page.body("quality", "data-figure")[list(shown).index(name)].cells[1]
        assert float(printed) == pytest.approx(value, abs=5.1e-5, rel=5.1e-4)
    headline = page.tiles["rmse" if "rmse" in found else "accuracy"]
    if "rmse" in found:
        assert headline.startswith(f"{found['rmse'].value:.1f}"[:5])
    else:
        assert headline.startswith(f"{found['accuracy'].value:.1%} ± {100 * found.standard_error:.1f}")
        matrix = [row.attributes["data-counts"].split() for row in page.body("quality", "data-counts")]
        np.testing.assert_array_equal(np.array(matrix, dtype=float), found.confusion)


def test_shares_of_the_gain_are_the_importances(made: Any) -> None:
    model, *_, page, _ = made
    rows = page.body("columns", "data-column")
    shown = {row.attributes["data-column"]: float(row.attributes["data-share"]) for row in rows}
    expected = dict(zip([f.name for f in model.tree_.fields], model.feature_importances_, strict=True))
    assert shown == pytest.approx(expected, abs=1e-6)


def test_missing_rows_are_those_of_the_nodes(made: Any) -> None:
    model, *_, page, _ = made
    rows = page.body("missing", "data-node")
    shown = {int(row.attributes["data-node"]): int(row.attributes["data-missing"]) for row in rows}
    tree = model.tree_
    assert all(tree.n_missing[node] == count for node, count in shown.items())
    asked = {node.id for node in tree.nodes() if node.n_missing}
    assert asked <= set(shown)


def test_every_number_has_the_gain_of_the_tree(made: Any) -> None:
    model, *_, page, _ = made
    gains = [row.cells[3] for row in page.rows.get("numbers", []) if row.cells and row.cells[0] == "→"]
    asking = [node for node in model.tree_.nodes() if node.column is not None][: len(gains)]
    assert asking
    for text, node in zip(gains, asking, strict=True):
        assert float(text) == pytest.approx(node.gain, abs=5.1e-5, rel=1e-5)


def test_no_external_references_and_only_its_own_script(made: Any) -> None:
    *_, page, text = made
    for tag, given in page.tags:
        assert tag not in ("link", "iframe", "object", "embed", "base", "img"), tag
        assert not any(name.startswith("on") for name in given), (tag, given)
        assert "style" not in given
        for name in ("src", "href", "xlink:href", "action"):
            assert given.get(name, "#").startswith("#"), (tag, given)
    assert "default-src 'none'" in text
    assert not re.search(r"url\((?!#)", text)
    assert "@import" not in text
    assert len(text.encode()) <= 150_000


def test_no_text_is_set_below_eleven_pixels(made: Any) -> None:
    *_, page, _ = made
    sizes = [float(given["font-size"]) for _, given in page.tags if "font-size" in given]
    assert min(sizes) >= 11


def test_hostile_names_are_text_everywhere() -> None:
    n = 90
    random = np.random.default_rng(0)
    columns: dict[str, Any] = {name: random.normal(size=n) for name in HOSTILE[:4]}
    columns[HOSTILE[4]] = [HOSTILE[i % len(HOSTILE)] for i in range(n)]
    columns["<=b"] = [None if i % 3 else float(i) for i in range(n)]
    y = [HOSTILE[int(x > 0)] for x in columns[HOSTILE[0]]]
    model = bough.DecisionTreeClassifier(max_leaf_nodes=9).fit(columns, y)
    text = bough.report(
        model,
        columns,
        y,
        title=HOSTILE[0],
        source=HOSTILE[1],
        target=HOSTILE[0],
        command=HOSTILE[0],
        bootstrap=5,
    )
    page = Report(text)
    assert [tag for tag, _ in page.tags].count("script") == 2  # the page's own, and the tree's data
    assert not any(name.startswith("on") for _, given in page.tags for name in given)
    assert "<img" not in text
    assert "\u202e" not in text


def test_checks_name_what_is_wrong() -> None:
    random = np.random.default_rng(0)
    n = 200
    y = np.where(random.random(n) < 0.08, "yes", "no")
    columns = {
        "patient": np.arange(n) + 1000,
        "outcome_code": np.where(y == "yes", 7.0, 3.0),
        "a": random.normal(size=n),
        "mostly": [None if i % 5 else float(i % 10) for i in range(n)],
    }
    model = bough.DecisionTreeClassifier(max_leaf_nodes=4).fit(columns, y)
    said = Report(bough.report(model, columns, y, bootstrap=20)).texts["check"]
    for words in (
        "patient: 200 different whole numbers",
        "outcome_code: it alone predicts",
        'class "yes" is rare',
    ):
        assert words in said
    assert "The tree does not ask it." in said
    noise = bough.DecisionTreeClassifier(max_leaf_nodes=12).fit(
        {"a": columns["a"], "m": columns["mostly"]}, y
    )
    said = Report(bough.report(noise, {"a": columns["a"], "m": columns["mostly"]}, y, bootstrap=50)).texts[
        "check"
    ]
    assert "Hardly better than no tree." in said
    assert "fewer than 20 rows" in said
    titanic_said = Report(
        bough.report(bough.DecisionTreeClassifier(max_leaf_nodes=7).fit(*titanic()), *titanic(), bootstrap=10)
    ).texts["check"]
    assert "471 of the 577 rows at node 1 have no deck" in titanic_said


def test_the_query_gives_the_answers_of_the_model() -> None:
    import duckdb
    import pandas as pd

    X, y = titanic()
    frame = pd.DataFrame(X)
    model = bough.DecisionTreeClassifier(max_leaf_nodes=7).fit(X, y)
    text = bough.report(model, X, y, bootstrap=5)
    query = html.unescape(re.search(r'class="sql">.*?<pre>(.*?)</pre>', text, re.S).group(1))  # type: ignore[union-attr]
    with duckdb.connect() as connection:
        connection.register("passengers", frame)
        found = connection.execute(query.replace("{table}", "passengers")).df()
    assert found["prediction"].tolist() == model.predict(X).tolist()


def test_a_clear_table_has_nothing_to_check() -> None:
    random = np.random.default_rng(1)
    x = random.random(400)
    y = np.where((x > 0.5) ^ (random.random(400) < 0.1), "b", "a")
    model = bough.DecisionStumpClassifier().fit({"x": x, "z": random.random(400)}, y)
    said = Report(bough.report(model, {"x": x, "z": random.random(400)}, y, bootstrap=20)).texts["check"]
    assert "Nothing was found." in said


def test_an_unstable_root_is_told() -> None:
    random = np.random.default_rng(3)
    x = random.normal(size=300)
    columns = {"one": x + 0.3 * random.normal(size=300), "other": x + 0.3 * random.normal(size=300)}
    y = x > 0
    model = bough.DecisionTreeClassifier(max_leaf_nodes=4).fit(columns, y)
    page = Report(bough.report(model, columns, y, bootstrap=60))
    if "The first question is unstable." not in page.texts["check"]:
        pytest.fail(page.texts["stability"])
    rows = page.body("stability", "data-column")
    assert sum(int(row.cells[2]) for row in rows) == 60


def test_a_test_set_stands_beside() -> None:
    columns, y = titanic()
    first = {name: values[:600] for name, values in columns.items()}
    rest = {name: values[600:] for name, values in columns.items()}
    model = bough.DecisionTreeClassifier(max_leaf_nodes=5).fit(first, y[:600])
    page = Report(bough.report(model, first, y[:600], test=(rest, y[600:]), bootstrap=5))
    right = model.score(rest, y[600:])
    accuracy = next(
        r for r in page.body("quality", "data-figure") if r.attributes["data-figure"] == "accuracy"
    )
    assert float(accuracy.cells[4]) == pytest.approx(right, abs=5.1e-5)
    assert page.tiles["test"].startswith(f"{right:.1%}")


def test_costs_weights_and_the_positive_class() -> None:
    columns, y = titanic()
    w = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    model = bough.DecisionTreeClassifier(max_leaf_nodes=5).fit(columns, y, sample_weight=w)
    wish = {"sample_weight": w, "costs": {"fn": 5, "fp": 1}, "positive": "died"}
    page = Report(bough.report(model, columns, y, bootstrap=5, **wish))
    kept = np.flatnonzero(w)
    rows = {name: [values[i] for i in kept] for name, values in columns.items()}
    found = bough.evaluate(model, rows, np.array(y)[kept], **wish | {"sample_weight": w[kept]})
    cost = next(r for r in page.body("quality", "data-figure") if r.attributes["data-figure"] == "cost")
    assert float(cost.attributes["data-value"]) == pytest.approx(found["cost"].value)
    assert "Rates are about died" in page.texts["quality"]


def test_too_few_rows_for_folds_and_a_single_leaf() -> None:
    columns, y = {"a": [1.0, 2.0, 3.0]}, ["x", "x", "y"]
    text = bough.report(bough.DecisionTreeClassifier().fit(columns, y), columns, y, bootstrap=5)
    assert "Not tested on other rows." in text
    random = np.random.default_rng(0)
    X, noise = random.normal(size=(60, 2)), random.normal(size=60)
    lone = bough.CARTRegressor()
    text = bough.report(lone.fit(X, noise), X, noise, bootstrap=5)
    assert "The tree asks nothing" in text


def test_a_large_tree_is_folded_and_cut() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(3000, 4))
    y = random.random(3000) < 0.5
    model = bough.DecisionTreeClassifier().fit(X, y)
    assert model.get_n_leaves() > 400
    text = bough.report(model, X, y, cv=3, bootstrap=3)
    assert len(text.encode()) < 700_000
    assert "more." in Report(text).texts["rules"]


def test_the_file_is_the_text_and_the_model_stays(tmp_path: Path) -> None:
    X, y = titanic()
    model = bough.DecisionTreeClassifier(max_leaf_nodes=4).fit(X, y)
    digest = model.digest()
    text = bough.report(model, X, y, tmp_path / "r.html", bootstrap=5)
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == text
    assert model.digest() == digest
    assert digest in text
    again = bough.report(model, X, y, bootstrap=5)
    assert re.sub(r"in [\d.]+ s", "", again) == re.sub(r"in [\d.]+ s", "", text)


def test_models_without_a_tree_are_refused() -> None:
    from sklearn.linear_model import LogisticRegression

    with pytest.raises(bough.BoughError, match="about fitted trees"):
        bough.report(LogisticRegression(), [[1.0]], [1])
    with pytest.raises(bough.BoughError, match="Fit it first"):
        bough.report(bough.DecisionTreeClassifier(), [[1.0]], [1])
