"""Ranking on the command line: --qid with boosted trees, from the fit to figures and answers."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from commands import good, run

import bough
from bough.cli.fit_options import Asked
from bough.cli.model import Loaded, rows_for

ASKED = ["-t", "relevance", "--qid", "query", "--model", "boost", "--trees", "12"]


def searches(seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    match, age = rng.normal(size=400), rng.exponential(size=400)
    relevance = np.clip(np.round(match - 0.3 * age + 1 + rng.normal(scale=0.5, size=400)), 0, 4).astype(int)
    names = [f"q{number}" for number in rng.permutation(np.repeat(np.arange(40), 10))]
    return pd.DataFrame({"query": names, "relevance": relevance, "match": match, "age": age})


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ranking")
    searches(0).to_csv(folder / "old.csv", index=False)
    searches(1).to_csv(folder / "new.csv", index=False)
    good("fit", folder / "old.csv", *ASKED, "-o", folder / "m.bough")
    return folder


def test_fit_is_the_ranker_of_the_same_rows(place: Path) -> None:
    told = json.loads(good("fit", place / "old.csv", *ASKED, "-o", place / "other.bough", "--json"))
    rows = searches(0)
    same = bough.GradientBoostingRanker(n_estimators=12)
    same.fit(rows[["match", "age"]], rows["relevance"], qid=rows["query"])
    assert told["digest"] == same.digest()
    assert told["task"] == "rank"
    assert told["columns"] == ["match", "age"]
    assert 0.5 < told["scores"]["ndcg_of_any_order"] < told["scores"]["ndcg"] < 1
    assert told["curve"][0]["y"][-1] == pytest.approx(
        1 - same.score(rows[["match", "age"]], rows["relevance"], qid=rows["query"])
    )
    text = good("fit", place / "old.csv", *ASKED, "-o", place / "other.bough")
    assert ", in 40 queries" in text
    assert f"NDCG {told['scores']['ndcg']:.3f}   any order {told['scores']['ndcg_of_any_order']:.3f}" in text
    assert "training 1 − NDCG" in text


def test_folds_and_rows_kept_apart_hold_whole_queries(place: Path) -> None:
    words = ["fit", place / "old.csv", *ASKED, "--choose", "cv", "--folds", 4, "--holdout", 0.25]
    told = json.loads(good(*words, "-o", place / "other.bough", "--json"))
    assert told["folds"] == 4
    assert told["rows"] == 300
    assert told["test"]["figures"]["ndcg"]["value"] > 0.75
    assert "on 100 rows kept apart: NDCG 0." in good(*words, "-o", place / "other.bough")


def test_a_model_file_knows_its_queries(place: Path) -> None:
    rows = searches(1)
    model = bough.load(place / "m.bough")
    found = json.loads(good("eval", place / "m.bough", place / "new.csv", "--json"))["figures"]["ndcg"]
    assert found["value"] == pytest.approx(
        bough.evaluate(
            model, rows[["match", "age"]], rows["relevance"], qid=rows["query"], cv=None, bootstrap=0
        )["ndcg"].value
    )
    answers = good("predict", place / "m.bough", place / "new.csv").split()
    assert answers[0] == "prediction"
    assert np.allclose(np.array(answers[1:], float), model.predict(rows[["match", "age"]]))
    rows.drop(columns="query").to_csv(place / "without.csv", index=False)
    result = run("eval", place / "m.bough", place / "without.csv")
    assert 'no column "query"' in result.stderr


def test_eval_and_compare_grow_rankers(place: Path) -> None:
    text = good("eval", place / "old.csv", *ASKED, "--folds", 3)
    assert "400 rows of 40 queries" in text
    text = good("compare", place / "old.csv", *ASKED, "--folds", 3, "--against", "stump")
    assert text.index("boost") < text.index("stump")
    assert "NDCG@5" in text
    good("fit", place / "old.csv", *ASKED[:-1], 3, "-o", place / "few.bough")
    text = good("compare", place / "m.bough", place / "few.bough", "--data", place / "new.csv")
    assert "NDCG@5" in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--qid", "query"], "only boosted trees rank"),
        (["--qid", "query", "--model", "forest"], "Add  --model boost"),
        (["--qid", "quer", "--model", "boost"], 'Did you mean "query"?'),
        (["--qid", "relevance", "--model", "boost"], '"relevance" is the target'),
        (["--qid", "query", "--model", "boost", "--group", "age"], "--qid and --group exclude each other"),
        (["--qid", "query", "--model", "boost", "--task", "class"], "--qid and --task class exclude"),
    ],
)
def test_what_does_not_go_together_is_said(place: Path, words: list[str], said: str) -> None:
    result = run("fit", place / "old.csv", "-t", "relevance", *words, "-o", place / "other.bough")
    assert result.exit_code in (2, 3)
    assert said in result.stderr


def test_bad_queries_and_relevances(place: Path) -> None:
    rows = searches(0)
    rows.assign(query=rows["query"].where(rows["query"] != "q1")).to_csv(place / "bad.csv", index=False)
    assert '"query" is empty on 10 of the 400 rows' in run("fit", place / "bad.csv", *ASKED).stderr
    rows.assign(relevance=rows["relevance"].map("r{}".format)).to_csv(place / "bad.csv", index=False)
    assert "cannot say how relevant a row is" in run("fit", place / "bad.csv", *ASKED).stderr
    rows.assign(relevance=rows["relevance"] - 1).to_csv(place / "bad.csv", index=False)
    assert "Relevances are numbers from 0" in run("fit", place / "bad.csv", *ASKED).stderr


def test_reports(place: Path) -> None:
    words = ["--title", "a ranker"]
    good("report", place / "m.bough", place / "old.csv", "-o", place / "r.html", *words)
    text = (place / "r.html").read_text(encoding="utf-8")
    assert f"bough report {place / 'm.bough'} {place / 'old.csv'} -o" in text
    assert "NDCG of single queries" in text
    tested = ["--test", place / "new.csv", "-o", place / "t.html"]
    good("report", place / "m.bough", place / "old.csv", *tested)
    assert "test rows" in (place / "t.html").read_text(encoding="utf-8")
    good("fit", place / "old.csv", *ASKED, "-o", place / "again.bough", "--report")
    assert "NDCG" in (place / "again.report.html").read_text(encoding="utf-8")


def test_a_notebook_shows_a_ranker_with_its_losses() -> None:
    rows = searches(0)
    model = bough.GradientBoostingRanker(n_estimators=5)
    X, y, qid = rows[["match", "age"]], rows["relevance"], rows["query"]
    model.fit(X, y, qid=qid, X_val=X, y_val=y, qid_val=qid)
    assert "1 − NDCG" in model._repr_html_()


def test_a_group_takes_the_place_of_the_query_column_of_the_file(place: Path) -> None:
    result = run("eval", place / "m.bough", place / "new.csv", "--group", "query")
    assert "exclude" not in result.stderr


@pytest.mark.parametrize("qid", [5, ["query"], None])
def test_a_query_column_that_is_no_name_is_none(place: Path, qid: object) -> None:
    loaded = Loaded(
        "m", bough.load(place / "m.bough").ensemble_, {"fit": {"target": "relevance", "qid": qid}}
    )
    problem = rows_for(loaded, str(place / "new.csv"), Asked())
    assert not problem.ranks


def test_a_column_of_the_model_is_no_query(place: Path) -> None:
    for verb in ("eval", "report"):
        result = run(verb, place / "m.bough", place / "new.csv", "--qid", "age")
        assert result.exit_code == 2
        assert '"age" is a column of the model, so it cannot be given as --qid.' in result.stderr


def test_verbs_without_set_do_not_name_it(place: Path) -> None:
    searches(1).drop(columns="age").assign(ages=1).to_csv(place / "less.csv", index=False)
    (place / "same.bough").write_bytes((place / "m.bough").read_bytes())
    for words in (("eval",), ("report",), ("compare", place / "same.bough", "--data")):
        result = run(words[0], place / "m.bough", *words[1:], place / "less.csv")
        assert result.exit_code == 3
        assert 'Closest: "ages".  Give less.csv the model\'s columns' in result.stderr
        assert "--set" not in result.stderr
        assert "--rename" not in result.stderr
    assert "--set age=" in run("predict", place / "m.bough", place / "less.csv").stderr


def test_one_query_and_few_queries_are_told_as_such(place: Path) -> None:
    rows = searches(0)
    rows.assign(query="q").to_csv(place / "one.csv", index=False)
    text = good("fit", place / "one.csv", *ASKED, "-o", place / "one.bough", "--no-report")
    assert "in 1 query" in text
    assert "cross-validation needs at least 2 queries" in text
    result = run("eval", place / "one.csv", *ASKED)
    assert "cross-validation needs at least two queries" in result.stderr
    assert "400 rows of 1 query" in good("eval", place / "one.bough", place / "one.csv")
