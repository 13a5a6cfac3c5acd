"""Tables that tests of boosting share."""

import numpy as np
import pandas as pd

SMALL = {"n_estimators": 8, "max_leaf_nodes": 6, "min_samples_leaf": 5}


def numbers(n, seed=0, columns=6):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, columns))
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + rng.normal(size=n)
    return X, y


def mixed(n, seed=0):
    """A frame with categories, holes and two classes."""
    rng = np.random.default_rng(seed)
    city = rng.integers(40, size=n)
    frame = pd.DataFrame(
        {
            "city": pd.Categorical.from_codes(city, [f"city {c:02d}" for c in range(40)]),
            "member": rng.uniform(size=n) < 0.5,
            "age": np.where(rng.uniform(size=n) < 0.15, np.nan, rng.normal(40, 12, size=n).round()),
            "fare": rng.exponential(30, size=n),
        }
    )
    odds = np.sin(city) + frame["member"] * 0.8 - (frame["fare"] > 25) + np.isnan(frame["age"]) * 1.5
    return frame, np.where(rng.uniform(size=n) < 1 / (1 + np.exp(-1.5 * odds)), "yes", "no")
