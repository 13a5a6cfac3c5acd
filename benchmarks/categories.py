"""Tables with categories of many levels, as pandas frames: two generators of different structure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

LEVELS = {"weekday": 7, "day": 31, "airport": 300, "tail": 5000}


def _frame(numbers: dict[str, NDArray[Any]], codes: dict[str, tuple[NDArray[Any], int]]) -> Any:
    import pandas as pd

    columns: dict[str, Any] = dict(numbers)
    for name, (values, levels) in codes.items():
        # Names in an order of their own, so that the number of a level tells nothing.
        names = [f"{name}{i}" for i in np.random.default_rng(levels).permutation(levels)]
        columns[name] = pd.Categorical.from_codes(values, names)
    return pd.DataFrame(columns)


def _drawn(levels: int, rows: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Codes whose frequency falls with their number, the last one about a twentieth of the first."""
    share = 1.0 / (1.0 + 19.0 * np.arange(levels) / max(levels - 1, 1))
    return rng.choice(levels, size=rows, p=share / share.sum())


def airline(rows: int, columns: int, rng: np.random.Generator) -> tuple[Any, NDArray[Any]]:
    """Like delays of flights: each level of every category has an effect of its own, airports one for each
    part of the day; 4 columns of numbers, 7 / 31 / 300 / 5,000 levels (AUC about .8)."""
    if columns != 8:
        raise ValueError(f"airline has 8 columns, not {columns}")
    code = {name: _drawn(levels, rows, rng) for name, levels in LEVELS.items()}
    hour, distance = rng.uniform(5, 24, size=rows), rng.lognormal(6.5, 0.6, size=rows)
    wind, rain = rng.gamma(2.0, 2.0, size=rows), rng.normal(size=rows)
    fixed = np.random.default_rng(3)  # the same world for every seed
    sizes = {"weekday": 0.3, "day": 0.3, "airport": 0.6, "tail": 0.8}
    effect = {name: fixed.normal(scale=sizes[name], size=levels) for name, levels in LEVELS.items()}
    by_part = fixed.normal(scale=0.4, size=(LEVELS["airport"], 3))
    score = sum(effect[name][code[name]] for name in LEVELS)
    score = score + by_part[code["airport"], ((hour - 5) / 6.4).astype(int)]
    score += 0.08 * (hour - 14) + 0.3 * np.log(distance / 600) + 0.1 * wind * (rain > 0.5) - 0.9
    y = (score + rng.logistic(scale=0.9, size=rows) > 0).astype(np.int64)
    numbers = {"hour": hour, "distance": distance, "wind": wind, "rain": rain}
    return _frame(numbers, {name: (code[name], LEVELS[name]) for name in LEVELS}), y


def shops(rows: int, columns: int, rng: np.random.Generator) -> tuple[Any, NDArray[Any]]:
    """Like purchases: products belong to hidden groups that matter only through price and age, few towns
    differ from the rest, codes of vouchers tell nothing; frequencies fall off steeply."""
    if columns != 7:
        raise ValueError(f"shops has 7 columns, not {columns}")
    levels = {"product": 2000, "town": 400, "voucher": 1000, "channel": 4}
    code = {
        name: np.minimum(rng.zipf(1.3, size=rows) - 1, n - 1) if n > 4 else rng.integers(0, n, size=rows)
        for name, n in levels.items()
    }
    fixed = np.random.default_rng(17)
    group = fixed.integers(0, 5, size=levels["product"])[code["product"]]
    special = np.where(fixed.random(levels["town"]) < 0.1, fixed.choice([-1.8, 1.8], levels["town"]), 0.0)
    price, age = rng.lognormal(3.0, 0.8, size=rows), rng.uniform(18, 90, size=rows)
    visits = rng.poisson(3.0, size=rows).astype(np.float64)
    slope_price = np.array([0.9, -0.9, 0.0, 0.4, -0.4])[group]
    slope_age = np.array([0.0, 0.8, -0.8, -0.5, 0.5])[group]
    score = slope_price * (np.log(price) - 3.0) + slope_age * (age - 54) / 20 + special[code["town"]]
    score += 0.15 * (visits - 3) * (code["channel"] == 2) + 0.3 * (code["channel"] == 1)
    y = (score + rng.logistic(scale=0.7, size=rows) > 0).astype(np.int64)
    numbers = {"price": price, "age": age, "visits": visits}
    return _frame(numbers, {name: (code[name], n) for name, n in levels.items()}), y


FRAMES: dict[str, Callable[[int, int, np.random.Generator], tuple[Any, NDArray[Any]]]] = {
    "airline": airline,
    "shops": shops,
}
