"""What a tree says of itself in words and numbers: rules, formulas, every number of a node, paths of rows."""

from bough.explain.contributions import Contributions, explain_together
from bough.explain.dnf import Formula, formula
from bough.explain.lesson import Lesson, lesson
from bough.explain.numbers import NodeNumbers
from bough.explain.path import Explanation, explain_row
from bough.explain.rules import Rule, RuleList, rules_of
from bough.explain.splits import Grown, explain_split

__all__ = [
    "Contributions",
    "Explanation",
    "Formula",
    "Grown",
    "Lesson",
    "NodeNumbers",
    "Rule",
    "RuleList",
    "explain_row",
    "explain_split",
    "explain_together",
    "formula",
    "lesson",
    "rules_of",
]
