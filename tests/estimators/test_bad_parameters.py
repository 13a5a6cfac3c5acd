"""Bad parameters: values, names and class weights are refused with an error that says what is possible."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from estimators.refusing import BOTH, INF, NAN, refused

from bough import (
    AdaBoostClassifier,
    BoughError,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    GradientBoostingClassifier,
    GradientBoostingRanker,
    GradientBoostingRegressor,
    RandomForestClassifier,
)

PARAMETERS = [
    ("criterion", "ginni", 'Did you mean "gini"'),
    ("criterion", "squared", None),
    ("criterion", None, None),
    ("criterion", 5, None),
    ("categories", "multway", 'Did you mean "multiway"'),
    ("categories", None, None),
    ("ties", "colum", 'Did you mean "column"'),
    ("ties", "alphabet", 'Did you mean "alphabetical"'),
    ("ties", ["column"], None),
    ("ties", np.array(["column", "random"]), None),
    ("zero_gain_splits", 1, "True or False"),
    ("zero_gain_splits", "yes", "True or False"),
    ("zero_gain_splits", None, "True or False"),
    ("max_depth", -1, "whole number from 0 up"),
    ("max_depth", 2.0, "whole number from 0 up"),
    ("max_depth", 2.5, "whole number from 0 up"),
    ("max_depth", True, "whole number from 0 up"),
    ("max_depth", np.True_, "whole number from 0 up"),
    ("max_depth", NAN, "whole number from 0 up"),
    ("max_depth", INF, "whole number from 0 up"),
    ("max_depth", "3", "whole number from 0 up"),
    ("max_leaf_nodes", 0, "whole number from 1 up"),
    ("max_leaf_nodes", False, "whole number from 1 up"),
    ("max_leaf_nodes", NAN, "whole number from 1 up"),
    ("max_leaf_nodes", 7.0, "whole number from 1 up"),
    ("min_samples_split", 1, "whole number from 2 up"),
    ("min_samples_split", 0.0, "share of the rows"),
    ("min_samples_split", 1.5, "share of the rows"),
    ("min_samples_split", True, "whole number from 2 up"),
    ("min_samples_split", None, "whole number from 2 up"),
    ("min_samples_split", NAN, "whole number from 2 up"),
    ("min_samples_leaf", 0, "whole number from 1 up"),
    ("min_samples_leaf", -0.1, "share of the rows"),
    ("min_samples_leaf", NAN, "share of the rows"),
    ("min_samples_leaf", True, "whole number from 1 up"),
    ("min_samples_leaf", None, "whole number from 1 up"),
    ("min_weight_fraction_leaf", -0.1, "from 0 to 0.5"),
    ("min_weight_fraction_leaf", 0.6, "from 0 to 0.5"),
    ("min_weight_fraction_leaf", NAN, "from 0 to 0.5"),
    ("min_weight_fraction_leaf", None, "from 0 to 0.5"),
    ("min_weight_fraction_leaf", False, "from 0 to 0.5"),
    ("min_impurity_decrease", -1e-9, "from 0 up"),
    ("min_impurity_decrease", NAN, "from 0 up"),
    ("min_impurity_decrease", INF, "from 0 up"),
    ("min_impurity_decrease", 10**400, "from 0 up"),
    ("min_impurity_decrease", True, "from 0 up"),
    ("min_impurity_decrease", "0", "from 0 up"),
    ("max_features", 0, "whole number from 1 up"),
    ("max_features", -1, "whole number from 1 up"),
    ("max_features", 0.0, "share in"),
    ("max_features", 1.1, "share in"),
    ("max_features", NAN, "share in"),
    ("max_features", True, "whole number from 1 up"),
    ("max_features", "auto", "sqrt, log2 or None"),
    ("max_features", "sqr", "sqrt, log2 or None"),
    ("max_features", np.array([1, 2]), "whole number from 1 up"),
    ("max_bins", 1, "whole number from 2 up"),
    ("max_bins", 16.0, "whole number from 2 up"),
    ("max_bins", NAN, "whole number from 2 up"),
    ("max_bins", True, "whole number from 2 up"),
    ("random_state", "x", "whole number"),
    ("random_state", -1, "whole number"),
    ("random_state", 1.5, "whole number"),
    ("random_state", 2**32, "whole number"),
    ("n_jobs", 0, "-1 for all cores"),
    ("n_jobs", 1.0, "-1 for all cores"),
    ("n_jobs", NAN, "-1 for all cores"),
    ("n_jobs", True, "-1 for all cores"),
    ("n_jobs", "2", "-1 for all cores"),
    ("early_stopping", np.array([1, 2]), "True or False"),
    ("subset_correction", np.array([1, 2]), "True, False or None"),
]


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize(("name", "value", "hint"), PARAMETERS, ids=lambda value: str(value)[:30])
def test_an_impossible_parameter_value_is_refused(kind, name, value, hint):
    if isinstance(hint, str) and "gini" in hint and kind is DecisionTreeRegressor:
        hint = "squared_error"
    with pytest.raises(BoughError, match=f"^{name}=") as caught:
        # ties="random": so that the random state is used.
        kind(**{"ties": "random", name: value}).fit([[1, 2], [3, 4]], [0, 1])
    assert caught.value.code == "parameter"
    assert f"\n{name} is " in str(caught.value)
    assert hint is None or hint in str(caught.value)


@pytest.mark.parametrize("value", ["loud", -1, 1.5, None, np.array([1, 2])], ids=str)
@pytest.mark.parametrize("kind", [RandomForestClassifier, GradientBoostingRegressor, AdaBoostClassifier])
def test_verbose_is_a_switch_or_a_count(kind, value):
    with pytest.raises(BoughError, match=r"^verbose=(?s:.*)whole number from 0 up"):
        kind(verbose=value).fit([[1, 2], [3, 4]], [0, 1])


@pytest.mark.parametrize(
    "wrong", [{"quantile": "half"}, {"quantile": 1.0}, {"huber_delta": NAN}, {"tweedie_power": 2}], ids=str
)
def test_a_parameter_of_another_loss_is_checked_too(wrong):
    with pytest.raises(BoughError, match=f"^{next(iter(wrong))}="):
        GradientBoostingRegressor(loss="squared_error", **wrong).fit([[1, 2], [3, 4]], [0, 1])


@pytest.mark.parametrize("loss", ["absolute_error", "huber", "quantile", "poisson", "gamma", "tweedie"])
@pytest.mark.parametrize(("rate", "rounds"), [(1e21, 1), (1e100, 5), (1e308, 5)])
def test_sums_of_trees_that_are_infinite_are_refused(loss, rate, rounds):
    X = np.random.default_rng(0).normal(size=(40, 3))
    y = 2 * np.abs(X[:, 0]) + 0.1
    model = GradientBoostingRegressor(loss=loss, learning_rate=rate, n_estimators=rounds)
    if rate == 1e21 and loss in ("absolute_error", "huber", "quantile"):  # not the exponential of a sum
        assert np.isfinite(model.fit(X, y).predict(X)).all()
        return
    with pytest.raises(BoughError, match=r"too large|nan(?s:.*)learning_rate") as caught:
        model.fit(X, y)
    assert caught.value.code == "loss"


@pytest.mark.parametrize("random", [{"ties": "column"}, {"max_features": 1}])
def test_a_bad_random_state_is_refused_whether_used_or_not(random):
    refused(
        lambda: DecisionTreeClassifier(random_state="x", **random).fit([[1], [2]], [0, 1]),
        "random_state='x'",
        "parameter",
    )


FINE = [
    ("max_depth", np.int64(1)),
    ("max_depth", 10**30),
    ("max_leaf_nodes", 10**30),
    ("min_samples_split", np.float32(0.5)),
    ("min_samples_leaf", np.int8(1)),
    ("min_samples_split", 2.0**-1074),
    ("max_features", 10**30),
    ("max_features", 1.0),
    ("max_bins", 10**30),
    ("max_bins", np.uint16(4)),
    ("min_weight_fraction_leaf", 0),
    ("min_weight_fraction_leaf", Fraction(1, 4)),
    ("min_impurity_decrease", np.float32(0.1)),
    ("n_jobs", 10**30),
    ("n_jobs", -(10**30)),
    ("n_jobs", np.int16(-1)),
    ("random_state", np.random.RandomState(3)),
    ("random_state", np.int64(3)),
    ("zero_gain_splits", np.False_),
]


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize(("name", "value"), FINE, ids=lambda value: str(value)[:30])
def test_possible_parameter_values_of_other_types_are_taken(kind, name, value):
    model = kind(**{"ties": "random", name: value}).fit([[1, 2], [3, 4]], [0, 1])
    assert model.predict([[1, 2], [3, 4]]).tolist() == [0, 1]


def test_whole_numbers_too_few_rows_for_a_split_make_a_leaf():
    for few in ({"min_samples_split": 10**30}, {"min_samples_leaf": 10**30}, {"min_samples_leaf": 1.0}):
        assert DecisionTreeClassifier(**few).fit([[1], [2]], [0, 1]).get_n_leaves() == 1


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("max_dept", "max_depth"),
        ("min_sample_leaf", "min_samples_leaf"),
        ("njobs", "n_jobs"),
        ("max_leafs", "max_leaf_nodes"),
    ],
)
def test_a_wrong_parameter_name_is_answered_with_the_right_one(kind, wrong, right):
    for make in (lambda: kind(**{wrong: 3}), lambda: kind().set_params(**{wrong: 3})):
        refused(make, f'{kind.__name__} has no parameter "{wrong}". Did you mean "{right}"', "parameter")
        with pytest.raises(TypeError):
            make()


@pytest.mark.parametrize(
    ("wrong", "right"),
    [("max_iter", "n_estimators"), ("num_leaves", "max_leaf_nodes"), ("reg_lambda", "l2_regularization")],
)
def test_a_name_of_another_library_is_answered_with_ours(wrong, right):
    refused(lambda: GradientBoostingRegressor(**{wrong: 3}), f'It is called "{right}" here', "parameter")
    refused(lambda: DecisionTreeClassifier(mtry=3), 'It is called "max_features" here', "parameter")


@pytest.mark.parametrize(
    ("kind", "wrong", "said"),
    [
        (GradientBoostingClassifier, "eval_set", 'It is called "X_val" here. fit(X, y, X_val=…, y_val=…)'),
        (
            GradientBoostingClassifier,
            "early_stopping_rounds",
            "Classifier(n_iter_no_change=…)",
        ),
        (GradientBoostingClassifier, "callbacks", "GradientBoostingClassifier(callback=…)"),
        (GradientBoostingClassifier, "verbose", "GradientBoostingClassifier(verbose=…)"),
        (GradientBoostingClassifier, "cat_features", "None is needed: text and categories are taken"),
        (GradientBoostingClassifier, "eval_metric", "None is needed: bough.evaluate has many figures"),
        (GradientBoostingClassifier, "sample_weigth", 'Did you mean "sample_weight"?'),
        (GradientBoostingRanker, "eval_group", 'It is called "group_val" here'),
        (RandomForestClassifier, "eval_set", "Rows outside of the bags judge it"),
        (RandomForestClassifier, "early_stopping_rounds", "RandomForestClassifier(oob_patience=…)"),
        (DecisionTreeClassifier, "early_stopping_rounds", "DecisionTreeClassifier(patience=…)"),
        (AdaBoostClassifier, "callbacks", "AdaBoostClassifier(callback=…)"),
        (RandomForestClassifier, "bagging_fraction", "RandomForestClassifier(max_samples=…)"),
        (GradientBoostingClassifier, "scale_pos_weight", "Give class_weight={class: weight}"),
    ],
)
def test_an_argument_of_another_librarys_fit_is_answered_with_ours(kind, wrong, said):
    def fit():
        kind().fit([[1.0], [2.0]], [0, 1], **{wrong: 3})

    refused(fit, re.escape(said), "parameter")
    refused(fit, f'fit of {kind.__name__} has no argument "{wrong}"', "parameter")
    with pytest.raises(TypeError):
        fit()


def test_an_argument_of_fit_is_not_a_parameter():
    refused(lambda: GradientBoostingClassifier(sample_weight=3), "argument of fit", "parameter")
    refused(lambda: GradientBoostingClassifier(eval_set=3), 'argument of fit, "X_val"', "parameter")
    refused(lambda: GradientBoostingClassifier(callbacks=3), 'It is called "callback" here', "parameter")


def test_a_parameter_name_like_no_other_gets_the_list():
    refused(
        lambda: DecisionTreeClassifier(zzz=1),
        '(?s)no parameter "zzz".*parameters: criterion, choice',
        "parameter",
    )
    refused(
        lambda: DecisionTreeRegressor(class_weight="balanced"), 'no parameter "class_weight"', "parameter"
    )


CLASS_WEIGHTS = [
    ("balancd", "class_weight='balancd'"),
    (5, "class_weight=5"),
    ([1, 2], r"class_weight=\[1, 2\]"),
    (np.array([1.0, 2.0]), "class_weight=array"),
    ({"c": 1}, "class_weight names the class 'c', which is not in y"),
    ({"a": -1}, "class_weight gives the class 'a' the weight -1"),
    ({"a": NAN}, "class_weight gives the class 'a' the weight nan"),
    ({"b": INF}, "class_weight gives the class 'b' the weight inf"),
    ({"b": "2"}, "class_weight gives the class 'b' the weight '2'"),
    ({"b": None}, "class_weight gives the class 'b' the weight None"),
    ({"a": 0, "b": 0}, "class_weight .* leave no row"),
]


@pytest.mark.parametrize(("weight", "text"), CLASS_WEIGHTS, ids=str)
def test_bad_class_weights_are_refused(weight, text):
    refused(
        lambda: DecisionTreeClassifier(class_weight=weight).fit([[1], [2]], ["a", "b"]), text, "parameter"
    )


def test_class_weights_times_sample_weights_must_stay_finite():
    model = DecisionTreeClassifier(class_weight={"b": 1e200})
    refused(
        lambda: model.fit([[1], [2]], ["a", "b"], [1, 1e200]),
        "class_weight times sample_weight.* row 1",
        "parameter",
    )


def test_unnamed_parameters_are_answered_with_their_name():
    with pytest.raises(TypeError, match=r"RandomForestClassifier\(n_estimators=5\)"):
        RandomForestClassifier(5)


POINT = np.array(2)  # an array without a dimension
SINGLE = [
    (DecisionTreeClassifier, {"monotonic_cst": POINT}),
    (DecisionTreeClassifier, {"required_columns": POINT}),
    (DecisionTreeClassifier, {"forbidden_columns": POINT}),
    (DecisionTreeClassifier, {"costs": 10**400}),
    (DecisionTreeClassifier, {"classes": [[0, 1], [1, 0]]}),
    (DecisionTreeClassifier, {"classes": [0, 10**400]}),
    (GradientBoostingRegressor, {"monotonic_cst": POINT}),
    (GradientBoostingRegressor, {"init": 10**400}),
    (GradientBoostingRegressor, {"early_stopping": np.array([1, 0])}),
    (GradientBoostingRegressor, {"early_stopping": pd.NA}),
    (GradientBoostingRanker, {"early_stopping": np.array([1, 0])}),
]


@pytest.mark.parametrize(("kind", "given"), SINGLE, ids=lambda value: str(value)[:40])
def test_odd_types_are_refused_by_name(kind, given):
    more = {"group": [2]} if kind is GradientBoostingRanker else {}
    with pytest.raises(BoughError, match=next(iter(given))) as caught:
        kind(**given).fit([[1, 2], [3, 4]], [0, 1], **more)
    assert caught.value.code == "parameter"


def test_rows_to_stop_by_in_the_place_of_the_weights():
    X, y = np.arange(6.0).reshape(3, 2), [0, 1, 0]
    for kind in (GradientBoostingClassifier, RandomForestClassifier, DecisionTreeClassifier):
        refused(lambda kind=kind: kind().fit(X, y, [(X, y)]), "sample weights are not all numbers", "weights")
