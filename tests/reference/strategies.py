"""Random small tables with settings, for comparing the core with the reference.

Hypothesis draws only three integers (a seed, the number of rows and of columns); a `random.Random` builds
the case from them, so generation is fast, shrinking takes away rows and columns, and a failing case is
rebuilt with `build_case(seed, rows, columns)`, as its repr says. Each column draws from its own
stream: fewer rows or columns leave the rest of the table as it was.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from hypothesis import strategies as st

from .grower import Col, Settings, Table, Value

# Names whose alphabetical order is not the column order; lower-case ASCII, the order of which nobody doubts.
NAMES = ("mango", "a9", "zeta", "a10", "fig", "b", "kiwi", "aa", "lime", "c_1")
WILD = (
    0.0,
    -0.0,
    1.0,
    -1.0,
    5e-324,
    -5e-324,
    1e-323,
    2.2250738585072014e-308,
    1e-300,
    0.1,
    0.3,
    1e16,
    -1e16,
    1e300,
    1e308,
    1.7e308,
    -1e308,
    -1.7e308,
    1.7976931348623157e308,
    -1.7976931348623157e308,
)


@dataclass(frozen=True)
class Case:
    seed: int
    rows: int
    columns: int
    table: Table
    settings: Settings

    def __repr__(self) -> str:
        t = self.table
        lines = [f"build_case({self.seed}, {self.rows}, {self.columns})", f"  {self.settings}"]
        for c in t.columns:
            kind = c.kind if c.kind == "ordered" else f"nominal of {c.n_categories}"
            lines.append(f"  {c.name} ({kind}): {list(c.values)}")
        kind = "regression" if t.n_classes is None else f"{t.n_classes} classes"
        lines += [f"  target ({kind}): {list(t.target)}", f"  weights: {t.weights and list(t.weights)}"]
        return "\n".join(lines)


def wild_pool(rng: Random) -> list[float]:
    """A few extreme floats, each perhaps with the next floats above it."""
    pool: list[float] = []
    for _ in range(rng.randint(1, 6)):
        x = rng.choice(WILD) if rng.random() < 0.7 else rng.uniform(-1, 1) * 10.0 ** rng.randint(-300, 300)
        pool.append(x)
        for _ in range(rng.choice((0, 0, 1, 2))):
            x = math.nextafter(x, math.inf)
            pool.append(x if math.isfinite(x) else -x / 2 if x > 0 and math.isfinite(-x / 2) else 0.0)
    return pool


def build_column(rng: Random, name: str, n: int) -> Col:
    shape = rng.choice(
        (
            "few",
            "few",
            "few",
            "many",
            "wild",
            "wild",
            "nominal",
            "nominal",
            "nominal",
            "nominal",
            "constant",
            "absent",
        )
    )
    holes = rng.choice((0.0, 0.0, 0.1, 0.4)) if shape != "absent" else 1.0
    k, kind = 0, "ordered"
    pool: Sequence[float | int] = ()
    if shape == "few":
        pool = [x * rng.choice((1.0, 0.5, 0.1)) for x in rng.sample(range(-5, 10), rng.randint(2, 5))]
    elif shape == "wild":
        pool = wild_pool(rng)
    elif shape == "nominal":
        k, kind = rng.choice((1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 12)), "nominal"
        pool = rng.sample(range(k), rng.randint(max(1, k - 2), k))
    elif rng.random() < 0.5 and shape != "many":
        k, kind, pool = 3, "nominal", [rng.randrange(3)]
    elif shape != "many":
        pool = [rng.choice((0.0, -0.0, 2.5, 1e308))]
    values: list[Value] = []
    for _ in range(n):
        x = rng.choice(pool) if pool else round(rng.gauss(0, 10), 3)
        values.append(None if rng.random() < holes else x)
    return Col(name, kind, values, k)


def build_target(rng: Random, n: int, guide: Col) -> tuple[list[float], int | None]:
    """Classes or numbers; half of the time they follow the first column, with noise."""
    codes = {v: i for i, v in enumerate(dict.fromkeys(guide.values))}
    follow = rng.choice((0.0, 0.0, 0.7, 0.95))
    if rng.random() < 0.6:
        k = rng.choice((1, *(2, 3) * 6, 4, 4, 5, 5))
        skew = rng.choice((1.0, 1.0, 2.5))
        classes: list[float] = []
        for v in guide.values:
            free = int(k * rng.random() ** skew)
            classes.append(codes[v] % k if rng.random() < follow else free)
        return classes, k
    shape = rng.choice((*("small", "halves", "floats") * 3, "far", "huge", "constant"))
    fixed, targets = rng.choice((0.0, -0.0, 7.0, 0.1)), []
    for v in guide.values:
        step = rng.randint(0, 4)
        base = float(codes[v] % 7 if rng.random() < follow else step)
        jitter, sign = rng.gauss(0, 1), rng.choice((1.0, -1.0))
        targets.append(
            {
                "small": base,
                "halves": base * 0.5 - 1,
                "floats": base + jitter,
                "far": 1e6 + base * 0.25,
                "huge": sign * base * 1e200,
                "constant": fixed,
            }[shape]
        )
    return targets, None


def build_weights(rng: Random, n: int) -> list[float] | None:
    shape = rng.choice(("none", "none", "none", "counts", "dyadic", "floats", "equal"))
    if shape == "none":
        return None
    same = rng.choice((1.0, 2.0, 0.1, 3.7))
    weights = []
    for _ in range(n):
        x, c = rng.random(), rng.randint(0, 3)
        weights.append(
            {
                "counts": float(c),
                "dyadic": (c + int(4 * x)) / 8,
                "floats": 10.0 ** (4 * x - 2),
                "equal": same,
            }[shape]
        )
    if not any(weights):
        weights[0] = 1.0
    return weights


def build_settings(rng: Random, regression: bool) -> Settings:
    pick = rng.choice
    plain = rng.random() < 0.5  # no limits at all: the deepest trees
    criterion = "squared_error" if regression else pick(("gini", "entropy", "error"))
    categories = pick(("subset", "subset", "multiway"))
    return Settings(
        criterion=criterion,
        categories=categories,
        ties=pick(("column", "alphabetical")),
        zero_gain_splits=pick((False, False, True)),
        max_depth=None if plain else pick((None,) * 6 + (0, 1, 2, 2, 3, 6)),
        min_samples_split=2 if plain else pick((2, 2, 2, 3, 5, 12)),
        min_samples_leaf=1 if plain else pick((1, 1, 1, 1, 2, 3, 7)),
        min_weight_fraction_leaf=0.0 if plain else pick((0.0, 0.0, 0.0, 0.0, 0.0625, 0.05, 0.1, 0.25)),
        min_impurity_decrease=0.0 if plain else pick((0.0, 0.0, 0.0, 0.0, 0.001, 0.02, 0.0625, 0.2)),
        max_leaf_nodes=pick((None, None, None, 2, 3, 4, 5, 8, 13)),
        subset_correction=pick((False, True)) and criterion != "error" and categories == "subset",
    )


def build_case(seed: int, rows: int, columns: int) -> Case:
    names = Random(f"{seed}/names").sample(NAMES, len(NAMES))
    cols = [build_column(Random(f"{seed}/{j}"), names[j], rows) for j in range(columns)]
    target, k = build_target(Random(f"{seed}/target"), rows, cols[0])
    weights = build_weights(Random(f"{seed}/weights"), rows)
    settings = build_settings(Random(f"{seed}/settings"), k is None)
    return Case(seed, rows, columns, Table(cols, target, k, weights), settings)


def cases(max_rows: int = 40, max_columns: int = 5) -> st.SearchStrategy[Case]:
    return st.builds(
        build_case, st.integers(0, 2**32 - 1), st.integers(1, max_rows), st.integers(1, max_columns)
    )
