"""Averages of models on the command line: what works answers as Python does, the rest says why not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from commands import good, run

import bough
from bough.data.examples import load

TRAINED, NEW = slice(0, 600), slice(600, None)


def table() -> tuple[pd.DataFrame, Any]:
    X, y = load("titanic")
    frame = pd.DataFrame(X)
    frame["age"] = frame["age"].astype(float)
    return frame, np.asarray(y)


@pytest.fixture(params=["classes", "numbers"])
def average(request: pytest.FixtureRequest) -> Any:
    """A tree, a forest and an average of two more, saved as avg.bough; new.csv has an unseen category."""
    X, y = table()
    kind = "Classifier" if request.param == "classes" else "Regressor"
    target = y if request.param == "classes" else X["fare"].to_numpy()
    X = X.drop(columns=["fare"])
    make = {name: getattr(bough, name + kind) for name in ("DecisionTree", "RandomForest", "WeightedAverage")}
    inner = [("b", make["DecisionTree"](max_depth=2)), ("c", make["DecisionTree"](max_depth=3))]
    model = make["WeightedAverage"](
        [
            ("tree", make["DecisionTree"](max_leaf_nodes=8)),
            ("forest", make["RandomForest"](n_estimators=5, random_state=0)),
            ("inner", make["WeightedAverage"](inner, cv=0.3)),
        ],
        cv=3,
    ).fit(X[TRAINED], target[TRAINED])
    model.save("avg.bough")
    rows = X[NEW].copy()
    rows.iloc[0, list(rows.columns).index("embarked")] = "Atlantis"
    rows.assign(y=target[NEW]).to_csv("new.csv", index=False)
    X[TRAINED].assign(y=target[TRAINED]).to_csv("old.csv", index=False)
    return model, rows


def test_predict(average: Any) -> None:
    model, rows = average
    said = run("predict", "avg.bough", "new.csv", "-o", "p.csv", "--threads", 1)
    assert said.exit_code == 0, said.stderr
    assert 'not seen in training: embarked "Atlantis"' in said.stderr
    found = pd.read_csv("p.csv")
    if hasattr(model, "classes_"):
        assert found["prediction"].tolist() == model.predict(rows).tolist()
        np.testing.assert_array_equal(found[[f"p_{c}" for c in model.classes_]], model.predict_proba(rows))
    else:
        np.testing.assert_array_equal(found["prediction"], model.predict(rows))
    assert run("predict", "avg.bough", "new.csv", "--leaf").exit_code == 2
    assert run("predict", "avg.bough", "new.csv", "--on-unseen", "error").exit_code == 3


def test_eval_and_compare(average: Any) -> None:
    model, rows = average
    told = json.loads(good("eval", "avg.bough", "new.csv", "-t", "y", "--json"))
    y = pd.read_csv("new.csv")["y"]
    name = "accuracy" if hasattr(model, "classes_") else "r2"
    assert told["figures"][name]["value"] == pytest.approx(model.score(rows, y))
    assert told["warnings"] == []
    assert "was fitted on these very rows" in good("eval", "avg.bough", "old.csv", "-t", "y")
    model.named_estimators_["tree"].save("tree.bough")
    both = good("compare", "avg.bough", "tree.bough", "--data", "new.csv", "-t", "y")
    assert "avg.bough" in both
    assert "tree.bough" in both


def test_explain_and_show(average: Any) -> None:
    model, rows = average
    told = json.loads(good("explain", "avg.bough", "new.csv", "--row", 3, "--json"))
    assert [one["name"] for one in told["members"]] == ["tree", "forest", "inner"]
    assert told["prediction"] == model.predict(rows[3:4])[0]
    assert "inner" in good("explain", "avg.bough", "--set", "sex=male")
    text = good("show", "avg.bough")
    assert text.startswith(f"{type(model).__name__}: 3 models, averaged")
    assert "DecisionTree" in text
    assert "2 models" in text


@pytest.mark.parametrize(
    "words",
    [
        ("export", "avg.bough", "--to", "sql"),
        ("export", "avg.bough", "--to", "json"),
        ("show", "avg.bough", "--format", "svg"),
        ("show", "avg.bough", "--tree", "0"),
        ("report", "avg.bough", "old.csv", "-t", "y"),
    ],
    ids=" ".join,
)
def test_what_is_about_one_model(average: Any, words: tuple[str, ...]) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert result.stderr.startswith(
        "error[parameter]: avg.bough is an average of 3 models, and this is about one"
    )
    assert "named_estimators_" in result.stderr


def test_show_as_json(average: Any) -> None:
    model, _ = average
    told = json.loads(good("show", "avg.bough", "--json"))
    assert told["model"] == type(model).__name__
    members = {one["name"]: one for one in told["members"]}
    assert [one["weight"] for one in members.values()] == model.weights_.tolist()
    assert members["tree"]["leaves"] == 8
    assert members["forest"]["trees"] == 5
    assert [one["name"] for one in members["inner"]["members"]] == ["b", "c"]
    assert told == json.loads(good("show", "avg.bough", "--format", "json"))


def test_an_average_that_is_damaged_or_no_table(average: Any) -> None:
    whole = Path("avg.bough").read_bytes()
    Path("cut.bough").write_bytes(whole[:-100])
    assert run("predict", "cut.bough", "new.csv").stderr.startswith("error[file]: cut.bough is not a whole")
    assert "avg.bough is a model, and a table is needed" in run("fit", "avg.bough", "-t", "y").stderr


def test_models_of_one_name_are_all_compared() -> None:
    X, y = table()
    X.assign(y=y).to_csv("t.csv", index=False)
    for folder, depth in (("a", 1), ("b", 2), ("c", 3)):
        Path(folder).mkdir()
        bough.DecisionTreeClassifier(max_depth=depth).fit(X, y).save(f"{folder}/m.bough")
    text = good("compare", "a/m.bough", "b/m.bough", "c/m.bough", "--data", "t.csv", "-t", "y")
    assert all(f"{folder}/m.bough" in text for folder in "abc")
    twice = run("compare", "a/m.bough", "a/m.bough", "--data", "t.csv", "-t", "y")
    assert twice.stderr.startswith("error[parameter]: a/m.bough is given 2 times.")
