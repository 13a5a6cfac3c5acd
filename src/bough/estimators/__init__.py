"""The scikit-learn API on top of everything else."""

from bough.estimators.adaboost import AdaBoostClassifier, AdaBoostRegressor
from bough.estimators.boosting import GradientBoostingClassifier, GradientBoostingRegressor
from bough.estimators.combining import WeightedAverageClassifier, WeightedAverageRegressor
from bough.estimators.forests import (
    BaggingTreesClassifier,
    BaggingTreesRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
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
    "AdaBoostClassifier",
    "AdaBoostRegressor",
    "BaggingTreesClassifier",
    "BaggingTreesRegressor",
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
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "GradientBoostingClassifier",
    "GradientBoostingRanker",
    "GradientBoostingRegressor",
    "ID3Classifier",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "WeightedAverageClassifier",
    "WeightedAverageRegressor",
]
