"""What an estimator says of itself in words and numbers: rules, formulas, explanations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from bough.data.encode import UNSEEN
from bough.data.ingest import to_table
from bough.data.table import Column, Table
from bough.data.target import class_codes, number_target, weights
from bough.errors import BoughError
from bough.estimators.problem import class_weighted
from bough.estimators.seen import check_both, kept_rows, training_rows
from bough.tree import Tree

if TYPE_CHECKING:
    from bough.explain import Explanation, Formula, Lesson, NodeNumbers, RuleList
    from bough.explain.splits import Grown


class Reading:
    """Mixed into every estimator; each method hands the fitted tree to `bough.explain`."""

    def rules(self, prediction: Any = None, order: str = "support") -> RuleList:
        """One rule for each leaf, those with most rows first (order="tree": from left to right): conditions,
        prediction, n, share (or sd) and a 95 % interval. `prediction`: only rules with this answer."""
        from bough.explain.rules import EVERY, rules_of

        return rules_of(one_tree(self), EVERY if prediction is None else prediction, order)

    def dnf(self, prediction: Any, minimised: bool = True) -> Formula:
        """The formula of a class: true for exactly the rows that are answered with it."""
        from bough.explain.dnf import formula

        return formula(one_tree(self), prediction, minimised)

    def explain(self, row: Any) -> Explanation:
        """Why a row gets its answer: the way through the tree with counts and shares, where missing values
        went, how sure the answer is, and the smallest change that would get another one. The row is a dict
        (columns that are not there are missing), a frame of one row, or a list of values."""
        from bough.explain.nearest import scales_of
        from bough.explain.path import explain_row

        tree = one_tree(self)
        rows = kept_rows(self)
        return explain_row(tree, row, None if rows is None else scales_of(rows.table))

    def explain_split(
        self, node: int = 0, X: Any = None, y: Any = None, sample_weight: Any = None
    ) -> NodeNumbers:
        """Every number of a node: each column's best split in all measures, all cut points, ties, why the
        winner won or why the node is a leaf, and the arithmetic of pruning. The training rows are at hand
        after fit; for a model from a file give them as X and y."""
        from bough.explain.splits import explain_split

        tree = one_tree(self)
        return explain_split(tree, node, _grown(self, tree, X, y, sample_weight))

    def lesson(
        self,
        title: str = "training data",
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        digits: int = 4,
        base: float = 2,
    ) -> Lesson:
        """The growth of the tree step by step, to print, to project (`to_html`) or to be asked (`quiz`)."""
        from bough.explain.lesson import lesson

        tree = one_tree(self)
        grown = _grown(self, tree, X, y, sample_weight)
        criterion = grown.settings.criterion
        name = type(self).__name__.removesuffix("Classifier").removesuffix("Regressor")
        what = "own criterion" if callable(criterion) else criterion.replace("_", " ")
        return lesson(tree, grown, title, f"{name} ({what})", digits, base)


def one_tree(model: Any) -> Tree:
    """The tree of a fitted model that has one."""
    check_is_fitted(model)
    tree = getattr(model, "tree_", None)
    if not isinstance(tree, Tree):
        raise BoughError(
            f"{type(model).__name__} has many trees, and this is about one.",
            code="model",
            hint="Take one of them: print(model[0]), or bough.explain.rules_of(model[0]).",
        )
    return tree


def _grown(model: Any, tree: Tree, X: Any, y: Any, sample_weight: Any) -> Grown:
    """How the tree of a model grew, on its training rows or on given ones."""
    from bough.estimators.weighting import cost_weights
    from bough.explain.sample import Sample
    from bough.explain.splits import Grown

    check_both(X, y)
    if X is None:
        rows = training_rows(model)
        sample = Sample(rows.table, rows.target, rows.weights)
    else:
        table = _without_unseen(to_table(X, fields=tree.fields, owner=type(model).__name__))
        w = weights(sample_weight, table.n_rows)
        if tree.classes is None:
            sample = Sample(table, number_target(y, table.n_rows), w)
        else:
            codes, _ = class_codes(y, table.n_rows, type(model).__name__, tree.classes)
            sample = Sample(
                table, codes, class_weighted(model, model.class_weight, codes, tree.classes, w)[1]
            )
        if sample.weights is not None and not sample.weights.all():
            sample = sample.take(np.flatnonzero(sample.weights > 0))
    costs = tree.rules.costs
    return Grown(
        sample,
        model._settings(np.random.RandomState(0), model._pruning()),
        pruning=_pruned_by(model),
        confidence=getattr(model, "confidence", 0.25),
        estimate=getattr(model, "error_estimate", "normal"),
        forced=model.forced_splits is not None,
        factor=None if costs is None else cost_weights(costs),
    )


def _without_unseen(table: Table) -> Table:
    """Categories that the tree never saw are counted as missing."""
    columns = [
        Column(c.field, np.where(c.values == UNSEEN, np.nan, c.values)) if c.field.categories else c
        for c in table.columns
    ]
    return Table(tuple(columns), table.n_rows)


def _pruned_by(model: Any) -> str | None:
    """What may have made leaves of questions, as the parameters say it."""
    if model.early_stopping:
        return "early_stopping"
    if model.pruning or model.ccp_alpha:
        return f'pruning="{model.pruning or "cost_complexity"}"'
    return "collapse" if getattr(model, "collapse", False) else None
