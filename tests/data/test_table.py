"""The typed table: taking rows, immutability."""

import dataclasses
import pickle

import numpy as np
import pytest

from bough.data.table import Column, Field, Table


def small() -> Table:
    return Table(
        (
            Column(Field("age", "numeric"), np.array([1.0, np.nan, 3.0])),
            Column(Field("sex", "nominal", ("f", "m")), np.array([0.0, 1.0, np.nan])),
        ),
        3,
    )


def test_names_and_fields() -> None:
    table = small()
    assert table.names == ("age", "sex")
    assert table.fields[1] == Field("sex", "nominal", ("f", "m"))


@pytest.mark.parametrize("rows", [[2, 0], np.array([2, 0]), (2, 0)])
def test_take_keeps_the_order_asked_for(rows: object) -> None:
    taken = small().take(rows)  # type: ignore[arg-type]
    assert taken.n_rows == 2
    assert taken.columns[0].values.tolist() == [3.0, 1.0]


def test_take_by_mask_and_of_nothing() -> None:
    assert small().take(np.array([True, False, True])).columns[0].values.tolist() == [1.0, 3.0]
    nothing = small().take([])
    assert nothing.n_rows == 0
    assert nothing.columns[0].values.size == 0


def test_values_cannot_be_written_but_the_users_array_can() -> None:
    mine = np.array([1.0, 2.0])
    column = Column(Field("a", "numeric"), mine)
    with pytest.raises(ValueError, match="read-only"):
        column.values[0] = 5
    mine[0] = 7
    assert np.shares_memory(column.values, mine)
    with pytest.raises(dataclasses.FrozenInstanceError):
        column.field = Field("b", "numeric")  # type: ignore[misc]


def test_pickles() -> None:
    again = pickle.loads(pickle.dumps(small()))
    assert again.fields == small().fields
    np.testing.assert_array_equal(again.columns[0].values, small().columns[0].values)
