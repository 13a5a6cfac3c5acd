"""What all estimators of many trees share: one of the trees, pictures of it, explanations, notebooks."""

from __future__ import annotations

import sys
import warnings
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from bough.ensemble.interrupts import leave_if_one_of_several
from bough.errors import BoughError, BoughTypeError
from bough.estimators.base import Model
from bough.estimators.seen import Seen, kept_rows
from bough.explain.importance import Importance
from bough.tree import Ensemble, Tree
from bough.tree.ensemble import Summand
from bough.view import notebook_html

if TYPE_CHECKING:
    from bough.explain.contributions import Contributions

INTERRUPTED = "interrupted"  # how the warning begins that Ctrl-C has ended a fit
MOST_WALKS = 5_000_000  # rows times trees; above, a notebook shows the gains, which are there already


def warn_caller(text: str) -> None:
    """A warning at the line of the user's that has led here."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("bough."):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, UserWarning, stacklevel=level)


class OneOfMany(Summand):
    """A tree that a notebook draws."""

    def _repr_html_(self) -> str:
        return notebook_html(self, None, None)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": str(self), "text/html": self._repr_html_()}


class ManyTrees(Model):
    """A model with an `ensemble_`."""

    ensemble_: Ensemble

    def _say_interrupted(self, done: int, of: int, what: str = "trees") -> None:
        """Ctrl-C has ended the fit, and what was grown is kept: the same warning for all."""
        leave_if_one_of_several()
        warn_caller(f"{INTERRUPTED}: the model has {done} of {of} {what}.")

    def __len__(self) -> int:
        check_is_fitted(self)
        return len(self.ensemble_)

    def __getitem__(self, number: int) -> Tree:
        """One of the trees, counted from 0; a notebook draws it."""
        check_is_fitted(self)
        if not isinstance(number, int | np.integer):
            raise BoughTypeError(
                f"a tree of {type(self).__name__} has a number, not {number!r:.60}.",
                code="parameter",
                hint="model[0] is the first, model.ensemble_.trees is all of them.",
            )
        if not -len(self) <= number < len(self):  # an IndexError, so that iteration ends
            raise IndexError(f"tree {number} of a model with trees 0 to {len(self) - 1}")
        tree = self.ensemble_[int(number)]
        return OneOfMany(**{field.name: getattr(tree, field.name) for field in fields(tree)})

    def explain(self, row: Any) -> Contributions:  # type: ignore[override]  # of one tree it is a way
        """Why a row gets its answer: what each column adds to the answer that would be given if nothing were
        known (exact Shapley values, largest first). The row is a dict (columns that are not there are
        missing), a frame of one row, or a list of values."""
        from bough.explain.contributions import explain_together

        check_is_fitted(self)
        return explain_together(self.ensemble_, row, type(self).__name__)

    def _repr_html_(self) -> str:
        if not hasattr(self, "ensemble_"):
            return super()._repr_html_()
        from bough.reporting.many_notebook import many_html

        return many_html(self, quick_importances(self), self._changed())

    def _drawn(self, X: Any, y: Any, options: dict[str, Any]) -> tuple[Tree, Seen | None]:
        """The tree that the option `tree` names. Without rows: each tree has grown on rows or targets of its
        own, which are not kept."""
        check_is_fitted(self)
        number = options.pop("tree", None)
        if number is None or not isinstance(number, int | np.integer) or not 0 <= number < len(self):
            which = "which is meant?" if number is None else f"there is no tree {number!r}."
            raise BoughError(
                f"{type(self).__name__} has {len(self):,} trees: {which}",
                code="model" if number is None else "parameter",
                hint=f"Name one, from tree=0 to tree={len(self) - 1}, or take it: model[0].",
            )
        if X is not None or y is not None or options.get("test") is not None:
            raise BoughError(
                f"a tree of {type(self).__name__} is drawn without rows: it has grown on its own.",
                code="parameter",
                hint="Leave X, y and test out.",
            )
        return self.ensemble_[int(number)], None


def quick_importances(model: ManyTrees) -> Importance:
    """`importances()` where the rows that judge are at hand at no cost, which are a forest's out-of-bag rows;
    else the shares of the gain."""
    check_is_fitted(model)
    bagged, rows = getattr(model, "_bagged", None), kept_rows(model)
    judged = bagged is not None and bool(np.any(bagged[1].counts(0) == 0))
    if judged and rows is not None and rows.table.n_rows * len(model) <= MOST_WALKS:
        return model.importances()
    return model.importances(method="gain")
