"""The rows that a model keeps are those that it was fitted on, whatever happens to the user's table."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest

import bough
from bough import BoughError
from bough.estimators import seen

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 4))
Y = X[:, 0] * X[:, 1] + X[:, 2]
CATEGORY = RNG.choice(list("uvw"), 300)

MODELS = {
    "tree": lambda: bough.DecisionTreeRegressor(max_depth=4),
    "forest": lambda: bough.RandomForestRegressor(n_estimators=10, min_samples_leaf=5, random_state=0),
    "boosting": lambda: bough.GradientBoostingRegressor(n_estimators=10),
    "adaboost": lambda: bough.AdaBoostRegressor(n_estimators=5, random_state=0),
}


def fortran():
    return np.asfortranarray(X)


def sliced():
    return np.repeat(X, 2, axis=1)[:, ::2]


def frame():
    return pd.DataFrame(X.copy(), columns=list("abcd")).assign(k=CATEGORY, n=np.arange(300))


def columns():
    return {name: X[:, i].copy() for i, name in enumerate("abcd")}


def change(table):
    """In place."""
    if isinstance(table, dict):
        for values in table.values():
            values[:] -= 3
    elif isinstance(table, pd.DataFrame):
        for name in "abcd":
            table.loc[:, name] -= 3
    else:
        table -= 3


@pytest.mark.parametrize("made", MODELS.values(), ids=MODELS)
@pytest.mark.parametrize("source", [X.copy, fortran, sliced, frame, columns], ids=lambda s: s.__name__)
def test_a_table_that_is_changed_after_the_fit_is_not_the_one_that_was_fitted(made, source):
    expected = made().fit(source(), Y)
    table = source()
    model = made().fit(table, Y)
    change(table)
    found, due = model.importances(), expected.importances()
    assert np.array_equal(found.values, due.values)
    assert seen.data_digest(model._seen) == seen.data_digest(expected._seen)
    if hasattr(model, "predict_quantiles"):
        assert np.array_equal(model.predict_quantiles(source()), expected.predict_quantiles(source()))


@pytest.mark.parametrize("made", MODELS.values(), ids=MODELS)
@pytest.mark.parametrize("source", [X.copy, fortran, sliced, frame, columns], ids=lambda s: s.__name__)
def test_a_large_table_is_not_copied_and_a_change_is_noticed(made, source, monkeypatch, tmp_path):
    monkeypatch.setattr(seen, "MOST_COPIED", 100)
    expected = made().fit(source(), Y)
    table = source()
    model = made().fit(table, Y)
    assert np.may_share_memory(model._seen.table.columns[0].values, _memory(table))
    assert np.array_equal(model.importances().values, expected.importances().values)
    change(table)
    with pytest.raises(BoughError, match="changed since the fit"):
        model.importances()
    if hasattr(model, "predict_quantiles"):
        with pytest.raises(BoughError, match="changed since the fit") as caught:
            model.predict_quantiles(source())
        assert "X.copy()" in caught.value.hint
    assert "svg" in model._repr_html_() or "table" in model._repr_html_()
    model.save(tmp_path / "model.bough")
    assert bough.load(tmp_path / "model.bough")._data_digest is None


def _memory(table):
    if isinstance(table, dict):
        return table["a"]
    return table["a"].to_numpy() if isinstance(table, pd.DataFrame) else table


def test_what_cannot_be_changed_is_neither_copied_nor_summed():
    numbers = np.arange(400).reshape(100, 4)
    model = bough.DecisionTreeRegressor().fit(numbers, numbers[:, 0])
    kept = model._seen
    assert kept.shared == ()
    assert not np.may_share_memory(kept.table.columns[0].values, numbers)
    again = bough.DecisionTreeRegressor().fit(kept.table, numbers[:, 0])
    assert again._seen.table is kept.table
    text = bough.DecisionTreeRegressor().fit(pl.DataFrame({"k": CATEGORY}), Y)
    assert text._seen.shared == ()


def test_changes_in_a_pattern_are_noticed_too(monkeypatch):
    monkeypatch.setattr(seen, "MOST_COPIED", 100)
    rows = RNG.normal(size=(30_000, 2))
    for places in (slice(1, None, 2), slice(0, None, 3), slice(29_000, None)):
        table = rows.copy()
        model = bough.DecisionTreeRegressor(max_depth=2).fit(table, rows[:, 0])
        table[places] = 0
        assert seen.kept_rows(model) is None


def test_a_fit_forgets_the_rows_of_the_model_that_was_loaded(tmp_path):
    bough.DecisionTreeRegressor(max_depth=2).fit(X, Y).save(tmp_path / "m.bough")
    model = bough.load(tmp_path / "m.bough")
    assert model._data_digest is not None
    assert model.fit(X[:200], Y[:200])._data_digest is None


def test_missing_values_of_either_sign_are_the_same_rows():
    table = X.copy()
    table[::3, 1] = np.nan
    other = np.where(np.isnan(table), -np.nan, table)
    other[::3, 1] = np.copysign(np.nan, -1)
    one, two = (bough.RandomForestRegressor(n_estimators=2, random_state=0).fit(t, Y) for t in (table, other))
    assert one.bags_digest_ == two.bags_digest_
    assert seen.data_digest(one._seen) == seen.data_digest(two._seen)


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_change_of_one_row_or_column_of_a_wide_table_is_noticed(order):
    table = np.zeros((50, 5_000), order=order)
    before = seen._checksum((table,))
    for one in (np.s_[7], np.s_[:, 0], np.s_[:, 4_999], np.s_[:, 1_234]):
        table[one] = 1
        assert seen._checksum((table,)) != before
        table[one] = 0
    assert seen._checksum((table,)) == before


def test_a_wide_table_is_not_copied_for_its_checksum():
    table = np.zeros((300, 10_000))
    tracemalloc.start()
    try:
        seen._checksum((table,))
        assert tracemalloc.get_traced_memory()[1] < table.nbytes / 4
    finally:
        tracemalloc.stop()
