"""Trees of forests are kept packed: their arrays are those of a tree that never was, to the last bit."""

import copy
import pickle
import threading

import numpy as np
import pytest

import bough
from bough import _core
from bough.data.ingest import to_table
from bough.ensemble.forest import Data, Grove, Sampling
from bough.growing.settings import Settings
from bough.tree.rules import Rules
from bough.tree.tree import ARRAYS


def grown(n_classes, seed, pack, **settings):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 400))
    X = np.round(rng.normal(size=(n, 4)), int(rng.integers(0, 4)))
    table = to_table(X)
    if n_classes:
        y = rng.integers(0, n_classes, n)
        classes = np.arange(n_classes)
    else:
        y, classes = rng.normal(size=n) * 10.0 ** rng.integers(-5, 5), None
    weights = rng.integers(1, 5, n).astype(float) if seed % 3 == 0 else None
    criterion = settings.pop("criterion", "gini" if n_classes else "squared_error")
    chosen = Settings(criterion=criterion, max_features=2, **settings)
    data = Data(table, y, classes, weights, None, 1)
    grove = Grove(data, chosen, Sampling(random_cuts=seed % 5 == 0), seed, Rules())
    return _core.grow_many(
        grove._matrix, grove._target, grove._settings, grove.bags, grove._lean, 0, 3, 0.0, False, pack, 1
    )[0]


@pytest.mark.parametrize("n_classes", [0, 2, 5, 12])
@pytest.mark.parametrize("limits", [{}, {"max_depth": 3}, {"min_samples_leaf": 7}])
def test_the_arrays_are_the_same(n_classes, limits):
    packed_ones = 0
    for seed in range(12):
        plain = grown(n_classes, seed, False, **limits)
        packed = grown(n_classes, seed, True, **limits)
        for arrays, tree in zip(plain, packed, strict=True):
            assert isinstance(arrays, dict)
            packed_ones += 1
            made = tree.arrays()
            for name in ARRAYS:
                assert made[name].dtype == arrays[name].dtype
                assert made[name].tobytes() == arrays[name].tobytes(), name
            assert tree.values().tobytes() == arrays["value"].tobytes()
            assert tree.n_nodes == len(arrays["feature"])
    assert packed_ones == 36


def forest(**params):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 5))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    return bough.RandomForestClassifier(n_estimators=8, random_state=0, **params).fit(X, y), X, y


def has_arrays(tree):
    return "feature" in tree.__dict__


def test_arrays_are_made_when_they_are_asked_for(tmp_path):
    model, X, _ = forest()
    trees = model.ensemble_.trees
    (
        model.predict_proba(X),
        model.digest(),
        model.feature_importances_,
        repr(model.ensemble_),
        pickle.dumps(model),
    )
    assert not any(has_arrays(tree) for tree in trees)
    assert trees[0].n_leaves == np.count_nonzero(trees[0].feature < 0)
    assert has_arrays(trees[0])
    assert not has_arrays(trees[1])
    assert not trees[0].value.flags.writeable
    assert not trees[0].threshold.flags.writeable


def test_copies_are_the_same_trees(tmp_path):
    model, X, _ = forest()
    model.save(tmp_path / "model.bough")
    for other in (
        pickle.loads(pickle.dumps(model)),
        copy.deepcopy(model),
        bough.load(tmp_path / "model.bough"),
    ):
        assert other.digest() == model.digest()
        assert (other.predict_proba(X) == model.predict_proba(X)).all()
    tree = model.ensemble_[2]
    again = pickle.loads(pickle.dumps(tree))
    assert all(getattr(again, name).tobytes() == getattr(tree, name).tobytes() for name in ARRAYS)


def test_a_packed_tree_answers_as_one_that_never_was(monkeypatch):
    model, X, _ = forest()
    monkeypatch.setattr(Grove, "_packs", False)
    plain, _, _ = forest()
    assert all(has_arrays(tree) for tree in plain.ensemble_.trees)
    assert plain.digest() == model.digest()
    assert (plain.predict_proba(X) == model.predict_proba(X)).all()
    for tree, other in zip(model.ensemble_.trees, plain.ensemble_.trees, strict=True):
        assert tree.packed is not None
        assert str(tree) == str(other)
        assert (tree.predict_proba(X) == other.predict_proba(X)).all()
    with pytest.raises(AttributeError, match="no attribute 'leafs'"):
        _ = tree.leafs


def test_threads_may_ask_at_once():
    model, _, _ = forest()
    tree, found = model.ensemble_.trees[0], []
    begin = threading.Barrier(4)

    def ask():
        begin.wait()
        found.append(tree.value.sum())

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert len(set(found)) == 1


def test_forests_that_move_their_thresholds_have_arrays_at_once():
    for params in ({"thresholds": "short"}, {"thresholds": "data"}):
        model, X, _ = forest(**params)
        assert all(has_arrays(tree) for tree in model.ensemble_.trees)
        assert model.predict(X).shape == (300,)
