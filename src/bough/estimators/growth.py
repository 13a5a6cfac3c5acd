"""One growth and what follows it: the tree of all rows or of some, forced, stopped early or pruned."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.data.table import Table
from bough.errors import BoughError
from bough.growing import Settings, grow
from bough.growing.early import HeldOut, stop_early
from bough.growing.forced import grow_forced
from bough.growing.settings import check_name, is_count, is_finite_number, wrong
from bough.pruning import METHODS, RULES, Choice, Evidence, choose_alpha, prune
from bough.pruning.options import MEASURES
from bough.pruning.pessimistic import ESTIMATES
from bough.tree import Tree
from bough.tree.rules import Rules

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]
Seed = np.random.RandomState | int

PRUNING = tuple(name for name in METHODS if name != "simplify")


def unaltered(grown: Tree, factor: Floats) -> Tree:
    """The tree with the class weights that it had without what its growth counted them by."""
    value = grown.value / factor
    weight = value.sum(axis=1)
    # Weight times impurity or gain stays what it was when the tree grew.
    scale = np.divide(grown.weight, weight, out=np.zeros(len(weight)), where=weight > 0)
    changed = {"impurity": grown.impurity * scale, "gain": grown.gain * scale}
    return dataclasses.replace(grown, value=value, weight=weight, **changed)


@dataclass(frozen=True)
class Growth:
    """Everything that a tree grows from. `altered`: what the growth counts each class by, beyond the
    weights (see weighting.cost_weights); the tree's class weights do not have it."""

    table: Table
    target: NDArray[Any]
    classes: NDArray[Any] | None
    weights: Floats | None
    altered: Floats | None
    settings: Settings
    threads: int
    rules: Rules
    forced: Any = None

    def tree(self, rows: Rows | None = None, until: tuple[Rows, int] | None = None) -> Tree:
        """Grown on all rows, or on these; `until` so many splits do not help these others."""
        table = self.table if rows is None else self.table.take(rows)
        target = self.target if rows is None else self.target[rows]
        weights = self.weights if rows is None or self.weights is None else self.weights[rows]
        if self.altered is not None:
            weights = self.altered[target] if weights is None else weights * self.altered[target]
        given = (table, target, self.classes, weights, self.settings, self.threads, self.rules)
        grown = grow(*given) if self.forced is None else grow_forced(*given, self.forced)
        tree = grown if self.altered is None else unaltered(grown, self.altered)
        if until is None:
            return tree
        others, patience = until
        rest = self.evidence().take(others)
        held_out = HeldOut(rest.table, rest.target, rest.weights)
        return stop_early(tree, held_out, patience, self.threads, grown=grown)

    def evidence(self) -> Evidence:
        weights = np.ones(self.table.n_rows) if self.weights is None else self.weights
        return Evidence(self.table, self.target, weights)


@dataclass(frozen=True)
class Pruning:
    """The parameters of an estimator that make a grown tree smaller."""

    pruning: str | None
    ccp_alpha: float
    cp: float
    pruning_measure: str | None
    pruning_rule: str
    pruning_folds: int
    pruned_leaves: int
    confidence: float
    error_estimate: str
    subtree_raising: bool
    collapse: bool
    early_stopping: bool
    patience: int
    validation_fraction: float

    def __post_init__(self) -> None:
        if not is_finite_number(self.confidence) or not 0 < self.confidence <= 1:
            raise wrong("confidence", self.confidence, "a share above 0, at most 1")
        check_name("error_estimate", self.error_estimate, ESTIMATES)
        if not is_count(self.patience) or self.patience < 1:
            raise wrong("patience", self.patience, "a whole number from 1 up")
        if self.pruning is not None:
            check_name("pruning", self.pruning, PRUNING)
        if self.pruning_measure is not None:
            check_name("pruning_measure", self.pruning_measure, MEASURES)
        check_name("pruning_rule", self.pruning_rule, RULES)
        for name in ("ccp_alpha", "cp"):
            value = getattr(self, name)
            if not is_finite_number(value) or value < 0:
                raise wrong(name, value, "a number from 0 up")
        if not is_count(self.pruning_folds) or self.pruning_folds < 0 or self.pruning_folds == 1:
            raise wrong("pruning_folds", self.pruning_folds, "a whole number from 2 up, or 0 for none")
        if not is_count(self.pruned_leaves) or self.pruned_leaves < 1:
            raise wrong("pruned_leaves", self.pruned_leaves, "a whole number from 1 up")
        for name in ("subtree_raising", "collapse", "early_stopping"):
            if not isinstance(getattr(self, name), bool | np.bool_):
                raise wrong(name, getattr(self, name), "True or False")
        if self.early_stopping and self.pruning is not None:
            raise wrong("early_stopping", True, "False where the tree is pruned")
        share = self.validation_fraction
        if not is_finite_number(share) or not 0 < share < 1:
            raise wrong("validation_fraction", share, "a share between 0 and 1")

    @property
    def by_cross_validation(self) -> bool:
        return self.pruning == "cost_complexity" and not self.ccp_alpha

    @property
    def measure(self) -> str:
        return self.pruning_measure or ("error" if self.by_cross_validation else "impurity")

    def tree(  # noqa: PLR0911  # one for each method
        self, growth: Growth, random: Seed
    ) -> tuple[Tree, Choice | None]:
        """The pruned tree; and how its size was chosen, where that was by cross-validation."""
        if self.pruning == "reduced_error":
            kept, held_out = held_out_rows(growth, self.validation_fraction, random)
            tree = self._collapsed(growth.tree(kept))
            evidence = growth.evidence().take(held_out)
            return METHODS["reduced_error"].function(tree, evidence, costs=growth.rules.costs), None
        if self.early_stopping and growth.forced is not None:
            raise wrong("early_stopping", True, "False with forced_splits")
        if self.early_stopping:
            kept, held_out = held_out_rows(growth, self.validation_fraction, random)
            tree = self._collapsed(growth.tree(kept, (held_out, self.patience)))
        else:
            tree = self._collapsed(growth.tree())
        options: dict[str, Any] = {}
        if self.by_cross_validation:
            choice = self._choice(growth, tree, random)
            measured = {"measure": self.measure, "costs": growth.rules.costs}
            if choice is None:
                return prune(tree, "cost_complexity", cp=self.cp, **measured), None
            return prune(tree, "cost_complexity", ccp_alpha=choice.ccp_alpha, **measured), choice
        if self.pruning == "cost_complexity" or (self.pruning is None and self.ccp_alpha):
            options = {
                "ccp_alpha": self.ccp_alpha,
                "measure": self.measure,
                "costs": growth.rules.costs,
            }
            return prune(tree, "cost_complexity", **options), None
        if self.pruning is None:
            return tree, None
        if self.pruning == "pessimistic":
            return self._pessimistic(growth, tree), None
        if self.pruning == "significance":
            level = growth.settings.significance_level
            options = {} if level is None else {"level": level}
        if self.pruning == "max_leaves":
            options = {"max_leaves": self.pruned_leaves, "measure": self.measure}
        return prune(tree, self.pruning, **options), None

    def _collapsed(self, tree: Tree) -> Tree:
        if not self.collapse:
            return tree
        from bough.pruning.pessimistic import saves_nothing
        from bough.tree.rebuild import rebuild

        return rebuild(tree, saves_nothing(tree))

    def _pessimistic(self, growth: Growth, tree: Tree) -> Tree:
        # With costs, rows were spread by altered weights while the tree grew: they cannot be sent anew.
        raising = bool(self.subtree_raising) and growth.altered is None
        evidence = growth.evidence() if raising else None
        return METHODS["pessimistic"].function(
            tree,
            evidence,
            confidence=self.confidence,
            estimate=self.error_estimate,
            collapse=False,
            raising=raising,
        )

    def _choice(self, growth: Growth, tree: Tree, random: Seed) -> Choice | None:
        """None where no rows are to be left out, or there are too few for it."""
        folds = folds_of(growth, self.pruning_folds, random)
        if not folds or tree.n_nodes == 1:
            return None
        return choose_alpha(
            tree,
            growth.evidence(),
            folds,
            growth.tree,
            rule=self.pruning_rule,
            measure=self.measure,
            costs=growth.rules.costs,
            cp=self.cp,
        )


def folds_of(growth: Growth, count: int, random: Seed) -> list[tuple[Rows, Rows]]:
    """Rows to grow on and rows to judge by; as many folds as the rows and classes allow, none if not two."""
    from sklearn.model_selection import KFold, StratifiedKFold

    n_rows = growth.table.n_rows
    if growth.classes is None:
        count = min(count, n_rows)
        splitter: Any = KFold
    else:
        sizes = np.bincount(growth.target, minlength=2)
        count = min(count, int(np.sort(sizes)[-2]))  # the second largest class has a row in every fold
        splitter = StratifiedKFold
    if count < 2:
        return []
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of classes that are rarer still
        parts = splitter(count, shuffle=True, random_state=random).split(np.zeros(n_rows), growth.target)
        return [(train, test) for train, test in parts if len(train) and len(test)]


def held_out_rows(growth: Growth, share: float, random: Seed) -> tuple[Rows, Rows]:
    """Row numbers to grow on and to judge by."""
    codes = None if growth.classes is None else growth.target
    return divided_rows(growth.table.n_rows, codes, share, random)


def divided_rows(n_rows: int, codes: NDArray[Any] | None, share: float, random: Seed) -> tuple[Rows, Rows]:
    """The same; `codes` are the rows' classes, whose shares are kept where possible."""
    from sklearn.model_selection import train_test_split

    rows = np.arange(n_rows)
    stratify = None
    if codes is not None:
        sizes = np.bincount(codes)
        if sizes[sizes > 0].min() >= 2 and min(share, 1 - share) * n_rows >= len(sizes):
            stratify = codes
    try:
        kept, held_out = train_test_split(rows, test_size=share, random_state=random, stratify=stratify)
    except ValueError:
        raise BoughError(
            f"too few rows to hold a share of {share:g} out: n_samples={len(rows)}.",
            code="parameter",
            hint="Give more rows, or another validation_fraction.",
        ) from None
    return np.sort(kept), np.sort(held_out)
