"""A tree, a forest, nearest neighbours and a linear model on the same data: the regions that each draws."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from common import COLOURS, figure, run, save
from matplotlib.colors import LinearSegmentedColormap
from sklearn.datasets import make_circles, make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from bough import DecisionTreeClassifier, RandomForestClassifier


def line(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    X = rng.uniform(-1, 1, (n, 2))
    return X, (X[:, 0] + X[:, 1] + rng.normal(0, 0.25, n) > 0).astype(int)


def boxes(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    X = rng.uniform(-1, 1, (n, 2))
    y = ((X[:, 0] > 0.1) ^ (X[:, 1] > -0.1)).astype(int)
    return X, y ^ (rng.random(n) < 0.08)


def data(n: int, seed: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(seed)
    return {
        "a slanted line": line(n, rng),
        "boxes": boxes(n, rng),
        "moons": make_moons(n, noise=0.25, random_state=seed),
        "rings": make_circles(n, noise=0.15, factor=0.5, random_state=seed),
    }


def example(small: bool, picture: Path) -> dict[str, Any]:
    """Regions and accuracy of four kinds of models on four kinds of data."""
    n, trees, steps = (120, 10, 60) if small else (250, 200, 240)
    models = {
        "tree (≥ 5 rows a leaf)": DecisionTreeClassifier(min_samples_leaf=5),
        "random forest": RandomForestClassifier(n_estimators=trees, min_samples_leaf=3, random_state=0),
        "15 nearest neighbours": KNeighborsClassifier(15),
        "logistic regression": LogisticRegression(),
    }
    shown, others = data(n, 0), data(2000, 1)
    fig, axes = figure(10, 10, len(shown), len(models))
    colours = LinearSegmentedColormap.from_list("two", [COLOURS[0], "white", COLOURS[1]])
    told = {}
    for row, (kind, (X, y)) in zip(axes, shown.items(), strict=True):
        low, high = X.min(axis=0) - 0.2, X.max(axis=0) + 0.2
        across, up = np.meshgrid(np.linspace(low[0], high[0], steps), np.linspace(low[1], high[1], steps))
        for ax, (name, model) in zip(row, models.items(), strict=True):
            model.fit(X, y)
            share = model.predict_proba(np.column_stack([across.ravel(), up.ravel()]))[:, 1]
            extent = (low[0], high[0], low[1], high[1])
            share = share.reshape(across.shape)
            ax.imshow(
                share, origin="lower", extent=extent, cmap=colours, vmin=0, vmax=1, alpha=0.7, aspect="auto"
            )
            ax.scatter(*X.T, c=y, cmap=colours, s=8, edgecolor="black", linewidth=0.3)
            right = model.score(*others[kind])
            told[f"{kind}: {name}"] = float(right)
            ax.set(xticks=[], yticks=[])
            ax.set_xlabel(f"{right:.1%} of new rows", labelpad=2)
    for ax, name in zip(axes[0], models, strict=True):
        ax.set_title(name)
    for ax, kind in zip(axes[:, 0], shown, strict=True):
        ax.set_ylabel(kind)
    save(fig, picture)
    return told


if __name__ == "__main__":
    run(example, __file__)
