"""Models of many trees to show, and what reads what they show."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import numpy as np

import bough
from bough.data.examples import load

HOSTILE = '"><img src=x onerror=alert(1)>'


def unfolded(text: str) -> str:
    """Lines of words as they were before they were cut."""
    return text.replace("\n  ", " ")


def mass() -> tuple[Any, Any]:
    columns, species = load("penguins")
    weights = columns.pop("body_mass_g")
    kept = [i for i, value in enumerate(weights) if value is not None]
    columns["species"] = species
    return {name: [values[i] for i in kept] for name, values in columns.items()}, [weights[i] for i in kept]


CASES: dict[str, tuple[Any, Any]] = {
    "forest": (
        bough.RandomForestClassifier(n_estimators=40, oob_score=True, min_samples_leaf=3, random_state=0),
        "titanic",
    ),
    "votes": (bough.RandomForestClassifier(n_estimators=40, voting="vote", random_state=0), "penguins"),
    "forest of numbers": (
        bough.RandomForestRegressor(n_estimators=40, oob_score=True, random_state=0),
        "mass",
    ),
    "boosting": (bough.GradientBoostingClassifier(early_stopping=True, random_state=0), "titanic"),
    "boosting of classes": (bough.GradientBoostingClassifier(n_estimators=12, random_state=0), "penguins"),
    "boosting of numbers": (
        bough.GradientBoostingRegressor(n_estimators=20, verbose=1, random_state=0),
        "mass",
    ),
    "exponents": (bough.GradientBoostingRegressor(n_estimators=20, loss="gamma", random_state=0), "mass"),
    "adaboost": (bough.AdaBoostClassifier(n_estimators=20), "titanic"),
}


def row_of(X: Any, number: int) -> dict[str, Any]:
    return {name: values[number] for name, values in X.items()}


class Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))


def many_values() -> tuple[Any, Any]:
    """A column that decides a little, and one of 500 values that says nothing."""
    rng = np.random.default_rng(0)
    signal = rng.integers(0, 2, 1000)
    noise = [f"id{k}" for k in rng.integers(0, 500, 1000)]
    return {"signal": signal.tolist(), "noise": noise}, rng.random(1000) < 0.35 + 0.3 * signal


NOISY = {
    "forest": bough.RandomForestClassifier(n_estimators=30, random_state=0),
    "boosting": bough.GradientBoostingClassifier(n_estimators=10, min_category_rows=1, category_smoothing=0),
    "adaboost": bough.AdaBoostClassifier(n_estimators=10),
}
