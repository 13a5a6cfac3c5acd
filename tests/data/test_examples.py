"""Tests of bough.data.examples: the shipped tables are the lectures' tables, complete and typed."""

from __future__ import annotations

import numpy as np
import pytest

from bough.data.examples import EXAMPLES, demo_table, example, load
from bough.errors import BoughError

SHAPES = {
    "restaurant": (12, 10),
    "tennis": (14, 4),
    "rain": (100, 1),
    "poll1": (8, 3),
    "poll2": (8, 3),
    "poll3": (8, 2),
    "iris7": (7, 4),
    "births": (5, 3),
    "csection": (1000, 5),
    "titanic": (891, 8),
    "penguins": (344, 7),
}


def test_every_table_is_there_with_its_shape() -> None:
    assert list(EXAMPLES) == list(SHAPES)
    for name, (n_rows, n_columns) in SHAPES.items():
        columns, target = load(name)
        assert len(columns) == n_columns
        assert {len(values) for values in [*columns.values(), target]} == {n_rows}
        assert EXAMPLES[name].target not in columns
        assert None not in target


@pytest.mark.parametrize("name", EXAMPLES)
def test_declared_categories_are_exactly_those_that_occur(name: str) -> None:
    columns, target = load(name)
    described = EXAMPLES[name]
    for column, values in {**columns, described.target: target}.items():
        known = {value for value in values if value is not None}
        if described.kind(column) == "numeric":
            assert len({type(value) for value in known}) == 1
            assert {type(value) for value in known} <= {int, float}
        elif (name, column) == ("poll3", "A"):
            assert known == {"1"}
        else:
            assert known == set(described.categories[column])
            assert len(known) == len(described.categories[column])
    assert set(described.categories) <= {*columns, described.target}


@pytest.mark.parametrize("name", EXAMPLES)
def test_demo_table_says_the_same_as_load(name: str) -> None:
    columns, target = load(name)
    expected = {**columns, EXAMPLES[name].target: target}
    table = demo_table(name)
    assert set(table.names) == set(expected)
    for column in table.columns:
        assert column.field.kind == EXAMPLES[name].kind(column.field.name)
        assert column.values.dtype == np.float64
        names = column.field.categories
        decoded = [None if np.isnan(v) else names[int(v)] if names else v for v in column.values]
        assert decoded == expected[column.field.name]
    assert table.n_rows == len(target)


def test_restaurant_names_and_the_value_none() -> None:
    columns, target = load("restaurant")
    assert list(columns) == ["Alt", "Bar", "Fri", "Hungry", "Patrons", "Price", "Rain", "Res", "Type", "Est"]
    assert columns["Patrons"].count("None") == 2
    assert (target.count("T"), target.count("F")) == (6, 6)
    assert [values[4] for values in columns.values()] == [
        "T",
        "F",
        "T",
        "F",
        "Full",
        "$$$",
        "F",
        "T",
        "French",
        ">60",
    ]


def test_order_of_categories_is_the_lecture_s() -> None:
    fields = {field.name: field for field in demo_table("tennis").fields}
    assert fields["Outlook"].categories == ("Sunny", "Overcast", "Rain")
    assert fields["Temperature"].categories == ("Hot", "Mild", "Cool")
    assert demo_table("tennis").columns[0].values[:4].tolist() == [0, 0, 1, 2]


def test_numbers_and_missing_values() -> None:
    columns, target = load("titanic")
    assert [columns[c][0] for c in columns] == [3, "male", 22.0, 1, 0, 7.25, "S", None]
    assert type(columns["pclass"][0]) is int
    assert sum(values.count(None) for values in columns.values()) == 867
    assert (target.count("died"), target.count("survived")) == (549, 342)
    columns, target = load("penguins")
    assert columns["sex"].count(None) == 11
    assert columns["body_mass_g"][:4] == [3750.0, 3800.0, 3250.0, None]
    assert {c: EXAMPLES["titanic"].kind(c) for c in ("pclass", "age", "sex")} == {
        "pclass": "numeric",
        "age": "numeric",
        "sex": "nominal",
    }


def test_each_call_gives_lists_of_its_own() -> None:
    load("poll1")[1].clear()
    assert len(load("poll1")[1]) == 8


def test_unknown_name() -> None:
    with pytest.raises(BoughError, match='Did you mean "tennis"') as caught:
        load("tenis")
    assert caught.value.code == "demo"
    assert "restaurant, tennis, rain" in caught.value.hint
    with pytest.raises(BoughError, match='no example table "heart"'):
        demo_table("heart")
    assert example("rain").target == "Cloud"
