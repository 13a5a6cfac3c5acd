"""The scikit-learn API on top of everything else."""

from bough.estimators.trees import DecisionTreeClassifier, DecisionTreeRegressor

__all__ = ["DecisionTreeClassifier", "DecisionTreeRegressor"]
