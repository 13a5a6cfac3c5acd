from enum import Enum
from typing import Any

from numpy.typing import NDArray

class Criterion(Enum):
    gini = 0
    entropy = 1
    error = 2
    chi_square = 3
    squared_error = 4
    friedman_mse = 5
    poisson = 6
    custom = 7

class Merit(Enum):
    gain = 0
    gain_ratio = 1
    significance = 2

class Missing(Enum):
    learn = 0
    fractional = 1
    surrogate = 2
    branch = 3
    majority = 4
    stop = 5

class Categories(Enum):
    subset = 0
    multiway = 1
    one_vs_rest = 2
    merge = 3
    chaid = 4

class Ties(Enum):
    column = 0
    alphabetical = 1
    random = 2
    single = 3

class Link(Enum):
    identity = 0
    logistic = 1
    softmax = 2

class SplitKind(Enum):
    leaf = 0
    threshold = 1
    subset = 2
    multiway = 3

class Settings:
    criterion: Criterion
    choice: Merit
    categories: Categories
    missing: list[Missing]
    ties: Ties
    mdl_correction: bool
    subset_correction: bool
    resamples: int
    small_branches: bool
    c45_cuts: bool
    value_gap: float
    significance_level: float
    merge_level: float
    tie_margin: float
    min_weight_leaf: float
    min_share_leaf: float
    monotone: list[int]
    forbidden: list[int]
    required: list[int]
    interactions: list[list[int]]
    max_nodes: int
    time_limit: float
    random_cuts: bool
    max_surrogates: int
    rpart_surrogates: bool
    surrogates_stay: bool
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
        by_row: bool = False,
        grows_at_once: bool = False,
    ) -> None: ...
    @property
    def n_rows(self) -> int: ...
    def n_bins(self) -> list[int]: ...
    def copy(self) -> BinnedMatrix: ...
    def part(self, rows: NDArray[Any]) -> BinnedMatrix: ...

class Target: ...

def class_target(
    labels: NDArray[Any], n_classes: int, weights: NDArray[Any], shares: bool = False
) -> Target: ...
def number_target(
    values: NDArray[Any], weights: NDArray[Any], shares: bool = False, from_zero: bool = False
) -> Target: ...
def set_loss(target: Target, function: Any) -> None: ...
def set_compiled_loss(target: Target, address: int) -> None: ...
def available_cores() -> int: ...
def profile(on: bool) -> None: ...
def spend(seconds: float) -> None: ...
def spent() -> dict[str, float]: ...
def grow(matrix: BinnedMatrix, target: Target, settings: Settings, threads: int) -> dict[str, Any]: ...

class Walker:
    def __init__(
        self, arrays: dict[str, NDArray[Any]], n_categories: list[int], unseen_to_majority: bool
    ) -> None: ...
    @property
    def spreads(self) -> bool: ...
    def leaves(self, columns: list[NDArray[Any]], n_rows: int, threads: int) -> NDArray[Any]: ...
    def leaves_of_matrix(self, matrix: NDArray[Any], threads: int) -> NDArray[Any] | None: ...
    def ends(
        self, columns: list[NDArray[Any]], n_rows: int, threads: int
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]: ...
    @property
    def most_asked(self) -> int: ...
    def training_shares(self) -> NDArray[Any]: ...
    def shares(self, columns: list[NDArray[Any]], n_rows: int, row: int) -> NDArray[Any]: ...
    def shapley(
        self,
        columns: list[NDArray[Any]],
        n_rows: int,
        cover: NDArray[Any],
        value: NDArray[Any],
        points: NDArray[Any],
        weights: NDArray[Any],
        first_output: int,
        into: NDArray[Any],
        threads: int,
    ) -> NDArray[Any]: ...

class Bags:
    seed: int
    n_rows: int
    tickets: NDArray[Any]
    draws: int
    replace: bool
    group: NDArray[Any]
    quota: list[int]
    n_columns: int
    columns_drawn: int
    balanced: bool
    def seed_of(self, tree: int) -> int: ...
    def counts(self, tree: int) -> NDArray[Any]: ...

def order_by_content(columns: list[NDArray[Any]], target: NDArray[Any], threads: int) -> NDArray[Any]: ...

class LeanForest:
    def __init__(self, matrix: BinnedMatrix, target: Target, settings: Settings, threads: int) -> None: ...

def grow_many(
    matrix: BinnedMatrix,
    target: Target,
    settings: Settings,
    bags: Bags,
    lean: LeanForest,
    first: int,
    count: int,
    seconds: float,
    must_have_one: bool,
    pack: bool,
    threads: int,
) -> tuple[list[dict[str, Any] | PackedTree | None], str]: ...

class PackedTree:
    n_nodes: int
    def arrays(self) -> dict[str, Any]: ...
    def values(self) -> NDArray[Any]: ...

class Forest:
    def __init__(
        self,
        trees: list[dict[str, NDArray[Any]] | PackedTree],
        values: list[NDArray[Any]],
        weights: NDArray[Any],
        outputs: NDArray[Any],
        n_categories: list[int],
        unseen_to_majority: bool,
        base: NDArray[Any],
        divisor: float | None,
    ) -> None: ...
    def raw(self, columns: list[NDArray[Any]], n_rows: int, threads: int) -> NDArray[Any] | None: ...
    def answers(self, data: Any, threads: int, link: Link) -> NDArray[Any] | None: ...
    def add_unseen(
        self,
        columns: list[NDArray[Any]],
        n_rows: int,
        threads: int,
        bags: Bags,
        first: int,
        out: NDArray[Any],
        times: NDArray[Any],
    ) -> None: ...
    def leaves(self, columns: list[NDArray[Any]], n_rows: int, threads: int) -> NDArray[Any]: ...

def logistic(raw: NDArray[Any]) -> NDArray[Any]: ...
def softmax(raw: NDArray[Any]) -> NDArray[Any]: ...
def chi_square_survival(statistic: float, df: float) -> float: ...
def chi_square_log_survival(statistic: float, df: float) -> float: ...
def adjusted_log_p(log_p: float, tests: float) -> float: ...
def association(values: NDArray[Any], n_categories: int, target: Target) -> tuple[float, float, float]: ...
def resampled_log_p(
    values: NDArray[Any], n_categories: int, target: Target, times: int, seed: int
) -> float: ...
def chaid_merge(
    table: NDArray[Any],
    rows: NDArray[Any],
    alpha: float = 0.05,
    ordered: bool = False,
    missing: bool = False,
    min_rows: int = 1,
) -> tuple[NDArray[Any], float, float, float, float]: ...
def c45_merge(
    table: NDArray[Any], missing: int = 0, unit: float = 1.0, minimum: float = 2.0, by_ratio: bool = True
) -> tuple[NDArray[Any], int, bool, float, float]: ...
def chaid_log_multiplier(
    categories: int, groups: int, ordered: bool = False, missing: bool = False
) -> float: ...
def surrogates(
    matrix: BinnedMatrix,
    target: Target,
    ways: NDArray[Any],
    in_node: NDArray[Any],
    columns: list[int],
    most: int,
    as_rpart: bool,
) -> tuple[list[tuple[int, SplitKind, float, int, float, float, list[tuple[int, int]]]], NDArray[Any]]: ...

class BoostSettings:
    max_leaves: int
    max_depth: int
    symmetric: bool
    min_rows: int
    min_hessian: float
    l1: float
    l2: float
    category_smoothing: float
    min_category_rows: int
    level_columns: int
    node_columns: int
    share_bytes: bool
    narrow_from: int
    monotone: list[int]
    interactions: list[list[int]]

class Booster:
    def __init__(
        self,
        columns: list[NDArray[Any]],
        n_categories: list[int],
        n_rows: int,
        max_bins: int,
        settings: BoostSettings,
        threads: int,
    ) -> None: ...
    def grow(
        self,
        gradient: NDArray[Any],
        hessian: NDArray[Any],
        weight: NDArray[Any],
        rows: NDArray[Any],
        columns: list[int],
        seeds: list[int],
        threads: int,
    ) -> list[dict[str, Any]]: ...
    def grow_log_loss(
        self,
        y: NDArray[Any],
        sums: NDArray[Any],
        weight: NDArray[Any],
        rows: NDArray[Any],
        columns: list[int],
        seeds: list[int],
        threads: int,
    ) -> list[dict[str, Any]]: ...
    def leaves(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]: ...
    def add(self, values: list[NDArray[Any]], rate: float, raw: NDArray[Any], threads: int) -> None: ...
    def add_to(
        self, rows: BinnedMatrix, values: list[NDArray[Any]], rate: float, raw: NDArray[Any], threads: int
    ) -> None: ...
    def encode(self, columns: list[NDArray[Any]], n_rows: int, threads: int) -> BinnedMatrix: ...

def exponential(x: NDArray[Any]) -> None: ...
def logistic_derivatives(
    y: NDArray[Any], raw: NDArray[Any], gradient: NDArray[Any], hessian: NDArray[Any], threads: int
) -> None: ...
def softmax_derivatives(
    y: NDArray[Any], raw: NDArray[Any], gradient: NDArray[Any], hessian: NDArray[Any], threads: int
) -> None: ...
def softmax_shares(raw: NDArray[Any], shares: NDArray[Any], threads: int) -> None: ...
def lambdas(
    gain: NDArray[Any],
    raw: NDArray[Any],
    start: NDArray[Any],
    most: NDArray[Any],
    top: int,
    gradient: NDArray[Any],
    hessian: NDArray[Any],
    threads: int,
) -> None: ...
