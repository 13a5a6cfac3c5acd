"""The digest counts columns and categories by name: their order makes no difference, their content does."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bough import DecisionTreeClassifier

RNG = np.random.default_rng(5)
N = 400
COLOUR = RNG.choice(["red", "green", "blue", "white"], N)
SIZE = RNG.normal(size=N)
Y = (SIZE + (COLOUR == "red") - (COLOUR == "blue") + RNG.normal(size=N) > 0).astype(int)


def frame(categories: list[str] | None = None) -> pd.DataFrame:
    colour = COLOUR if categories is None else pd.Categorical(COLOUR, categories=categories)
    return pd.DataFrame({"size": SIZE, "colour": colour})


@pytest.mark.parametrize("kind", ["multiway", "subset"])
def test_the_declared_order_of_nominal_categories_does_not_count(kind: str) -> None:
    model = DecisionTreeClassifier(categories=kind, min_samples_leaf=4)
    plain = model.fit(frame(), Y)
    declared = DecisionTreeClassifier(categories=kind, min_samples_leaf=4).fit(
        frame(["white", "red", "blue", "green"]), Y
    )
    assert "colour" in {node.column for node in plain.tree_.nodes()}
    assert plain.tree_.fields != declared.tree_.fields
    assert plain.digest() == declared.digest()


def test_the_order_of_an_ordinal_column_counts() -> None:
    first, second = (
        pd.DataFrame({"c": pd.Categorical(COLOUR, categories=order, ordered=True)})
        for order in (["blue", "green", "red", "white"], ["white", "red", "green", "blue"])
    )
    model = DecisionTreeClassifier(max_depth=2)
    assert model.fit(first, Y).digest() != model.fit(second, Y).digest()


def test_the_order_of_columns_does_not_count() -> None:
    # Ties by name: small nodes have them, and by default the first column would win.
    model = DecisionTreeClassifier(min_samples_leaf=5, ties="alphabetical")
    assert model.fit(frame(), Y).digest() == model.fit(frame()[["colour", "size"]], Y).digest()
