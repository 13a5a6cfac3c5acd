"""Weights of models by what they say about rows that they did not learn from."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

WAYS = ("score", "least_squares", "greedy")
ROUNDS = 50  # of greedy selection


def skill(answer: Floats, target: Floats, w: Floats) -> float:
    """The share of the squared error of the constant answer that is saved: R², of class shares Brier's skill.

    >>> skill(np.array([[1.0], [2.0]]), np.array([[1.0], [3.0]]), np.ones(2))
    0.5
    """
    middle = np.average(target, axis=0, weights=w)
    around = float(w @ ((target - middle) ** 2).sum(axis=1))
    off = float(w @ ((answer - target) ** 2).sum(axis=1))
    return 1.0 - off / around if around > 0 else 0.0


def learned_weights(way: str, said: Floats, target: Floats, w: Floats) -> Floats:
    """`said`: models by rows by outputs; `target`: rows by outputs, ones for the true class, or numbers; `w`:
    weights of the rows. The result adds up to 1; where nothing helps, all weigh the same.

    score          in proportion to the skill of each model alone
    least_squares  of all averages the one of least squared error (Breiman's stacked regressions)
    greedy         models are added one by one, with repetition, whichever helps the mean of those added most;
                   the weights are their shares when it was best (Caruana's ensemble selection)
    """
    if way == "score":
        found = np.array([max(skill(model, target, w), 0.0) for model in said])
    elif way == "least_squares":
        found = _least_squares(said, target, w)
    else:
        found = _greedy(said, target, w)
    total = found.sum()
    return found / total if total > 0 else np.full(len(said), 1.0 / len(said))


def _least_squares(said: Floats, target: Floats, w: Floats) -> Floats:
    """Of weights that add up to 1, the error of the average is the average of the errors. The last row draws
    the sum towards 1; that changes the length of the solution, never its direction."""
    from scipy.optimize import nnls

    root = np.sqrt(np.repeat(w, target.shape[1]))
    errors = (said - target).reshape(len(said), -1).T * root[:, None]
    errors /= np.abs(errors).max() or 1.0
    scale = np.sqrt(len(errors)) * (np.sqrt(np.mean(errors**2)) or 1.0)
    found: Floats = nnls(
        np.vstack([errors, np.full(len(said), scale)]), np.append(np.zeros(len(errors)), scale)
    )[0]
    return found


def _greedy(said: Floats, target: Floats, w: Floats) -> Floats:
    """Of equally good models the first is added."""
    taken = np.zeros(len(said))
    total = np.zeros(said.shape[1:])
    best, best_taken = -np.inf, taken
    for count in range(1, ROUNDS + 1):
        scores = [skill((total + model) / count, target, w) for model in said]
        chosen = int(np.argmax(scores))
        taken = taken.copy()
        taken[chosen] += 1
        total = total + said[chosen]
        if scores[chosen] > best:
            best, best_taken = scores[chosen], taken
    return best_taken
