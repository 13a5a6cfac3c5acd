"""The scikit-learn API on top of everything else."""

from bough.estimators.boosting import GradientBoostingClassifier, GradientBoostingRegressor
from bough.estimators.presets import (
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    CHAIDClassifier,
    ConditionalTreeClassifier,
    ConditionalTreeRegressor,
    DecisionStumpClassifier,
    DecisionStumpRegressor,
    ID3Classifier,
)
from bough.estimators.ranking import GradientBoostingRanker
from bough.estimators.trees import DecisionTreeClassifier, DecisionTreeRegressor

__all__ = [
    "C45Classifier",
    "CARTClassifier",
    "CARTRegressor",
    "CHAIDClassifier",
    "ConditionalTreeClassifier",
    "ConditionalTreeRegressor",
    "DecisionStumpClassifier",
    "DecisionStumpRegressor",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "GradientBoostingClassifier",
    "GradientBoostingRanker",
    "GradientBoostingRegressor",
    "ID3Classifier",
]
