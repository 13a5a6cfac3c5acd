"""The scikit-learn API on top of everything else."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

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

# Each class is imported when it is first touched. With all of them, their views and their evaluation, one
# tree of 150 rows took 1.14 s as a whole process instead of 0.96.
_LATER = {
    "AdaBoostClassifier": "bough.estimators.adaboost",
    "AdaBoostRegressor": "bough.estimators.adaboost",
    "BaggingTreesClassifier": "bough.estimators.forests",
    "BaggingTreesRegressor": "bough.estimators.forests",
    "C45Classifier": "bough.estimators.presets",
    "CARTClassifier": "bough.estimators.presets",
    "CARTRegressor": "bough.estimators.presets",
    "CHAIDClassifier": "bough.estimators.presets",
    "ConditionalTreeClassifier": "bough.estimators.presets",
    "ConditionalTreeRegressor": "bough.estimators.presets",
    "DecisionStumpClassifier": "bough.estimators.presets",
    "DecisionStumpRegressor": "bough.estimators.presets",
    "DecisionTreeClassifier": "bough.estimators.trees",
    "DecisionTreeRegressor": "bough.estimators.trees",
    "ExtraTreesClassifier": "bough.estimators.forests",
    "ExtraTreesRegressor": "bough.estimators.forests",
    "GradientBoostingClassifier": "bough.estimators.boosting",
    "GradientBoostingRanker": "bough.estimators.ranking",
    "GradientBoostingRegressor": "bough.estimators.boosting",
    "ID3Classifier": "bough.estimators.presets",
    "RandomForestClassifier": "bough.estimators.forests",
    "RandomForestRegressor": "bough.estimators.forests",
    "WeightedAverageClassifier": "bough.estimators.combining",
    "WeightedAverageRegressor": "bough.estimators.combining",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'bough.estimators' has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module(_LATER[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})
