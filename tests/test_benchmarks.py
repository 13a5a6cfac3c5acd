"""The benchmarks: data that seeds decide, rows that tell the truth, peers that fail or are not there."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

sys.path.append(str(Path(__file__).parent.parent))
pytest.importorskip("pandas", reason="tables with categories are pandas frames")

from benchmarks import __main__ as command
from benchmarks import alone, contenders, fits, golden, quality, serving, starting, table
from benchmarks.data import BUNDLED, GENERATORS, make
from benchmarks.report import as_json, cells, markdown, verdict
from benchmarks.rows import OURS, Margin, Options, Row, absent, compared, told
from benchmarks.run import Command, Run, Series, measure

COLUMNS = {"higgs": 28, "cover": 54, "airline": 8, "shops": 7}
CLASSES = {
    "two-classes": 2,
    "two-classes-holes": 2,
    "higgs": 2,
    "cover": 7,
    "flight": 5,
    "twelve": 12,
    "tiny": 3,
}


@pytest.mark.parametrize("name", GENERATORS)
def test_generated_data_depends_on_the_arguments_alone(name):
    size = {"rows": 3000, "columns": COLUMNS.get(name, 20), "test_rows": 500}
    one, two, other = make(name, **size), make(name, **size), make(name, **size, seed=1)
    assert one.X.shape == (3000, size["columns"])
    assert one.X_test.shape == (500, size["columns"])
    for left, right in ((one.X, two.X), (one.X_test, two.X_test)):
        np.testing.assert_array_equal(np.asarray(left), np.asarray(right))
    np.testing.assert_array_equal(one.y, two.y)
    assert not np.array_equal(np.asarray(one.X), np.asarray(other.X))
    if name in CLASSES:
        assert np.array_equal(np.unique(one.y), np.arange(CLASSES[name]))


def test_categories_have_the_levels_that_are_asked_for():
    X = make("airline", rows=200, columns=8).X
    levels = {name: len(X[name].cat.categories) for name in X if X[name].dtype == "category"}
    assert sorted(levels.values()) == [7, 31, 300, 5000]


@pytest.mark.parametrize("name", BUNDLED)
def test_bundled_tables_are_divided_by_the_seed(name):
    one, other = make(name), make(name, seed=1)
    assert len(one.y_test) == (len(one.y) + len(one.y_test)) // 3
    assert not np.array_equal(one.X_test, other.X_test)


def test_margins_know_which_way_is_worse():
    assert not Margin("auc", 0.001).holds(0.800, 0.802)
    assert Margin("auc", 0.001).holds(0.802, 0.800)
    assert not Margin("rmse", 0.01, relative=True).holds(2.03, 2.0)
    assert Margin("rmse", 0.01, relative=True).holds(2.01, 2.0)


def series(seconds, quality=None, error=None):
    return Series([Run(s, s, quality) for s in seconds], error)


def test_a_row_is_the_ratio_of_the_minima():
    found = {OURS: series([2.0, 1.0], 0.90), "xgboost": series([4.0, 5.0], 0.95)}
    row = compared(Row("t", "w", "xgboost", limit=0.2), found, OURS, "xgboost")
    assert (row.value, row.spread) == (0.25, 2.0)
    told(Margin("auc", 0.001), row, found, "xgboost")
    assert row.problems == ["misses its limit", "ours is of lower quality"]
    small = compared(Row("t", "w", "xgboost", limit=0.2, judged=False), found, OURS, "xgboost")
    assert not told(Margin("auc", 0.001), small, found, "xgboost").problems


def test_a_peer_that_fails_is_a_row_with_its_error():
    found = {OURS: series([1.0]), "ydf": series([], error="exit code 1: no such option")}
    row = compared(Row("t", "w", "ydf", limit=0.2), found, OURS, "ydf")
    assert row.value is None
    assert "FAILED" in verdict(row)
    assert "no such option" in markdown(KNOWN, [row])


def test_a_peer_that_is_not_installed_is_named():
    row = absent("t", "w", "catboost")
    assert cells(row)[3] == "catboost"
    assert verdict(row) == "absent: not installed"
    assert not as_json(KNOWN, [row])["failed"]


KNOWN = {
    "cpu": "c",
    "cores": 2,
    "system": "s",
    "load_at_start": 0.1,
    "versions": {"python": "3"},
    "repeats": 3,
    "enough": 60.0,
    "quick": False,
}


def test_contenders_take_turns_and_a_failure_stops_only_its_own(capsys):
    good, bad = Command((sys.executable, "-c", "")), Command((sys.executable, "-c", "raise ValueError('no')"))
    found = measure({"good": good, "bad": bad}, 2)
    assert len(found["good"].runs) == 2
    assert found["good"].error is None
    assert found["bad"].error == "exit code 1: ValueError: no"
    assert capsys.readouterr().err.count("good") == 2


def test_what_took_long_is_not_repeated_and_ours_counts_as_often():
    class Given:
        def __init__(self, seconds, wait=0.0):
            self.seconds, self.wait = list(seconds), wait

        def once(self, repeat):
            time.sleep(self.wait)
            return Run(self.seconds[repeat], 1.0)

    found = measure({OURS: Given([3, 2, 1]), "slow": Given([4, 4, 4], wait=0.2)}, 3, enough=0.1)
    assert [len(series.runs) for series in found.values()] == [3, 1]
    assert compared(Row("t", "w", "slow"), found, OURS, "slow").value == 3 / 4


def test_peers_without_a_limit_run_once():
    class Given:
        def once(self, repeat):
            return Run(1.0, 1.0)

    peers = [contenders.Peer("xgboost", "m:C", {}, 0.6), contenders.Peer("ydf", "m:C", {})]
    names = (OURS, *(peer.name for peer in peers))
    found = measure({name: Given() for name in names}, 3, once=contenders.shown_only(peers))
    assert {name: len(series.runs) for name, series in found.items()} == {OURS: 3, "xgboost": 3, "ydf": 1}


def test_ours_and_a_peer_in_fresh_processes(monkeypatch):
    monkeypatch.setitem(contenders.NEEDS, "ydf", ("no_such_package",))
    small = replace(fits.ENTROPY, quick_rows=300)
    broken = contenders.Peer("xgboost", "sklearn.tree:DecisionTreeClassifier", {"criterion": "?"}, 1.0, None)
    monkeypatch.setitem(contenders.NEEDS, "xgboost", ("sklearn",))
    with_broken = replace(small, peers=[*small.peers, broken])
    sklearn, ydf, failing = with_broken("tree", Options(1, quick=True, threads=(1,)))
    assert sklearn.value > 0
    assert sklearn.quality.startswith("accuracy 0.")
    assert sklearn.series[OURS].digests
    assert ydf.absent
    assert "xgboost failed" in failing.problems[0]
    json.dumps(as_json(KNOWN, [sklearn, ydf, failing]))


def test_every_task_names_known_peers_and_every_peer_is_used():
    names = [task.name for task in table.TASKS]
    assert len(set(names)) == len(names)
    used = {peer.name for one in fits.EVERY for peer in one.peers}
    used |= {peer.name for one in quality.contests(quick=False) for peer in one.peers}
    used |= {p.name for p in (*contenders.forest_servers(1, 1.0), *contenders.boosting_servers(1, 1.0))}
    assert used == set(contenders.NEEDS)


@pytest.mark.parametrize(
    "task", [task for task in table.TASKS if task.by_default], ids=lambda task: task.name
)
@pytest.mark.parametrize("quick", [True, False])
def test_every_task_makes_its_rows(task, quick, monkeypatch):
    def one_run_each(contenders, repeats, enough=0.0, once=()):
        assert repeats >= 1
        return {name: Series([Run(1.0, 1.0, 0.5, 0.1, "digest", "core")]) for name in contenders}

    for module in (alone, fits, serving, starting):
        monkeypatch.setattr(module, "measure", one_run_each)
    rows = task.run(task.name, Options(1, quick=quick, threads=(1,)))
    assert rows
    assert all(row.task == task.name and row.what for row in rows)
    assert all(row.value is not None for row in rows if not row.absent)


def test_only_peers_that_were_asked_for_run():
    peers = contenders.boosting_servers(1, 1.0)
    asked = contenders.chosen(peers, Options(1, quick=True, peers=("onnxruntime",)))
    assert [peer.name for peer in asked] == ["onnxruntime, LightGBM's", "onnxruntime, ours"]


def test_only_tables_that_were_asked_for_are_measured(monkeypatch):
    monkeypatch.setattr(fits.Versus, "__call__", lambda one, name, options: [one.data["name"]])
    asked = Options(1, quick=False, data=("cover", "flight"))
    assert fits.all_of(fits.TREES, "tree", asked) == ["cover", "flight"]
    assert len(fits.all_of(fits.TREES, "tree", Options(1, quick=False))) == len(fits.TREES)
    monkeypatch.setattr(quality.Contest, "__call__", lambda one, name, options: [one.what])
    found = quality.quality("quality", Options(1, quick=False, data=("iris", "counts")))
    assert found == [
        "boosting, counts, 100 x 63",
        "symmetric boosting, counts, 100 x depth 6",
        "boosting, iris, 100 x 31",
        "forest, iris, 50 trees",
    ]


@pytest.mark.parametrize("name", golden.FOLDS)
def test_golden_tables_have_ten_folds(name):
    X, y, folds = golden.table(name)
    assert len(X) == len(y) == len(folds)
    assert set(folds) == set(range(10))


def test_pooled_accuracy_is_that_of_models_without_the_rows():
    params = {"max_depth": 2}
    assert 0.9 < golden.pooled_accuracy("bough:DecisionTreeClassifier", params, "iris") < 0.97


@pytest.mark.parametrize(
    "wrong",
    [
        ["--repeats", "0"],
        ["--threads", "0"],
        ["--peer", "nobody"],
        ["--task", "?"],
        ["--enough", "nan"],
        ["--enough", "-1"],
        ["--json", "no such folder/x.json"],
        ["--json", "."],
    ],
)
def test_a_wrong_option_is_told(wrong, capsys):
    with pytest.raises(SystemExit) as stopped:
        command.arguments(wrong)
    assert stopped.value.code == 2
    assert "error" in capsys.readouterr().err


@pytest.fixture
def results(tmp_path, monkeypatch):
    monkeypatch.setattr(command, "RESULTS", tmp_path / "results")
    return tmp_path / "results"


def test_nothing_to_compare_is_told(results, capsys):
    assert command.main(["--task", "forest", "--data", "iris", "--peer", "sklearnex", "--quick"]) == 2
    told_of = capsys.readouterr().err
    assert "No comparison with sklearnex" in told_of
    assert "Nothing was compared" in told_of
    assert not list(results.iterdir())


def test_ctrl_c_keeps_what_is_finished(results, monkeypatch, capsys):
    def stopped(name, options):
        raise KeyboardInterrupt

    tasks = (table.Task("one", lambda name, options: [Row(name, "work", "peer")]), table.Task("two", stopped))
    monkeypatch.setattr(command, "TASKS", tasks)
    assert command.main([]) == 130
    (kept,) = results.glob("*.json")
    assert str(kept) in capsys.readouterr().err
    assert [row["task"] for row in json.loads(kept.read_text())["rows"]] == ["one"]


def test_lower_quality_of_ours_is_told_even_where_it_is_not_judged():
    series = {OURS: Series([Run(1.0, 1.0, 0.7)]), "peer": Series([Run(1.0, 1.0, 0.8)])}
    for judged, place in ((True, "problems"), (False, "notes")):
        row = told(Margin("auc", 0.001), Row("t", "w", "peer", value=1.0, judged=judged), series, "peer")
        assert getattr(row, place) == ["ours is of lower quality"]
