"""One tree behind the scikit-learn API: DecisionTreeClassifier and DecisionTreeRegressor."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin

from bough.data.ingest import to_table
from bough.data.target import class_codes, number_target, weights
from bough.estimators.base import TreeEstimator
from bough.estimators.weighting import (
    checked_product,
    class_weights,
    cost_matrix,
    cost_weights,
    prior_weights,
)
from bough.growing.settings import (
    CLASS_CRITERIA,
    NUMBER_CRITERIA,
    check_criterion,
    check_name,
    is_finite_number,
    wrong,
)
from bough.tree.rules import ESTIMATES

DATA = """
Strings, categories, booleans, dates and missing values are taken as they are, from numpy, pandas, polars,
pyarrow, dicts of lists or lists of dicts. `docs/semantics.md` defines what grows, to the last tie.
After fit: tree_ (a bough.Tree), n_features_in_, feature_names_in_, feature_importances_."""


class TreeClassifier(ClassifierMixin, TreeEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """What trees that answer with a class share."""

    predicts = "classes"
    class_weight: Any
    priors: Any
    costs: Any
    classes: Any
    probabilities: Any
    m: Any

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> TreeClassifier:
        check_criterion(self.criterion, CLASS_CRITERIA)
        check_name("probabilities", self.probabilities, ESTIMATES)
        if not is_finite_number(self.m) or self.m <= 0:
            raise wrong("m", self.m, "a number above 0")
        if self.monotonic_cst is not None and self.probabilities != "raw":
            raise wrong("probabilities", self.probabilities, '"raw" with monotonic_cst')
        self._check_target(y)
        table = to_table(X, owner=type(self).__name__)
        codes, classes = class_codes(y, table.n_rows, type(self).__name__, self.classes)
        w = self._class_weighted(codes, classes, weights(sample_weight, table.n_rows))
        costs = None if self.costs is None else cost_matrix(self.costs, len(classes))
        answers = {"estimate": self.probabilities, "m": float(self.m), "costs": costs}
        altered = None if costs is None else cost_weights(costs)
        self._grow(X, table, codes, classes, w, altered, **answers)
        self.classes_ = classes
        return self

    def _class_weighted(
        self, codes: NDArray[np.int32], classes: NDArray[Any], w: NDArray[np.float64] | None
    ) -> NDArray[np.float64] | None:
        """Row weights times what each class counts."""
        if self.class_weight is not None:
            w = checked_product(w, class_weights(self.class_weight, codes, classes, w), codes)
        if self.priors is not None:
            w = checked_product(w, prior_weights(self.priors, codes, classes, w), codes)
        return w

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The class shares in the leaf of each row, classes as in `classes_`."""
        asked = self._asked()
        return self.tree_.predict_proba(X, **asked)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


class TreeRegressor(RegressorMixin, TreeEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """What trees that answer with a number share."""

    predicts = "numbers"

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> TreeRegressor:
        check_criterion(self.criterion, NUMBER_CRITERIA)
        self._check_target(y)
        table = to_table(X, owner=type(self).__name__)
        target = number_target(y, table.n_rows, type(self).__name__)
        self._grow(X, table, target, None, weights(sample_weight, table.n_rows))
        return self


class DecisionTreeClassifier(TreeClassifier, changes={}):
    __doc__ = "A decision tree that answers with a class.\n" + DATA


class DecisionTreeRegressor(TreeRegressor, changes={"criterion": "squared_error"}):
    __doc__ = "A decision tree that answers with a number, the mean of a leaf.\n" + DATA
