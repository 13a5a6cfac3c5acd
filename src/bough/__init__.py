"""Decision trees from tables with categories and empty cells: exact, readable, fast."""

from __future__ import annotations

import importlib
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from bough.data.table import Table
from bough.errors import BoughError
from bough.tree import Tree

if TYPE_CHECKING:
    from bough.estimators import DecisionTreeClassifier, DecisionTreeRegressor

__version__ = version("bough")
__all__ = ["BoughError", "DecisionTreeClassifier", "DecisionTreeRegressor", "Table", "Tree"]

# The estimators bring scikit-learn, which takes a second to import: only for those who touch them.
_LATER = {name: "bough.estimators" for name in ("DecisionTreeClassifier", "DecisionTreeRegressor")}


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(importlib.import_module(_LATER[name]), name)
    raise AttributeError(f"module 'bough' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})
