"""What a fitted model costs: rows in bulk, one row at a time, and the memory that a fit takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.run import InWorker, measure
from benchmarks.tasks import OURS, Margin, Options, Peer, Row, boosted, compared, installed, tree_sizes


@dataclass(frozen=True)
class Model:
    """Our model, and the peers' of the same size."""

    what: str
    estimator: str
    params: Mapping[str, Any]
    peers: list[Peer]

    def probes(self, probe: str, given: dict[str, Any]) -> dict[str, InWorker]:
        peers = {peer.name: (peer.estimator, dict(peer.params)) for peer in installed(self.peers)}
        ours = {OURS: (self.estimator, {"n_jobs": 1} | dict(self.params))}
        return {
            name: InWorker(probe, {"estimator": estimator, "params": params} | given, seeded=True)
            for name, (estimator, params) in (ours | peers).items()
        }


def models(options: Options) -> list[Model]:
    trees, rounds = (20, 40) if options.quick else (100, 200)
    forest = {"n_estimators": trees}
    peers = [Peer("scikit-learn", "sklearn.ensemble:RandomForestClassifier", forest)]
    versus = boosted("Classifier", Margin("auc", 0.001), rounds, data={}, quick=0)
    return [
        Model(f"forest of {trees} full trees", "bough:RandomForestClassifier", forest, peers),
        Model(f"boosting {rounds} x 63", versus.estimator, versus.params, list(versus.peers)),
    ]


def serving(name: str, probe: str, options: Options, **more: Any) -> list[Row]:
    """A call of `predict_proba` on each model, trained on the same rows."""
    rows, test_rows = (2_000, 5_000) if options.quick else (20_000, 50_000)
    given = {"data": tree_sizes("two-classes", rows, 28, test_rows), **more}
    found = []
    for model in models(options):
        probes = model.probes(probe, given)
        series = measure(probes, options.repeats)
        for peer in list(probes)[1:]:
            row = Row(name, f"{model.what}, 1 thread", peer, judged=not options.quick)
            found.append(compared(row, series, OURS, peer))
    return found


def inference(name: str, options: Options) -> list[Row]:
    return serving(name, "predict", options, calls=3)


def latency(name: str, options: Options) -> list[Row]:
    return serving(name, "one-row", options, calls=100 if options.quick else 1000)


def memory(name: str, options: Options) -> list[Row]:
    """The peak of a boosting fit over what the process held before it, in MB."""
    rows = 20_000 if options.quick else 500_000
    model = models(options)[1]
    probes = model.probes("memory", {"data": tree_sizes("two-classes", rows, 28, 0)})
    series = measure(probes, 1)
    return [
        compared(
            Row(name, f"{model.what}, {rows:,} x 28", peer, measured="MB", judged=not options.quick),
            series,
            OURS,
            peer,
        )
        for peer in list(probes)[1:]
    ]
