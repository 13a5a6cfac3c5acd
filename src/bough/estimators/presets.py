"""The classical programs as rows of one table: classes that differ in their defaults only."""

from __future__ import annotations

from typing import Any

from bough.estimators.trees import TreeClassifier, TreeRegressor

_ID3 = {"criterion": "entropy", "categories": "multiway", "missing": "branch", "zero_gain_splits": False}
_C45: dict[str, Any] = {
    "criterion": "entropy",
    "choice": "gain_ratio",
    "categories": "multiway",
    "missing": "fractional",
    "thresholds": "data",
    "mdl_correction": True,
    "cut_minimum": "c45",
    "small_branches": True,
    "min_weight_leaf": 2.0,
    "value_gap": 1e-5,
    "tie_margin": 1e-6,
    "zero_gain_splits": False,
    "collapse": True,
    "pruning": "pessimistic",
}
_CART: dict[str, Any] = {
    "missing": "surrogate",
    "rpart_surrogates": True,
    "min_samples_split": 20,
    "min_samples_leaf": 7,
    "zero_gain_splits": False,
    "subset_correction": False,
    "pruning": "cost_complexity",
    "pruning_measure": "error",
    "pruning_rule": "1-se",
    "cp": 0.01,
}
_CONDITIONAL: dict[str, Any] = {
    "choice": "significance",
    "significance_level": 0.05,
    "missing": "majority",
    "thresholds": "below",
    "min_samples_split": 20,
    "min_samples_leaf": 7,
    "min_share_leaf": 0.01,
    "zero_gain_splits": False,
}
_CHAID: dict[str, Any] = {
    "criterion": "chi_square",
    "choice": "significance",
    "significance_level": 0.05,
    "categories": "chaid",
    "max_bins": 10,
    "min_samples_split": 20,
    "min_samples_leaf": 7,
    "zero_gain_splits": False,
}
_STUMP: dict[str, Any] = {"max_depth": 1}


class ID3Classifier(TreeClassifier, changes=_ID3):
    """Quinlan's ID3: entropy, the largest gain, a branch for each category, nothing pruned."""


class C45Classifier(TreeClassifier, changes=_C45):
    """Quinlan's C4.5 as Weka's J48 has it: gain ratio, missing rows spread by weight, pessimistic pruning
    with subtree raising. J48's options: confidence (-C), min_weight_leaf (-M), pruning=None (-U),
    subtree_raising=False (-S), categories="one_vs_rest" (-B), probabilities="laplace" (-A)."""


class CARTClassifier(TreeClassifier, changes=_CART):
    """Breiman's CART as R's rpart has it: Gini, subsets of categories, surrogates, the subtree that
    cross-validation chooses by the rule of one standard error."""


class CARTRegressor(TreeRegressor, changes=_CART | {"criterion": "squared_error"}):
    """Breiman's CART for numbers, as R's rpart has it."""


class ConditionalTreeClassifier(TreeClassifier, changes=_CONDITIONAL | {"criterion": "chi_square"}):
    """Conditional inference (Hothorn, Hornik & Zeileis): the column with the smallest p-value first, then its
    best cut; no column is significant: a leaf."""


class ConditionalTreeRegressor(TreeRegressor, changes=_CONDITIONAL | {"criterion": "squared_error"}):
    """Conditional inference for numbers."""


class CHAIDClassifier(TreeClassifier, changes=_CHAID):
    """Kass's CHAID: categories that do not differ are merged by chi-square, the column with the smallest
    p-value is asked, a branch for each group. Numbers are put into ten bins and cut in two."""


class DecisionStumpClassifier(TreeClassifier, changes=_STUMP):
    """A single question."""


class DecisionStumpRegressor(TreeRegressor, changes=_STUMP | {"criterion": "squared_error"}):
    """A single question, for numbers."""
