"""R1: scikit-learn's check_estimator on every estimator: 0 failures, 0 expected failures.

The runs are with the estimators: tests/estimators/test_sklearn_api.py (trees, 16 settings), test_presets.py,
test_forests.py, test_boosting.py, test_adaboost.py, test_combining.py. Here: that none is left out, and
settings that no other module tries. What draws or holds out rows must fail one check, and only that."""

from __future__ import annotations

from pathlib import Path

import pytest
from sklearn.utils.estimator_checks import check_estimator

import bough
import bough.estimators

pytestmark = pytest.mark.filterwarnings("ignore:no tree has a split")  # of a dozen rows

TESTS = Path(__file__).parents[1] / "estimators"
MODULES = ("sklearn_api", "presets", "forests", "boosting", "adaboost", "combining")
ALL = [name for name in bough.estimators.__all__ if name.endswith(("Classifier", "Regressor", "Ranker"))]


def test_every_estimator_is_tried_in_one_of_the_modules():
    texts = [(TESTS / f"test_{name}.py").read_text(encoding="utf-8") for name in MODULES]
    assert all("check_estimator" in text for text in texts)
    # Forests, boosting and AdaBoost are lists of classes; presets go by bough.estimators.presets.
    assert len(ALL) >= 24
    assert not [name for name in ALL if not any(name in text for text in texts)]


@pytest.mark.parametrize(
    "model",
    [
        bough.RandomForestClassifier(n_estimators=3, missing="fractional"),
        bough.ExtraTreesRegressor(n_estimators=3, n_jobs=2),
        bough.AdaBoostClassifier(estimator=bough.DecisionTreeClassifier(max_depth=2), n_estimators=3),
        bough.GradientBoostingClassifier(n_estimators=3, n_jobs=2, max_depth=2),
    ],
    ids=repr,
)
def test_check_estimator_with_other_settings(model):
    results = check_estimator(model, on_skip=None, on_fail=None)
    assert len(results) > 50
    assert not {r["check_name"]: r["exception"] for r in results if r["status"] not in ("passed", "skipped")}


WEIGHTS = "check_sample_weight_equivalence_on_dense_data"


@pytest.mark.parametrize(
    "model",
    [
        bough.AdaBoostRegressor(n_estimators=3, sampling="resample"),
        bough.GradientBoostingClassifier(n_estimators=40, early_stopping=True),
        bough.GradientBoostingRegressor(n_estimators=40, early_stopping=True),
    ],
    ids=repr,
)
def test_what_draws_rows_fails_the_check_of_copies_and_no_other(model):
    """A row of weight 2 is drawn, or held out, once; two copies of it are drawn by themselves."""
    results = check_estimator(model, on_skip=None, on_fail=None)
    assert len(results) > 50
    failed = {r["check_name"] for r in results if r["status"] not in ("passed", "skipped")}
    assert failed <= {WEIGHTS}
    assert any(r["check_name"] == WEIGHTS for r in results)
