"""Pages of trees, opened in a browser; at the end they have asked for nothing and had no errors."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from opened import Opened
from pictured import model

from bough.estimators.seen import training_rows
from bough.view import tree_page


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Any]:
    made: list[Opened] = []

    def start(name: str, **options: Any) -> Opened:
        fitted = model(name)
        made.append(Opened(browser, tmp_path, tree_page(fitted.tree_, training_rows(fitted)), **options))
        return made[-1]

    yield start
    for one in made:
        one.context.close()
        assert not one.asked
        assert not one.errors
