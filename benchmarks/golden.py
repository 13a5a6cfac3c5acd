"""Ours beside figures that others published: ten-fold accuracy on given folds, and out-of-bag errors.

The tables and folds are those of the tests, or of the folder that BOUGH_GOLDEN names."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.rows import OURS, Options, Row, failures
from benchmarks.run import ROOT, InWorker, measure

# Ten-fold accuracy in per cent: forest of scikit-learn, of Weka; HistGB of scikit-learn, AdaBoost of J48.
FOLDS = {
    "iris": (94.0, 93.3, 94.7, 93.3),
    "glass": (79.9, 78.0, 78.0, 74.8),
    "diabetes": (76.7, 75.8, 74.9, 73.2),
    "vote": (95.6, 96.8, 95.9, 95.6),
    "breast-cancer": (74.1, 71.0, 69.6, 68.5),
    "soybean": (93.7, 92.1, 94.4, 92.5),
}
# Out-of-bag error of R's ranger and randomForest; Pima's table is called diabetes here.
OUT_OF_BAG = {"iris": (0.048, 0.045), "glass": (0.215, 0.194), "diabetes": (0.237, 0.232)}
SEEDS = 3


def table(name: str) -> tuple[Any, NDArray[Any], NDArray[np.int64]]:
    """The columns as a pandas frame with the declared categories, the classes, and the fold of each row."""
    import pandas as pd

    root = Path(os.environ.get("BOUGH_GOLDEN") or ROOT / "tests" / "golden")
    schema = json.loads((root / "data" / "schema.json").read_text(encoding="utf-8"))[name]
    kinds = {column: kind for column, kind in schema["columns"].items() if kind != "numeric"}
    frame = pd.read_csv(
        root / "data" / f"{name}.csv", dtype=dict.fromkeys(kinds, str), keep_default_na=False, na_values=[""]
    )
    y = frame.pop(schema["target"]).to_numpy(str)
    for column, categories in kinds.items():
        if column in frame:
            frame[column] = pd.Categorical(frame[column], categories=categories)
    folds = np.loadtxt(root / "folds" / f"{name}.csv", dtype=np.int64, skiprows=1)
    return frame, y, folds


def pooled_accuracy(estimator: str, params: dict[str, Any], name: str) -> float:
    """The share of rows that a model without their fold answers rightly."""
    from benchmarks.worker import build

    X, y, folds = table(name)
    right = 0
    for fold in np.unique(folds):
        held = folds == fold
        model = build(estimator, params).fit(X[~held], y[~held])
        right += int(np.sum(model.predict(X[held]) == y[held]))
    return right / len(y)


def out_of_bag_accuracy(estimator: str, params: dict[str, Any], name: str) -> float:
    from benchmarks.worker import build

    X, y, _ = table(name)
    score: float = build(estimator, params | {"oob_score": True}).fit(X, y).oob_score_
    return score


def folds(name: str, options: Options) -> list[Row]:
    """Forest and boosting against the best of their kind that was published."""
    trees = 100 if options.quick else 300
    models = {
        "forest": ("bough:RandomForestClassifier", {"n_estimators": trees}, slice(0, 2)),
        "boosting": ("bough:GradientBoostingClassifier", {}, slice(2, 4)),
    }
    rows = []
    for of, listed in FOLDS.items():
        for what, (estimator, params, which) in models.items():
            rows.append(
                _judged(name, f"{what}, {of}", "folds", (estimator, params, of), max(listed[which]), options)
            )
    return rows


def out_of_bag(name: str, options: Options) -> list[Row]:
    trees = 100 if options.quick else 500
    return [
        _judged(
            name,
            f"forest of {trees}, {of}",
            "out-of-bag",
            ("bough:RandomForestClassifier", {"n_estimators": trees}, of),
            100.0 * (1.0 - max(listed)),
            options,
        )
        for of, listed in OUT_OF_BAG.items()
    ]


def _judged(
    task: str, what: str, probe: str, asked: tuple[str, dict[str, Any], str], listed: float, options: Options
) -> Row:
    """Accuracy in per cent, the mean over seeds; it may be lower by one standard error of a share."""
    estimator, params, of = asked
    given = {"estimator": estimator, "params": params | {"n_jobs": 1}, "name": of}
    series = measure({OURS: InWorker(probe, given, seeded=True)}, 1 if options.quick else SEEDS)
    row = Row(task, what, "published", unit="points", measured="%")
    row.series = series
    row.problems = failures(series)
    if row.problems:
        return row
    found = 100.0 * np.array([run.quality for run in series[OURS].runs])
    row.ours_s, row.peer_s = float(found.mean()), listed
    row.value = listed - row.ours_s
    row.limit = float(np.sqrt(listed * (100.0 - listed) / len(table(of)[1])))
    row.quality = f"seeds {found.min():.1f} to {found.max():.1f}"
    return row.judge()
