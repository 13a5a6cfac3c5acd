"""Models of every kind on one small table that has everything: for files and exports."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd

import bough
from bough.data.ingest import to_table
from bough.tree import Ensemble

CITIES = ["Rome", "Oslo", "Zürich", "Ávila", "O'Neill"]
SIZES = ["small", "medium", "large", "huge"]


def frame(n: int = 160, seed: int = 0, holes: float = 0.12) -> pd.DataFrame:
    """Numbers, texts, booleans, ordered categories, dates; holes everywhere."""
    rng = np.random.default_rng(seed)
    data = pd.DataFrame(
        {
            "age": rng.integers(18, 90, n).astype(float),
            "income": np.round(rng.lognormal(10, 1, n), 2),
            "city": pd.Series(rng.choice(CITIES, n), dtype=object),
            "member": pd.Series(rng.random(n) < 0.5, dtype="boolean"),
            "size": pd.Categorical(rng.choice(SIZES, n), categories=SIZES, ordered=True),
            "joined": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 2000, n), unit="h"),
        }
    )
    for name in data:
        data.loc[rng.random(n) < holes, name] = None
    return data


def targets(data: pd.DataFrame, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Three classes and a number, both of which follow from the columns and some noise."""
    rng = np.random.default_rng(seed)
    score = (
        data["age"].fillna(50) / 30
        + (data["income"].fillna(3e4) > 2e4)
        + data["city"].isin(["Rome", "Oslo"]) * 1.5
        + data["member"].fillna(False).astype(float)
        + pd.Series(data["size"].cat.codes, dtype=float) * 0.4
        + (data["joined"].fillna(pd.Timestamp("2020-02-01")) > "2020-02-10") * 0.8
        + rng.normal(0, 0.5, len(data))
    ).to_numpy()
    return np.array(["low", "mid", "high"], dtype=object)[np.digitize(score, [3.2, 4.6])], score


@cache
def estimators() -> dict[str, object]:
    """Fitted estimators: every way to split, every rule for missing values."""
    data = frame()
    classes, numbers = targets(data)
    rare = frame(120, seed=4)
    rare["city"] = np.random.default_rng(4).choice([*CITIES, *(f"town {i}" for i in range(12))], len(rare))
    two = np.where(classes == "low", 0, 1)
    small = {"min_samples_leaf": 4}
    of = bough.DecisionTreeClassifier
    made = {
        "subset": of(**small).fit(data, classes),
        "multiway": of(categories="multiway", **small).fit(data, classes),
        "branch": bough.ID3Classifier(min_samples_leaf=3).fit(data, classes),
        "fractional": bough.C45Classifier().fit(data, classes),
        "surrogate": bough.CARTClassifier(min_samples_split=10, min_samples_leaf=3, pruning=None).fit(
            data, classes
        ),
        "stop": of(missing="stop", **small).fit(data, classes),
        "majority": of(missing="majority", unseen="majority", **small).fit(data, two),
        "costs": of(costs=[[0, 1, 5], [2, 0, 1], [1, 3, 0]], probabilities="laplace", **small).fit(
            data, classes
        ),
        "majority_learn": of(unseen="majority", **small).fit(data, classes),
        "chaid": bough.CHAIDClassifier(min_samples_leaf=3).fit(data, classes),
        "numbers": bough.DecisionTreeRegressor(**small).fit(data, numbers),
        "spread_numbers": bough.DecisionTreeRegressor(missing="fractional", **small).fit(data, numbers),
        "leaf": of(max_depth=1, min_samples_leaf=80).fit(data, two),
        "rare": of(min_samples_leaf=2).fit(rare, targets(rare)[0]),  # not every category at every node
        "error": of(missing="error", unseen="error", **small).fit(frame(holes=0.0), classes),
    }
    return made


def joined(trees, combine: str, **more) -> Ensemble:
    given = {
        "classes": trees[0].classes,
        "weights": np.ones(len(trees)),
        "output": np.zeros(len(trees), np.int32),
        "base": np.zeros(0),
        **more,
    }
    return Ensemble(tuple(trees), trees[0].fields, combine=combine, **given)


@cache
def ensembles() -> dict[str, Ensemble]:
    """Forests, votes and sums with every link, from trees of rows with weights."""
    data = frame()
    table = to_table(data)
    classes, numbers = targets(data)
    rng = np.random.default_rng(3)
    drawn = [rng.multinomial(len(data), np.full(len(data), 1 / len(data))).astype(float) for _ in range(6)]

    def grown(model, y, **settings):
        made = [
            model(max_features=3, random_state=i, min_samples_leaf=4, **settings) for i in range(len(drawn))
        ]
        return [m.fit(table, y, w).tree_ for m, w in zip(made, drawn, strict=True)]

    of_classes = grown(bough.DecisionTreeClassifier, classes)
    of_numbers = grown(bough.DecisionTreeRegressor, numbers - numbers.mean(), max_depth=3)
    weights = np.array([1.0, 0.5, 2.0, 1.5, 1.0, 0.25])
    labels, three = of_classes[0].classes, np.arange(6, dtype=np.int32) % 3
    return {
        "forest": joined(of_classes, "mean"),
        "vote": joined(of_classes, "vote", weights=weights),
        "forest_numbers": joined(of_numbers, "mean", weights=weights),
        "median": joined(of_numbers, "vote", weights=weights),
        "sum": joined(of_numbers, "sum", weights=weights, base=np.array([2.5])),
        "exp": joined(of_numbers, "sum", weights=weights / 4, base=np.array([0.3]), link="exp"),
        "logistic": joined(
            of_numbers, "sum", weights=weights, base=np.array([-0.2]), link="logistic",
            classes=np.array(["n", "y"]),
        ),
        "softmax": joined(
            of_numbers, "sum", weights=weights, base=np.array([0.1, 0.0, -0.1]), output=three, link="softmax",
            classes=labels,
        ),
        "symmetric": bough.GradientBoostingClassifier(n_estimators=4, symmetric=True, min_samples_leaf=2).fit(
            data, classes
        ).ensemble_,
    }  # fmt: skip
