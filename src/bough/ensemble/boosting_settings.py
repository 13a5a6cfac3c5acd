"""Every decision about boosted trees in one place: names, meaning, allowed values, and their form for the
core."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from bough import _core
from bough.data.table import Field
from bough.errors import BoughError
from bough.growing.constraints import directions, interactions
from bough.growing.settings import check_fields, is_finite_number, wrong

SYMMETRIC_DEPTH, MOST_LEVELS = 6, 16  # of symmetric trees: the default, and the most


def _count(lowest: int, doc: str, default: int | None, optional: bool = False) -> Any:
    return field(
        default=default, metadata={"lowest": lowest, "fraction": False, "doc": doc, "optional": optional}
    )


def _real(lowest: float, highest: float, doc: str, default: float) -> Any:
    return field(default=default, metadata={"range": (lowest, highest), "doc": doc})


def _share(doc: str) -> Any:
    return field(default=1.0, metadata={"share": True, "doc": doc})


@dataclass(frozen=True)
class BoostingSettings:
    """What decides which trees grow from given data and a loss; docs/boosting.md has the exact meaning."""

    n_estimators: int = _count(1, "most rounds; each grows one tree, or one for each of several classes", 100)
    learning_rate: float = _real(0.0, math.inf, "what each tree's values are multiplied by", 0.1)
    max_leaf_nodes: int | None = _count(
        2, "most leaves of a tree, the most useful split first; None: level by level", 31, optional=True
    )
    max_depth: int | None = _count(
        1, "most questions on the way to a leaf; None: no limit, of symmetric trees 6", None, optional=True
    )
    symmetric: bool = field(
        default=False,
        metadata={
            "flag": True,
            "doc": "one question for a whole level, as CatBoost's trees have; max_depth says how many "
            "levels, max_leaf_nodes is not used",
        },
    )
    min_samples_leaf: int = _count(1, "fewest rows of a leaf", 20)
    min_sum_hessian: float = _real(0.0, math.inf, "smallest sum of second derivatives in a leaf", 1e-3)
    l1_regularization: float = _real(0.0, math.inf, "taken off the size of a leaf's gradient sum", 0.0)
    l2_regularization: float = _real(0.0, math.inf, "added to a leaf's sum of second derivatives", 1.0)
    subsample: float = _share("the chance of a row to take part in a round")
    colsample_bytree: float = _share("share of the columns drawn for each tree")
    colsample_bylevel: float = _share("of these, the share drawn for each level")
    max_features: float = _share("of these, the share drawn for each node")
    max_bins: int = _count(2, "most bins of a numeric column, 255 at most", 255)
    category_smoothing: float | None = field(
        default=None,
        metadata={
            "doc": "rows of the node's average that each of many categories is mixed with; None: the square "
            "root of the number of rows"
        },
    )
    min_category_rows: int = _count(1, "categories with fewer rows in a node count as one", 3)
    monotonic_cst: Any = field(
        default=None,
        metadata={
            "doc": "1: the answer rises with the column, -1: it falls; a dict by name, or one for each"
        },
    )
    interaction_cst: Any = field(
        default=None, metadata={"doc": "groups of columns, by name or number, that may meet on one path"}
    )
    seed: int = 0

    def __post_init__(self) -> None:
        rate = self.learning_rate
        if not is_finite_number(rate) or rate <= 0:  # 0 would learn nothing
            raise wrong("learning_rate", rate, "a number above 0")
        check_fields(self)
        for name in ("subsample", "colsample_bytree", "colsample_bylevel", "max_features"):
            share = getattr(self, name)
            if not is_finite_number(share) or not 0 < share <= 1:
                raise wrong(name, share, "a share above 0, at most 1")
        smoothing = self.category_smoothing
        if smoothing is not None and (not is_finite_number(smoothing) or smoothing < 0):
            raise wrong("category_smoothing", smoothing, "a number from 0 up, or None")
        if self.max_bins > 255:
            raise wrong("max_bins", self.max_bins, "a whole number from 2 to 255")
        if self.symmetric:
            self._check_symmetric()

    def _check_symmetric(self) -> None:
        """What was asked for is not silently left out; 31 leaves, the default, were not asked for."""
        default = type(self).__dataclass_fields__["max_leaf_nodes"].default
        if self.max_leaf_nodes not in (None, default):
            size = f"Give max_depth: {SYMMETRIC_DEPTH}, the default, makes up to {2**SYMMETRIC_DEPTH} leaves."
            raise self._not_symmetric("max_leaf_nodes", size)
        if self.max_depth is not None and self.max_depth > MOST_LEVELS:
            raise self._not_symmetric("max_depth", f"max_depth is {MOST_LEVELS} at most there, or None.")
        if self.max_features < 1:
            draw = "A level has one question for all nodes: draw columns with colsample_bylevel."
            raise self._not_symmetric("max_features", draw)

    def _not_symmetric(self, name: str, hint: str) -> BoughError:
        return BoughError(
            f"{name}={getattr(self, name)!r} is not possible with symmetric=True.",
            code="parameter",
            hint=hint,
        )

    def drawn(self, share: float, n: int) -> int:
        """How many columns a share is."""
        return max(1, min(n, round(share * n)))

    def for_core(self, columns: tuple[Field, ...], n_rows: int, row_weight: float) -> _core.BoostSettings:
        """`row_weight` is the mean. What sums are held against is meant for rows of weight 1: weights that
        are less on average, such as those that sum to 1, would else be drowned in it. Larger ones are copies
        of rows."""
        unit = min(row_weight, 1.0)
        core = _core.BoostSettings()
        core.max_leaves = 0 if self.max_leaf_nodes is None else min(int(self.max_leaf_nodes), 2**30)
        core.symmetric = bool(self.symmetric)
        deepest = SYMMETRIC_DEPTH if self.symmetric else 0
        core.max_depth = deepest if self.max_depth is None else min(int(self.max_depth), 2**30)
        core.min_rows = min(int(self.min_samples_leaf), 2**60)
        core.min_hessian = unit * float(self.min_sum_hessian)
        core.l1 = unit * float(self.l1_regularization)
        core.l2 = unit * float(self.l2_regularization)
        smoothing = self.category_smoothing
        core.category_smoothing = math.sqrt(n_rows) if smoothing is None else float(smoothing)
        core.min_category_rows = min(int(self.min_category_rows), 2**60)
        core.monotone = [] if self.monotonic_cst is None else directions(self.monotonic_cst, columns)
        core.interactions = interactions(self.interaction_cst, columns)
        for_tree = self.drawn(self.colsample_bytree, len(columns))
        for_level = self.drawn(self.colsample_bylevel, for_tree)
        core.level_columns = for_level if for_level < for_tree else 0
        for_node = self.drawn(self.max_features, for_level)
        core.node_columns = for_node if for_node < for_level else 0
        return core
