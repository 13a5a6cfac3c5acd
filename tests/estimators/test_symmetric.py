"""Symmetric trees: one question for a level, in every loss, and read by everything that reads a tree."""

import numpy as np
import pytest
from estimators.boosted import mixed, numbers

import bough
from bough import (
    BoughError,
    GradientBoostingClassifier,
    GradientBoostingRanker,
    GradientBoostingRegressor,
)

SMALL = {"n_estimators": 6, "symmetric": True, "min_samples_leaf": 3, "max_depth": 4}


def questions(tree):
    """By node: column, threshold or the categories that do not go where missing rows go, and their way."""
    found = {}
    for node in np.flatnonzero(tree.feature >= 0):
        listed = slice(tree.category_start[node], tree.category_start[node + 1])
        missing = tree.missing_child[node]
        group = tuple(tree.category[listed][tree.category_child[listed] != missing])
        found[node] = (tree.feature[node], tree.threshold[node], group, missing)
    return found


def test_a_level_has_one_question():
    X, y = mixed(1500)
    model = GradientBoostingClassifier(**SMALL).fit(X, y)
    for tree in model.ensemble_:
        asked = questions(tree)
        levels = list(dict.fromkeys(asked.values()))
        assert len(levels) <= 4 < len(asked)
        assert tree.max_depth <= 4
        assert tree.n_rows.min() >= 3
        for leaf in np.flatnonzero(tree.feature < 0):  # levels are passed in order, none twice
            places = [levels.index(asked[node]) for node in tree.path(leaf)[:-1]]
            assert places == sorted(set(places))


def test_depth_is_6_unless_told():
    X, y = numbers(4000)
    given = {"n_estimators": 1, "symmetric": True, "min_samples_leaf": 1, "l2_regularization": 0.0}
    assert GradientBoostingRegressor(**given).fit(X, y).ensemble_[0].max_depth == 6
    assert GradientBoostingRegressor(**given, max_leaf_nodes=None).fit(X, y).ensemble_[0].n_leaves <= 64
    assert GradientBoostingRegressor(**given, max_depth=2).fit(X, y).ensemble_[0].n_leaves == 4


def test_one_level_is_the_ordinary_stump():
    X, y = mixed(800)
    stumps = [
        GradientBoostingClassifier(n_estimators=5, max_depth=1, symmetric=symmetric).fit(X, y)
        for symmetric in (False, True)
    ]
    assert stumps[0].predict_proba(X) == pytest.approx(stumps[1].predict_proba(X), abs=1e-9)
    assert stumps[0].ensemble_[0].gain[0] == pytest.approx(stumps[1].ensemble_[0].gain[0])


def test_rare_values_that_no_row_of_the_level_has_are_known_all_the_same():
    """A cut below all drawn values, "missing or lowest | known", would be as good for the drawn rows."""
    rng = np.random.default_rng(0)
    x = rng.integers(1, 6, size=400).astype(float)
    x[rng.random(400) < 0.5] = np.nan
    x[0] = 0.0
    y = np.where(np.isnan(x), 0.0, 10.0)
    model = GradientBoostingRegressor(
        n_estimators=1,
        learning_rate=1.0,
        max_depth=1,
        symmetric=True,
        subsample=0.5,
        random_state=1,
        l2_regularization=0.0,
    ).fit(x[:, None], y)
    assert model.predict([[0.0], [1.0], [5.0], [np.nan]]) == pytest.approx([10, 10, 10, 0])


def test_nodes_list_only_categories_that_they_have_or_that_part_ways():
    rng = np.random.default_rng(1)
    level = rng.integers(0, 400, size=3000)
    columns = {"level": level.astype(str), "x": rng.normal(size=3000)}
    model = GradientBoostingRegressor(
        n_estimators=2, symmetric=True, max_depth=6, min_samples_leaf=2, category_smoothing=0.0
    ).fit(columns, (level % 7) * columns["x"] + level % 3)
    for tree in model.ensemble_:
        for node, (column, _, group, _) in questions(tree).items():
            listed = tree.category_start[node + 1] - tree.category_start[node]
            assert column == 1 or listed <= len(group) + tree.n_rows[node]


def test_idle_columns_are_asked_less():
    X, y = numbers(3000, columns=30)
    idle = [
        np.mean([int(j) > 3 for tree in model.fit(X, y).ensemble_ for j in tree.feature[tree.feature >= 0]])
        for model in (
            GradientBoostingRegressor(n_estimators=30, symmetric=True),
            GradientBoostingRegressor(n_estimators=30),
        )
    ]
    assert idle[0] < 0.5 * idle[1]


@pytest.mark.parametrize("rows", [700, 40_000])
def test_threads_and_row_order_change_nothing(rows):
    X, y = mixed(rows)
    given = {"n_estimators": 4, "symmetric": True, "colsample_bylevel": 0.8, "random_state": 2}
    digests = {GradientBoostingClassifier(**given, n_jobs=t).fit(X, y).digest() for t in (1, 2, 4)}
    order = np.random.default_rng(0).permutation(rows)
    digests.add(GradientBoostingClassifier(**given).fit(X.iloc[order], y[order]).digest())
    assert len(digests) == 1


@pytest.mark.parametrize(
    "loss", ["squared_error", "absolute_error", "huber", "quantile", "poisson", "gamma", "tweedie"]
)
def test_every_loss(loss):
    X, y = numbers(900)
    y = np.abs(y) + 0.1
    model = GradientBoostingRegressor(**SMALL | {"n_estimators": 30}, loss=loss, callback=lambda p: False)
    model.fit(X, y)
    assert model.train_loss_[-1] < 0.75 * model.train_loss_[0] or loss in ("gamma", "tweedie", "poisson")
    assert (np.diff(model.train_loss_) < 0).mean() > 0.9


def test_classes_drawn_rows_weights_and_stopping():
    X, y = numbers(900)
    labels = np.digitize(y, np.quantile(y, [0.3, 0.6]))
    model = GradientBoostingClassifier(**SMALL, subsample=0.8, colsample_bytree=0.8, random_state=0).fit(
        X, labels
    )
    assert model.score(X, labels) > 0.75
    X = X.round(2)  # as many bins as values, so that copies do not change them
    copies = np.random.default_rng(0).integers(1, 4, size=len(y))
    free = {"n_estimators": 5, "symmetric": True, "min_samples_leaf": 1}
    weighted = GradientBoostingRegressor(**free).fit(X, y, sample_weight=copies.astype(float))
    repeated = GradientBoostingRegressor(**free).fit(np.repeat(X, copies, axis=0), np.repeat(y, copies))
    assert weighted.predict(X) == pytest.approx(repeated.predict(X), rel=1e-6)
    stopped = GradientBoostingRegressor(symmetric=True, n_estimators=300, early_stopping=True).fit(X, y)
    assert 5 < stopped.n_estimators_ < 300
    whole = GradientBoostingRegressor(**SMALL | {"n_estimators": 10}).fit(X, y)
    half = GradientBoostingRegressor(**SMALL | {"n_estimators": 5}, warm_start=True).fit(X, y)
    assert half.set_params(n_estimators=10).fit(X, y).digest() == whole.digest()


def test_ranking_and_a_loss_of_ones_own():
    X, y = numbers(600)
    relevance = np.digitize(y, np.quantile(y, [0.5, 0.7, 0.9]))
    ranker = GradientBoostingRanker(**SMALL | {"n_estimators": 20}).fit(X, relevance, group=[20] * 30)
    assert ranker.score(X, relevance, group=[20] * 30) > 0.9
    own = GradientBoostingRegressor(**SMALL, loss=lambda y, raw: (raw - y, np.ones(len(y)))).fit(X, y)
    assert own.predict(X) == pytest.approx(GradientBoostingRegressor(**SMALL).fit(X, y).predict(X))


@pytest.mark.parametrize("direction", [1, -1])
def test_monotone_columns_on_a_grid(direction):
    X, y = numbers(800)
    y = direction * y
    given = {"n_estimators": 30, "symmetric": True, "min_samples_leaf": 2}
    grid = np.linspace(0, 1, 200)
    rows = np.repeat(X[:40], len(grid), axis=0)
    rows[:, 3] = np.tile(grid, 40)
    free = np.diff(GradientBoostingRegressor(**given).fit(X, y).predict(rows).reshape(40, -1), axis=1)
    model = GradientBoostingRegressor(**given, monotonic_cst={"x3": direction}).fit(X, y)
    held = np.diff(model.predict(rows).reshape(40, -1), axis=1)
    assert (free * direction < -1e-9).any()
    assert (held * direction >= 0).all()
    assert any(3 in tree.feature for tree in model.ensemble_)


def test_interactions_stay_within_their_groups():
    X, y = numbers(800)
    groups = [[0, 1], ["x2"], ["x3", "x4"]]
    model = GradientBoostingRegressor(n_estimators=30, symmetric=True, interaction_cst=groups).fit(X, y)
    allowed = [{0, 1}, {2}, {3, 4}, {5}]
    paths = [
        {int(tree.feature[n]) for n in tree.path(leaf)[:-1]}
        for tree in model.ensemble_
        for leaf in np.flatnonzero(tree.feature < 0)
    ]
    assert all(any(columns <= group for group in allowed) for columns in paths)
    assert {0, 1} in paths


def test_missing_values_and_categories_of_other_nodes_go_as_the_level_says():
    """A node without missing rows, or without a category, sends them where the rest of its level does."""
    rng = np.random.default_rng(0)
    n = 2000
    known, hole = rng.integers(2, size=n).astype(float), rng.normal(size=n)
    hole[(known == 1) & (rng.uniform(size=n) < 0.4)] = np.nan  # only where known is 1
    y = 3.0 * known + np.where(np.isnan(hole) | (hole > 0), 1.0, -1.0)
    model = GradientBoostingRegressor(n_estimators=1, learning_rate=1.0, symmetric=True, max_depth=2)
    model.fit(np.column_stack([known, hole]), y)
    answers = model.predict([[0.0, np.nan], [0.0, 2.0], [0.0, -2.0]])
    assert answers[0] == answers[1] > answers[2] + 1
    city = np.where(np.isnan(hole), "a", np.where(hole > 0, "b", "c"))
    model.fit({"known": known, "city": city}, y)
    answers = model.predict({"known": [0.0, 0.0, 0.0], "city": ["a", "b", "c"]})
    assert answers[0] == answers[1] > answers[2] + 1


def test_files_shapley_values_and_texts(tmp_path):
    X, y = mixed(500)
    model = GradientBoostingClassifier(**SMALL).fit(X, y)
    model.save(tmp_path / "model.bough")
    back = bough.load(tmp_path / "model.bough")
    assert back.digest() == model.digest()
    assert back.symmetric is True
    shap = model.shap_values(X[:50])
    assert shap.outputs == pytest.approx(model.decision_function(X[:50]))
    assert (model.feature_importances_ >= 0).all()
    assert model.to_svg(tree=1).startswith("<svg")
    assert str(model.ensemble_[0]).startswith("member?")


@pytest.mark.parametrize(
    ("given", "says", "hint"),
    [
        ({"symmetric": "yes"}, "symmetric='yes' is not possible", "True or False"),
        ({"max_leaf_nodes": 64}, "max_leaf_nodes=64 is not possible with symmetric=True", "max_depth"),
        ({"max_depth": 17}, "max_depth=17 is not possible with symmetric=True", "16"),
        ({"max_features": 0.5}, "max_features=0.5 is not possible with symmetric=True", "colsample_bylevel"),
    ],
)
def test_what_does_not_go_together_is_refused(given, says, hint):
    X, y = numbers(60)
    with pytest.raises(BoughError, match=says) as told:
        GradientBoostingRegressor(**{"symmetric": True} | given).fit(X, y)
    assert hint in told.value.hint
