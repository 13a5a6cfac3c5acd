from enum import Enum
from typing import Any

from numpy.typing import NDArray

class Criterion(Enum):
    gini = 0
    entropy = 1
    error = 2
    squared_error = 3

class Categories(Enum):
    subset = 0
    multiway = 1

class Ties(Enum):
    column = 0
    alphabetical = 1
    random = 2

class SplitKind(Enum):
    leaf = 0
    threshold = 1
    subset = 2
    multiway = 3

class Settings:
    criterion: Criterion
    categories: Categories
    ties: Ties
    zero_gain_splits: bool
    max_depth: int
    max_leaf_nodes: int
    min_samples_split: int
    min_samples_leaf: int
    min_weight_fraction_leaf: float
    min_impurity_decrease: float
    max_features: int
    seed: int
    column_rank: list[int]

class BinnedMatrix:
    def __init__(
        self,
        columns: list[NDArray[Any]],
        n_categories: list[int],
        n_rows: int,
        max_bins: int,
        threads: int,
        record_bins: int = 255,
    ) -> None: ...
    @property
    def n_rows(self) -> int: ...
    def n_bins(self) -> list[int]: ...

class Target:
    @property
    def n_rows(self) -> int: ...

def class_target(labels: NDArray[Any], n_classes: int, weights: NDArray[Any]) -> Target: ...
def number_target(values: NDArray[Any], weights: NDArray[Any]) -> Target: ...
def available_cores() -> int: ...
def grow(matrix: BinnedMatrix, target: Target, settings: Settings, threads: int) -> dict[str, Any]: ...
def leaves(
    feature: NDArray[Any],
    kind: NDArray[Any],
    threshold: NDArray[Any],
    first_child: NDArray[Any],
    n_children: NDArray[Any],
    missing_child: NDArray[Any],
    category_start: NDArray[Any],
    category: NDArray[Any],
    category_child: NDArray[Any],
    columns: list[NDArray[Any]],
    n_rows: int,
    threads: int,
) -> NDArray[Any]: ...
def chi_square_survival(statistic: float, df: float) -> float: ...
def chi_square_log_survival(statistic: float, df: float) -> float: ...
def adjusted_log_p(log_p: float, tests: float) -> float: ...
def association(values: NDArray[Any], n_categories: int, target: Target) -> tuple[float, float, float]: ...
def chaid_merge(
    table: NDArray[Any],
    rows: NDArray[Any],
    alpha: float = 0.05,
    ordered: bool = False,
    missing: bool = False,
    min_rows: int = 1,
) -> tuple[NDArray[Any], float, float, float, float]: ...
def chaid_log_multiplier(
    categories: int, groups: int, ordered: bool = False, missing: bool = False
) -> float: ...
