"""One tree against bagging and a forest: how far answers are off on average, and how they vary."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from common import COLOURS, GREY, figure, run, save
from sklearn.datasets import make_friedman1

from bough import (
    BaggingTreesRegressor,
    DecisionTreeRegressor,
    ExtraTreesRegressor,
    RandomForestRegressor,
)

NOISE = 1.0


def wave(x: np.ndarray) -> np.ndarray:
    return np.sin(7 * x) + 0.6 * np.sin(23 * x)


def curves(ax: Any, model: Any, title: str, repeats: int) -> None:
    """The same model on several samples of one noisy curve."""
    rng = np.random.default_rng(0)
    grid = np.linspace(0, 1, 400)[:, None]
    answers = []
    for _ in range(repeats):
        x = rng.random((100, 1))
        answers.append(model.fit(x, wave(x[:, 0]) + rng.normal(0, 0.4, 100)).predict(grid))
    for answer in answers[:12]:
        ax.plot(grid, answer, color=COLOURS[0], lw=0.6, alpha=0.5)
    ax.plot(grid, wave(grid[:, 0]), color="black", lw=1.6, label="truth")
    ax.plot(grid, np.mean(answers, axis=0), color=COLOURS[1], lw=1.6, label="mean answer")
    ax.set(title=title, xlabel="x", ylabel="y", ylim=(-2.6, 2.6))
    beneath(ax)


def beneath(ax: Any) -> None:
    """The legend, where it hides nothing."""
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2)


def parts_of_error(model: Any, repeats: int) -> tuple[float, float]:
    """Squared bias and variance of the answers at fixed points, over training samples of 200 rows."""
    X, truth = make_friedman1(500, noise=0.0, random_state=10_000)
    answers = []
    for seed in range(repeats):
        rows, y = make_friedman1(200, noise=NOISE, random_state=seed)
        answers.append(model.fit(rows, y).predict(X))
    said = np.array(answers)
    # A mean over few samples has a bias of its own, a part of the variance.
    variance = said.var(axis=0, ddof=1).mean()
    bias = ((said.mean(axis=0) - truth) ** 2).mean() - variance / repeats
    return float(bias), float(variance)


def example(small: bool, picture: Path) -> dict[str, Any]:
    """Bias and variance of one tree, of bagged trees and of forests."""
    repeats, trees = (6, 10) if small else (60, 100)
    many = {"n_estimators": trees, "random_state": 0}
    models = {
        "stump": DecisionTreeRegressor(max_depth=1),
        "tree of depth 4": DecisionTreeRegressor(max_depth=4),
        "full tree": DecisionTreeRegressor(),
        "bagged trees": BaggingTreesRegressor(**many),
        "random forest": RandomForestRegressor(**many, max_features="sqrt"),
        "extra trees": ExtraTreesRegressor(**many, max_features="sqrt"),
    }
    found = {name: parts_of_error(model, repeats) for name, model in models.items()}
    fig, axes = figure(11, 3.6, 1, 3)
    curves(axes[0], DecisionTreeRegressor(), "full tree: right on average, each one far off", repeats)
    curves(axes[1], BaggingTreesRegressor(**many), "bagged trees: as right, and steady", repeats)
    bias, variance = np.array(list(found.values())).T
    place = np.arange(len(found))[::-1]
    axes[2].barh(place, bias, color=COLOURS[0], label="bias²")
    axes[2].barh(place, variance, left=bias, color=COLOURS[2], label="variance")
    axes[2].axvline(NOISE**2, color=GREY, lw=1, ls=":")
    axes[2].text(NOISE**2, len(found) - 0.45, "noise of y", color=GREY, va="bottom")
    axes[2].set_yticks(place, list(found))
    axes[2].set(title="squared error at new points (Friedman 1)\n", xlabel="squared error")
    beneath(axes[2])
    save(fig, picture)
    told = {}
    for name, (off, spread) in found.items():
        told |= {f"{name}: bias²": off, f"{name}: variance": spread}
    return told


if __name__ == "__main__":
    run(example, __file__)
