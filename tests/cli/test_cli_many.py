"""Tests of forests and boosted trees on the command line: what is printed are the model's own numbers."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import good, run

import bough
from bough.data.examples import load

TITANIC = Path(bough.__file__).parent / "data/tables/titanic.csv"


@pytest.fixture(scope="module", params=["forest", "boost"])
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp(request.param)
    words = ["fit", TITANIC, "-t", "survived", "--model", request.param, "--trees", 60, "--min-leaf", 5]
    return folder, json.loads(good(*words, "-o", folder / "m.bough", "--json"))


def test_fit_tells_curve_and_importances(place: Any) -> None:
    folder, told = place
    model = bough.load(folder / "m.bough")
    assert told["trees"] == 60
    assert told["scores"]["accuracy"] > told["scores"]["largest_class"]
    curve = told["curve"][0]
    if hasattr(model, "oob_curve_"):
        assert np.column_stack([curve["x"], curve["y"]]).tolist() == model.oob_curve_.tolist()
        assert told["importance"] == "unbiased"
    else:
        assert curve["y"] == model.train_loss_.tolist()
        assert told["importance"] == "permutation"
    assert list(told["importances"].values()) == list(model.ensemble_.notes.values)
    text = good(
        "fit", TITANIC, "-t", "survived", "--model",
        "forest" if hasattr(model, "oob_curve_") else "boost", "--trees", 60, "--choose", "none", "-o",
        folder / "other.bough", "--plain",
    )  # fmt: skip
    assert text.isascii()
    assert re.search(r"out-of-bag accuracy \d\d\.\d%|training log loss 0\.\d+ after 60 rounds", text)
    assert re.search(r"^sex +\d+\.\d+%? +#+$", text, re.MULTILINE)


@pytest.mark.parametrize("many", ["forest", "boost"])
def test_fit_of_a_number(many: str, tmp_path: Path) -> None:
    words = ["fit", TITANIC, "-t", "fare", "--model", many, "--trees", 10, "-o", tmp_path / "m.bough"]
    scores = json.loads(good(*words, "--json"))["scores"]
    assert 0 < scores["rmse"] < scores["rmse_of_mean"]
    # R² is about the mean of the same rows, those held out; of all rows the spread is 49.67.
    assert scores["r2"] == pytest.approx(1 - (scores["rmse"] / scores["rmse_of_mean"]) ** 2)
    assert f"RMSE {scores['rmse']:.4g}   always the mean 46.77   R² {scores['r2']:.3f}" in good(*words)


def test_show_draws_one_of_them(place: Any) -> None:
    folder, _ = place
    model = bough.load(folder / "m.bough")
    file = folder / "m.bough"
    assert good("show", file).rstrip("\n") == str(model.ensemble_)
    assert good("show", file, "--tree", 3).rstrip("\n") == str(model.ensemble_[3])
    svg = good("show", file, "--tree", 59, "--format", "svg")
    assert svg.rstrip("\n") == model.to_svg(tree=59)
    for words, code in ((["--tree", 60], 2), (["--format", "svg"], 3)):
        result = run("show", file, *words)
        assert result.exit_code == code
        assert "59" in result.stderr


@pytest.mark.parametrize("kind", ["forest", "boost"])
def test_a_column_of_many_values_that_says_nothing_is_not_first(kind: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    signal, noise = rng.integers(0, 2, 1000), rng.integers(0, 500, 1000)
    y = np.where(rng.random(1000) < 0.35 + 0.3 * signal, "yes", "no")
    rows = "".join(f"{s},id{n},{v}\n" for s, n, v in zip(signal, noise, y, strict=True))
    (tmp_path / "n.csv").write_text("signal,noise,y\n" + rows)
    file = tmp_path / "m.bough"
    told = good("fit", tmp_path / "n.csv", "-t", "y", "--model", kind, "--trees", 30, "-o", file)
    for text in (told, good("show", file)):
        assert re.findall("^(signal|noise) ", text, re.MULTILINE) == ["signal", "noise"]
        assert "share of the gain" not in text


def test_explain_adds_up(place: Any) -> None:
    folder, _ = place
    model = bough.load(folder / "m.bough")
    told = json.loads(good("explain", folder / "m.bough", TITANIC, "--row", 17, "--json"))
    columns, _ = load("titanic")
    row = {name: [values[17]] for name, values in columns.items()}
    raw = model.ensemble_.raw(row)[0]
    place_of = 0 if len(raw) == 1 else list(model.classes_).index(told["prediction"])
    assert told["raw"] == pytest.approx(raw[place_of], abs=1e-12)
    total = told["base"] + sum(part["amount"] for part in told["contributions"])
    assert total == pytest.approx(told["raw"], abs=1e-9)
    sizes = [abs(part["amount"]) for part in told["contributions"]]
    assert sizes == sorted(sizes, reverse=True)
    text = good("explain", folder / "m.bough", "--set", "sex=male", "--set", "age=")
    assert text.startswith("died, ")
    assert "sex = male" in text
    assert "age = missing" in text


def test_report_of_many(place: Any) -> None:
    folder, _ = place
    out = folder / "r.html"
    said = good("report", folder / "m.bough", TITANIC, "--folds", 2, "--tree", 7, "-o", out)
    assert "leaves" in said
    page = out.read_text(encoding="utf-8")
    assert "Tree 7 of 60" in page
    assert bough.load(folder / "m.bough").digest() in page
    assert run("report", folder / "m.bough", TITANIC, "--tree", 60, "-o", out).exit_code == 2


def test_a_narrow_terminal_folds_what_is_said_and_shortens_the_bars(
    place: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, _ = place
    kind = "forest" if hasattr(bough.load(folder / "m.bough"), "oob_score_") else "boost"
    words = ("fit", TITANIC, "-t", "survived", "--model", kind, "--trees", 5, "-o", tmp_path / "n.bough")
    wide, shown = good(*words), good("show", folder / "m.bough")
    for module in ("common", "fit_output", "show"):
        monkeypatch.setattr(f"bough.cli.{module}.terminal_width", lambda: 50)
    narrow = good(*words)
    assert max(map(len, wide.split("\n"))) > 50
    told = narrow.split("saved")[0].split("\n")
    # A command is one line, to be copied.
    assert not [line for line in told if len(line) > 50 and "Try:" not in line]
    assert re.sub(r"[\s▇]+", " ", narrow) == re.sub(r"[\s▇]+", " ", wide)
    small = good("show", folder / "m.bough")
    assert max(map(len, small.split("\n"))) <= 50
    assert re.sub(r"[\s▇]+", " ", small) == re.sub(r"[\s▇]+", " ", shown)
    good("show", folder / "m.bough", "-o", tmp_path / "m.txt")
    assert (tmp_path / "m.txt").read_text(encoding="utf-8") == shown


@pytest.mark.parametrize("words", [("--model", "forest", "--trees", 60), ("--choose", "holdout")])
def test_the_baseline_is_that_of_the_rows_held_out(words: tuple[Any, ...], tmp_path: Path) -> None:
    """Third class, held out as one group: 372 of its 491 passengers died."""
    text = good(
        "fit",
        TITANIC,
        "-t",
        "survived",
        *words,
        "--group",
        "pclass",
        "--no-report",
        "-o",
        tmp_path / "m.bough",
    )
    copy = " from a copy of it" if "forest" in words else ""
    assert f"rows held out{copy} (55%, 491 of 891)" in text
    assert "out-of-bag" not in text  # rows of a group are in the bags and out of them
    assert f'always "died" {372 / 491:.1%}' in text  # of the others most survived
    assert "out-of-bag" not in good("show", tmp_path / "m.bough")
    if "forest" in words:
        more = ["--group", "pclass", "--json", "-o", tmp_path / "m.bough"]
        told = json.loads(good("fit", TITANIC, "-t", "survived", *words, *more))
        assert told["out_of_bag"] is None
        assert told["scored_by"] == "rows held out"


@pytest.mark.parametrize("model", ["forest", "boost"])
def test_importances_are_those_of_new_groups(model: str, tmp_path: Path) -> None:
    """The age tells who somebody is, and with it the answer, but nothing of anybody else."""
    random = np.random.default_rng(0)
    who = np.repeat(np.arange(60), 10)
    answer = np.arange(60) % 2
    lines = [f"{w},{20 + w / 2},{random.normal():.3f},{'yes' if answer[w] else 'no'}" for w in who]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["who,age,noise,y", *lines]) + "\n")
    words = [
        "fit",
        path,
        "-t",
        "y",
        "--model",
        model,
        "--trees",
        40,
        "-o",
        tmp_path / "m.bough",
        "--no-report",
    ]
    known = json.loads(good(*words, "--drop", "who", "--json"))["importances"]
    told = json.loads(good(*words, "--group", "who", "--json"))
    assert known["age"] > 0.05
    assert told["importances"]["age"] < 0  # next to it in age everybody answers otherwise
    assert told["importance"] != "gain"
    text = good(*words, "--group", "who")
    assert text.index("noise") < text.index("age")
    kept = bough.load(tmp_path / "m.bough").ensemble_.notes
    assert dict(zip(["age", "noise"], kept.values, strict=True)) == told["importances"]  # in the file


@pytest.mark.parametrize("rare", ["b", None])
def test_a_class_of_one_row_is_judged_out_of_bag(rare: str | None, tmp_path: Path) -> None:
    """None can be held out of it, but the trees that have not seen it answer. Where all have seen it (a row
    of a large weight is in every bag), one class is left, which has no AUC."""
    path = tmp_path / "t.csv"
    weight = 1 if rare else 700  # whole weights are copies of rows
    rows = [f"{i % 7},{i % 5},1,a" for i in range(79)]
    path.write_text("\n".join(["x,z,w,y", *rows, f"9,9,{weight},b"]) + "\n")
    words = ["fit", path, "-t", "y", "--model", "forest", "--trees", 60, "-o", tmp_path / "m.bough"]
    told = json.loads(good(*words, *([] if rare else ["--weights", "w"]), "--json"))
    assert told["scored_by"] == "out of bag"
    assert told["scores"]["accuracy"] == pytest.approx(told["out_of_bag"]["score"])
    assert ("auc" in told["scores"]) == bool(rare)


def test_fit_tells_the_out_of_bag_score(tmp_path: Path) -> None:
    def told(*words: Any) -> Any:
        path = tmp_path / "m.bough"
        text = good("fit", TITANIC, "-t", "survived", "--choose", "none", "--json", "-o", path, *words)
        return json.loads(text)["out_of_bag"]

    found = told("--model", "forest", "--trees", 60)
    assert found["score"] == bough.load(tmp_path / "m.bough").oob_score_
    assert found["low"] < found["score"] < found["high"]
    assert told("--model", "forest", "--trees", 20) is None
    assert told("--model", "boost", "--trees", 5) is None


@pytest.mark.parametrize("target", ["survived", "fare", "weighted"])
def test_a_forest_has_one_score_that_of_all_rows_out_of_bag(target: str, tmp_path: Path) -> None:
    """Of the model that is saved: no copy is judged, and no second figure stands beside it."""
    path = tmp_path / "m.bough"
    words = ["fit", TITANIC, "-t", target if target != "weighted" else "survived", "--model", "forest", "-o"]
    words += [path, *(["--weights", "sibsp"] if target == "weighted" else [])]
    told = json.loads(good(*words, "--json"))
    scores, saved = told["scores"], bough.load(path)
    assert told["scored_by"] == "out of bag"
    score = scores["r2"] if target == "fare" else scores["accuracy"]
    assert score == pytest.approx(saved.oob_score_, abs=1e-12)
    low, high = saved.oob_interval_
    if target == "weighted":
        columns, y = load("titanic")
        w = columns.pop("sibsp")
        model = bough.RandomForestClassifier(oob_score=True, random_state=0)
        with pytest.warns(UserWarning, match="seen by every tree"):
            model.fit(columns, y, w)
        assert model.oob_score_ == saved.oob_score_
        given = model.oob_decision_function_
        known = ~np.isnan(given[:, 0])
        w, missed = np.array(w)[known], model.classes_[given[known].argmax(axis=1)] != np.array(y)[known]
        error = np.sqrt((w**2 * (missed - w @ missed / w.sum()) ** 2).sum()) / w.sum()
        assert scores["accuracy_error"] == pytest.approx(error)
    if target == "survived":
        assert 2 * 1.96 * scores["accuracy_error"] == pytest.approx(high - low, rel=0.01)
    text = good(*words)
    assert text.count("accuracy") == (target != "fare")
    assert "scores from out-of-bag answers, each row by the trees that have not seen it:" in text
    asked = good(*words, "--choose", "holdout")
    assert "scores from rows held out from a copy of it (" in asked


def test_one_row_out_of_bag_has_no_r2(tmp_path: Path) -> None:
    """The other, of a large weight, is in every bag."""
    path = tmp_path / "t.csv"
    path.write_text("x,w,y\n1,1,2.5\n2,17,3.5\n")
    words = ["fit", path, "-t", "y", "--task", "reg", "--weights", "w", "--model", "forest", "--trees", 60]
    told = json.loads(good(*words, "-o", tmp_path / "m.bough", "--json"))
    assert told["scored_by"] == "out of bag"
    assert set(told["scores"]) == {"rmse", "rmse_error", "rmse_of_mean"}
    text = good(*words, "-o", tmp_path / "m.bough")
    assert "RMSE 1 ± 0   always the mean 0\n" in text


@pytest.mark.parametrize("many", ["forest", "boost"])
def test_lines_of_words_are_no_longer_than_80_signs_in_a_pipe(many: str, tmp_path: Path) -> None:
    path = tmp_path / "m.bough"
    words = ["fit", TITANIC, "-t", "survived", "--model", many, "--trees", 60, "-o", path, "--holdout", 0.2]
    shown = [good(*words), good("show", path), good("eval", path, TITANIC), str(bough.load(path).ensemble_)]
    model = bough.load(path).set_params(oob_score=False) if many == "forest" else bough.load(path)
    columns, survived = bough.data.examples.load("titanic")
    shown.append(
        str(
            model.set_params(max_depth=3, min_samples_leaf=17, max_leaf_nodes=9)
            .fit(columns, survived)
            .ensemble_
        )
    )
    for text in shown:
        assert max(map(len, text.splitlines())) <= 80, text


def test_rows_held_out_once_tell_the_error_of_a_share_and_no_other(tmp_path: Path) -> None:
    words = ["fit", TITANIC, "--model", "boost", "--trees", "5", "--json", "-t"]
    found = json.loads(good(*words, "survived"))["scores"]
    right = found["accuracy"]
    assert found["accuracy_error"] == pytest.approx(np.sqrt(right * (1 - right) / 223))
    assert f"accuracy {right:.1%} ± {100 * found['accuracy_error']:.1f} " in good(
        *[w for w in words if w != "--json"], "survived"
    )
    assert "rmse_error" not in json.loads(good(*words, "fare"))["scores"]


def test_rows_kept_apart_are_not_counted_among_those_of_the_model() -> None:
    text = good("fit", TITANIC, "-t", "survived", "--model", "boost", "--trees", "5", "--holdout", "0.25")
    assert "boosted, on 668 rows" in text


def test_trees_without_a_split_are_told_of() -> None:
    found = json.loads(good("fit", "demo:tennis", "--model", "boost", "--trees", "3", "--json"))["warnings"]
    assert found[0].startswith("! no tree has a split: every row gets the same answer. 14 rows are too few")
    assert found[0].endswith("--min-leaf 1")
    few = good("fit", "demo:tennis", "--model", "boost", "--trees", "3", "--json", "--min-leaf", "1")
    assert not any("no tree has a split" in line for line in json.loads(few)["warnings"])


def test_a_copy_without_a_split_is_told_of(tmp_path: Path) -> None:
    """45 rows have room for two leaves of 20, the three quarters that a copy is fitted on have not."""
    (tmp_path / "t.csv").write_text("x,y\n" + "".join(f"{i},{'ab'[i > 22]}\n" for i in range(45)))
    words = ("--model", "boost", "--trees", 3, "-o", tmp_path / "m.bough")
    found = run("fit", tmp_path / "t.csv", "-t", "y", *words)
    assert "! a copy that judges: no tree has a split" in found.stderr
    assert "33 rows are too few for leaves of 20 rows. Try --min-leaf 1." in found.stderr
    assert found.stderr.count("no tree has a split") == 1
    assert run("fit", "demo:tennis", *words).stderr.count("no tree has a split") == 1


def test_rows_without_a_group_and_few_groups_are_told(tmp_path: Path) -> None:
    """The group -1 is another than none."""
    who = ["-1", "", "2", "3"] * 20
    lines = [f"{i},{who[i]},{i % 7 / 2 + i // 40}" for i in range(80)]
    (tmp_path / "t.csv").write_text("x,who,y\n" + "\n".join(lines) + "\n")
    words = ["fit", tmp_path / "t.csv", "-t", "y", "--task", "reg", "--no-report", "-o", tmp_path / "m.bough"]
    text = good(*words, "--group", "who", "--choose", "cv")
    assert "20 rows without a group are kept together." in text
    assert "4 folds instead of 10, because there are only 4 groups" in text
    other = "\n".join(line.replace(",,", ",9,") for line in lines)
    (tmp_path / "t.csv").write_text(f"x,who,y\n{other}\n")
    assert "without a group" not in good(*words, "--group", "who")


def test_leaves_are_written_alike(tmp_path: Path) -> None:
    lines = "\n".join(f"{i},{i * 7919 % 1201}" for i in range(1200))
    (tmp_path / "t.csv").write_text(f"x,y\n{lines}\n")
    X = {"x": [float(i) for i in range(1200)]}
    model = bough.DecisionTreeRegressor().fit(X, [i * 7919 % 1201 for i in range(1200)])
    model.save(tmp_path / "m.bough")
    words = ["report", tmp_path / "m.bough", tmp_path / "t.csv", "-t", "y", "-o", tmp_path / "r.html"]
    assert f"{model.get_n_leaves():,} leaves" in good(*words, "--folds", "2")
    assert model.get_n_leaves() > 1000
