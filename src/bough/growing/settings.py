"""Every decision about growth in one place: names, meaning, allowed values, and their form for the core."""

from __future__ import annotations

import functools
import math
import numbers
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from bough import _core
from bough.data.table import Field
from bough.errors import BoughError, did_you_mean, warn_caller
from bough.growing.constraints import constrain

CLASS_CRITERIA = ("gini", "entropy", "error", "chi_square")
NUMBER_CRITERIA = ("squared_error", "friedman_mse", "poisson")
CATEGORIES = tuple(_core.Categories.__members__)
CHOICES = tuple(_core.Merit.__members__)
MISSING = (*_core.Missing.__members__, "error")
THRESHOLDS = ("midpoint", "below", "data", "short")
TIES = tuple(_core.Ties.__members__)
COLUMN_COUNTS = ("sqrt", "log2")
MOST_SIGNS = 200  # of a value that an error tells


def _choice(names: tuple[str, ...], doc: str, default: str) -> Any:
    return field(default=default, metadata={"names": names, "doc": doc})


def _count(lowest: int, doc: str, default: int | None, fraction: bool = False) -> Any:
    return field(default=default, metadata={"lowest": lowest, "fraction": fraction, "doc": doc})


def _real(lowest: float, highest: float, doc: str, default: float) -> Any:
    return field(default=default, metadata={"range": (lowest, highest), "doc": doc})


def _flag(doc: str, default: bool) -> Any:
    return field(default=default, metadata={"flag": True, "doc": doc})


@dataclass(frozen=True)
class Settings:
    """What decides which tree grows from given data; see docs/semantics.md for the exact meaning."""

    criterion: str | Callable[..., Any] = field(
        default="gini", metadata={"doc": "the loss that a split lowers; or a function of your own, see docs"}
    )
    choice: str = _choice(CHOICES, "what is compared between columns", "gain")
    categories: str = _choice(CATEGORIES, "two groups of categories, or a branch for each", "subset")
    missing: str | dict[str, str] = field(
        default="learn", metadata={"doc": "where rows go that are missing in the column asked"}
    )
    max_surrogates: int = _count(0, "most surrogates of a split", 5)
    rpart_surrogates: bool = _flag("surrogates of categories need two rows that go against the split", False)
    surrogate_last: str = _choice(("majority", "stop"), "rows that no surrogate knows", "majority")
    thresholds: str = _choice(THRESHOLDS, "which number between two values", "midpoint")
    mdl_correction: bool = _flag("take log2(cuts) / rows off the gain of a numeric column", False)
    subset_correction: bool | None = field(
        default=None,
        metadata={
            "doc": "take off the gain of a column of categories what the choice among its many subsets brings"
            " by chance; None: where cross-validation prunes"
        },
    )
    small_branches: bool = _flag("of many branches, only two need the minimum", False)
    cut_minimum: str = _choice(("leaf", "c45"), "least weight on each side of a numeric cut", "leaf")
    significance_level: float | None = field(
        default=None, metadata={"doc": "a split with a larger p-value is not made; None: any is"}
    )
    p_values: str = _choice(
        ("asymptotic", "monte_carlo"),
        'of choice="significance": by chi-square, or by permutations',
        "asymptotic",
    )
    resamples: int = _count(1, "permutations drawn for each column of a node", 9999)
    merge_level: float = _real(
        0.0, 1.0, 'with categories="chaid": groups alike at this level are merged', 0.05
    )
    value_gap: float = _real(0.0, math.inf, "numbers closer than this are not cut apart", 0.0)
    tie_margin: float = _real(0.0, 1.0, "gains per row, or gain ratios, this close are equal", 0.0)
    ties: str = _choice(TIES, "which column wins where gains are equal", "column")
    zero_gain_splits: bool = _flag("split even where nothing is gained yet", True)
    max_depth: int | None = _count(0, "most questions on the way to a leaf", None)
    max_leaf_nodes: int | None = _count(1, "most leaves; growth is then best-first", None)
    min_samples_split: int | float = _count(2, "fewest rows of a node that is split", 2, fraction=True)
    min_samples_leaf: int | float = _count(1, "fewest rows of a leaf", 1, fraction=True)
    min_weight_leaf: float = _real(0.0, math.inf, "smallest weight of a leaf", 0.0)
    min_weight_fraction_leaf: float = _real(0.0, 0.5, "smallest share of all weight in a leaf", 0.0)
    min_share_leaf: float = _real(0.0, 0.5, "smallest share of a node's rows in a branch", 0.0)
    min_impurity_decrease: float = _real(0.0, math.inf, "smallest gain, relative to all weight", 0.0)
    max_features: int | float | str | None = field(
        default=None,
        metadata={"doc": "columns that vary, drawn at each node: a number, a share, sqrt, log2; None: all"},
    )
    max_nodes: int | None = _count(1, "most nodes; growth is then best-first", None)
    time_limit: float | None = field(
        default=None, metadata={"doc": "seconds after which nothing is split any more; None: no limit"}
    )
    monotonic_cst: Any = field(
        default=None,
        metadata={
            "doc": "1: the answer rises with the column, -1: it falls; a dict by name, or one for each"
        },
    )
    interaction_cst: Any = field(
        default=None, metadata={"doc": "groups of columns, by name or number, that may meet on one path"}
    )
    required_columns: Any = field(
        default=None, metadata={"doc": "columns that are asked before any others, by name or number"}
    )
    forbidden_columns: Any = field(
        default=None, metadata={"doc": "columns that are never asked, by name or number"}
    )
    max_bins: int | None = _count(2, "most bins of a numeric column; None: one for each value", None)
    seed: int = 0

    def __post_init__(self) -> None:
        check_fields(self)
        rules = self.missing.values() if isinstance(self.missing, dict) else [self.missing]
        for rule in rules:
            check_name("missing", rule, MISSING)
        if not (self.subset_correction is None or isinstance(self.subset_correction, bool | np.bool_)):
            raise wrong("subset_correction", self.subset_correction, "True, False or None")
        self._check_together(rules)
        if self.significance_level is not None:
            _check_real("significance_level", self.significance_level, 0.0, 1.0)
        check_seconds("time_limit", self.time_limit)
        _check_columns(self.max_features)

    @property
    def corrects_subsets(self) -> bool:
        """Whether these settings have subsets of categories, and a gain that is known to be a likelihood."""
        known = ("gini", "entropy", "squared_error", "friedman_mse")
        return self.categories == "subset" and not callable(self.criterion) and self.criterion in known

    def _check_together(self, rules: Iterable[str]) -> None:
        """Settings that exclude each other."""
        check_criterion(self.criterion, CLASS_CRITERIA + NUMBER_CRITERIA)
        if self.categories == "chaid" and self.choice == "gain_ratio":
            raise wrong("choice", "gain_ratio", "gain or significance with chaid")
        if self.criterion == "chi_square" and self.categories != "chaid" and "branch" in rules:
            raise wrong(
                "missing", self.missing, 'not "branch" with criterion="chi_square", which does not add up'
            )
        if self.p_values == "monte_carlo" and (self.choice != "significance" or self.categories == "chaid"):
            raise wrong(
                "p_values", self.p_values, 'asymptotic but with choice="significance" and without chaid'
            )
        if self.p_values == "monte_carlo" and "fractional" in rules:
            raise wrong("missing", self.missing, "not fractional where rows are permuted")
        if self.ties == "single" and self.criterion != "entropy":
            raise wrong("ties", self.ties, 'single only with criterion="entropy"')
        if self.required_columns is not None and self.max_features is not None:
            raise wrong("required_columns", self.required_columns, "None where max_features draws columns")
        if self.categories == "merge" and self.criterion != "entropy":
            raise wrong("categories", "merge", 'merge only with criterion="entropy"')
        if self.subset_correction and not self.corrects_subsets:
            allowed = 'True only with categories="subset" and gini, entropy or squared_error'
            raise wrong("subset_correction", True, allowed)
        if self.categories == "chaid" and self.criterion != "chi_square":
            raise wrong("categories", "chaid", 'chaid only with criterion="chi_square"')

    def missing_rules(self, columns: tuple[Field, ...]) -> list[str]:
        """The rule of each column."""
        if isinstance(self.missing, str):
            return [self.missing] * len(columns)
        names = [column.name for column in columns]
        for name in self.missing:
            if name not in names:
                raise BoughError(
                    f'missing names the column "{name}", which is not there.{did_you_mean(name, names)}',
                    code="parameter",
                    hint='Give a rule for columns of X; the others have "learn".',
                )
        return [self.missing.get(name, "learn") for name in names]

    def _check_resamples(self, n_columns: int) -> None:
        """The smallest p-value that so few permutations can have may be no small one."""
        least = -math.expm1(n_columns * math.log1p(-1 / (self.resamples + 1)))
        if self.significance_level is not None and least > self.significance_level:
            text = (
                f"{self.resamples} permutations of {n_columns} columns reach no p-value below {least:.2g}, "
                f"and significance_level is {self.significance_level:g}: nothing will be split. "
                "Raise resamples."
            )
            warn_caller(text)

    def for_core(self, columns: tuple[Field, ...], n_rows: int) -> _core.Settings:
        core = _core.Settings()
        own = "custom" if callable(self.criterion) else self.criterion
        core.criterion = _core.Criterion.__members__[own]
        core.categories = _core.Categories.__members__[self.categories]
        core.ties = _core.Ties.__members__[self.ties]
        core.choice = _core.Merit.__members__[self.choice]
        core.missing = [
            _core.Missing.__members__["learn" if rule == "error" else rule]
            for rule in self.missing_rules(columns)
        ]
        core.max_surrogates = min(int(self.max_surrogates), 2**30)
        core.rpart_surrogates = bool(self.rpart_surrogates)
        core.surrogates_stay = self.surrogate_last == "stop"
        core.mdl_correction = bool(self.mdl_correction)
        core.subset_correction = bool(self.subset_correction) and self.corrects_subsets
        core.small_branches = bool(self.small_branches)
        core.c45_cuts = self.cut_minimum == "c45"
        core.significance_level = 1.0 if self.significance_level is None else float(self.significance_level)
        if self.p_values == "monte_carlo":
            self._check_resamples(len(columns))
            core.resamples = min(int(self.resamples), 2**40)
        core.merge_level = float(self.merge_level)
        constrain(core, self, columns)
        core.max_nodes = 0 if self.max_nodes is None else min(int(self.max_nodes), 2**62)
        core.time_limit = 0.0 if self.time_limit is None else float(self.time_limit)
        core.value_gap = float(self.value_gap)
        core.tie_margin = float(self.tie_margin)
        core.min_weight_leaf = float(self.min_weight_leaf)
        core.zero_gain_splits = bool(self.zero_gain_splits)
        if self.max_depth is not None:
            core.max_depth = min(int(self.max_depth), 2**62)
        if self.max_leaf_nodes is not None:
            core.max_leaf_nodes = min(int(self.max_leaf_nodes), 2**62)
        core.min_samples_split = max(2, _rows(self.min_samples_split, n_rows))
        core.min_samples_leaf = _rows(self.min_samples_leaf, n_rows)
        core.min_weight_fraction_leaf = float(self.min_weight_fraction_leaf)
        core.min_share_leaf = float(self.min_share_leaf)
        core.min_impurity_decrease = float(self.min_impurity_decrease)
        core.max_features = _columns_drawn(self.max_features, len(columns))
        core.seed = self.seed
        names = [column.name for column in columns]
        by_rule = (
            sorted(range(len(names)), key=names.__getitem__)
            if self.ties == "alphabetical"
            else range(len(names))
        )
        core.column_rank = [place for _, place in sorted(zip(by_rule, range(len(names)), strict=True))]
        return core


def check_fields(settings: Any) -> None:
    """What the fields say of themselves: names, lowest counts, ranges, flags."""
    for name, check in _checks(settings.__class__):
        check(name, getattr(settings, name))


Checks = list[tuple[str, Callable[[str, Any], None]]]


@functools.cache
def _checks(kind: type) -> Checks:
    """A check for each field of a class of settings that has one."""
    found: Checks = []
    for f in fields(kind):
        says = f.metadata
        if "names" in says:
            found.append((f.name, functools.partial(check_name, names=says["names"])))
        elif "lowest" in says:
            optional = says.get("optional", f.default is None)
            of = {"lowest": says["lowest"], "fraction": says["fraction"], "optional": optional}
            found.append((f.name, functools.partial(_check_count, **of)))
        elif "range" in says:
            lowest, highest = says["range"]
            found.append((f.name, functools.partial(_check_real, lowest=lowest, highest=highest)))
        elif "flag" in says:
            found.append((f.name, _check_flag))
    return found


def _check_flag(name: str, value: Any) -> None:
    if not isinstance(value, bool | np.bool_):
        raise wrong(name, value, "True or False")


def _rows(count: float, n_rows: int) -> int:
    return math.ceil(count * n_rows) if isinstance(count, float | np.floating) else min(int(count), 2**60)


def _columns_drawn(count: Any, n_columns: int) -> int:
    """0 stands for all of them."""
    if count is None:
        return 0
    if count == "sqrt":
        return max(1, math.isqrt(n_columns))
    if count == "log2":
        return max(1, int(math.log2(n_columns)))
    share = isinstance(count, float | np.floating)
    return max(1, int(count * n_columns)) if share else min(int(count), n_columns)


# What other programs call it.
_ELSEWHERE = {
    "log_loss": "entropy",
    "mse": "squared_error",
    "l2": "squared_error",
    "mae": "absolute_error",
    "l1": "absolute_error",
    "deviance": "log_loss",
    "logloss": "log_loss",
}


def check_name(parameter: str, value: Any, names: tuple[str, ...], own: bool = False) -> None:
    """`own`: a function of the user's is possible too, and is not given here."""
    if not isinstance(value, str) or value not in names:
        meant = _ELSEWHERE.get(str(value))
        suggestion = f' Did you mean "{meant}"?' if meant in names else did_you_mean(str(value), names)
        others = ", or a function of your own" if own else ""
        raise wrong(parameter, value, "one of " + ", ".join(names) + others, suggestion)


def check_criterion(value: Any, names: tuple[str, ...]) -> None:
    """A name, or a function of the user's."""
    if not callable(value):
        check_name("criterion", value, names, own=True)


def is_count(value: Any) -> bool:
    # Python's own numbers first: to ask a number class of its kind takes longer than all the rest.
    return type(value) is int or (
        isinstance(value, numbers.Integral) and not isinstance(value, bool | np.bool_)
    )


def _is_share(value: Any) -> bool:
    return isinstance(value, float | np.floating) and 0.0 < float(value) <= 1.0


def _check_count(name: str, value: Any, lowest: int, fraction: bool, optional: bool) -> None:
    if (
        (value is None and optional)
        or (is_count(value) and value >= lowest)
        or (fraction and _is_share(value))
    ):
        return
    allowed = f"a whole number from {lowest} up"
    allowed += ", or a share of the rows in (0, 1]" * fraction + ", or None" * optional
    raise wrong(name, value, allowed)


def is_finite_number(value: Any) -> bool:
    if type(value) is float:
        return math.isfinite(value)
    if not isinstance(value, numbers.Real) or isinstance(value, bool | np.bool_):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False


def check_seconds(name: str, value: Any) -> None:
    if value is not None and (not is_finite_number(value) or value <= 0):
        raise wrong(name, value, "a number of seconds above 0, or None")


def _check_real(name: str, value: Any, lowest: float, highest: float) -> None:
    if not is_finite_number(value) or not lowest <= float(value) <= highest:
        upper = "up" if math.isinf(highest) else f"to {highest:g}"
        raise wrong(name, value, f"a number from {lowest:g} {upper}")


def _check_columns(value: Any) -> None:
    if value is None or _is_share(value) or (is_count(value) and value >= 1):
        return
    if isinstance(value, str) and value in COLUMN_COUNTS:
        return
    raise wrong("max_features", value, "a whole number from 1 up, a share in (0, 1], sqrt, log2 or None")


def wrong(name: str, value: Any, allowed: str, suggestion: str = "") -> BoughError:
    return BoughError(
        f"{name}={shortly(value)} is not possible.{suggestion}",
        code="parameter",
        hint=f"{name} is {allowed}.",
    )


def shortly(value: Any) -> str:
    """The value as Python writes it, without the middle of a long one."""
    text = repr(value)
    return text if len(text) <= MOST_SIGNS else f"{' '.join(text[: MOST_SIGNS - 20].split())} … {text[-10:]}"
