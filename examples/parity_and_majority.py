"""Parity and majority: any Boolean function is a tree, but for these two a large one; and parity cannot be
guessed from a part of its table."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from common import figure, run, save
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from bough import DecisionTreeClassifier, RandomForestClassifier

FUNCTIONS = {
    "parity": lambda X: X.sum(axis=1) % 2,
    "majority": lambda X: (2 * X.sum(axis=1) > X.shape[1]).astype(int),
}


def table(bits: int) -> np.ndarray:
    return np.array(list(product([0, 1], repeat=bits)))


def example(small: bool, picture: Path) -> dict[str, Any]:
    """Size of the exact trees, and accuracy on the half of the table that was not shown."""
    most, repeats, trees = (7, 2, 10) if small else (11, 10, 100)
    sizes = {
        name: [DecisionTreeClassifier().fit(table(b), f(table(b))).tree_.n_leaves for b in range(1, most + 1)]
        for name, f in FUNCTIONS.items()
    }
    models = {
        "tree": DecisionTreeClassifier(),
        "random forest": RandomForestClassifier(n_estimators=trees, random_state=0),
        "nearest neighbour": KNeighborsClassifier(1),
        "logistic regression": LogisticRegression(),
    }
    bits = range(4, most + 1)
    found = {(name, model): [] for name in FUNCTIONS for model in models}
    for count in bits:
        X = table(count)
        for name, function in FUNCTIONS.items():
            y = function(X)
            for model_name, model in models.items():
                right = []
                for seed in range(repeats):
                    order = np.random.default_rng(seed).permutation(len(X))
                    shown, hidden = order[: len(X) // 2], order[len(X) // 2 :]
                    right.append((model.fit(X[shown], y[shown]).predict(X[hidden]) == y[hidden]).mean())
                found[name, model_name].append(float(np.mean(right)))
    fig, axes = figure(11, 3.4, 1, 3)
    for name, leaves in sizes.items():
        axes[0].semilogy(range(1, most + 1), leaves, "o-", base=2, label=name)
    axes[0].set(title="leaves of the tree of the whole table", xlabel="bits", ylabel="leaves")
    axes[0].legend()
    for ax, name in zip(axes[1:], FUNCTIONS, strict=True):
        for model in models:
            ax.plot(bits, found[name, model], "o-", label=model)
        ax.axhline(0.5, color="black", lw=0.6, ls=":")
        ax.set(title=f"{name}: the half not shown", xlabel="bits", xticks=bits, ylim=(-0.05, 1.05))
    axes[1].set_ylabel("accuracy")
    axes[2].legend(loc="lower right")
    save(fig, picture)
    told: dict[str, Any] = {f"leaves of {name}, {most} bits": leaves[-1] for name, leaves in sizes.items()}
    return told | {f"{name}, {most} bits: {model}": found[name, model][-1] for name, model in found}


if __name__ == "__main__":
    run(example, __file__)
