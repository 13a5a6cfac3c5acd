"""Plots with matplotlib (extra `plot`): each function takes axes or makes them, and returns them."""

from bough.plotting.curves import (
    plot_calibration,
    plot_curve,
    plot_precision_recall,
    plot_pruning_path,
    plot_roc,
)
from bough.plotting.impurity import plot_impurity
from bough.plotting.regions import plot_regions
from bough.plotting.tree_plot import plot_tree

__all__ = [
    "plot_calibration",
    "plot_curve",
    "plot_impurity",
    "plot_precision_recall",
    "plot_pruning_path",
    "plot_regions",
    "plot_roc",
    "plot_tree",
]
