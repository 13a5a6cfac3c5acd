"""Ten-fold accuracy on the folds given, beside that of other programs:  python tests/golden/accuracy.py

The figures of the others are percentages of right answers over all ten folds, as their programs gave them.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from bough import C45Classifier, CARTClassifier, ConditionalTreeClassifier, DecisionTreeClassifier
from golden.readers import folds, load

NAMES = ("iris", "glass", "diabetes", "vote", "breast-cancer")
PROGRAMS = {
    "J48": (92.7, 66.4, 73.2, 96.8, 73.4),
    "C5.0": (92.7, 69.2, 74.1, 96.6, 75.9),
    "rpart": (92.0, 70.6, 74.6, 95.4, 70.3),
    "ctree": (94.7, 58.4, 73.6, 94.9, 70.6),
}
# Ours by the program that each follows; the one that follows none is compared with the best of them.
MODELS: dict[str, tuple[str | None, Any]] = {
    "C45Classifier": ("J48", lambda seed: C45Classifier()),
    "CARTClassifier": ("rpart", lambda seed: CARTClassifier(random_state=seed)),
    "ConditionalTreeClassifier": ("ctree", lambda seed: ConditionalTreeClassifier()),
    "pruned by cross-validation": (
        None,
        lambda seed: DecisionTreeClassifier(pruning="cost_complexity", random_state=seed),
    ),
}


def right(name: str, model: Any) -> float:
    """The percentage of rows that models fitted without their fold answer rightly."""
    table, fold = load(name), np.array(folds(name))
    frame, target = table.frame, np.array(table.target)
    answers = np.empty_like(target)
    for f in np.unique(fold):
        model.fit(frame[fold != f], target[fold != f])
        answers[fold == f] = model.predict(frame[fold == f])
    return 100 * float(np.mean(answers == target))


def accuracy(of: str, seeds: range) -> np.ndarray:
    """A row for each seed, a column for each table."""
    return np.array([[right(name, MODELS[of][1](seed)) for name in NAMES] for seed in seeds])


def main() -> None:
    print(
        f"{'':28}", *(f"{name:>13}" for name in NAMES), f"{'mean':>7}  smallest … largest of the seeds' means"
    )
    for program, figures in PROGRAMS.items():
        print(f"{program:28}", *(f"{x:13.1f}" for x in figures), f"{np.mean(figures):7.2f}")
    for name in MODELS:
        found = accuracy(name, range(5))
        means = found.mean(axis=1)
        spread = f"  {means.min():.2f} … {means.max():.2f}"
        print(f"{name:28}", *(f"{x:13.1f}" for x in found.mean(axis=0)), f"{means.mean():7.2f}{spread}")


if __name__ == "__main__":
    main()
