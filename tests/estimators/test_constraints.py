"""Constraints: answers that rise or fall with a column, columns that may meet, must or must not be asked."""

from __future__ import annotations

import numpy as np
import pytest

from bough import BoughError, CHAIDClassifier, DecisionTreeClassifier, DecisionTreeRegressor
from bough.data.examples import load

GRID = np.linspace(-3, 3, 61)
KINDS = (0, 2, 5)  # numbers, or so many classes


def table(n_classes, seed, holes=False):
    """A target that rises with `a` but for one category of `c`; `b` bends."""
    rng = np.random.default_rng(seed)
    n = 300
    a, b, c = rng.normal(size=n).round(1), rng.normal(size=n), rng.integers(0, 5, n)
    z = a + np.sin(3 * b) - (c == 2) * a + rng.normal(size=n)
    X = {"a": a.tolist(), "b": b.tolist(), "c": [f"k{v}" for v in c]}
    if holes:
        for k in range(0, n, 7):
            X["a"][k] = X["b"][3 * k % n] = X["c"][5 * k % n] = None
    cuts = np.quantile(z, np.arange(1, n_classes) / n_classes) if n_classes else []
    return X, (np.digitize(z, cuts) if n_classes else z)


def tree(n_classes, **settings):
    return (DecisionTreeClassifier if n_classes else DecisionTreeRegressor)(**settings)


def steps(model, X):
    """Changes of the answer along the grid of `a`, for 60 rows' other values: the mean, or P(y > k) for each
    k."""
    others = [(X["b"][i], X["c"][i]) for i in range(60)]
    rows = {
        "a": np.tile(GRID, 60).tolist(),
        "b": [b for b, _ in others for _ in GRID],
        "c": [c for _, c in others for _ in GRID],
    }
    if isinstance(model, DecisionTreeRegressor):
        answers = model.predict(rows)[:, None]
    else:
        answers = 1 - np.cumsum(model.predict_proba(rows), axis=1)[:, :-1]
    return np.diff(answers.reshape(60, len(GRID), -1), axis=1)


SETTINGS = [
    {},
    {"max_leaf_nodes": 12},
    {"max_bins": 16},
    {"categories": "multiway"},
    {"categories": "one_vs_rest"},
    {"min_samples_leaf": 5},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("holes", [False, True])
@pytest.mark.parametrize("direction", [1, -1])
@pytest.mark.parametrize("n_classes", KINDS)
def test_answers_follow_a_monotone_column(n_classes, direction, holes, settings):
    X, y = table(n_classes, seed=direction + 1, holes=holes)
    model = tree(n_classes, monotonic_cst={"a": direction}, **settings).fit(X, y)
    assert model.get_n_leaves() > 1
    assert (direction * steps(model, X)).min() >= -1e-12
    free = tree(n_classes, **settings).fit(X, y)
    assert (direction * steps(free, X)).min() < -0.01


@pytest.mark.parametrize(
    ("n_classes", "criterion"),
    [(0, "squared_error"), (0, "poisson"), (2, "gini"), (2, "chi_square"), (5, "entropy"), (5, "gini")],
)
def test_criteria_and_weights_follow_a_monotone_column(n_classes, criterion):
    X, y = table(n_classes, seed=3)
    X["a"] = [v + 1e-3 * i for i, v in enumerate(X["a"])]  # more values than are counted together
    y = y - y.min() if criterion == "poisson" else y
    weights = np.random.default_rng(3).uniform(0.5, 2.0, len(y))
    given = {"criterion": criterion, "min_samples_leaf": 5}
    model = tree(n_classes, monotonic_cst={"a": 1}, **given).fit(X, y, weights)
    assert steps(model, X).min() >= -1e-12
    assert steps(tree(n_classes, **given).fit(X, y, weights), X).min() < -0.01


@pytest.mark.parametrize("n_classes", [0, 2, 5])
def test_a_constraint_that_is_met_anyway_changes_nothing(n_classes):
    x = np.arange(60.0)
    y = x // 12 if n_classes != 2 else x // 30
    free, bound = (tree(n_classes, monotonic_cst=c).fit(x[:, None], y) for c in (None, [1]))
    assert bound.digest() == free.digest()
    assert tree(n_classes, monotonic_cst=[-1]).fit(x[:, None], y).get_n_leaves() == 1


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param({"criterion": "chi_square", "categories": "chaid"}, id="chaid"),
        pytest.param({"probabilities": "laplace"}, id="laplace"),
        pytest.param({"probabilities": "m"}, id="m"),
        pytest.param(
            {"criterion": lambda sums: sums.sum(axis=1) - sums.max(axis=1)},
            id="criterion",
        ),
        pytest.param(
            {
                "forced_splits": {
                    "column": "a",
                    "threshold": 0.0,
                    "branches": [{"column": "a", "threshold": -1}, None],
                }
            },
            id="forced",
        ),
    ],
)
def test_a_monotone_tree_is_monotone_whatever_else_is_asked_for_or_refused(settings):
    for seed in range(4):
        X, y = table(2, seed)
        try:
            model = tree(2, monotonic_cst={"a": 1}, **settings).fit(X, y)
        except BoughError as refused:
            assert refused.code == "parameter"  # noqa: PT017  # either is fine
        else:
            assert steps(model, X).min() >= -1e-12


def test_a_monotone_column_of_unordered_categories_is_refused():
    X, y = table(2, 0)
    with pytest.raises(BoughError, match=r'^monotonic_cst: column "c" has categories without an order'):
        tree(2, monotonic_cst={"c": 1}).fit(X, y)


# ---- which columns ---------------------------------------------------------------------------------------


def columns_on_paths(tree):
    return {frozenset(tree.feature[i] for i in tree.path(leaf.id)[:-1]) for leaf in tree.leaves()}


def wide(n=400, columns=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, columns))
    return X, (X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3] > 0).astype(int)


@pytest.mark.parametrize("kind", [DecisionTreeClassifier, DecisionTreeRegressor])
def test_only_columns_of_one_group_meet_on_a_path(kind):
    X, y = wide()
    groups = [{0, 1}, {1, 2, 3}, {4}]
    paths = columns_on_paths(kind(interaction_cst=[[0, 1], [1, 2, 3]]).fit(X, y).tree_)
    assert len(paths) > 1
    assert all(any(path <= group for group in groups) for path in paths)
    free = columns_on_paths(kind().fit(X, y).tree_)
    assert not all(any(path <= group for group in groups) for path in free)


def test_groups_go_by_name_too():
    X, y = wide()
    named = {f"n{j}": X[:, j] for j in range(5)}
    by_name = DecisionTreeClassifier(interaction_cst=[["n0", "n1"]]).fit(named, y)
    by_number = DecisionTreeClassifier(interaction_cst=[[0, 1]]).fit(named, y)
    assert by_name.digest() == by_number.digest()


def test_a_forbidden_column_is_never_asked_and_the_rest_is_as_without_it():
    X, y = load("titanic")
    model = DecisionTreeClassifier(forbidden_columns=["sex", "fare"], max_depth=4).fit(X, y)
    rest = {name: values for name, values in X.items() if name not in ("sex", "fare")}
    without = DecisionTreeClassifier(max_depth=4).fit(rest, y)
    names = list(X)
    asked = [names[j] for j in model.tree_.feature if j >= 0]
    assert asked == [list(rest)[j] for j in without.tree_.feature if j >= 0]
    assert (model.predict(X) == without.predict(rest)).all()


def test_required_columns_are_asked_first():
    X, y = load("titanic")
    model = DecisionTreeClassifier(required_columns=["embarked", "parch"], max_depth=4).fit(X, y)
    names = list(X)
    for leaf in model.tree_.leaves():
        path = [names[model.tree_.feature[i]] for i in model.tree_.path(leaf.id)[:-1]]
        assert set(path[:2]) == {"embarked", "parch"} or leaf.impurity == 0 or len(path) < 2
    assert "sex" in {names[j] for j in model.tree_.feature if j >= 0}


def test_forced_splits_come_first():
    X, y = load("titanic")
    forced = {"column": "pclass", "threshold": 1.5, "branches": [None, {"column": "age"}]}
    tree = DecisionTreeClassifier(forced_splits=forced, max_depth=3).fit(X, y).tree_
    first, second = tree.root.children
    assert (tree.root.column, tree.root.threshold, second.column) == ("pclass", 1.5, "age")
    upper = np.array(X["pclass"]) == 1
    assert (first.n_rows, second.n_rows) == (upper.sum(), (~upper).sum())
    alone = DecisionTreeClassifier(max_depth=2).fit(
        {k: [v for v, u in zip(values, upper, strict=True) if u] for k, values in X.items()},
        [v for v, u in zip(y, upper, strict=True) if u],
    )
    assert (first.column, first.gain) == (alone.tree_.root.column, alone.tree_.root.gain)


# ---- limits ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("most", [1, 2, 3, 9, 10])
def test_max_nodes_limits_the_nodes(most):
    X, y = wide()
    model = DecisionTreeClassifier(max_nodes=most).fit(X, y)
    # Two-way splits: an odd number of nodes, the largest that is allowed.
    assert model.tree_.n_nodes == most - (most % 2 == 0)
    assert model.digest() == DecisionTreeClassifier(max_leaf_nodes=(most + 1) // 2).fit(X, y).digest()


def test_a_time_limit_that_is_over_leaves_a_tree_that_answers():
    X, y = wide(2000)
    soon = DecisionTreeClassifier(time_limit=1e-9).fit(X, y)
    assert soon.get_n_leaves() < DecisionTreeClassifier().fit(X, y).get_n_leaves()
    assert soon.predict(X).shape == (2000,)
    late = DecisionTreeClassifier(time_limit=1000.0).fit(X, y)
    assert late.score(X, y) == 1.0


def test_each_branch_has_its_share_of_the_rows_of_the_node():
    X, y = wide()
    tree = DecisionTreeClassifier(min_share_leaf=0.3).fit(X, y).tree_
    assert tree.n_leaves > 5
    assert (tree.n_rows[1:] >= 0.3 * tree.n_rows[tree.parent[1:]]).all()


# ---- bad values ------------------------------------------------------------------------------------------

BAD = [
    ("monotonic_cst", [1]),
    ("monotonic_cst", [1, 2]),
    ("monotonic_cst", "x"),
    ("monotonic_cst", {"x9": 1}),
    ("monotonic_cst", 5),
    ("monotonic_cst", {"x0": [1]}),
    pytest.param("monotonic_cst", {"x0": np.array([1, 2])}),
    ("monotonic_cst", [None, 0]),
    ("interaction_cst", 5),
    ("interaction_cst", "x0"),
    ("interaction_cst", [5]),
    ("interaction_cst", [[9]]),
    ("interaction_cst", [["x9"]]),
    ("required_columns", 5),
    ("required_columns", "x0"),
    ("required_columns", [0.5]),
    ("required_columns", [-1]),
    ("forbidden_columns", 5),
    ("forbidden_columns", ["x9"]),
    ("forbidden_columns", [2]),
    pytest.param("forced_splits", 5),
    pytest.param("forced_splits", {}),
    pytest.param("forced_splits", {"column": "x9"}),
    pytest.param("forced_splits", {"colum": "x0"}),
    pytest.param("forced_splits", {"column": "x0", "threshold": "x"}),
    pytest.param("forced_splits", {"column": "x0", "threshold": 99}),
    pytest.param("forced_splits", {"column": "x0", "categories": [["a"], ["b"]]}),
    pytest.param("forced_splits", {"column": "x0", "branches": 5}),
    pytest.param("forced_splits", {"column": "x0", "branches": [None, None, None]}),
    ("max_nodes", 0),
    ("max_nodes", 2.5),
    ("time_limit", 0),
    ("time_limit", "1"),
    ("time_limit", float("inf")),
    ("min_share_leaf", 0.6),
    ("min_share_leaf", None),
]


@pytest.mark.parametrize(("name", "value"), BAD, ids=str)
def test_a_bad_constraint_is_refused_by_its_name(name, value):
    with pytest.raises(BoughError, match=f"^{name}\\b") as caught:
        DecisionTreeClassifier(**{name: value}).fit([[1, 2], [3, 4], [5, 6], [7, 1]], [0, 1, 0, 1])
    assert caught.value.code == "parameter"


def test_a_column_is_not_required_and_forbidden():
    with pytest.raises(BoughError, match=r'^required_columns: column "x0" is forbidden, too'):
        CHAIDClassifier(required_columns=[0], forbidden_columns=["x0"]).fit([[1], [2]], [0, 1])
