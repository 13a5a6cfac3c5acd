"""What an estimator says of its columns: importances, and Shapley values of each answer."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from bough.explain.shap import ShapValues, shap_values
from bough.tree import Ensemble, Tree


class Importances:
    """Mixed into every estimator; hands the fitted trees and rows to `bough.explain`."""

    def shap_values(self, X: Any, background: Any = None) -> ShapValues:
        """What each column adds to the answer for each row of X: exact Shapley values, which add up to
        `predict_proba`, to the number, or of boosting to the raw output. What is not known is averaged over
        the training rows of each node; with `background`, over the rows of that table."""
        return shap_values(_model(self), X, background, type(self).__name__)


def _model(estimator: Any) -> Tree | Ensemble:
    check_is_fitted(estimator)
    model: Tree | Ensemble = getattr(estimator, "ensemble_", None) or estimator.tree_
    return model
