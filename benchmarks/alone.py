"""Ours against ours: growth with the rows, threads, missing cells, and pruning of a large tree."""

from __future__ import annotations

import os
from itertools import pairwise
from typing import Any

from benchmarks.fits import BOOSTING, ENTROPY, FOREST, NUMBERS, fit_probe, sizes
from benchmarks.rows import Options, Row, compared, failures, unsteady
from benchmarks.run import InWorker, measure
from benchmarks.serving import boosting as boosted_model
from benchmarks.serving import forest as forest_model

DOUBLED, TWO_THREADS = 2.15, 0.58  # what to reach


def growth(name: str, options: Options) -> list[Row]:
    """Our time at each doubling of the rows: the tree alone gets deeper with them, the others keep their
    shape."""
    counts = [20_000, 40_000] if options.quick else [500_000, 1_000_000, 2_000_000, 4_000_000]
    tree = {"criterion": "entropy", "n_jobs": 1}
    boosted = {"n_estimators": 10, "max_leaf_nodes": 63, "n_jobs": 1}
    kinds: dict[str, tuple[str, dict[str, Any]]] = {
        "tree, depth 8": ("bough:DecisionTreeClassifier", tree | {"max_depth": 8}),
        "boosting, 10 rounds": ("bough:GradientBoostingClassifier", boosted),
        "tree, unlimited depth": ("bough:DecisionTreeClassifier", tree),
    }
    rows = []
    for kind, (estimator, params) in kinds.items():
        contenders = {f"{n:,}": fit_probe(estimator, params, sizes("two-classes", n, 10, 0)) for n in counts}
        series = measure(contenders, min(options.repeats, 3))
        for half, full in pairwise(contenders):
            row = Row(name, f"{kind}, {full} rows x 10", f"bough, {half} rows", limit=DOUBLED)
            row.judged = not options.quick
            rows.append(compared(row, series, full, half))
    return rows


def threads(name: str, options: Options) -> list[Row]:
    """Two threads against one, with equal models and equal answers."""
    given = {
        "data": sizes("higgs", *((2_000, 28, 20_000) if options.quick else (100_000, 28, 200_000))),
        "calls": 3,
    }
    probes: dict[str, tuple[InWorker, InWorker]] = {}
    for what, versus in (
        ("tree, two-classes", ENTROPY),
        ("tree, friedman", NUMBERS),
        ("forest, higgs", FOREST),
        ("boosting, higgs", BOOSTING),
    ):
        probes[what] = versus.ours(options.quick, 2), versus.ours(options.quick, 1)
    for make in (forest_model, boosted_model):
        model = make(options.quick, 1.0)
        probes[f"inference, {model.what}"] = (
            model.ours("predict", given, 2),
            model.ours("predict", given, 1),
        )
    return [_two_threads(name, what, pair, options) for what, pair in probes.items()]


def _two_threads(name: str, what: str, pair: tuple[InWorker, InWorker], options: Options) -> Row:
    enough = len(os.sched_getaffinity(0)) >= 2
    series = measure(dict(zip(("2 threads", "1 thread"), pair, strict=True)), options.repeats)
    row = Row(name, f"{what}, 2 threads", "bough, 1 thread", limit=TWO_THREADS if enough else None)
    row.judged = not options.quick
    compared(row, series, "2 threads", "1 thread")
    if row.value is None:
        return row
    two, one = series["2 threads"], series["1 thread"]
    if not one.digests or one.digests != two.digests:
        row.problems.append("the model or its answers depend on the threads")
    else:
        row.quality = f"equal digests, {two.busy:.2f} threads busy"
    if not enough:
        row.notes.append("one core only")
    return row


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
            "holes": fit_probe(estimator, params, sizes("two-classes-holes", rows, 20, 0)),
            "complete": fit_probe(estimator, params | complete, sizes("two-classes", rows, 20, 0)),
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
    data = sizes("two-classes", rows, 10, 0)
    contenders = {
        what: InWorker("prune", {"data": data, "max_leaf_nodes": leaves, "method": method, "options": given})
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
