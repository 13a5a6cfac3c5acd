"""From a grown tree to a smaller one, without growing again: one file for each method."""

from bough.pruning.compare import Comparison, compare
from bough.pruning.cost_complexity import Path, path, strengths
from bough.pruning.cross_validation import RULES, Choice, choose_alpha
from bough.pruning.evidence import Evidence
from bough.pruning.mdl import description_length
from bough.pruning.methods import METHODS, Method, prune
from bough.pruning.significance import SplitTests, split_tests

__all__ = [
    "METHODS",
    "RULES",
    "Choice",
    "Comparison",
    "Evidence",
    "Method",
    "Path",
    "SplitTests",
    "choose_alpha",
    "compare",
    "description_length",
    "path",
    "prune",
    "split_tests",
    "strengths",
]
