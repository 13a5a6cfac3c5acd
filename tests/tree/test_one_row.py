"""One row at a time: what the core reads by itself, what it declines, and the same bits by every way."""

from dataclasses import replace

import numpy as np
import pytest
from simd import told_by_each_level

from bough import GradientBoostingClassifier, RandomForestClassifier, _core
from bough.growing import thread_count

RNG = np.random.default_rng(3)
X, Y = RNG.normal(size=(300, 2)), RNG.integers(0, 2, size=300)
RAW = _core.Link.identity


def forest_of(model):
    return model.fit(X, Y).ensemble_._forest


@pytest.mark.parametrize(
    "data",
    [
        np.zeros((2, 3)),
        np.zeros(2),
        np.zeros((0, 2)),
        np.zeros((2, 2), dtype=int),
        np.zeros((2, 2), dtype=np.float32),
        np.zeros((2, 2), dtype=">f8"),
        np.zeros((2, 2), dtype=object),
        np.ma.masked_array(np.zeros((2, 2)), mask=True),
        np.array([[0.0, np.inf]]),
        np.frombuffer(bytes(33), dtype=np.uint8)[1:].view(np.float64).reshape(2, 2),
        [],
        [[]],
        [[0.0]],
        [[0.0, 1.0], [0.0]],
        [[0.0, "1"]],
        [[0.0, None]],
        [[0.0, True]],
        [[0.0, 2**53]],
        [[0.0, -(10**400)]],
        [[0.0, np.float64(1.0)]],
        [(0.0, 1.0)],
        [0.0, 1.0],
        "text",
        None,
    ],
    ids=repr,
)
def test_what_is_not_plain_is_declined(data):
    assert forest_of(GradientBoostingClassifier(n_estimators=9)).answers(data, 1, RAW) is None


def test_numbers_are_read_where_they_stand():
    forest = forest_of(RandomForestClassifier(n_estimators=9, random_state=0))
    rows = np.array([[1.0, -2.0], [np.nan, 3.0], [0.5, 7.0]])
    whole = forest.answers(rows, 1, RAW)
    readonly = rows.copy()
    readonly.flags.writeable = False
    for same in (
        readonly,
        np.asfortranarray(rows),
        rows[::-1].copy()[::-1],
        np.repeat(rows, 2, axis=1)[:, ::2],
    ):
        assert np.array_equal(forest.answers(same, 1, RAW), whole)
    assert np.array_equal(forest.answers([[1, -2], [float("nan"), 3], [0.5, 7.0]], 1, RAW), whole)


@pytest.mark.parametrize("classes", [2, 3])
def test_shares_are_those_of_the_sums(classes):
    model = GradientBoostingClassifier(n_estimators=12).fit(X, np.arange(300) * 7 % 11 % classes)
    for rows in (X[:1], X[:2], X):
        assert np.array_equal(model.predict_proba(rows), model.ensemble_.shares(model.ensemble_.raw(rows)))


def test_an_answer_is_not_overwritten_by_the_next():
    model = GradientBoostingClassifier(n_estimators=12).fit(X, Y)
    first = model.predict_proba(X[:1])
    kept = first.copy()
    model.predict_proba(X[1:2])
    assert np.array_equal(first, kept)


def test_another_fit_answers_anew():
    model = GradientBoostingClassifier(n_estimators=12).fit(X, Y)
    model.predict_proba(X[:1])
    model.fit(X, 1 - Y)
    fresh = GradientBoostingClassifier(n_estimators=12).fit(X, 1 - Y)
    assert np.array_equal(model.predict_proba(X[:1]), fresh.predict_proba(X[:1]))


def test_two_classes_have_one_sum():
    model = GradientBoostingClassifier(n_estimators=3).fit(X, np.arange(300) % 3)
    wrong = replace(model.ensemble_, link="logistic")
    for rows in (X[:1], X, X.tolist()):
        with pytest.raises(ValueError, match="two classes have one sum"):
            wrong.predict_proba(rows)


def test_some_trees_of_those_that_are_added_up():
    model = GradientBoostingClassifier(n_estimators=5).fit(X, Y)
    assert [str(tree) for tree in model.ensemble_[1:3]] == [str(model.ensemble_[i]) for i in (1, 2)]
    assert len(model.ensemble_[:]) == 5


def test_all_tests_at_once_as_step_by_step():
    """By bytes (where the machine has AVX-512 VBMI; elsewhere both are walks) and by a walk: 64, 65 leaves,
    64, 65 columns, deep trees, holes, several outputs."""
    code = (
        "import hashlib, numpy as np, bough\n"
        "rng = np.random.default_rng(2)\n"
        "shapes = (3, 64, 2), (3, 65, 2), (64, 20, 2), (65, 20, 2), (5, 40, 4), (1, 2, 2)\n"
        "for columns, leaves, classes in shapes:\n"
        "    X = rng.normal(size=(1500, columns)).round(2)\n"
        "    X[:, 0] = np.arange(1500)\n"
        "    y = (np.exp(X[:, 0] / 200) + rng.normal(size=1500)).astype(int) % classes\n"
        "    X[rng.random(X.shape) < 0.05] = np.nan\n"
        "    given = dict(n_estimators=21, max_leaf_nodes=leaves, min_samples_leaf=1)\n"
        "    model = bough.GradientBoostingClassifier(**given).fit(X, y)\n"
        "    whole = model.ensemble_.raw(X)\n"
        "    alone = np.vstack([model.ensemble_.raw(X[i : i + 1]) for i in range(300)])\n"
        "    assert np.array_equal(alone, whole[:300])\n"
        "    print(hashlib.sha256(whole.tobytes()).hexdigest())\n"
    )
    assert len(told_by_each_level(code)) == 1


def test_blocks_of_tests_as_step_by_step():
    """Fourteen tests at once (where the machine has AVX-512) and a walk: 32, 33 columns, one leaf, few and
    many values of leaves, several outputs, holes, a way of 60 nodes, more thresholds than 16 bits number."""
    code = (
        "import hashlib, numpy as np, bough\n"
        "rng = np.random.default_rng(4)\n"
        "def told(model, X, y):\n"
        "    ensemble = model.fit(X, y).ensemble_\n"
        "    whole = ensemble.raw(X[:400])\n"
        "    alone = np.vstack([ensemble.raw(X[i : i + 1]) for i in range(200)])\n"
        "    assert np.array_equal(alone, whole[:200])\n"
        "    assert np.array_equal(ensemble.raw(X[:15]), whole[:15])\n"
        "    print(hashlib.sha256(whole.tobytes()).hexdigest())\n"
        "shapes = (2, 2, 0), (32, 2, 0.05), (33, 3, 0.05), (5, 4, 0.3), (32, 1, 0), (3, 1, 0.2)\n"
        "for columns, classes, holes in shapes:\n"
        "    X = rng.normal(size=(1200, columns)).round(2)\n"
        "    y = (X[:, 0] ** 2 + rng.normal(size=1200)).round(1)\n"
        "    X[rng.random(X.shape) < holes] = np.nan\n"
        "    kind = bough.RandomForestClassifier if classes > 1 else bough.RandomForestRegressor\n"
        "    target = np.abs(y).astype(int) % classes if classes > 1 else y\n"
        "    told(kind(n_estimators=130 if columns == 2 else 9, random_state=0), X, target)\n"
        "    told(kind(n_estimators=9, min_samples_leaf=900, random_state=0), X, target)\n"
        "X = np.arange(60.0)[:, None].repeat(7, axis=0)\n"
        "told(bough.GradientBoostingRegressor(n_estimators=8, max_leaf_nodes=70), X, 3.0 ** X[:, 0])\n"
        "X = rng.random((40_000, 1))\n"
        "many = bough.BaggingTreesRegressor(n_estimators=20, max_samples=0.5, random_state=0)\n"
        "told(many, X, rng.random(40_000))\n"
    )
    assert len(told_by_each_level(code)) == 1


def test_how_many_threads():
    assert [thread_count(n) for n in (None, 1, 3, np.int64(3), 10**9)] == [1, 1, 3, 3, 256]
