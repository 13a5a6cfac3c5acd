"""Names of other libraries: the answer names what the model at hand has, and means the same."""

from __future__ import annotations

import inspect
import re
import warnings

import numpy as np
import pytest

import bough
from bough import BoughError
from bough.estimators.elsewhere import ATTRIBUTES, NAMES, NOT_NEEDED, OTHERWISE

X = np.random.default_rng(0).random((60, 3))
Y = (X[:, 0] > 0.5).astype(int)
PAIR = [("a", bough.DecisionTreeClassifier(max_depth=1)), ("b", bough.DecisionTreeClassifier(max_depth=2))]
NUMBERS = [("a", bough.DecisionTreeRegressor(max_depth=1)), ("b", bough.DecisionTreeRegressor(max_depth=2))]
FOREST = {"n_estimators": 12, "oob_score": True, "bootstrap": True, "random_state": 0}
BOOSTED = {"n_estimators": 3, "early_stopping": True, "random_state": 0}
MODELS = {
    "DecisionTreeClassifier": {},
    "DecisionTreeRegressor": {},
    "C45Classifier": {},
    "RandomForestClassifier": FOREST,
    "RandomForestRegressor": FOREST,
    "ExtraTreesClassifier": FOREST,
    "BaggingTreesRegressor": FOREST,
    "GradientBoostingClassifier": BOOSTED,
    "GradientBoostingRegressor": BOOSTED,
    "GradientBoostingRanker": BOOSTED,
    "AdaBoostClassifier": {"n_estimators": 3},
    "AdaBoostRegressor": {"n_estimators": 3},
    "WeightedAverageClassifier": {"estimators": PAIR},
    "WeightedAverageRegressor": {"estimators": NUMBERS},
}
ASKED = sorted(
    {name for others in NAMES.values() for name in others.split()}
    | {name for _, _, others in (*OTHERWISE, *NOT_NEEDED, *ATTRIBUTES) for name in others.split()}
    | set(NAMES)
)


def fitted(name):
    model = getattr(bough, name)(**MODELS[name])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some rows are in all of 12 bags
        return model.fit(X, Y, **({"group": [10] * 6} if name.endswith("Ranker") else {}))


def named(text):
    """Words with a low line, before = or (, or that something is said to be called."""
    patterns = (r"[a-z]\w*_\w*", r"\w+(?==)", r"\w+(?=\()", r'(?<=called ")\w+', r'(?<=it is ")\w+')
    found = {word for pattern in patterns for word in re.findall(rf"(?<![.\w]){pattern}", text)}
    return found | set(re.findall(r'argument of fit, "(\w+)"', text))


def said_of(model, name):
    """Without the names asked for, and without the lists of all names."""
    kind = type(model)
    for ask in (
        lambda: model.set_params(**{name: 1}),
        lambda: model.fit(X, Y, **{name: 1}),
        lambda: getattr(model, name),
    ):
        try:
            ask()
        except (BoughError, AttributeError) as error:
            text = getattr(error, "message", str(error))
            if "no parameter" in text or "no argument" in text or "no attribute" in text:
                head = re.match(rf".*?no \w+ ['\"]{name}['\"]\.?", text)
                yield text[head.end() :].replace(f"{kind.__name__}(", "(")


@pytest.mark.parametrize("name", MODELS)
def test_an_answer_names_only_what_the_model_has(name):
    model = fitted(name)
    kind = type(model)
    has = {*kind._get_param_names(), *inspect.signature(kind.fit).parameters, *dir(model), "len"}
    answers = 0
    for asked in ASKED:
        if asked in has:
            continue
        for text in said_of(model, asked):
            assert named(text) <= has, (asked, text)
            answers += bool(text)
    assert answers > 15


def parameter(kind, name):
    with pytest.raises(BoughError) as caught:
        kind(**{name: 1})
    return caught.value.message


def test_an_answer_means_the_same():
    boosted, forest = bough.GradientBoostingClassifier, bough.RandomForestClassifier
    assert 'called "verbose"' not in parameter(boosted, "silent")
    assert 'class_weight="balanced"' in parameter(boosted, "is_unbalance")
    assert "class_weight={class: weight}" in parameter(forest, "scale_pos_weight")
    both = parameter(bough.GradientBoostingRegressor, "alpha")
    assert all(f'"{name}"' in both for name in ("quantile", "huber_delta", "l1_regularization"))
    assert 'called "l1_regularization"' in parameter(boosted, "alpha")
    for name in ("X_val", "eval_set", "validation_data"):
        assert "oob_score=True" in parameter(forest, name)
        assert "called" not in parameter(forest, name)
    for name in ("subsample", "bagging_fraction"):
        assert 'called "max_samples"' in parameter(forest, name)
    assert "always grow on bins" in parameter(boosted, "tree_method")
    assert "bins" not in parameter(bough.DecisionTreeClassifier, "tree_method")
    assert "early_stopping" not in parameter(bough.AdaBoostClassifier, "use_best_model")
    average = bough.WeightedAverageClassifier(PAIR)
    for ask in (lambda: average.set_params(weights=[1, 2]), lambda: average.fit(X, Y, weights=[1, 2])):
        with pytest.raises(BoughError, match="weights are learned") as caught:
            ask()
        assert "sample_weight" not in caught.value.message


def test_an_attribute_is_named_that_the_model_has():
    for asked, kind, said in (
        ("oob_score_", bough.RandomForestClassifier, "oob_score=True"),
        ("oob_score_", bough.GradientBoostingClassifier, ""),
        ("best_iteration_", bough.GradientBoostingClassifier, "n_estimators_"),
        ("best_iteration_", bough.RandomForestClassifier, ""),
        ("evals_result_", bough.GradientBoostingClassifier, "validation_loss_"),
        ("evals_result_", bough.AdaBoostClassifier, ""),
    ):
        with pytest.raises(AttributeError, match=said or "no attribute") as caught:
            getattr(kind(), asked)
        assert bool(said) == ("Here:" in str(caught.value))
