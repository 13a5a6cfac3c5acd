"""How good a model is, in numbers: scores with intervals, comparisons, and checks of the data."""

from bough.evaluation.comparison import Comparison, Difference, compare
from bough.evaluation.judge import evaluate
from bough.evaluation.result import ClassEvaluation, Evaluation, NumberEvaluation

__all__ = [
    "ClassEvaluation",
    "Comparison",
    "Difference",
    "Evaluation",
    "NumberEvaluation",
    "compare",
    "evaluate",
]
