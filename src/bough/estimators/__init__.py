"""The scikit-learn API on top of everything else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bough

if TYPE_CHECKING:
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


# Each class is imported when it is first touched, from where `bough` finds it. With all of them, their views
# and their evaluation, one tree of 150 rows took 1.14 s as a whole process instead of 0.96.
def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'bough.estimators' has no attribute {name!r}")
    value = globals()[name] = getattr(bough, name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
