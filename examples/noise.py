"""Wrong labels and useless columns: what they do to a full tree, to a pruned one and to a forest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from common import figure, run, save

from bough import C45Classifier, DecisionTreeClassifier, RandomForestClassifier


def sample(rng: np.random.Generator, n: int, flipped: float, useless: int) -> tuple[np.ndarray, np.ndarray]:
    """Three columns decide; a share of the labels is wrong, and columns that say nothing are added."""
    X = rng.random((n, 3 + useless))
    truth = (X[:, 0] > 0.6) | ((X[:, 1] > 0.5) & (X[:, 2] > 0.4))
    wrong = rng.random(n) < flipped
    return X, np.where(truth ^ wrong, "yes", "no")


def scores(models: dict[str, Any], flipped: float, useless: int, repeats: int) -> tuple[dict, dict]:
    """Accuracy against the true answer, and leaves."""
    right: dict[str, list[float]] = {name: [] for name in models}
    leaves: dict[str, list[float]] = {name: [] for name in models}
    for seed in range(repeats):
        rng = np.random.default_rng(seed)
        X, y = sample(rng, 500, flipped, useless)
        others, truth = sample(rng, 2000, 0.0, useless)
        for name, model in models.items():
            model.fit(X, y)
            right[name].append(float((model.predict(others) == truth).mean()))
            if hasattr(model, "tree_"):
                leaves[name].append(model.tree_.n_leaves)
    return right, leaves


def example(small: bool, picture: Path) -> dict[str, Any]:
    """Noisy labels and noisy columns."""
    repeats, trees = (2, 10) if small else (20, 100)
    models = {
        "full tree": DecisionTreeClassifier(),
        "pruned tree (C4.5)": C45Classifier(),
        "random forest": RandomForestClassifier(n_estimators=trees, random_state=0),
    }
    shares = [0.0, 0.1, 0.2, 0.3, 0.4]
    extra = [0, 5, 20, 60] if small else [0, 3, 10, 30, 100]
    by_label = [scores(models, share, 5, repeats) for share in shares]
    by_column = [scores(models, 0.1, count, repeats) for count in extra]
    fig, axes = figure(11, 3.4, 1, 3)
    for name, model in models.items():
        axes[0].plot(shares, [np.mean(right[name]) for right, _ in by_label], "o-", label=name)
        axes[2].plot(extra, [np.mean(right[name]) for right, _ in by_column], "o-", label=name)
        if hasattr(model, "tree_"):
            axes[1].plot(shares, [np.mean(leaves[name]) for _, leaves in by_label], "o-", label=name)
    axes[0].set(title="wrong labels", xlabel="share of wrong labels", ylabel="accuracy on true answers")
    axes[1].set(
        title="a full tree learns the noise by heart", xlabel="share of wrong labels", ylabel="leaves"
    )
    axes[2].set(title="useless columns (and 10 % wrong labels)", xlabel="useless columns")
    axes[0].legend()
    save(fig, picture)
    return {f"{name}, 20 % wrong labels": float(np.mean(by_label[2][0][name])) for name in models}


if __name__ == "__main__":
    run(example, __file__)
