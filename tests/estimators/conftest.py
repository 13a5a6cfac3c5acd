"""What several modules ask of models of many trees."""

from __future__ import annotations

from typing import Any

import pytest
from estimators.shown import CASES, mass
from sklearn.base import clone

from bough.data.examples import load


@pytest.fixture(scope="module", params=list(CASES))
def made(request: pytest.FixtureRequest) -> tuple[Any, Any]:
    model, data = CASES[request.param]
    X, y = mass() if data == "mass" else load(data)
    return clone(model).fit(X, y), X
