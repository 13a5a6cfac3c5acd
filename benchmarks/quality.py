"""How good the models are: forest and boosting beside the peers', as many trees of the same size, on
generated and bundled tables over several seeds of data and model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from benchmarks.contenders import RATE, Peer, boosting_peers, chosen, forest_peers
from benchmarks.data import BUNDLED
from benchmarks.fits import RMSE, sizes
from benchmarks.rows import OURS, Margin, Options, Row, absent, failures
from benchmarks.run import InWorker, Series, measure

AUC, ACCURACY, DEVIANCE = (
    Margin("auc", 0.001),
    Margin("accuracy", 0.002),
    Margin("deviance", 0.01, relative=True),
)
ROWS, QUICK_ROWS, TEST_ROWS, FEWEST_SEEDS = 100_000, 3_000, 50_000, 3
COUNTS = {
    "lightgbm": {"objective": "poisson"},
    "lightgbm-quantised": {"objective": "poisson"},
    "xgboost": {"objective": "count:poisson"},
    "catboost": {"loss_function": "Poisson"},
    "scikit-learn": {"loss": "poisson"},
    "ydf": {"loss": "POISSON"},
}


@dataclass(frozen=True)
class Contest:
    """One model on one table."""

    what: str
    data: Mapping[str, Any]
    estimator: str
    params: Mapping[str, Any]
    peers: list[Peer]
    margin: Margin
    judged: bool = True  # bundled tables are too small to judge by

    def probe(self, estimator: str, params: dict[str, Any], quick: bool) -> InWorker:
        small = {"rows": QUICK_ROWS, "test_rows": 10_000} if quick and "rows" in self.data else {}
        given = {
            "estimator": estimator,
            "params": params,
            "data": dict(self.data) | small,
            "metric": self.margin.metric,
        }
        return InWorker("fit", given, seeded=True, fresh_data=True)

    def __call__(self, name: str, options: Options) -> list[Row]:
        peers = chosen(self.peers, options)
        probes = {OURS: self.probe(self.estimator, dict(self.params) | {"n_jobs": 1}, options.quick)} | {
            peer.name: self.probe(peer.estimator, peer.pinned(1), options.quick)
            for peer in peers
            if peer.installed
        }
        series = measure(probes, options.repeats if options.quick else max(options.repeats, FEWEST_SEEDS))
        return [self.row(name, peer, series, options) for peer in peers]

    def row(self, name: str, peer: Peer, series: dict[str, Series], options: Options) -> Row:
        if not peer.installed:
            return absent(name, self.what, peer.name)
        row = Row(name, self.what, peer.name, unit="worse by", judged=self.judged and not options.quick)
        row.series = {OURS: series[OURS], peer.name: series[peer.name]}
        row.problems = failures(row.series)
        if row.problems:
            return row
        row.ours_s, row.peer_s = series[OURS].best, series[peer.name].best
        ours, theirs = (np.mean([r.quality for r in series[side].runs]) for side in (OURS, peer.name))
        row.value = float(self.margin.worse(float(ours), float(theirs)))
        row.value /= abs(float(theirs)) if self.margin.relative else 1.0
        row.limit = self.margin.amount
        row.quality = f"{self.margin.metric} " + " / ".join(
            spread(series[side], "quality") for side in (OURS, peer.name)
        )
        if series[OURS].runs[0].log_loss is not None:
            both = " / ".join(spread(series[side], "log_loss") for side in (OURS, peer.name))
            row.quality += f"; log loss {both}"
        return row.judge()


def spread(series: Series, what: str) -> str:
    """The mean over the seeds, and how far they lie from it."""
    found = [getattr(run, what) for run in series.runs]
    return f"{np.mean(found):.4f} ± {np.std(found):.4f}"


def boosted(
    kind: str,
    data: dict[str, Any],
    margin: Margin,
    rounds: int = 100,
    leaves: int = 63,
    *,
    categories: bool = False,
    counts: bool = False,
    judged: bool = True,
) -> Contest:
    ours: dict[str, Any] = {"n_estimators": rounds, "max_leaf_nodes": leaves, "learning_rate": RATE}
    peers = boosting_peers(kind, rounds, None, leaves=leaves, categories=categories)
    if counts:
        ours["loss"] = "poisson"
        peers = [Peer(p.name, p.estimator, dict(p.params) | COUNTS[p.name], threads=p.threads) for p in peers]
    what = f"boosting, {data['name']}, {rounds} x {leaves}"
    return Contest(what, data, f"bough:GradientBoosting{kind}", ours, peers, margin, judged)


def symmetric(kind: str, data: dict[str, Any], margin: Margin, *, counts: bool = False) -> Contest:
    """Trees of the same form and depth as CatBoost's, which is the only peer that grows them."""
    ordinary = boosted(kind, data, margin, leaves=64, counts=counts)
    ours = {name: value for name, value in ordinary.params.items() if name != "max_leaf_nodes"}
    return replace(
        ordinary,
        what=f"symmetric boosting, {data['name']}, 100 x depth 6",
        params=ours | {"symmetric": True, "max_depth": 6},
        peers=[peer for peer in ordinary.peers if peer.name == "catboost"],
    )


def forest(
    kind: str,
    data: dict[str, Any],
    margin: Margin,
    *,
    coded: bool = False,
    judged: bool = True,
    **params: Any,
) -> Contest:
    """`coded`: scikit-learn gets the numbers of the categories, having no others."""
    given = {"n_estimators": 50} | params
    peers = forest_peers(kind, given, sklearnex=1.0, sklearn=1.0)
    if coded:
        peers = [
            peer
            if peer.name == "ydf"
            else Peer(peer.name, "benchmarks.peers:Coded", {"of": peer.estimator} | dict(peer.params))
            for peer in peers
        ]
    what = f"forest, {data['name']}, 50 trees"
    return Contest(what, data, f"bough:RandomForest{kind}", given, peers, margin, judged)


def generated(name: str, columns: int) -> dict[str, Any]:
    return sizes(name, ROWS, columns, TEST_ROWS)


def contests(quick: bool) -> list[Contest]:
    found = [
        boosted("Classifier", generated("higgs", 28), AUC),
        boosted("Classifier", generated("cover", 54), ACCURACY, 50),
        boosted("Classifier", generated("airline", 8), AUC, categories=True),
        boosted("Classifier", generated("shops", 7), AUC, categories=True),
        boosted("Regressor", generated("friedman", 40), RMSE),
        boosted("Regressor", generated("counts", 10), DEVIANCE, counts=True),
        symmetric("Classifier", generated("higgs", 28), AUC),
        symmetric("Regressor", generated("friedman", 40), RMSE),
        symmetric("Regressor", generated("counts", 10), DEVIANCE, counts=True),
        forest("Classifier", generated("higgs", 28), Margin("auc", 0.002)),
        forest("Classifier", generated("cover", 54), ACCURACY),
        forest("Classifier", generated("airline", 8), Margin("auc", 0.002), coded=True),
        forest("Regressor", generated("friedman", 40), RMSE, max_features=1 / 3),
    ]
    if quick:
        return found
    for name in BUNDLED:
        kind, margin = ("Regressor", RMSE) if name == "diabetes" else ("Classifier", ACCURACY)
        data = {"name": name}
        found.append(boosted(kind, data, margin, 100, 31, judged=False))
        found.append(forest(kind, data, margin, judged=False))
    return found


def quality(name: str, options: Options) -> list[Row]:
    asked = [c for c in contests(options.quick) if options.data is None or c.data["name"] in options.data]
    return [row for contest in asked for row in contest(name, options)]
