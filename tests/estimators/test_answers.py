"""What a leaf answers: estimated shares, costs, priors; and where rows go that the tree has no branch for."""

from __future__ import annotations

import numpy as np
import pytest

from bough import BoughError, DecisionTreeClassifier, DecisionTreeRegressor
from bough.data.examples import load

NAN = float("nan")
# A leaf of 3 : 29 on the left, one of 40 : 8 on the right; the root has 43 : 37.
X = np.repeat([0.0, 1.0], [32, 48])[:, None]
Y = np.array(["no"] * 3 + ["yes"] * 29 + ["no"] * 40 + ["yes"] * 8)


@pytest.mark.parametrize(
    ("estimate", "left", "right"),
    [
        ("raw", 3 / 32, 40 / 48),
        ("half", 3.5 / 33, 40.5 / 49),
        ("laplace", 4 / 34, 41 / 50),
        ("m", (3 + 2 * 43 / 80) / 34, (40 + 2 * 43 / 80) / 50),
    ],
)
def test_shares_of_a_leaf_by_hand(estimate, left, right):
    model = DecisionTreeClassifier(probabilities=estimate, max_depth=1).fit(X, Y)
    expected = [[left, 1 - left], [right, 1 - right]]
    np.testing.assert_allclose(model.predict_proba([[0], [1]]), expected, rtol=1e-14)
    assert model.predict([[0], [1]]).tolist() == ["yes", "no"]


def test_m_is_the_number_of_rows_that_the_root_counts_for():
    model = DecisionTreeClassifier(probabilities="m", m=10, max_depth=1).fit(X, Y)
    np.testing.assert_allclose(model.predict_proba([[0]])[0, 0], (3 + 10 * 43 / 80) / 42, rtol=1e-14)


def test_estimates_do_not_change_what_grows():
    raw, other = (DecisionTreeClassifier(probabilities=p).fit(X, Y).tree_ for p in ("raw", "laplace"))
    assert (raw.value == other.value).all()


def test_the_answer_has_the_least_expected_cost():
    # Right leaf 40 : 8. Answering "no" costs 8 * c, answering "yes" costs 40: "yes" from c = 5 up.
    for cost, answer in ((4.9, "no"), (5.1, "yes")):
        model = DecisionTreeClassifier(costs=[[0, 1], [cost, 0]], max_depth=1).fit(X, Y)
        assert model.predict([[1]]).tolist() == [answer]
        np.testing.assert_allclose(model.predict_proba([[1]]), [[40 / 48, 8 / 48]], rtol=1e-12)


def test_costs_of_three_classes_against_a_plain_computation():
    rng = np.random.default_rng(0)
    data, y = rng.normal(size=(300, 3)), rng.integers(0, 3, 300)
    costs = np.array([[0, 1, 4], [2, 0, 1], [7, 3, 0]])
    model = DecisionTreeClassifier(costs=costs, min_samples_leaf=20).fit(data, y)
    leaves = model.apply(data)
    for leaf in np.unique(leaves):
        counts = np.bincount(y[leaves == leaf], minlength=3)
        answer = (counts @ costs).argmin()
        assert set(model.predict(data[leaves == leaf])) == {answer}


def test_costs_that_weigh_classes_grow_the_tree_of_those_weights():
    data, y = load("titanic")
    costly = DecisionTreeClassifier(costs=[[0, 1], [3, 0]], max_depth=4).fit(data, y).tree_
    weighted = DecisionTreeClassifier(class_weight={"survived": 3}, max_depth=4).fit(data, y).tree_
    assert costly.feature.tolist() == weighted.feature.tolist()
    assert costly.threshold.tolist() == weighted.threshold.tolist()
    np.testing.assert_allclose(costly.value[:, 1] * 3, weighted.value[:, 1], rtol=1e-12)
    assert (costly.answers == weighted.answers).all()


def test_priors_are_weights_that_bring_the_classes_to_these_shares():
    data, y = load("titanic")
    model = DecisionTreeClassifier(priors={"died": 1, "survived": 3}, max_depth=3).fit(data, y)
    w = np.where(np.array(y) == "died", 0.25 * 891 / 549, 0.75 * 891 / 342)
    np.testing.assert_allclose(model.tree_.shares[0], [0.25, 0.75], rtol=1e-12)
    same = DecisionTreeClassifier(max_depth=3).fit(data, y, sample_weight=w)
    assert (model.apply(data) == same.apply(data)).all()
    np.testing.assert_allclose(model.predict_proba(data), same.predict_proba(data), rtol=1e-12)
    equal = DecisionTreeClassifier(priors={"died": 0.5, "survived": 0.5}, max_depth=3).fit(data, y)
    balanced = DecisionTreeClassifier(class_weight="balanced", max_depth=3).fit(data, y)
    assert (equal.apply(data) == balanced.apply(data)).all()


def test_declared_classes_keep_their_order_and_may_be_absent():
    model = DecisionTreeClassifier(classes=["low", "mid", "high"]).fit([[1], [2]], ["low", "high"])
    assert model.classes_.tolist() == ["low", "mid", "high"]
    assert model.predict_proba([[2]]).tolist() == [[0.0, 0.0, 1.0]]


# ---- categories without a branch -------------------------------------------------------------------------

SORTS = {"sort": ["a"] * 3 + ["b"] * 5 + [None] * 2}
KIND = [0] * 3 + [1] * 5 + [0] * 2


def test_unseen_categories_go_with_the_missing_rows_or_the_majority_or_are_an_error():
    answers = {}
    for rule in ("missing", "majority"):
        model = DecisionTreeClassifier(unseen=rule).fit(SORTS, KIND)
        assert model.predict({"sort": ["a", "b", None]}).tolist() == [0, 1, 0]
        answers[rule] = model.predict({"sort": ["new"]}).tolist()
    # Missing rows are with a; then a has 5 rows, b 5 rows: the first has the majority on a tie.
    assert answers["missing"] == [0]
    heavy = {"sort": SORTS["sort"] + ["b"] * 4}
    model = DecisionTreeClassifier(unseen="majority").fit(heavy, KIND + [1] * 4)
    assert model.predict({"sort": ["new", None]}).tolist() == [1, 0]
    strict = DecisionTreeClassifier(unseen="error").fit(SORTS, KIND)
    with pytest.raises(BoughError, match=r'column "sort", row 1.*new'):
        strict.predict({"sort": ["a", "new"]})


# ---- missing values --------------------------------------------------------------------------------------

# Known rows: 1, 2 are class 0, 3, 4, 5 class 1. The two missing rows are class 0.
HOLES = np.array([[1.0], [2.0], [3.0], [4.0], [5.0], [NAN], [NAN]])
CLASS = np.array([0, 0, 1, 1, 1, 0, 0])


def stump(rule, **others):
    return DecisionTreeClassifier(missing=rule, max_depth=1, **others).fit(HOLES, CLASS)


def test_missing_rows_have_the_side_that_gains_most():
    assert stump("learn").predict_proba([[NAN]]).tolist() == [[1.0, 0.0]]
    assert stump("learn").tree_.n_rows.tolist() == [7, 4, 3]


def test_missing_rows_follow_the_majority_of_the_known():
    tree = stump("majority").tree_
    assert tree.n_rows.tolist() == [7, 2, 5]
    assert tree.predict_proba([[NAN]]).tolist() == [[0.4, 0.6]]


def test_missing_rows_stop_at_the_node():
    tree = stump("stop").tree_
    assert tree.n_rows.tolist() == [7, 2, 3]
    np.testing.assert_allclose(tree.predict_proba([[NAN]]), [[4 / 7, 3 / 7]])
    assert tree.apply([[NAN], [1]]).tolist() == [0, 1]


def test_missing_rows_have_a_branch():
    tree = stump("branch").tree_
    assert tree.n_rows.tolist() == [7, 2, 3, 2]
    assert tree.predict_proba([[NAN], [9]]).tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_missing_rows_are_spread_by_weight():
    tree = stump("fractional").tree_
    np.testing.assert_allclose(tree.weight, [7, 2 + 2 * 0.4, 3 + 2 * 0.6])
    # 0.4 of the row is where all are class 0, 0.6 where 1.2 of 4.2 are.
    np.testing.assert_allclose(tree.predict_proba([[NAN]])[0, 0], 0.4 + 0.6 * 1.2 / 4.2)


def test_missing_rows_go_by_a_surrogate():
    other = np.array([10.0, 11.0, 20.0, 21.0, 22.0, 10.0, 23.0])
    data = np.column_stack([HOLES[:, 0], other])
    y = [0, 0, 1, 1, 1, 0, 1]
    tree = DecisionTreeClassifier(missing="surrogate", max_depth=1, required_columns=[0]).fit(data, y).tree_
    assert tree.n_rows.tolist() == [7, 3, 4]
    assert tree.surrogate_feature.tolist() == [1]
    assert tree.surrogate_agree.tolist() == [1.0]
    assert tree.predict([[NAN, 12.0], [NAN, 19.0], [NAN, NAN]]).tolist() == [0, 1, 1]


def test_missing_rows_are_an_error_in_fit_and_in_predict():
    with pytest.raises(BoughError, match='"x0"'):
        stump("error")
    model = DecisionTreeClassifier(missing="error").fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(BoughError, match='"x0"'):
        model.predict([[NAN]])


def test_a_column_has_its_own_rule():
    data = {"a": HOLES[:, 0], "b": np.arange(7.0)}
    model = DecisionTreeClassifier(missing={"a": "branch", "b": "error"}, required_columns=["a"]).fit(
        data, CLASS
    )
    assert model.tree_.root.column == "a"
    assert model.tree_.n_children[0] == 3
    with pytest.raises(BoughError, match='"b"'):
        model.predict({"a": [NAN], "b": [NAN]})
    assert model.predict({"a": [NAN], "b": [0.0]}).tolist() == [0]


def test_numbers_with_missing_values():
    y = np.array([1.0, 1.0, 5.0, 5.0, 5.0, 9.0, 9.0])
    spread = DecisionTreeRegressor(missing="fractional", max_depth=1).fit(HOLES, y)
    low, high = (2 + 0.8 * 9) / 2.8, (15 + 1.2 * 9) / 4.2
    np.testing.assert_allclose(spread.predict([[1], [5], [NAN]]), [low, high, 0.4 * low + 0.6 * high])
    stop = DecisionTreeRegressor(missing="stop", max_depth=1).fit(HOLES, y)
    np.testing.assert_allclose(stop.predict([[1], [5], [NAN]]), [1, 5, 5])


# ---- bad values ------------------------------------------------------------------------------------------


def open_bug(reason):
    return pytest.mark.xfail(strict=True, reason=reason)


BAD = [
    ("choice", "gian"),
    ("choice", None),
    ("missing", "lern"),
    ("missing", None),
    ("missing", {"x0": 5}),
    ("missing", {"x9": "learn"}),
    ("max_surrogates", -1),
    ("max_surrogates", 1.5),
    ("rpart_surrogates", 1),
    ("surrogate_last", "first"),
    ("thresholds", "mid"),
    ("mdl_correction", 1),
    ("subset_correction", 1),
    ("small_branches", "yes"),
    ("cut_minimum", "c4.5"),
    ("significance_level", 2),
    ("significance_level", "0.05"),
    ("significance_level", True),
    ("merge_level", -0.1),
    ("value_gap", -1),
    ("value_gap", "x"),
    ("tie_margin", 2),
    ("tie_margin", None),
    ("min_weight_leaf", -1),
    ("min_weight_leaf", NAN),
    ("unseen", "mising"),
    ("unseen", None),
    ("priors", 5),
    ("priors", {0: -1}),
    ("priors", {7: 1}),
    ("priors", {}),
    ("costs", 5),
    ("costs", [[0, 1]]),
    ("costs", [[1, 1], [1, 0]]),
    ("costs", [[0, -1], [1, 0]]),
    ("costs", [[0, NAN], [1, 0]]),
    ("costs", [[0, 0], [1, 0]]),
    ("classes", [0]),
    ("classes", [0, 0, 1]),
    ("classes", 5),
    ("classes", "ab"),
    ("probabilities", "rar"),
    ("m", 0),
    ("m", "2"),
    ("pruning", "c45"),
    ("ccp_alpha", -1),
    ("ccp_alpha", None),
    ("cp", "x"),
    ("pruning_measure", "gini"),
    ("pruning_rule", "2-se"),
    ("pruning_folds", 1),
    ("pruning_folds", 2.5),
    ("pruned_leaves", 0),
    pytest.param("confidence", 2),
    pytest.param("error_estimate", "tabel"),
    ("subtree_raising", 1),
    ("collapse", None),
    ("early_stopping", 1),
    pytest.param("patience", 0),
    ("validation_fraction", 0),
    ("validation_fraction", "x"),
]


@pytest.mark.parametrize(("name", "value"), BAD, ids=str)
def test_a_bad_value_is_refused_by_its_name(name, value):
    with pytest.raises(BoughError, match=f"^{name}\\b") as caught:
        DecisionTreeClassifier(**{name: value}).fit([[1, 2], [3, 4], [5, 6], [7, 1]], [0, 1, 0, 1])
    assert caught.value.code == "parameter"


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({"pruning": "pessimistic", "confidence": 2}, "confidence"),
        pytest.param(
            {"pruning": "pessimistic", "error_estimate": "x"},
            "error_estimate",
        ),
        ({"early_stopping": True, "patience": 0}, "patience"),
        ({"early_stopping": True, "pruning": "mdl"}, "early_stopping"),
        ({"categories": "chaid"}, "categories"),
        pytest.param(
            {"early_stopping": True, "forced_splits": {"column": "x0"}},
            "early_stopping",
        ),
    ],
    ids=str,
)
def test_settings_that_do_not_go_together_are_refused(settings, name):
    with pytest.raises(BoughError, match=f"^{name}\\b"):
        DecisionTreeClassifier(**settings).fit(np.arange(20.0)[:, None], np.arange(20) % 2)


def test_a_rule_for_classes_is_refused_for_numbers_or_does_no_harm():
    x = np.arange(20.0)[:, None]
    try:
        model = DecisionTreeRegressor(cut_minimum="c45").fit(x, x[:, 0])
    except BoughError:
        return
    assert model.get_n_leaves() > 1
