"""What is measured: one entry of TASKS each; a new comparison or peer is one more entry in a list."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.run import Command, InWorker, Series, measure, with_threads

OURS = "bough"


@dataclass(frozen=True)
class Options:
    repeats: int
    quick: bool


@dataclass
class Row:
    """One line of the table; `problems` mark it and fail the run."""

    task: str
    what: str
    peer: str
    ours_s: float | None = None
    peer_s: float | None = None
    value: float | None = None  # the ratio, or seconds where `unit` says so
    unit: str = "ratio"
    measured: str = "s"  # what the two sides are in: seconds, or MB
    limit: float | None = None
    quality: str = ""
    spread: float | None = None
    judged: bool = True  # at the full size; a small size shows its figures and is not held to them
    problems: list[str] = field(default_factory=list)
    series: dict[str, Series] = field(default_factory=dict)

    def judge(self) -> Row:
        """Marks a missed limit."""
        if self.judged and self.limit is not None and self.value is not None and self.value > self.limit:
            self.problems.append("misses its limit")
        return self


@dataclass(frozen=True)
class Task:
    name: str
    run: Callable[[str, Options], list[Row]]
    libraries: tuple[str, ...] = (OURS, "scikit-learn")  # whose versions the header names


@dataclass(frozen=True)
class Margin:
    """How much worse than the peer's our model may be on the test rows and still count as equally good."""

    metric: str
    amount: float
    relative: bool = False

    def holds(self, ours: float, peer: float) -> bool:
        worse = ours - peer if self.metric == "rmse" else peer - ours
        return worse <= self.amount * (abs(peer) if self.relative else 1.0)


@dataclass(frozen=True)
class Peer:
    """Another library's estimator for the same work, and the ratio to reach against it."""

    name: str  # of its distribution
    estimator: str  # "module:Class"
    params: Mapping[str, Any]
    target: float | None = None


@dataclass(frozen=True)
class Versus:
    """Our fit against each peer's on the same data, at equal quality on the test rows."""

    data: Mapping[str, Any]
    quick_rows: int
    estimator: str
    params: Mapping[str, Any]
    peers: Sequence[Peer]
    margin: Margin

    def sized(self, quick: bool) -> dict[str, Any]:
        return dict(self.data) | (
            {"rows": self.quick_rows, "test_rows": self.quick_rows // 2} if quick else {}
        )

    def ours(self, quick: bool) -> InWorker:
        params = {"n_jobs": 1} | dict(self.params)
        return fit_probe(self.estimator, params, self.sized(quick), self.margin.metric)

    def __call__(self, name: str, options: Options) -> list[Row]:
        data = self.sized(options.quick)
        contenders = {OURS: self.ours(options.quick)}
        peers = installed(self.peers)
        for peer in peers:
            contenders[peer.name] = fit_probe(peer.estimator, peer.params, data, self.margin.metric)
        series = measure(contenders, options.repeats)
        return [self.row(name, peer, data, series, not options.quick) for peer in peers]

    def row(
        self, name: str, peer: Peer, data: dict[str, Any], series: dict[str, Series], judged: bool
    ) -> Row:
        what = f"{data['rows']:,} x {data['columns']}, 1 thread"
        row = compared(Row(name, what, peer.name, limit=peer.target, judged=judged), series, OURS, peer.name)
        ours, other = series[OURS].quality, series[peer.name].quality
        if row.value is not None and ours is not None and other is not None:
            row.quality = f"{self.margin.metric} {ours:.4f} / {other:.4f}"
            if judged and not self.margin.holds(ours, other):
                row.problems.append("of lower quality")
        return row


def installed(peers: Sequence[Peer]) -> list[Peer]:
    """Those that can be imported here."""
    return [peer for peer in peers if find_spec(peer.estimator.split(":")[0].split(".")[0]) is not None]


def fit_probe(
    estimator: str, params: Mapping[str, Any], data: Mapping[str, Any], metric: str | None
) -> InWorker:
    given = {"estimator": estimator, "params": dict(params), "data": dict(data), "metric": metric}
    return InWorker("fit", given, seeded=True)


def compared(row: Row, series: dict[str, Series], ours: str, peer: str) -> Row:
    """Fills a row with the minimum of each side and their ratio, and holds it to its limit."""
    row.series = {ours: series[ours], peer: series[peer]}
    row.problems += failures(row.series)
    if not row.problems:
        row.ours_s, row.peer_s = series[ours].best, series[peer].best
        row.value, row.spread = row.ours_s / row.peer_s, max(series[ours].spread, series[peer].spread)
        row.problems += unsteady(series[ours])
    return row.judge()


def failures(series: Mapping[str, Series]) -> list[str]:
    return [f"{name} failed: {found.error}" for name, found in series.items() if found.error is not None]


def unsteady(ours: Series) -> list[str]:
    """Our tree is the same in every repeat, and so is the core that grew it, or the figures mean nothing."""
    found = []
    if len(ours.digests) > 1:
        found.append("our model differs between repeats")
    if len(ours.cores) > 1:
        found.append("the core was rebuilt during the run")
    return found


def tree_sizes(data: str, rows: int, columns: int, test_rows: int = 200_000) -> dict[str, Any]:
    return {"name": data, "rows": rows, "columns": columns, "test_rows": test_rows}


def one_tree(
    kind: str, criterion: str, target: float, margin: Margin, *, data: dict[str, Any], quick: int
) -> Versus:
    params = {"criterion": criterion}
    peer = Peer("scikit-learn", f"sklearn.tree:DecisionTree{kind}", params, target)
    return Versus(data, quick, f"bough:DecisionTree{kind}", params, [peer], margin)


ACCURACY, RMSE = Margin("accuracy", 0.003), Margin("rmse", 0.01, relative=True)
ENTROPY = one_tree(
    "Classifier", "entropy", 0.15, ACCURACY, data=tree_sizes("two-classes", 100_000, 20), quick=8_000
)
REGRESSION = one_tree(
    "Regressor", "squared_error", 0.25, RMSE, data=tree_sizes("friedman", 300_000, 40), quick=5_000
)
COVER = one_tree("Classifier", "gini", 0.25, ACCURACY, data=tree_sizes("cover", 100_000, 54), quick=8_000)


def boosted(kind: str, margin: Margin, rounds: int, *, data: dict[str, Any], quick: int) -> Versus:
    """Boosting against the libraries for it, with as many trees of the same size."""
    ours = {"n_estimators": rounds, "max_leaf_nodes": 63}
    light = {"n_estimators": rounds, "num_leaves": 63, "n_jobs": 1, "verbose": -1}
    extreme = {"max_leaves": 63, "max_depth": 0, "grow_policy": "lossguide", "learning_rate": 0.1}
    peers = [
        Peer("lightgbm", f"lightgbm:LGBM{kind}", light, 0.60),
        Peer("xgboost", f"xgboost:XGB{kind}", extreme | {"n_estimators": rounds, "n_jobs": 1}, 0.60),
        Peer(
            "scikit-learn",
            f"sklearn.ensemble:HistGradientBoosting{kind}",
            {"max_iter": rounds, "max_leaf_nodes": 63, "early_stopping": False},
            0.60,
        ),
    ]
    return Versus(data, quick, f"bough:GradientBoosting{kind}", ours, peers, margin)


def boosting(name: str, options: Options) -> list[Row]:
    """Two classes, several classes (which XGBoost wants to be numbered from 0), and numbers."""
    two = tree_sizes("two-classes", 100_000, 28, 50_000)
    numbers = tree_sizes("friedman", 100_000, 28, 50_000)
    versus = [
        boosted("Classifier", Margin("auc", 0.001), 100, data=two, quick=4_000),
        boosted("Regressor", RMSE, 100, data=numbers, quick=4_000),
    ]
    several = boosted(
        "Classifier", Margin("accuracy", 0.002), 20, data=tree_sizes("cover", 50_000, 54, 50_000), quick=2_000
    )
    versus.append(replace(several, peers=[peer for peer in several.peers if peer.name != "xgboost"]))
    return [row for one in versus for row in one(name, options)]


def forest(name: str, options: Options) -> list[Row]:
    """Forests of the same number of trees, all columns of a split drawn as the peer draws them."""
    two, numbers = tree_sizes("two-classes", 50_000, 20, 50_000), tree_sizes("friedman", 30_000, 20, 50_000)
    third = {"n_estimators": 20, "max_features": 1 / 3}
    kinds = {
        "RandomForestClassifier": (two, {"n_estimators": 20}, 0.35, ACCURACY),
        "ExtraTreesClassifier": (two, {"n_estimators": 20}, 1.0, ACCURACY),
        "RandomForestRegressor": (numbers, third, 0.8, RMSE),
        "ExtraTreesRegressor": (numbers, {"n_estimators": 20, "max_features": 1.0}, 1.0, RMSE),
    }
    found = []
    for kind, (data, params, target, margin) in kinds.items():
        peer = Peer("scikit-learn", f"sklearn.ensemble:{kind}", params, target)
        rows = Versus(data, 4_000, f"bough:{kind}", params, [peer], margin)(name, options)
        for row in rows:
            row.what = f"{kind}, {row.what}"
        found += rows
    return found


def growth(name: str, options: Options) -> list[Row]:
    """Our time at each doubling of the rows."""
    sizes = [10_000, 20_000, 40_000] if options.quick else [250_000, 500_000, 1_000_000, 2_000_000]
    params = {"criterion": "entropy", "n_jobs": 1}
    contenders = {
        f"{rows:,}": fit_probe(
            "bough:DecisionTreeClassifier", params, tree_sizes("two-classes", rows, 10, 0), None
        )
        for rows in sizes
    }
    series = measure(contenders, min(options.repeats, 3))
    rows = []
    for half, full in pairwise(contenders):
        row = Row(name, f"{full} rows x 10", f"bough, {half} rows", limit=2.2, judged=not options.quick)
        rows.append(compared(row, series, full, half))
    return rows


def threads(name: str, options: Options) -> list[Row]:
    """Two threads against one, with equal models; reported, without a limit."""
    rows = []
    for of, versus in (("tree-entropy", ENTROPY), ("tree-regression", REGRESSION)):
        probe = versus.ours(options.quick)
        series = measure({f"{n} threads": with_threads(probe, n) for n in (2, 1)}, options.repeats)
        row = compared(Row(name, f"{of}, 2 threads", "bough, 1 thread"), series, "2 threads", "1 threads")
        if row.value is not None:
            if not series["1 threads"].digests or series["1 threads"].digests != series["2 threads"].digests:
                row.problems.append("the model depends on the threads")
            else:
                row.quality = f"equal digests, {series['2 threads'].busy:.2f} threads busy"
            if len(os.sched_getaffinity(0)) < 2:
                row.quality += ", one core only"
        rows.append(row)
    return rows


def imports(name: str, options: Options) -> list[Row]:
    """Whole processes, from the start of the interpreter to its end.

    `import bough` loads nothing until it is used: the like of `import sklearn.tree` is the estimator's row.
    """
    python = sys.executable
    script = str(Path(python).parent / "bough")
    peer = "import sklearn.tree"
    contenders = {
        "import bough": Command((python, "-c", "import bough")),
        "bough's estimator": Command((python, "-c", "from bough import DecisionTreeClassifier")),
        "bough --help": Command((script, "--help")),
        peer: Command((python, "-c", peer)),
        "bare interpreter": Command((python, "-c", "pass")),
    }
    series = measure(contenders, max(options.repeats, 5))
    rows = []
    limits = {"import bough": 0.3, "bough's estimator": None, "bough --help": 0.15, "bare interpreter": None}
    for ours, limit in limits.items():
        row = compared(Row(name, ours, peer), series, ours, peer)
        row.value, row.unit, row.limit = row.ours_s, "s", limit
        rows.append(row.judge())
    return rows


def small_fit(name: str, options: Options) -> list[Row]:
    """A fit of 150 rows: over the cost of scikit-learn's checks alone, and against its tree."""
    data, calls = {"name": "iris", "rows": 150, "columns": 4}, 300 if options.quick else 2000
    ours = {
        "estimator": "bough:DecisionTreeClassifier",
        "params": {"n_jobs": 1},
        "data": data,
        "calls": calls,
    }
    peer = {"estimator": "sklearn.tree:DecisionTreeClassifier", "params": {}, "data": data, "calls": calls}
    contenders = {
        OURS: InWorker("repeated-fit", ours),
        "scikit-learn": InWorker("repeated-fit", peer, seeded=True),
        "scikit-learn checks": InWorker("validation", {"data": data, "calls": calls}),
    }
    series = measure(contenders, options.repeats)
    checks = "scikit-learn checks"
    over = compared(Row(name, "150 x 4, over the checks", checks), series, OURS, checks)
    if over.ours_s is not None and over.peer_s is not None:
        over.value = over.ours_s - over.peer_s
    over.unit, over.limit = "s", 0.001
    return [over.judge(), compared(Row(name, "150 x 4", "scikit-learn"), series, OURS, "scikit-learn")]


def missing(name: str, options: Options) -> list[Row]:
    """What missing cells cost: fractional and surrogate rules with a twentieth of the cells missing, against
    the same estimator on the complete table."""
    rows = 10_000 if options.quick else 100_000
    leaves = {"min_samples_leaf": 7, "min_samples_split": 20, "pruning": None, "n_jobs": 1}
    kinds = {
        "fractional": ("bough:C45Classifier", {"pruning": None, "n_jobs": 1}, {}, 3.0),
        "surrogates": ("bough:CARTClassifier", leaves, {"max_surrogates": 0}, 4.0),
    }
    found = []
    for what, (estimator, params, complete, limit) in kinds.items():
        probes = {
            "holes": fit_probe(estimator, params, tree_sizes("two-classes-holes", rows, 20, 0), None),
            "complete": fit_probe(estimator, params | complete, tree_sizes("two-classes", rows, 20, 0), None),
        }
        row = Row(name, f"{what}, {rows:,} x 20", "bough, nothing missing", limit=limit)
        row.judged = not options.quick
        found.append(compared(row, measure(probes, options.repeats), *probes))
    return found


def pruning(name: str, options: Options) -> list[Row]:
    """Each method that needs no rows on one large tree; cost-complexity with the whole path before it."""
    leaves, rows = (5_000, 60_000) if options.quick else (100_000, 1_000_000)
    methods = {
        "path and cost_complexity": ("cost_complexity", {"ccp_alpha": 0.0}, 1.0),
        "pessimistic": ("pessimistic", {}, 1.0),
        "mdl": ("mdl", {}, 1.0),
        "significance": ("significance", {}, 1.0),
        "simplify": ("simplify", {}, 1.0),
        "max_leaves, 50": ("max_leaves", {"max_leaves": 50}, None),
    }
    contenders = {
        what: InWorker(
            "prune",
            {
                "data": tree_sizes("two-classes", rows, 10, 0),
                "max_leaf_nodes": leaves,
                "method": method,
                "options": given,
            },
        )
        for what, (method, given, _) in methods.items()
    }
    series = measure(contenders, options.repeats)
    found = []
    for what, (_, _, limit) in methods.items():
        row = Row(name, f"{what}, {leaves:,} leaves", "", unit="s", limit=limit, judged=not options.quick)
        row.series = {what: series[what]}
        row.problems = failures(row.series)
        if not row.problems:
            row.ours_s = row.value = series[what].best
            row.spread = series[what].spread
            row.problems += unsteady(series[what])
            if series[what].quality != leaves:
                row.problems.append("the tree has another size")
        found.append(row.judge())
    return found
