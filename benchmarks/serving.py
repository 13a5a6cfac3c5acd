"""What a fitted model costs: rows in bulk, one row at a time, and the memory that a fit takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.contenders import (
    Peer,
    boosting_peers,
    boosting_servers,
    chosen,
    forest_peers,
    forest_servers,
    shown_only,
)
from benchmarks.fits import AUC, sizes
from benchmarks.rows import OURS, Margin, Options, Row, absent, compared, told
from benchmarks.run import InWorker, Series, measure

BULK, ONE_ROW, MEMORY = 1 / 3, 0.40, 0.55  # what to reach
SYMMETRIC = "catboost"  # its trees are of another form, so it is shown without a limit


@dataclass(frozen=True)
class Model:
    """Our model, and the peers' of the same size."""

    what: str
    estimator: str
    params: Mapping[str, Any]
    peers: list[Peer]
    margin: Margin

    def ours(self, probe: str, given: dict[str, Any], threads: int = 1) -> InWorker:
        params = {"n_jobs": threads} | dict(self.params)
        return InWorker(probe, {"estimator": self.estimator, "params": params} | given, threads, seeded=True)

    def theirs(self, peer: Peer, probe: str, given: dict[str, Any], threads: int) -> InWorker:
        asked = {"estimator": peer.estimator, "params": peer.pinned(threads)} | given
        return InWorker(probe, asked, threads, seeded=True)


def beside(
    model: Model, peers: list[Peer], probe: str, given: dict[str, Any], options: Options, threads: int = 1
) -> dict[str, Series]:
    """Our model and those of the peers that are installed."""
    probes = {OURS: model.ours(probe, given, threads)} | {
        peer.name: model.theirs(peer, probe, given, threads) for peer in peers if peer.installed
    }
    return measure(probes, options.repeats, options.enough, shown_only(peers))


def forest(quick: bool, target: float) -> Model:
    trees = 20 if quick else 100
    params = {"n_estimators": trees}
    peers = forest_peers("Classifier", params, sklearnex=target, sklearn=target)
    peers += forest_servers(trees, target)
    return Model(
        f"forest of {trees} full trees", "bough:RandomForestClassifier", params, peers, Margin("auc", 0.002)
    )


def boosting(quick: bool, target: float) -> Model:
    rounds = 40 if quick else 200
    ours = {"n_estimators": rounds, "max_leaf_nodes": 63}
    peers = boosting_peers("Classifier", rounds, target)
    # A model of quantised gradients answers as any other of LightGBM.
    peers = [peer for peer in peers if peer.name != "lightgbm-quantised"]
    peers += boosting_servers(rounds, target)
    return Model(f"boosting {rounds} x 63", "bough:GradientBoostingClassifier", ours, peers, AUC)


def serving(
    name: str,
    probe: str,
    target: float,
    options: Options,
    threads: int,
    makers: Sequence[Callable[[bool, float], Model]],
    **more: Any,
) -> list[Row]:
    """A call of `predict_proba` on each model, trained on the same rows."""
    rows, test_rows = (2_000, 20_000) if options.quick else (100_000, 200_000)
    given = {"data": sizes("higgs", rows, 28, test_rows), **more}
    found = []
    for make in makers:
        model = make(options.quick, target)
        peers = chosen(model.peers, options)
        if not peers:
            continue
        series = beside(model, peers, probe, given, options, threads)
        what = f"{model.what}, {threads} thread{'s' * (threads > 1)}"
        for peer in peers:
            if not peer.installed:
                found.append(absent(name, what, peer.name))
                continue
            limit = None if peer.name == SYMMETRIC else peer.target
            row = Row(name, what, peer.name, limit=limit, judged=not options.quick)
            compared(row, series, OURS, peer.name)
            found.append(told(model.margin, row, row.series, peer.name))
    return found


def inference(name: str, options: Options) -> list[Row]:
    rows = []
    for threads in options.threads:
        rows += serving(name, "predict", BULK, options, threads, (forest, boosting), calls=3)
    return rows


def latency(name: str, options: Options) -> list[Row]:
    makers = (boosting,) if options.quick else (forest, boosting)
    return serving(name, "one-row", ONE_ROW, options, 1, makers, calls=100 if options.quick else 1000)


def contributions(name: str, options: Options) -> list[Row]:
    """Shapley values of a thousand rows; the libraries that compute them themselves."""
    rows, test_rows = (2_000, 100) if options.quick else (100_000, 1_000)
    model = boosting(options.quick, 1.0)
    given = {"data": sizes("higgs", rows, 28, test_rows), "calls": 3}
    peers = [peer for peer in chosen(model.peers, options) if peer.name in ("lightgbm", "xgboost")]
    series = beside(model, peers, "contributions", given, options)
    what = f"{model.what}, {test_rows:,} rows, 1 thread"
    judged = not options.quick
    return [against(peer, series, Row(name, what, peer.name, limit=1.0, judged=judged)) for peer in peers]


def memory(name: str, options: Options) -> list[Row]:
    """The peak of a boosting fit over what the process held before it, in MB."""
    rows = 20_000 if options.quick else 500_000
    model = boosting(options.quick, MEMORY)
    given = {"data": sizes("higgs", rows, 28, 0)}
    # Compiled models are for inference only.
    peers = [peer for peer in chosen(model.peers, options) if "," not in peer.name]
    series = beside(model, peers, "memory", given, options)
    what, limits = f"{model.what}, {rows:,} x 28", {"xgboost": MEMORY}
    return [
        against(
            peer,
            series,
            Row(name, what, peer.name, measured="MB", limit=limits.get(peer.name), judged=not options.quick),
        )
        for peer in peers
    ]


def against(peer: Peer, series: dict[str, Series], row: Row) -> Row:
    """The row with a peer's figures in it, or that it is not installed."""
    if not peer.installed:
        return absent(row.task, row.what, peer.name)
    return compared(row, series, OURS, peer.name)
