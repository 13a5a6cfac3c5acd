"""The digest counts columns and categories by name: their order makes no difference, their content does."""

from __future__ import annotations

import dataclasses
import pickle

import numpy as np
import pandas as pd
import pytest

from bough import DecisionTreeClassifier, Tree
from bough.data.table import Field

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


@pytest.fixture
def small():
    X = {"n": [1.0, 2.0, 3.0, 4.0, None, 6.0], "c": ["u", "v", "u", "w", "v", "w"]}
    return DecisionTreeClassifier().fit(X, ["a", "b", "a", "b", "b", "a"]).tree_


def changed(tree, name, place, value):
    array = getattr(tree, name).copy()
    array[place] = value
    return dataclasses.replace(tree, **{name: array})


def test_the_digest_sees_every_change_of_an_array(small):
    asking = int(np.flatnonzero(small.kind == 1)[0])
    grouping = int(np.flatnonzero(small.kind == 2)[0])
    place = int(small.category_start[grouping])
    others = [
        changed(small, "threshold", asking, np.nextafter(small.threshold[asking], 9)),
        changed(small, "value", (0, 0), np.nextafter(small.value[0, 0], 9)),
        changed(small, "missing_child", asking, 1 - small.missing_child[asking]),
        changed(small, "category_child", place, 1 - small.category_child[place]),
        dataclasses.replace(small, classes=np.array(["a", "c"])),
    ]
    digests = {tree.digest() for tree in others}
    assert len(digests) == len(others)
    assert small.digest() not in digests


def test_the_digest_sees_names_kinds_and_categories(small):
    n, c = small.fields
    other = [(Field("m", n.kind), c), (n, Field("d", c.kind, c.categories))]
    other.append((n, Field(c.name, c.kind, ("u", "v", "x"))))
    digests = {dataclasses.replace(small, fields=fields).digest() for fields in other}
    assert len(digests) == 3
    assert small.digest() not in digests


def test_the_digest_of_an_ordinal_column_depends_on_the_order_of_categories():
    def fit(order):
        sizes = pd.Categorical(["S", "M", "L"], categories=order, ordered=True)
        return DecisionTreeClassifier(max_depth=0).fit(pd.DataFrame({"size": sizes}), [0, 1, 1])

    assert fit(["S", "M", "L"]).digest() != fit(["M", "S", "L"]).digest()


def test_the_digest_is_a_known_text():
    digest = DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "b"]).digest()
    assert len(digest) == 64
    assert set(digest) <= set("0123456789abcdef")


def test_two_trees_are_told_apart_by_content_not_by_place(small):
    again = pickle.loads(pickle.dumps(small))
    assert isinstance(again, Tree)
    assert again is not small
    assert again.digest() == small.digest()
