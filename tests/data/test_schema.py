"""Rows that come later are read as the fields of the training table say."""

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import pytest
from data.tables import COLUMNS, NAN, equal_tables, same
from hypothesis import given
from hypothesis import strategies as st

from bough.data.encode import UNSEEN
from bough.data.ingest import to_table
from bough.errors import BoughError


class TestSchema:
    fields = to_table(
        {"age": [1.5, 2.0], "sex": ["f", "m"], "ok": [True, False], "on": [dt.date(2020, 1, 1)] * 2}
    )

    def encode(self, **values: Any) -> list[list[float]]:
        table = to_table({**values}, fields=[f for f in self.fields.fields if f.name in values])
        return [found.values.tolist() for found in table.columns]

    def test_by_name_in_any_order_extra_ignored(self) -> None:
        data = {"sex": ["m", "x"], "junk": [object(), {}], "ok": [1, 0], "on": [None, None], "age": [1, 2]}
        table = to_table(data, fields=self.fields.fields)
        assert table.fields == self.fields.fields
        same(table.columns[1].values.tolist(), [1.0, UNSEEN])
        assert table.columns[2].values.tolist() == [1.0, 0.0]

    def test_missing_column(self) -> None:
        with pytest.raises(BoughError, match='the model needs "age", the data does not have it') as caught:
            to_table({"Age_years": [1], "sex": ["f"]}, fields=self.fields.fields[:2])
        assert caught.value.code == "missing-column"
        assert 'Closest: "Age_years". Rename it to "age".' in caught.value.hint
        fields = to_table({"mean area": [1, 2], "mean radius": [1, 2]}).fields
        with pytest.raises(BoughError, match='needs "mean area"') as caught:
            to_table({"mean radius": [1]}, fields=fields)
        assert caught.value.hint == "Its columns: mean radius (1)"
        with pytest.raises(
            BoughError, match=r'needs "age", "sex", "ok", "on", the data does not have them\.'
        ):
            to_table({"zzzz": [1]}, fields=self.fields.fields)
        with pytest.raises(BoughError, match=r"Its columns: zzzz \(1\)"):
            to_table({"zzzz": [1]}, fields=self.fields.fields)

    def test_names_for_a_model_without_names(self) -> None:
        fields = to_table(np.eye(2)).fields
        with pytest.raises(
            BoughError, match=r"fitted on data without column names. Pass an array: X.to_numpy\(\)"
        ):
            to_table(pd.DataFrame({"a": [1], "b": [2]}), fields=fields)

    def test_count_as_scikit_learn_says_it(self) -> None:
        message = "X has 3 features, but DecisionTreeClassifier is expecting 2 features as input"
        fields = to_table(np.eye(2)).fields
        for data in (np.ones((1, 3)), [[1, 2, 3]], np.ones((1, 3), dtype=object)):
            with pytest.raises(BoughError, match=message):
                to_table(data, fields=fields, owner="DecisionTreeClassifier")

    def test_text_for_numbers(self) -> None:
        with pytest.raises(
            BoughError, match=r'column "age", row 1: the value is "old", .* fitted on numbers'
        ) as e:
            self.encode(age=[None, "old"])
        assert e.value.code == "column"
        with pytest.raises(
            BoughError, match=r'column "age" mixes numbers \(row 0: 1\) and text \(row 1: .old.\)'
        ):
            self.encode(age=[1, "old"])
        with pytest.raises(BoughError, match=r'column "age", row 0: the value is 2020-01-01T00:00:00'):
            self.encode(age=[dt.date(2020, 1, 1)])

    def test_dates_for_categories_and_numbers_for_dates(self) -> None:
        with pytest.raises(BoughError, match=r'column "sex", row 0: .* fitted on categories'):
            self.encode(sex=[dt.date(2020, 1, 1)])
        with pytest.raises(BoughError, match=r'column "on", row 0: the value is 3, .* fitted on dates'):
            self.encode(on=[3])

    def test_booleans(self) -> None:
        assert self.encode(age=[True, False]) == [[1.0, 0.0]]
        assert self.encode(ok=[1.0, 0.0]) == [[1.0, 0.0]]
        assert self.encode(ok=["True", "False"]) == [[1.0, 0.0]]
        with pytest.raises(
            BoughError, match=r'column "ok", row 1: the value is 2, .* fitted on True or False'
        ):
            self.encode(ok=[1, 2])

    def test_numbers_for_categories_match_by_their_text(self) -> None:
        fields = to_table({"c": ["1", "2", "2.5", "True"]}).fields
        for values in (
            [2, 1, 3, None],
            [2.0, 1.0, 9.5, NAN],
            np.array([2, 1, 3, np.nan]),
            ["2", "1", 3, None],
        ):
            same(to_table({"c": values}, fields=fields).columns[0].values.tolist(), [1.0, 0.0, UNSEEN, NAN])
        same(to_table(np.array([[2.5], [1]]), fields=fields).columns[0].values.tolist(), [2.0, 0.0])
        same(to_table({"c": [True, False]}, fields=fields).columns[0].values.tolist(), [3.0, UNSEEN])

    def test_other_categories_and_orders(self) -> None:
        fields = to_table({"c": pd.Categorical(["lo", "hi"], ["lo", "mid", "hi"], ordered=True)}).fields
        for values in (["hi", "new", "lo"], pd.Categorical(["hi", "new", "lo"])):
            found = to_table({"c": values}, fields=fields).columns[0]
            assert found.field == fields[0]
            same(found.values.tolist(), [2.0, NAN, 0.0])

    def test_all_missing_fits_every_kind(self) -> None:
        missing = {name: [None, None] for name in self.fields.names}
        table = to_table(missing, fields=self.fields.fields)
        assert table.fields == self.fields.fields
        assert all(np.isnan(found.values).all() for found in table.columns)

    def test_table_again(self) -> None:
        table = to_table(COLUMNS)
        assert to_table(table) is table
        assert to_table(table, fields=table.fields) is table
        picked = to_table(table, fields=table.fields[2:0:-1])
        assert picked.names == ("sex", "n")
        assert to_table(table, names=list("abcdefg")).names == tuple("abcdefg")

    def test_matrix_with_names(self) -> None:
        fields = to_table({"b": [1.0], "a": [2.0]}).fields
        table = to_table(np.array([[1.0, 2.0]]), names=["a", "b"], fields=fields)
        assert table.columns[0].values.tolist() == [2.0]

    @given(st.permutations(list(COLUMNS)), st.lists(st.integers(0, 3), min_size=1, max_size=6))
    def test_encoding_some_rows_equals_taking_them(self, order: list[str], rows: list[int]) -> None:
        table = to_table(COLUMNS)
        data = {name: [COLUMNS[name][row] for row in rows] for name in order}
        equal_tables(to_table(data, fields=table.fields), table.take(rows))
