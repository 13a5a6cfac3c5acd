"""Ranking search results: rows of a query are ordered by LambdaMART, judged by NDCG on other queries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from common import GREY, figure, run, save
from sklearn.metrics import ndcg_score

from bough import GradientBoostingRanker, RandomForestRegressor

PLACES = range(1, 21)
OF_DOCUMENT = [
    "title match",
    "body match",
    "clicks",
    "freshness",
    "length off",
    *[f"signal {k}" for k in range(10)],
]
OF_QUERY = ["about news", "easy", "words", "rare words", "language"]


def queries(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Documents with 20 columns and a grade from 0 to 4, and the number of documents of each query. The first
    columns tell how well a document fits; the last ones belong to the query, and shift all its grades."""
    sizes = rng.integers(10, 40, count)
    of = np.repeat(np.arange(count), sizes)
    X = rng.normal(size=(len(of), 20))
    X[:, 15:] = rng.normal(size=(count, 5))[of]
    X[:, 2] = rng.exponential(size=len(of))
    fit = 1.2 * X[:, 0] + np.minimum(X[:, 2], 2.0) + 0.9 * X[:, 3] * (X[:, 15] > 0) - 0.5 * np.abs(X[:, 4])
    hard = 1.5 * X[:, 16]
    noisy = fit + hard + rng.normal(0, 0.8, len(of))
    grade = np.digitize(noisy, np.quantile(noisy, [0.5, 0.75, 0.9, 0.97]))
    return X, grade, sizes


def named(X: np.ndarray) -> dict[str, np.ndarray]:
    return dict(zip(OF_DOCUMENT + OF_QUERY, X.T, strict=True))


def curve(grade: np.ndarray, score: np.ndarray, sizes: np.ndarray) -> list[float]:
    """The mean NDCG of the first k places; queries without a single good document are left out."""
    parts = np.split(np.arange(len(grade)), np.cumsum(sizes)[:-1])
    judged = [rows for rows in parts if grade[rows].any()]
    gain = 2.0**grade - 1
    return [float(np.mean([ndcg_score([gain[r]], [score[r]], k=k) for r in judged])) for k in PLACES]


def example(small: bool, picture: Path) -> dict[str, Any]:
    """NDCG of a ranker, of a forest for the grades, of the best single column, and of chance."""
    rng = np.random.default_rng(0)
    shown, held_out, trees = (80, 40, 20) if small else (1500, 400, 200)
    X, y, sizes = queries(rng, shown)
    X_new, y_new, sizes_new = queries(rng, held_out)
    ranker = GradientBoostingRanker(n_estimators=trees, random_state=0, n_jobs=-1)
    ranker.fit(named(X), y.astype(float), group=sizes)
    forest = RandomForestRegressor(
        n_estimators=trees // 4, min_samples_leaf=5, max_features=0.4, random_state=0, n_jobs=-1
    )
    forest.fit(named(X), y.astype(float))
    said = {
        "LambdaMART": ranker.predict(named(X_new)),
        "random forest, grade by grade": forest.predict(named(X_new)),
        "the best column": X_new[:, 0],
        "chance": rng.random(len(y_new)),
    }
    fig, (left, right) = figure(10, 4, 1, 2, width_ratios=[1.4, 1])
    found = {name: curve(y_new, score, sizes_new) for name, score in said.items()}
    for name, values in found.items():
        left.plot(PLACES, values, "o-", ms=3, label=name, **({"color": GREY} if name == "chance" else {}))
    left.set(
        title="queries not learned from", xlabel="first k places", ylabel="NDCG@k", xticks=[1, 5, 10, 15, 20]
    )
    left.legend(loc="lower right")
    best = ranker.importances(method="gain").ranking[:8][::-1]
    right.barh([name for name, _ in best], [value for _, value in best])
    right.set(title="what the ranker asks for", xlabel="share of all gain")
    save(fig, picture)
    return {f"NDCG@10: {name}": values[9] for name, values in found.items()}


if __name__ == "__main__":
    run(example, __file__)
