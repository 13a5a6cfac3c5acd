"""Every way to an answer gives the same bits: one row or many; ranks, bits, values; a matrix or a table."""

import numpy as np
import pandas as pd
import pytest
from simd import told_by_each_level

from bough import (
    BaggingTreesRegressor,
    BoughError,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
)
from bough.data.ingest import to_table
from bough.data.matrix import plain_matrix

RNG = np.random.default_rng(8)


def table(rows, columns=6, seed=0):
    """Numbers of several scales, whole numbers, ties, and a tenth missing."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns)) * 10.0 ** rng.integers(-6, 6, size=columns)
    X[:, 1] = rng.integers(-3, 4, size=rows)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X


def asked(model, n=700):
    """New rows, exact thresholds and their neighbours, zeros of both signs, the largest numbers."""
    X = table(n, seed=5)
    trees = model.ensemble_.trees if hasattr(model, "ensemble_") else [model.tree_]
    for row in range(0, n // 2):
        tree = trees[row % len(trees)]
        inner = np.flatnonzero(tree.feature >= 0)
        if len(inner):
            node = RNG.choice(inner)
            cut = tree.threshold[node]
            X[row, tree.feature[node]] = (cut, np.nextafter(cut, -9e99), np.nextafter(cut, 9e99))[row % 3]
    X[np.isinf(X)] = 0.0
    X[-1], X[-2], X[-3], X[-4] = 0.0, -0.0, np.nan, 1e308
    X[-5] = -1e308
    return X


Y = (np.nan_to_num(table(900)[:, 0]) + table(900)[:, 1] ** 2 > 3).astype(int)
Y[np.isnan(table(900)[:, 1])] = 1
Y3 = (np.arange(900) * 7 % 13 // 5) + Y
NUMBERS = Y + np.nan_to_num(table(900)[:, 1])

MODELS = {
    "small trees: bits": lambda: GradientBoostingClassifier(
        n_estimators=30, max_leaf_nodes=63, min_samples_leaf=2
    ),
    "leaves 8 and 1": lambda: GradientBoostingClassifier(n_estimators=9, max_leaf_nodes=8),
    "more leaves: ranks": lambda: GradientBoostingClassifier(
        n_estimators=9, max_leaf_nodes=90, min_samples_leaf=2
    ),
    "full trees": lambda: RandomForestClassifier(n_estimators=12, random_state=1),
    "votes": lambda: RandomForestClassifier(n_estimators=12, voting="vote", random_state=1),
    "few trees: values": lambda: RandomForestClassifier(n_estimators=3, random_state=1),
    "one tree": DecisionTreeClassifier,
}


def by_each_tree(ensemble, X):
    return ensemble._raw_of_each(ensemble.table(X), 1, "the test")


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("target", ["two", "five"])
def test_all_ways_give_the_same_bits(name, target):
    model = MODELS[name]().fit(table(900), Y if target == "two" else Y3)
    X = asked(model)
    whole = model.predict_proba(X)
    if hasattr(model, "ensemble_"):
        raw = model.ensemble_.raw(X)
        assert np.array_equal(raw, by_each_tree(model.ensemble_, X))
        assert np.array_equal(raw, model.ensemble_.raw(to_table(X, fields=model.ensemble_.fields)))
        assert np.array_equal(raw, model.ensemble_.raw(X, threads=2))
    for size in (1, 7, 16, 33, 257):
        parts = [model.predict_proba(X[i : i + size]) for i in range(0, len(X), size)]
        assert np.array_equal(np.vstack(parts), whole)
    names = [f"x{i}" for i in range(X.shape[1])]
    frame = pd.DataFrame(X, columns=names)
    for same in (
        np.asfortranarray(X),
        np.hstack([X, X])[:, : X.shape[1]],
        X[::-1][::-1],
        frame,
        frame[names[::-1]],
    ):
        assert np.array_equal(model.predict_proba(same), whole)
    assert np.array_equal(model.predict_proba(X.tolist()), whole)
    assert np.array_equal(model.predict(X), model.classes_[whole.argmax(axis=1)])


def test_single_precision_is_what_it_is_in_double_precision():
    model = GradientBoostingClassifier(n_estimators=20).fit(table(900), Y)
    with np.errstate(over="ignore"):
        X = asked(model).astype(np.float32)
    X[np.isinf(X)] = 1.0
    assert np.array_equal(model.predict_proba(X), model.predict_proba(X.astype(np.float64)))


def test_numbers():
    for model in (
        GradientBoostingRegressor(n_estimators=20),
        GradientBoostingRegressor(n_estimators=20, loss="poisson"),
        ExtraTreesRegressor(n_estimators=9, random_state=0),
        DecisionTreeRegressor(),
    ):
        model.fit(table(900), NUMBERS - NUMBERS.min())
        X = asked(model)
        whole = model.predict(X)
        assert np.array_equal(np.concatenate([model.predict(row[None]) for row in X]), whole)
        if hasattr(model, "ensemble_"):
            assert np.array_equal(model.ensemble_.raw(X), by_each_tree(model.ensemble_, X))


@pytest.mark.parametrize("trees", [8, 17, 40])  # one forest by values; two halves by ranks; halves of halves
def test_more_thresholds_than_a_rank_can_number(trees):
    rng = np.random.default_rng(0)
    X, y = rng.random((70_000, 2)), rng.random(70_000)
    model = ExtraTreesRegressor(n_estimators=trees, max_depth=20, random_state=0).fit(X, y)
    asked_of = [tree.threshold[tree.feature == 0] for tree in model.ensemble_]
    assert len(np.unique(np.concatenate(asked_of))) > 65_534
    X = rng.random((300, 2))
    whole = by_each_tree(model.ensemble_, X)
    assert np.array_equal(model.ensemble_.raw(X), whole)
    assert np.array_equal(model.ensemble_.raw(X, threads=2), whole)
    assert np.array_equal(model.ensemble_.raw(X[:3]), whole[:3])


def test_trees_so_large_that_rows_are_first_looked_at_after_sixteen_levels():
    X = table(20_000, seed=6)
    y = np.random.default_rng(6).integers(0, 2, size=len(X))  # nothing to learn: full trees are largest
    model = RandomForestClassifier(n_estimators=9, random_state=1).fit(X, y)
    assert min(tree.n_nodes for tree in model.ensemble_.trees[:8]) > 2**13
    rows = asked(model)
    expected = by_each_tree(model.ensemble_, rows)
    assert np.array_equal(model.ensemble_.raw(rows), expected)
    assert np.array_equal(np.vstack([model.ensemble_.raw(row[None]) for row in rows[:40]]), expected[:40])


def test_halves_of_a_forest_answer_for_the_rows_out_of_bag():
    rng = np.random.default_rng(0)
    X, y = rng.random((40_000, 1)), rng.random(40_000)
    model = BaggingTreesRegressor(n_estimators=20, max_samples=0.5, oob_score=True, random_state=0).fit(X, y)
    asked_of = [tree.threshold[tree.feature == 0] for tree in model.ensemble_]
    assert len(np.unique(np.concatenate(asked_of))) > 65_534
    outside = np.array([model._bagged[1].counts(t) == 0 for t in range(20)])
    of_each = np.array([tree.predict(X) for tree in model.ensemble_])
    known = outside.any(axis=0)
    due = (of_each * outside).sum(axis=0)[known] / outside.sum(axis=0)[known]
    assert np.allclose(model.oob_prediction_[known], due, rtol=1e-12)


def test_a_table_without_rows():
    for n in (3, 9):
        ensemble = RandomForestClassifier(n_estimators=n, random_state=1).fit(table(900), Y).ensemble_
        none = to_table(table(2), fields=ensemble.fields).take(np.zeros(0, dtype=int))
        assert ensemble.raw(none).shape == (0, 2)
        assert ensemble.apply(none).shape == (0, n)


def with_categories(rows, seed):
    """Numbers, truth values, categories of 6 and of 150 levels, a tenth missing; the last level is new."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "a": rng.normal(size=rows),
            "b": rng.choice(list("uvwxyz"), rows),
            "c": [f"level {k}" for k in rng.integers(0, 150 + seed, rows)],
            "d": rng.random(rows) < 0.4,
        }
    ).astype({"d": object})
    for name in frame:
        frame.loc[rng.random(rows) < 0.1, name] = None
    return frame


GROUPING = {
    "small trees": lambda: GradientBoostingClassifier(n_estimators=25, max_leaf_nodes=63, min_samples_leaf=3),
    "few leaves": lambda: RandomForestClassifier(n_estimators=9, max_leaf_nodes=7, random_state=0),
    "full trees": lambda: RandomForestClassifier(n_estimators=12, random_state=0),
    "the majority": lambda: RandomForestClassifier(n_estimators=12, unseen="majority", random_state=0),
    "a branch for each": lambda: RandomForestClassifier(
        n_estimators=9, categories="multiway", random_state=0
    ),
    "surrogates": lambda: RandomForestClassifier(n_estimators=9, missing="surrogate", random_state=0),
    "three trees": lambda: RandomForestClassifier(n_estimators=3, random_state=0),
}


@pytest.mark.parametrize("name", GROUPING)
def test_categories_beside_numbers(name):
    frame = with_categories(1500, 0)
    odd = frame.c.str[-1].isin(list("13579")).fillna(False).astype(bool)
    y = (frame.a.fillna(0) + frame.b.isin(["u", "x"]) + odd > 0.9).astype(int)
    model = GROUPING[name]().fit(frame, y)
    ensemble, asked_for = model.ensemble_, with_categories(700, 30)
    assert (~asked_for.c.dropna().isin(frame.c)).sum() > 50
    raw = ensemble.raw(asked_for)
    assert np.array_equal(raw, by_each_tree(ensemble, asked_for))
    assert np.array_equal(raw, ensemble.raw(asked_for, threads=2))
    for size in (1, 7, 16, 257):
        parts = [ensemble.raw(asked_for[i : i + size]) for i in range(0, 514 if size > 7 else 70, size)]
        assert np.array_equal(np.vstack(parts), raw[: sum(map(len, parts))])


def test_without_simd():
    """The same models and answers in processes with and without the wider instructions."""
    code = (
        "import hashlib, numpy as np, bough\n"
        "rng = np.random.default_rng(0)\n"
        "X = rng.normal(size=(3000, 5)); X[rng.random(X.shape) < 0.1] = np.nan\n"
        "y = (np.nan_to_num(X[:, 0] * X[:, 1]) > 0.1).astype(int)\n"
        "level = rng.integers(0, 30, 3000); y ^= level % 5 == 0\n"
        "columns = {'c': level.astype(str)} | {str(j): x for j, x in enumerate(X.T)}\n"
        "for target, rounds in (y, 40), (y + level % 2, 5):\n"
        "    model = bough.GradientBoostingClassifier(n_estimators=rounds, max_leaf_nodes=63)\n"
        "    answers = model.fit(columns, target).ensemble_.raw(columns)\n"
        "    print(model.digest(), hashlib.sha256(answers.tobytes()).hexdigest())\n"
    )
    assert len(told_by_each_level(code)) == 1


FIELDS = to_table(np.zeros((1, 2))).fields


@pytest.mark.parametrize(
    "data",
    [
        np.zeros((2, 3)),
        np.zeros(2),
        np.zeros((0, 2)),
        np.zeros((2, 2), dtype=int),
        np.zeros((2, 2), dtype=object),
        np.zeros((2, 2), dtype=">f8"),
        np.ma.masked_array(np.zeros((2, 2)), mask=True),
        [],
        [0.0, 1.0],
        [[0.0]],
        [[0.0, "1"]],
        [[0.0, None]],
        [[0.0, True]],
        [[0.0, 2**53 + 1]],
        [[0.0, 10**400]],
        [(0.0, 1.0)],
        pd.DataFrame({"x1": [0.0], "x0": [0.0]}),
        pd.DataFrame({"x0": [0.0], "x1": [2**53 + 1]}),
        pd.DataFrame({"x0": [0.0], "x1": ["a"]}),
        pd.DataFrame({"x0": [0.0], "x1": [True]}),
        "text",
        None,
    ],
    ids=repr,
)
def test_what_is_not_plain_goes_the_long_way(data):
    assert plain_matrix(data, FIELDS) is None


def test_categories_that_are_numbers_go_the_long_way():
    frame = pd.DataFrame({"x0": [1.0, 2.0, 1.0]})
    assert np.array_equal(plain_matrix(frame, FIELDS[:1]), frame)
    assert plain_matrix(frame.astype("category"), FIELDS[:1]) is None


@pytest.mark.parametrize("data", [np.ones((2, 2)), np.ones((2, 2), dtype=np.float32), [[1, 2.0]]], ids=repr)
def test_what_is_plain(data):
    assert np.array_equal(plain_matrix(data, FIELDS), np.array(data, dtype=np.float64))
    assert np.array_equal(plain_matrix(pd.DataFrame(data, columns=["x0", "x1"]), FIELDS), np.array(data))


@pytest.mark.parametrize(
    "model",
    [
        DecisionTreeClassifier(),
        RandomForestClassifier(n_estimators=9),
        GradientBoostingClassifier(n_estimators=9),
    ],
)
def test_the_errors_are_those_of_the_long_way(model):
    model.fit(table(900), Y)
    X = table(40)
    for bad, message in (
        (X[:, :5], "X has 5 features, but .* is expecting 6 features"),
        (X[:0], "0 sample"),
        (np.where(np.arange(240).reshape(40, 6) == 17, np.inf, X), 'column "x5", row 2: the value is inf'),
        (np.where(np.arange(240).reshape(40, 6) == 17, -np.inf, X), 'column "x5", row 2: the value is -inf'),
        ([[1.0] * 5], "X has 5 features"),
        ([[1.0] * 5 + ["a"]], "x5"),
    ):
        with pytest.raises(BoughError, match=message):
            model.predict_proba(bad)


def test_a_column_that_must_not_be_missing():
    X = np.arange(40.0).reshape(20, 2)
    model = DecisionTreeClassifier(missing="error").fit(X, np.arange(20) > 9)
    X[3, 1] = np.nan
    with pytest.raises(BoughError, match='column "x1", row 3: a value is missing'):
        model.predict(X)
