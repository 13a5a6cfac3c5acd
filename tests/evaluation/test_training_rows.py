"""A model that is judged by the very rows that it was fitted on is told so, also after it was stored."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pytest

import bough
from bough.data.examples import load
from bough.estimators.seen import data_digest
from bough.evaluation import evaluate
from bough.pruning import Evidence

pytestmark = pytest.mark.filterwarnings("ignore:.* was fitted on these very rows")


def test_judged_by_the_rows_that_it_was_fitted_on_it_says_so(tmp_path: Any) -> None:
    X, y = load("titanic")
    tree = bough.DecisionTreeClassifier(max_depth=3).fit(X, y)
    boosted = bough.GradientBoostingClassifier(n_estimators=3).fit(X, y, np.ones(891))
    both = [
        ("tree", bough.DecisionTreeClassifier(max_depth=2)),
        ("deeper", bough.DecisionTreeClassifier(max_depth=4)),
    ]
    average = bough.WeightedAverageClassifier(both, cv=2).fit(X, y)
    tree.save(tmp_path / "m.bough")
    for model in (tree, boosted, average, bough.load(tmp_path / "m.bough")):
        with pytest.warns(
            UserWarning, match=f"^{type(model).__name__} was fitted on these very rows"
        ) as told:
            evaluate(model, X, y, cv=None, bootstrap=0)
        assert len(told) == 1
        assert told[0].filename == __file__
    other = bough.DecisionTreeClassifier().fit({n: v[:700] for n, v in X.items()}, y[:700])
    with pytest.warns(UserWarning, match="^old was fitted on these very rows"):
        bough.compare({"new": other, "old": tree}, X, y, cv=None, bootstrap=0)


WEIGHED: dict[str, Any] = {
    "AdaBoost": lambda X, y, w: bough.AdaBoostClassifier(n_estimators=3).fit(X, y),
    "AdaBoost, weights": lambda X, y, w: bough.AdaBoostClassifier(n_estimators=3).fit(X, y, w),
    "class_weight": lambda X, y, w: bough.DecisionTreeClassifier(max_depth=3, class_weight="balanced").fit(
        X, y
    ),
    "boosting, class_weight": lambda X, y, w: bough.GradientBoostingClassifier(
        n_estimators=3, class_weight="balanced"
    ).fit(X, y),
    "weights": lambda X, y, w: bough.DecisionTreeClassifier(max_depth=3).fit(X, y, w),
    "forest": lambda X, y, w: bough.RandomForestClassifier(n_estimators=3, class_weight="balanced").fit(
        X, y, w
    ),
    "average": lambda X, y, w: bough.WeightedAverageClassifier(
        [("a", bough.AdaBoostClassifier(n_estimators=3)), ("b", bough.DecisionTreeClassifier(max_depth=2))],
        cv=2,
    ).fit(X, y, w),
}


@pytest.mark.parametrize("judged_with", ["weights", "none"])
@pytest.mark.parametrize("kept", ["file", "pickle", "pickle of a file"])
@pytest.mark.parametrize("made", WEIGHED.values(), ids=WEIGHED)
def test_a_model_that_comes_back_knows_its_rows_whatever_their_weights(
    made: Any, kept: str, judged_with: str, tmp_path: Any
) -> None:
    X, y = load("titanic")
    w = np.random.default_rng(0).uniform(0.5, 2, 891)
    model = made(X, y, w)
    if "file" in kept:
        model.save(tmp_path / "m.bough")
        model = bough.load(tmp_path / "m.bough")
    if "pickle" in kept:
        model = pickle.loads(pickle.dumps(model))
    given = {"cv": None, "bootstrap": 0, "sample_weight": w if judged_with == "weights" else None}
    with pytest.warns(UserWarning, match="was fitted on these very rows"):
        evaluate(model, X, y, **given)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        evaluate(model, {name: values[:890] for name, values in X.items()}, y[:890], cv=None, bootstrap=0)


def test_a_file_that_has_the_weights_in_its_digest_knows_its_rows(tmp_path: Any) -> None:
    X, y = load("titanic")
    w = np.random.default_rng(0).uniform(0.5, 2, 891)
    model = bough.DecisionTreeClassifier(max_depth=3).fit(X, y, w)
    model._data_digest, model._seen = data_digest(model._seen, weighted=True), None
    model.save(tmp_path / "old.bough")
    with pytest.warns(UserWarning, match="was fitted on these very rows"):
        evaluate(bough.load(tmp_path / "old.bough"), X, y, cv=None, bootstrap=0, sample_weight=w)


def test_the_target_is_compared_before_the_columns_are_encoded(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = load("titanic")
    tree = bough.DecisionTreeClassifier(max_depth=2).fit(X, y)
    monkeypatch.setattr(Evidence, "of", None)
    assert not tree._was_fitted_on(X, np.array(y)[::-1], None)


@pytest.mark.filterwarnings("error")
def test_rows_that_it_was_not_fitted_on_are_judged_without_a_word() -> None:
    X, y = load("titanic")
    tree = bough.DecisionTreeClassifier(max_depth=3).fit(X, y)
    others = {name: np.asarray(values, dtype=object)[::-1].tolist() for name, values in X.items()}
    evaluate(tree, others, np.array(y)[::-1], cv=None, bootstrap=0)  # as far as it is known
    evaluate(tree, others, y, cv=None, bootstrap=0)
    evaluate(tree, X, y, cv=2, bootstrap=0)
