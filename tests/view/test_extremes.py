"""Pictures of numbers, dates and names at the ends of what there is."""

from __future__ import annotations

import xml.dom.minidom

import numpy as np
import pytest

import bough
from bough.errors import BoughError
from bough.view import tree_page, tree_svg
from bough.view.words import staying


@pytest.mark.parametrize(
    "target",
    [
        [1e16, 1e16 + 2, 1e16 + 4, 1e16 + 4],
        [1.0, 1.0000000000000002, 1.0000000000000004, 1.0],
        [1e308, -1e308, 1e308, -1e308],
        [1e200, -1e200, 3, 4],
        [5e-324, 0, 0, 5e-324],
    ],
)
def test_targets_that_are_close_or_far_apart(target: list[float]) -> None:
    model = bough.DecisionTreeRegressor().fit({"a": [1.0, 2, 3, 4]}, target)
    pictures = [model.to_svg(detail="histogram"), tree_svg(model.tree_, detail="card")]
    for picture in pictures:
        xml.dom.minidom.parseString(picture)
        assert '"nan' not in picture
        assert "Mnan" not in picture
    assert "NaN" not in model.to_html() + tree_page(model.tree_)


@pytest.mark.parametrize("values", [[-1.7e308, 0.0, 1.0, 1.7e308], [1e17, 1e17, 2e17, 2e17]])
def test_columns_that_are_far_apart(values: list[float]) -> None:
    model = bough.DecisionTreeClassifier().fit({"a": values}, [0, 0, 1, 1])
    assert model.to_svg(detail="histogram").count("<rect") > model.to_svg(detail="card").count("<rect")
    # Other rows, that all have one value.
    assert "<svg" in str(model.to_svg(X={"a": [1e17] * 4}, y=[0, 0, 1, 1]))


def test_a_category_called_missing_keeps_the_pill_of_missing_rows() -> None:
    column = ["missing"] * 10 + ["b"] * 10 + [None] * 4
    model = bough.DecisionTreeClassifier().fit({"c": column}, ["p"] * 10 + ["q"] * 10 + ["p"] * 4)
    picture = model.to_svg(detail="card")
    assert "+ 4 missing" in picture
    assert "&quot;missing&quot;</text>" in picture


def test_dates_of_any_year() -> None:
    days = np.array(["-0100-01-01", "2020-01-01", "20000-01-01"], dtype="datetime64[us]")
    model = bough.DecisionTreeClassifier(thresholds="below").fit({"d": days}, [0, 1, 0])
    assert "≤ -100-01-01" in model.to_svg()
    assert "≤ 2020-01-01" in model.to_svg()


def test_the_list_has_the_parts_of_rows_that_are_spread() -> None:
    model = bough.DecisionTreeClassifier(missing="fractional").fit(
        {"a": [1.0, 1, 1, 2, None, None]}, [0, 0, 0, 1, 0, 1]
    )
    page = model.to_html()
    assert "<b>≤ 1.5 (+ 1.5 missing)</b>" in page
    assert "<b>&gt; 1.5 (+ 0.5 missing)</b>" in page


def test_rows_that_surrogates_know_do_not_stay() -> None:
    asked = [None, None, None, *map(float, range(3, 20))]
    other = [None, *map(float, range(1, 9)), 10.0, 9.0, *map(float, range(11, 20))]
    model = bough.DecisionTreeClassifier(missing="surrogate", surrogate_last="stop", max_depth=1).fit(
        {"a": asked, "b": other}, [0] * 10 + [1] * 10
    )
    assert (model.tree_.root.column, model.tree_.root.n_missing) == ("a", 3)
    assert model.tree_.n_rows.tolist() == [20, 9, 10]  # "b" knows two of the three
    assert staying(model.tree_.root) == " · ∅1 stay"


@pytest.mark.parametrize(
    "option",
    [
        {"most": 0},
        {"most": "a"},
        {"depth": "a"},
        {"depth": 1.5},
        {"node": 1.5},
        {"node": "a"},
        {"node": True},
    ],
)
def test_parts_that_are_not_there(option: dict[str, object]) -> None:
    model = bough.DecisionTreeClassifier().fit({"a": [1.0, 2.0]}, [0, 1])
    with pytest.raises(BoughError, match=r"not possible|no node"):
        model.to_svg(**option)


def test_weights_that_add_up_to_one_are_still_dots_and_digits() -> None:
    weights = [0.125] * 8
    model = bough.DecisionTreeClassifier().fit({"a": [1.0] * 5 + [2.0] * 3}, [0] * 5 + [1] * 3, weights)
    picture = model.to_svg(detail="histogram")
    dots = [line for line in picture.split("<path") if "stroke-linecap" in line]
    assert sorted(line.count("h0") for line in dots) == [3, 5]
    assert "0.38 of 0.38" in picture
