"""Decision trees from tables with categories and empty cells: exact, readable, fast."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bough.data.table import Table
    from bough.errors import BoughError
    from bough.estimators import (
        AdaBoostClassifier,
        AdaBoostRegressor,
        BaggingTreesClassifier,
        BaggingTreesRegressor,
        C45Classifier,
        CARTClassifier,
        CARTRegressor,
        CHAIDClassifier,
        ConditionalTreeClassifier,
        ConditionalTreeRegressor,
        DecisionStumpClassifier,
        DecisionStumpRegressor,
        DecisionTreeClassifier,
        DecisionTreeRegressor,
        ExtraTreesClassifier,
        ExtraTreesRegressor,
        GradientBoostingClassifier,
        GradientBoostingRanker,
        GradientBoostingRegressor,
        ID3Classifier,
        RandomForestClassifier,
        RandomForestRegressor,
        WeightedAverageClassifier,
        WeightedAverageRegressor,
    )
    from bough.estimators.exports import export
    from bough.estimators.saving import from_json, load
    from bough.estimators.selection import complexity_curve, learning_curve, select
    from bough.evaluation import compare, evaluate
    from bough.plotting import (
        plot_calibration,
        plot_curve,
        plot_impurity,
        plot_precision_recall,
        plot_pruning_path,
        plot_regions,
        plot_roc,
        plot_tree,
    )
    from bough.pruning import prune
    from bough.reporting import report
    from bough.tree import Tree

    __version__: str

__all__ = [
    "AdaBoostClassifier",
    "AdaBoostRegressor",
    "BaggingTreesClassifier",
    "BaggingTreesRegressor",
    "BoughError",
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
    "Table",
    "Tree",
    "WeightedAverageClassifier",
    "WeightedAverageRegressor",
    "compare",
    "complexity_curve",
    "evaluate",
    "export",
    "from_json",
    "learning_curve",
    "load",
    "plot_calibration",
    "plot_curve",
    "plot_impurity",
    "plot_precision_recall",
    "plot_pruning_path",
    "plot_regions",
    "plot_roc",
    "plot_tree",
    "prune",
    "report",
    "select",
]

# Everything is imported when it is first touched: scikit-learn takes a second, numpy a tenth of one, and
# `bough --help` needs neither.
_LATER = {
    "AdaBoostClassifier": "bough.estimators.adaboost",
    "AdaBoostRegressor": "bough.estimators.adaboost",
    "BaggingTreesClassifier": "bough.estimators.forests",
    "BaggingTreesRegressor": "bough.estimators.forests",
    "BoughError": "bough.errors",
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
    "Table": "bough.data.table",
    "Tree": "bough.tree",
    "WeightedAverageClassifier": "bough.estimators.combining",
    "WeightedAverageRegressor": "bough.estimators.combining",
    "compare": "bough.evaluation",
    "complexity_curve": "bough.estimators.selection",
    "evaluate": "bough.evaluation",
    "export": "bough.estimators.exports",
    "from_json": "bough.estimators.saving",
    "learning_curve": "bough.estimators.selection",
    "load": "bough.estimators.saving",
    "plot_calibration": "bough.plotting",
    "plot_curve": "bough.plotting",
    "plot_impurity": "bough.plotting",
    "plot_precision_recall": "bough.plotting",
    "plot_pruning_path": "bough.plotting",
    "plot_regions": "bough.plotting",
    "plot_roc": "bough.plotting",
    "plot_tree": "bough.plotting",
    "prune": "bough.pruning",
    "report": "bough.reporting",
    "select": "bough.estimators.selection",
}
_MODULES = ("data", "explain", "information", "store")


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        value: Any = importlib.import_module(f"bough.{name}")
    elif name in _LATER:
        value = getattr(importlib.import_module(_LATER[name]), name)
    elif name == "__version__":
        value = importlib.import_module("importlib.metadata").version("bough")
    else:
        raise AttributeError(f"module 'bough' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER, *_MODULES, "__version__"})
