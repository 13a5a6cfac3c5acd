"""One tree behind the scikit-learn API: DecisionTreeClassifier and DecisionTreeRegressor."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin

from bough.data.ingest import to_table
from bough.data.stages import profiled
from bough.data.target import number_target, weights
from bough.estimators.base import TreeEstimator
from bough.estimators.elsewhere import own_arguments
from bough.estimators.problem import class_problem
from bough.growing.settings import NUMBER_CRITERIA, check_criterion

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

    @own_arguments
    @profiled("fit")
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> TreeClassifier:
        problem = class_problem(self, X, y, sample_weight, self.class_weight)
        self._grow(
            X,
            problem.table,
            problem.codes,
            problem.classes,
            problem.weights,
            problem.altered,
            **problem.answers,
        )
        return self

    @profiled("prediction")
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The class shares in the leaf of each row, classes as in `classes_`."""
        threads, owner = self._asked()
        return self.tree_.predict_proba(X, threads, owner)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


class TreeRegressor(RegressorMixin, TreeEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """What trees that answer with a number share."""

    predicts = "numbers"

    @own_arguments
    @profiled("fit")
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
