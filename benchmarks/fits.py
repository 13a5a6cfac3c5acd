"""Fits: one exact tree, forests, boosting with and without categories, and what boosting takes to set up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from benchmarks.contenders import (
    RATE,
    Peer,
    boosting_peers,
    chosen,
    forest_peers,
    shown_only,
    tree_peers,
)
from benchmarks.rows import OURS, Margin, Options, Row, absent, compared, told
from benchmarks.run import InWorker, Series, measure

AUC, ACCURACY, SEVERAL = Margin("auc", 0.001), Margin("accuracy", 0.003), Margin("accuracy", 0.002)
RMSE = Margin("rmse", 0.01, relative=True)


@dataclass(frozen=True)
class Versus:
    """Our fit against each peer's on the same data, at equal quality on the test rows."""

    what: str
    data: Mapping[str, Any]
    quick_rows: int
    estimator: str
    params: Mapping[str, Any]
    peers: Sequence[Peer]
    margin: Margin | None
    in_quick: bool = True

    def sized(self, quick: bool) -> dict[str, Any]:
        return dict(self.data) | (
            {"rows": self.quick_rows, "test_rows": self.quick_rows // 2} if quick else {}
        )

    def probe(self, estimator: str, params: dict[str, Any], threads: int, quick: bool) -> InWorker:
        metric = None if self.margin is None else self.margin.metric
        return fit_probe(estimator, params, self.sized(quick), metric, threads)

    def ours(self, quick: bool, threads: int = 1) -> InWorker:
        return self.probe(self.estimator, dict(self.params) | {"n_jobs": threads}, threads, quick)

    def __call__(self, name: str, options: Options) -> list[Row]:
        return [row for threads in options.threads for row in self.rows(name, threads, options)]

    def rows(self, name: str, threads: int, options: Options) -> list[Row]:
        peers = chosen(list(self.peers), options)
        if not peers:
            return []
        contenders = {OURS: self.ours(options.quick, threads)} | {
            peer.name: self.probe(peer.estimator, peer.pinned(threads), threads, options.quick)
            for peer in peers
            if peer.installed
        }
        series = measure(contenders, options.repeats, options.enough, shown_only(peers))
        return [self.row(name, peer, threads, series, options.quick) for peer in peers]

    def row(self, name: str, peer: Peer, threads: int, series: dict[str, Series], quick: bool) -> Row:
        data = self.sized(quick)
        size = f"{data['rows']:,} x {data['columns']}, {threads} thread{'s' * (threads > 1)}"
        what = f"{self.what}, {size}" if self.what else size
        if not peer.installed:
            return absent(name, what, peer.name)
        row = Row(name, what, peer.name, limit=peer.target, judged=not quick)
        compared(row, series, OURS, peer.name, threads)
        return row if self.margin is None else told(self.margin, row, row.series, peer.name)


def fit_probe(
    estimator: str,
    params: Mapping[str, Any],
    data: Mapping[str, Any],
    metric: str | None = None,
    threads: int = 1,
) -> InWorker:
    given = {"estimator": estimator, "params": dict(params), "data": dict(data), "metric": metric}
    return InWorker("fit", given, threads, seeded=True)


def sizes(data: str, rows: int, columns: int, test_rows: int = 100_000) -> dict[str, Any]:
    return {"name": data, "rows": rows, "columns": columns, "test_rows": test_rows}


def one_tree(
    kind: str, data: dict[str, Any], quick_rows: int, in_quick: bool = True, **params: Any
) -> Versus:
    depth = f", depth {params['max_depth']}" if "max_depth" in params else ", unlimited depth"
    margin = RMSE if kind == "Regressor" else ACCURACY
    peers = tree_peers(kind, params, 0.10)
    what = f"{data['name']}{depth}"
    return Versus(what, data, quick_rows, f"bough:DecisionTree{kind}", params, peers, margin, in_quick)


ENTROPY = one_tree("Classifier", sizes("two-classes", 100_000, 20), 8_000, criterion="entropy")
NUMBERS = one_tree("Regressor", sizes("friedman", 100_000, 40), 5_000, criterion="squared_error")
TREES = (
    ENTROPY,
    one_tree(
        "Classifier", sizes("higgs", 500_000, 28), 8_000, in_quick=False, criterion="entropy", max_depth=8
    ),
    one_tree("Classifier", sizes("twelve", 100_000, 20), 8_000, in_quick=False, criterion="gini"),
    NUMBERS,
    one_tree("Regressor", sizes("friedman", 300_000, 40), 5_000, in_quick=False, max_depth=8),
    one_tree("Classifier", sizes("cover", 100_000, 54), 8_000, criterion="gini"),
    one_tree("Classifier", sizes("flight", 90_000, 20), 8_000, in_quick=False, criterion="gini"),
    one_tree("Classifier", sizes("two-classes", 2_000, 5_000, 2_000), 200, in_quick=False, criterion="gini"),
)


def one_forest(
    kind: str, data: dict[str, Any], margin: Margin, in_quick: bool = True, **params: Any
) -> Versus:
    given = {"n_estimators": 100} | params
    peers = forest_peers(kind, given, sklearnex=0.35, sklearn=0.10)
    what = f"{data['name']}, 100 trees"
    return Versus(what, data, 2_000, f"bough:RandomForest{kind}", given, peers, margin, in_quick)


def binned(forest: Versus) -> Versus:
    """Like with like: scikit-learn-intelex puts each column into 256 bins, so here we do, too."""
    return replace(
        forest,
        what=f"{forest.what}, ours with 255 bins",
        params={**forest.params, "max_bins": 255},
        peers=[peer for peer in forest.peers if peer.name == "sklearnex"],
    )


FOREST_AUC = Margin("auc", 0.002)
FOREST = one_forest("Classifier", sizes("higgs", 200_000, 28), FOREST_AUC)
EXACT_FORESTS = (
    FOREST,
    one_forest("Classifier", sizes("flight", 90_000, 20), SEVERAL, in_quick=False),
    one_forest("Classifier", sizes("cover", 100_000, 54), SEVERAL, in_quick=False),
    one_forest("Regressor", sizes("friedman", 100_000, 40), RMSE, in_quick=False, max_features=1 / 3),
    one_forest("Classifier", sizes("two-classes", 2_000, 5_000, 2_000), FOREST_AUC, in_quick=False),
)
FORESTS = (*EXACT_FORESTS, *(binned(forest) for forest in EXACT_FORESTS[:4]))


def random_cuts(
    kind: str,
    data: dict[str, Any],
    margin: Margin,
    *,
    in_quick: bool = True,
    categories: bool = False,
    **params: Any,
) -> Versus:
    """Extremely randomised trees. Of categories, scikit-learn gets the numbers."""
    given = {"n_estimators": 100} | params
    theirs = f"sklearn.ensemble:ExtraTrees{kind}"
    peers = (
        [Peer("scikit-learn", "benchmarks.peers:Coded", {"of": theirs} | given, 1.0)]
        if categories
        else [
            Peer("scikit-learn", theirs, given, 1.0),
            Peer("sklearnex", f"sklearnex.ensemble:ExtraTrees{kind}", given),
        ]
    )
    what = f"{data['name']}, 100 trees"
    return Versus(what, data, 2_000, f"bough:ExtraTrees{kind}", given, peers, margin, in_quick)


EXTRA = (
    random_cuts("Classifier", sizes("two-classes", 50_000, 20), SEVERAL),
    random_cuts("Classifier", sizes("two-classes-holes", 50_000, 20), SEVERAL, in_quick=False),
    random_cuts("Classifier", sizes("airline", 50_000, 8), FOREST_AUC, in_quick=False, categories=True),
    random_cuts("Regressor", sizes("friedman", 50_000, 20), RMSE, in_quick=False, max_features=1.0),
)


def boosted(
    kind: str,
    data: dict[str, Any],
    margin: Margin,
    *,
    rounds: int = 200,
    target: float = 0.60,
    categories: bool = False,
    in_quick: bool = True,
) -> Versus:
    ours = {"n_estimators": rounds, "max_leaf_nodes": 63, "learning_rate": RATE}
    peers = boosting_peers(kind, rounds, target, categories=categories)
    what = f"{data['name']}, {rounds} rounds"
    return Versus(what, data, 2_000, f"bough:GradientBoosting{kind}", ours, peers, margin, in_quick)


BOOSTING = boosted("Classifier", sizes("higgs", 500_000, 28), AUC)
BOOSTINGS = (
    BOOSTING,
    boosted("Classifier", sizes("cover", 300_000, 54), SEVERAL, rounds=50, in_quick=False),
    boosted("Regressor", sizes("friedman", 300_000, 40), RMSE, in_quick=False),
    boosted("Classifier", sizes("two-classes", 2_000, 5_000, 2_000), AUC, rounds=50, in_quick=False),
)
CATEGORIES = (
    boosted(
        "Classifier",
        sizes("airline", 500_000, 8),
        Margin("auc", 0.0),
        rounds=50,
        target=0.80,
        categories=True,
    ),
)
# One tree of one split: what is left is reading, binning and the first derivatives.
SETUP = (
    Versus(
        "higgs, 1 round of 2 leaves",
        sizes("higgs", 500_000, 28, 0),
        2_000,
        "bough:GradientBoostingClassifier",
        {"n_estimators": 1, "max_leaf_nodes": 2},
        [peer for peer in boosting_peers("Classifier", 1, 0.25, leaves=2) if peer.name != "ydf"],
        None,
    ),
)


EVERY = (*TREES, *FORESTS, *EXTRA, *BOOSTINGS, *CATEGORIES, *SETUP)


def all_of(versus: Sequence[Versus], name: str, options: Options) -> list[Row]:
    asked = [one for one in versus if options.data is None or one.data["name"] in options.data]
    return [row for one in asked if one.in_quick or not options.quick for row in one(name, options)]
