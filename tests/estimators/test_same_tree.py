"""One tree for one table: whatever holds it, in any order, on any number of threads, in any process."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from bough import DecisionTreeClassifier, DecisionTreeRegressor
from bough.data.examples import load

ROWS = 24_000  # above the sizes from which nodes and subtrees are shared among threads


def make_table(n=ROWS, seed=0):
    """Numbers with and without ties, few and many categories, holes; the outcome depends on them."""
    rng = np.random.default_rng(seed)
    colour = rng.choice(np.array(["blue", "green", "red", "violet", "white"], dtype=object), n)
    town = np.array([f"town{i:03d}" for i in range(60)], dtype=object)[rng.integers(0, 60, n)]
    X = pd.DataFrame(
        {
            "length": rng.normal(size=n),
            "width": rng.normal(size=n).round(2),
            "rooms": rng.integers(1, 9, n).astype(float),
            "colour": colour,
            "town": town,
            "noise": rng.random(n),
        }
    )
    signal = X["length"] + (X["rooms"] - 4) * 0.5 + (colour == "red") * 1.5 + (town < "town020") * 1.0
    for name in ("length", "rooms", "colour", "town"):
        X.loc[rng.random(n) < 0.07, name] = None
    return X, (signal + rng.normal(size=n)).to_numpy()


X, SIGNAL = make_table()
CLASSES = np.array(["low", "middle", "high"])[np.digitize(SIGNAL, [-0.5, 1.5])]

MODELS = {
    "classifier": DecisionTreeClassifier(),
    "entropy": DecisionTreeClassifier(criterion="entropy", min_samples_leaf=3),
    "error": DecisionTreeClassifier(criterion="error", min_samples_leaf=20),
    "regressor": DecisionTreeRegressor(),
    "regressor, multiway": DecisionTreeRegressor(categories="multiway", min_samples_leaf=2),
    "multiway": DecisionTreeClassifier(categories="multiway", min_samples_leaf=2),
    "best-first": DecisionTreeClassifier(max_leaf_nodes=300),
    "best-first regressor": DecisionTreeRegressor(max_leaf_nodes=300),
    "drawn columns": DecisionTreeClassifier(max_features=2, random_state=5),
    "drawn columns, regressor": DecisionTreeRegressor(
        max_features="sqrt", random_state=5, min_samples_leaf=2
    ),
    "random ties": DecisionTreeClassifier(ties="random", random_state=5, max_bins=8),
    "bins": DecisionTreeClassifier(max_bins=32),
}


def target_of(model):
    return CLASSES if isinstance(model, DecisionTreeClassifier) else SIGNAL


@pytest.mark.parametrize("name", MODELS)
def test_any_number_of_threads_grows_one_tree(name):
    model = MODELS[name]
    y = target_of(model)
    digests = {model.set_params(n_jobs=jobs).fit(X, y).digest() for jobs in (1, 2, 4, 8)}
    leaves = model.get_n_leaves()
    model.set_params(n_jobs=None)
    assert leaves > 100
    assert len(digests) == 1


@pytest.mark.parametrize("name", ["classifier", "regressor"])
def test_threads_grow_one_tree_from_weighted_rows(name):
    weights = np.random.default_rng(1).integers(0, 4, ROWS) * 0.37
    y = target_of(MODELS[name])
    digests = {
        MODELS[name].set_params(n_jobs=jobs).fit(X, y, sample_weight=weights).digest()
        for jobs in (1, 2, 4, 8)
    }
    assert len(digests) == 1


def test_threads_predict_the_same():
    model = DecisionTreeClassifier(n_jobs=1).fit(X, CLASSES)
    leaves = model.apply(X)
    for jobs in (2, 4, 8):
        assert (model.set_params(n_jobs=jobs).apply(X) == leaves).all()


def test_the_same_again_is_the_same_and_another_seed_another():
    model = DecisionTreeClassifier(max_features=2, random_state=5, max_depth=6)
    first = model.fit(X, CLASSES).digest()
    assert model.fit(X, CLASSES).digest() == first
    assert model.set_params(random_state=6).fit(X, CLASSES).digest() != first


# The same table in every form it can have.

SMALL, SMALL_Y = X.head(1500), CLASSES[:1500]
LISTS = {name: [None if pd.isna(v) else v for v in SMALL[name]] for name in SMALL}
FORMS = {
    "pandas": lambda: SMALL,
    "pandas, arrow types": lambda: SMALL.convert_dtypes(dtype_backend="pyarrow"),
    "pandas, own types": SMALL.convert_dtypes,
    "pandas, categories": lambda: SMALL.astype({"colour": "category", "town": "category"}),
    "polars": lambda: pl.DataFrame(LISTS),
    "polars, categories": lambda: pl.DataFrame(LISTS).with_columns(
        pl.col("colour", "town").cast(pl.Categorical)
    ),
    "pyarrow": lambda: pa.table(LISTS),
    "pyarrow, chunked": lambda: pa.concat_tables([pa.table(LISTS).slice(0, 700), pa.table(LISTS).slice(700)]),
    "dict of lists": lambda: LISTS,
    "dict of arrays": lambda: {name: np.array(values, dtype=object) for name, values in LISTS.items()},
    "list of dicts": lambda: pl.DataFrame(LISTS).to_dicts(),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["classifier", "multiway", "best-first"])
def test_any_form_of_the_table_grows_one_tree(form, name):
    model = MODELS[name]
    expected = model.fit(SMALL, SMALL_Y).digest()
    data = FORMS[form]()
    assert model.fit(data, SMALL_Y).digest() == expected
    assert (model.predict(data) == model.predict(SMALL)).all()


@pytest.mark.parametrize(
    "form", [list, np.array, pd.Series, pl.Series, pa.array, lambda y: pd.Series(y, dtype="category")]
)
def test_any_form_of_the_target_grows_one_tree(form):
    model = DecisionTreeClassifier(max_depth=5)
    expected = model.fit(SMALL, SMALL_Y).digest()
    assert model.fit(SMALL, form(SMALL_Y.tolist())).digest() == expected
    assert (
        model.predict(SMALL) == DecisionTreeClassifier(max_depth=5).fit(SMALL, SMALL_Y).predict(SMALL)
    ).all()


@pytest.mark.parametrize("form", [list, np.array, pd.Series, pl.Series, pa.array])
def test_any_form_of_numbers_as_target_grows_one_tree(form):
    model = DecisionTreeRegressor(max_depth=5)
    expected = model.fit(SMALL, SIGNAL[:1500]).digest()
    assert model.fit(SMALL, form(SIGNAL[:1500].tolist())).digest() == expected


def test_forms_without_names_grow_one_tree():
    table = SMALL.set_axis([f"x{i}" for i in range(SMALL.shape[1])], axis=1)
    named = DecisionTreeClassifier().fit(table, SMALL_Y)
    objects = np.array([LISTS[name] for name in LISTS], dtype=object).T
    rows = [list(row) for row in objects]
    frame = pd.DataFrame(dict(enumerate(LISTS.values())))  # columns 0, 1, 2 …: no names
    for data in (objects, np.asfortranarray(objects), rows, frame):
        model = DecisionTreeClassifier().fit(data, SMALL_Y)
        assert model.digest() == named.digest()
        assert not hasattr(model, "feature_names_in_")


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int32, np.uint8])
@pytest.mark.parametrize("order", ["C", "F", "strided", "reversed"])
def test_any_layout_of_an_array_grows_one_tree(dtype, order):
    values = np.random.default_rng(4).integers(0, 200, size=(800, 5))
    y = (values[:, 1] + values[:, 3]) % 3
    expected = DecisionTreeClassifier().fit(values.astype(float), y).digest()
    array = np.array(values, dtype=dtype, order="F" if order == "F" else "C")
    if order == "strided":
        wide = np.zeros((1600, 15), dtype=dtype)
        wide[::2, ::3] = values
        array = wide[::2, ::3]
    elif order == "reversed":
        array = np.ascontiguousarray(array[::-1, ::-1])[::-1, ::-1]
    assert DecisionTreeClassifier().fit(array, y).digest() == expected


# Changes of the table that leave the tree as it is.


@pytest.mark.parametrize("name", MODELS)
def test_the_order_of_the_rows_does_not_matter(name):
    model = MODELS[name]
    y = target_of(model)
    shuffled = np.random.default_rng(7).permutation(ROWS)
    expected = model.fit(X, y).digest()
    assert model.fit(X.iloc[shuffled], y[shuffled]).digest() == expected


@pytest.mark.parametrize("name", ["classifier", "entropy", "multiway", "best-first", "regressor"])
def test_the_order_of_weighted_rows_does_not_matter(name):
    model = MODELS[name]
    y = target_of(model)[:6000]
    rng = np.random.default_rng(8)
    weights, shuffled = rng.random(6000) * (rng.random(6000) < 0.9), rng.permutation(6000)
    expected = model.fit(X[:6000], y, weights).digest()
    assert model.fit(X[:6000].iloc[shuffled], y[shuffled], weights[shuffled]).digest() == expected


@pytest.mark.parametrize(
    "name", ["classifier", "entropy", "error", "multiway", "best-first", "regressor", "best-first regressor"]
)
def test_a_whole_weight_is_that_many_copies(name):
    model = MODELS[name]
    model = type(model)(**{**model.get_params(), "min_samples_leaf": 1})
    y = target_of(model)[:5000]
    weights = np.random.default_rng(9).integers(0, 4, 5000)
    copies = np.repeat(np.arange(5000), weights)
    weighted = model.fit(X[:5000], y, sample_weight=weights).digest()
    assert model.fit(X.iloc[copies], y[copies]).digest() == weighted


def test_balanced_classes_count_a_whole_weight_as_copies():
    weights = np.random.default_rng(9).integers(0, 4, 2000)
    copies = np.repeat(np.arange(2000), weights)
    model = DecisionTreeClassifier(class_weight="balanced", max_depth=6)
    model.fit(X[:2000], CLASSES[:2000], sample_weight=weights)
    leaves, shares = model.apply(X), model.predict_proba(X)
    model.fit(X.iloc[copies], CLASSES[copies])
    assert (model.apply(X) == leaves).all()
    # The weights are no whole numbers here: their last bits depend on how many rows share the scale.
    np.testing.assert_allclose(model.predict_proba(X), shares, rtol=1e-12)


def test_weights_of_one_are_no_weights():
    plain = DecisionTreeClassifier().fit(SMALL, SMALL_Y).digest()
    assert DecisionTreeClassifier().fit(SMALL, SMALL_Y, np.ones(1500)).digest() == plain
    assert DecisionTreeClassifier().fit(SMALL, SMALL_Y, 1.0).digest() == plain


@pytest.mark.parametrize("name", ["classifier", "regressor", "entropy", "best-first"])
def test_all_weights_times_a_power_of_two_part_the_rows_the_same_way(name):
    model = MODELS[name]
    y = target_of(model)[:3000]
    weights = np.random.default_rng(10).integers(1, 5, 3000).astype(float)
    leaves = model.fit(X[:3000], y, weights).apply(X[:3000])
    for factor in (2.0**-30, 0.25, 2.0**40):
        assert (model.fit(X[:3000], y, weights * factor).apply(X[:3000]) == leaves).all()


@pytest.mark.parametrize("name", ["classifier", "entropy", "regressor", "multiway", "best-first", "bins"])
@pytest.mark.parametrize("monotone", [np.exp, np.cbrt, lambda x: 1e6 * x - 3, np.arctan])
def test_a_monotone_transform_of_a_column_parts_the_rows_the_same_way(name, monotone):
    model = MODELS[name]
    part, y = X[:4000], target_of(model)[:4000]
    leaves = model.fit(part, y).apply(part)
    changed = part.assign(length=monotone(part["length"].astype(float)))
    assert changed["length"].nunique() == part["length"].nunique()
    assert (model.fit(changed, y).apply(changed) == leaves).all()


@pytest.mark.parametrize("name", ["classifier", "regressor", "multiway", "best-first"])
def test_new_names_for_categories_part_the_rows_the_same_way(name):
    model = MODELS[name]
    part, y = X[:4000], target_of(model)[:4000]
    leaves = model.fit(part, y).apply(part)
    old = sorted(part["colour"].dropna().unique())
    new = dict(zip(old, ["A", "Bé", "C'\"", "d<b>", "ü"], strict=True))
    assert sorted(new.values()) == list(new.values())
    renamed = part.assign(colour=part["colour"].map(new))
    assert (model.fit(renamed, y).apply(renamed) == leaves).all()


def test_new_names_for_classes_part_the_rows_the_same_way():
    expected = DecisionTreeClassifier().fit(SMALL, SMALL_Y)
    renamed = np.array([{"high": 3, "low": 17, "middle": 90}[label] for label in SMALL_Y])
    assert (DecisionTreeClassifier().fit(SMALL, renamed).apply(SMALL) == expected.apply(SMALL)).all()


@pytest.mark.parametrize("name", ["classifier", "regressor", "multiway", "best-first", "bins"])
@pytest.mark.parametrize("constant", [7.5, "always", True])
def test_a_constant_column_changes_nothing(name, constant):
    model = MODELS[name]
    part, y = X[:4000], target_of(model)[:4000]
    expected = model.fit(part, y)
    leaves, thresholds = expected.apply(part), expected.tree_.threshold
    for place in (0, 3, 6):
        more = part.copy()
        more.insert(place, "constant", constant)
        assert (model.fit(more, y).apply(more) == leaves).all()
        assert (model.tree_.threshold == thresholds).all()
        assert "constant" not in {node.column for node in model.tree_.nodes()}


@pytest.mark.parametrize("categories", ["subset", "multiway"])
@pytest.mark.parametrize("ties", ["column", "alphabetical"])
def test_the_order_of_the_columns_does_not_matter_without_ties(categories, ties):
    # Leaves of some size, so that no two columns part a node equally well.
    model = DecisionTreeRegressor(min_samples_leaf=25, categories=categories, ties=ties)
    expected = model.fit(X, SIGNAL).digest()
    assert model.get_n_leaves() > 100
    assert model.fit(X[list(X.columns[::-1])], SIGNAL).digest() == expected


def test_with_alphabetical_ties_the_order_of_the_columns_never_matters():
    columns, y = load("titanic")
    model = DecisionTreeClassifier(ties="alphabetical")
    expected = model.fit(columns, y).digest()
    for names in (sorted(columns), sorted(columns, reverse=True)):
        assert model.fit({name: columns[name] for name in names}, y).digest() == expected


def test_declared_categories_in_another_order_are_the_same_table():
    towns = sorted(X["town"].dropna().unique())
    model = DecisionTreeRegressor(min_samples_leaf=25)
    for categories in ("subset", "multiway"):
        model.set_params(categories=categories)
        digests = {
            model.fit(X.assign(town=pd.Categorical(X["town"], categories=order)), SIGNAL).digest()
            for order in (towns, towns[::-1])
        }
        assert len(digests) == 1


@pytest.mark.parametrize("name", ["classifier", "regressor"])
def test_the_zeros_of_both_signs_are_one_number(name):
    rng = np.random.default_rng(11)
    values = rng.integers(-2, 3, size=(500, 2)).astype(float)
    y = values[:, 0] + rng.integers(0, 3, 500)
    expected = type(MODELS[name])(max_depth=4).fit(values, y).digest()
    negative = np.where(values == 0, np.where(rng.random(values.shape) < 0.5, -0.0, 0.0), values)
    assert np.signbit(negative[values == 0]).any()
    assert type(MODELS[name])(max_depth=4).fit(negative, y).digest() == expected


def test_leaves_parted_by_a_deeper_tree_lie_within_those_of_a_shallower():
    shallow = DecisionTreeClassifier(max_depth=4).fit(X, CLASSES).apply(X)
    deep = DecisionTreeClassifier(max_depth=8).fit(X, CLASSES).apply(X)
    pairs = np.unique(np.stack([deep, shallow]), axis=1)
    assert len(pairs[0]) == len(np.unique(deep)) > len(np.unique(shallow))


CHILD = """
import sys, numpy as np
sys.path.insert(0, sys.argv[1])
from test_same_tree import CLASSES, SIGNAL, X, MODELS, DecisionTreeClassifier, target_of
for name in ("multiway", "drawn columns", "regressor", "random ties"):
    part = X[:6000]
    print(MODELS[name].fit(part, target_of(MODELS[name])[:6000]).digest())
print(DecisionTreeClassifier().fit(part.to_dict("list"), CLASSES[:6000]).digest())
"""


def test_every_process_grows_the_same_trees():
    outputs = set()
    for seed in ("1", "4242"):
        done = subprocess.run(
            [sys.executable, "-c", CHILD, os.path.dirname(__file__)],
            env={**os.environ, "PYTHONHASHSEED": seed, "OMP_NUM_THREADS": seed},
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
        assert len(done.stdout.split()) == 5
        outputs.add(done.stdout)
    part = X[:6000]
    names = ("multiway", "drawn columns", "regressor", "random ties")
    here = [MODELS[name].fit(part, target_of(MODELS[name])[:6000]).digest() for name in names]
    here.append(DecisionTreeClassifier().fit(part.to_dict("list"), CLASSES[:6000]).digest())
    assert {tuple(output.split()) for output in outputs} == {tuple(here)}
