"""What tests of bad input share: the check of an error, and the two kinds of tree."""

from __future__ import annotations

import math

import pytest

from bough import BoughError, DecisionTreeClassifier, DecisionTreeRegressor

NAN, INF = math.nan, math.inf
BOTH = [DecisionTreeClassifier, DecisionTreeRegressor]


def refused(what, text, code):
    """Runs `what` and checks the error: its family, its words, its length, and that it says what to do."""
    with pytest.raises(BoughError, match=text) as caught:
        what()
    error = caught.value
    assert error.code == code
    assert error.hint
    assert str(error) == f"{error.message}\n{error.hint}"
    assert len(str(error).splitlines()) <= 4
    assert "numpy.ndarray" not in str(error)
