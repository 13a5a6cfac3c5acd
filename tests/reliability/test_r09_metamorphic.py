"""R9: weight = copies, order of rows, monotone change, new names, constant column: one model, 4 families.

Single trees with all settings are in tests/estimators/test_same_tree.py. The rows of a bag are drawn by their
content, so that a forest with bags keeps the first two (tests/ensemble/test_forest.py); without bags, all."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from running import drawn

import bough
from bough.ensemble.losses import REGRESSION

MODELS = {
    "tree": bough.DecisionTreeClassifier,
    "forest": lambda: bough.RandomForestClassifier(
        n_estimators=5, bootstrap=False, max_features=2, random_state=1
    ),
    "boosting": lambda: bough.GradientBoostingClassifier(n_estimators=5),
    "AdaBoost": lambda: bough.AdaBoostClassifier(n_estimators=5),
}
SEEDS = range(6)
# Of these the sums are rounded, so that copies may show in the last digits.
ROUNDED = ("boosting", "AdaBoost")


def same(name, model, other, frame, changed):
    """Equal answers; where all sums are exact, the same bits."""
    one, two = model.predict_proba(frame), other.predict_proba(changed)
    if name in ROUNDED:
        np.testing.assert_allclose(one, two, rtol=1e-9, atol=1e-12)
    else:
        assert one.tobytes() == two.tobytes()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", MODELS)
def test_the_order_of_the_rows(name, seed):
    frame, y = drawn(seed)
    order = np.random.default_rng(seed).permutation(len(y))
    model = MODELS[name]().fit(frame, y)
    other = MODELS[name]().fit(frame.iloc[order], y[order])
    if name == "AdaBoost":  # its weights are sums in the order of the rows (docs/semantics.md)
        same(name, model, other, frame, frame)
    else:
        assert model.digest() == other.digest()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("loss", "rows"), [*((loss, 400) for loss in [*REGRESSION, "log_loss"]), ("log_loss", 40_000)]
)
def test_boosted_trees_of_another_order(loss, rows, weighted):
    """Leaves are exact sums. With many rows derivatives are rounded by chance, which is their last bits."""
    random = np.random.default_rng(5)
    X = random.normal(size=(rows, 5))
    y = np.exp((X[:, 0] + X[:, 1] * X[:, 2] + random.normal(0, 0.5, rows)) / 3)
    kind, w = bough.GradientBoostingRegressor, random.uniform(0.5, 2.0, rows)
    if loss == "log_loss":
        kind, y = bough.GradientBoostingClassifier, np.digitize(y, [0.8, 1.2])
    order = random.permutation(rows)
    model, other = kind(loss=loss, n_estimators=10), kind(loss=loss, n_estimators=10)
    model.fit(X, y, sample_weight=w if weighted else None)
    other.fit(X[order], y[order], sample_weight=w[order] if weighted else None)
    assert model.digest() == other.digest()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", MODELS)
def test_whole_weights_are_copies(name, seed):
    frame, y = drawn(seed, 60)
    w = np.random.default_rng(seed).integers(0, 3, len(y))
    again = np.repeat(np.arange(len(y)), w)
    small = {"min_samples_leaf": 1} if name != "AdaBoost" else {}
    if name == "boosting":
        small |= {"min_category_rows": 1, "category_smoothing": 0.0}  # these count rows, as they say
    model = MODELS[name]().set_params(**small).fit(frame, y, sample_weight=w)
    other = MODELS[name]().set_params(**small).fit(frame.iloc[again].reset_index(drop=True), y[again])
    # Where gains are equal up to rounding, another split of the same rows may win.
    known = frame[w > 0] if name in ROUNDED else frame
    same(name, model, other, known, known)


MORE = {
    "forest with bags": lambda: bough.RandomForestClassifier(n_estimators=5, random_state=1),
    "coarse boosting": lambda: bough.GradientBoostingClassifier(n_estimators=5, max_bins=8),
    "boosting of parts": lambda: bough.GradientBoostingClassifier(
        n_estimators=5, subsample=0.7, max_features=0.7, random_state=2
    ),
    "early stopping": lambda: bough.GradientBoostingClassifier(
        n_estimators=5, early_stopping=True, random_state=2
    ),
}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", [*MODELS, *MORE])
def test_rows_of_weight_zero_are_not_there(name, seed):
    """Not in what is drawn, held out or made bins of either: the same bits, for every family."""
    frame, y = drawn(seed, 90)
    w = np.random.default_rng(seed).choice([0.0, 1.0, 2.5], len(y), p=[0.3, 0.5, 0.2])
    kept = np.flatnonzero(w)
    make = (MODELS | MORE)[name]
    model = make().fit(frame, y, sample_weight=w)
    other = make().fit(frame.iloc[kept].reset_index(drop=True), y[kept], sample_weight=w[kept])
    assert model.digest() == other.digest()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", MODELS)
def test_a_monotone_change_of_a_column(name, seed):
    """The rows that were fitted on; between two values, thresholds lie elsewhere."""
    frame, y = drawn(seed)
    changed = frame.assign(last=np.exp(frame["last"]))
    same(name, MODELS[name]().fit(frame, y), MODELS[name]().fit(changed, y), frame, changed)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", MODELS)
def test_new_names_for_categories_in_the_same_order(name, seed):
    frame, y = drawn(seed)
    kind = np.random.default_rng(seed).choice(["u", "v", "w"], len(y))
    frame = frame.assign(kind=pd.Series(kind, dtype=object))
    changed = frame.assign(kind=frame["kind"].map({"u": "1 first", "v": "2nd", "w": "é"}))
    same(name, MODELS[name]().fit(frame, y), MODELS[name]().fit(changed, y), frame, changed)


@pytest.mark.parametrize("constant", [7.5, "always"])
@pytest.mark.parametrize("name", MODELS)
def test_a_constant_column_at_the_end(name, constant):
    frame, y = drawn(3)
    changed = frame.assign(constant=constant)
    model, other = MODELS[name](), MODELS[name]()
    if name == "forest":  # with one column more, others are drawn
        model, other = (m.set_params(max_features=None) for m in (model, other))
    same(name, model.fit(frame, y), other.fit(changed, y), frame, changed)
