"""Pictures of numbers, dates and names at the ends of what there is."""

from __future__ import annotations

import xml.dom.minidom

import numpy as np
import pytest

import bough
from bough.view import tree_page, tree_svg


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
