"""What all estimators of many trees share: one of the trees, pictures of it, explanations, notebooks."""

from __future__ import annotations

import inspect
import re
import sys
import warnings
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from bough.data.table import Table
from bough.ensemble.interrupts import leave_if_one_of_several
from bough.ensemble.learning import learning_of
from bough.errors import BoughError, BoughTypeError, warn_caller
from bough.estimators.base import Model
from bough.estimators.elsewhere import unknown_attribute
from bough.estimators.seen import Seen, kept_rows
from bough.tree import Ensemble, Tree
from bough.tree.ensemble import Summand
from bough.tree.notes import Notes
from bough.tree.text import shortened

if TYPE_CHECKING:
    from bough.explain.contributions import Contributions
    from bough.explain.importance import Importance

INTERRUPTED = "interrupted"  # how the warning begins that Ctrl-C has ended a fit
NO_SPLIT = "no tree has a split: every row gets the same answer."
LONGEST = 60  # signs of a parameter in a line
# Above, a view shows the gains, which are there already.
MOST_WALKS = 5_000_000  # rows times trees, out of bag; 1.6 s
MOST_REFITTED = 2_000_000  # cells times trees, where folds are fitted anew; about half a second


class OneOfMany(Summand):
    """A tree that a notebook draws."""

    def _repr_html_(self) -> str:
        from bough.view import notebook_html

        return notebook_html(self, None, None)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": str(self), "text/html": self._repr_html_()}


class ManyTrees(Model):
    """A model with an `ensemble_`."""

    ensemble_: Ensemble
    verbose: Any
    time_limit: Any

    def _say_stopped(self, stopped: str, done: int, of: int, what: str = "trees") -> None:
        """The fit ended before its time, and what was grown is kept: the same warnings for all. `stopped`:
        "interrupted" by Ctrl-C, "late" by time_limit, or something that was asked for."""
        if stopped and self.verbose and done < of and sys.stderr.isatty():
            print(file=sys.stderr)  # the line of progress has not ended
        if stopped == INTERRUPTED:
            leave_if_one_of_several()
            warn_caller(f"{INTERRUPTED}: the model has {done} of {of} {what}.")
        elif stopped == "late" and done < of:
            warn_caller(f"time_limit={self.time_limit} s is over: the model has {done} of {of} {what}.")

    def _say_no_split(self, rows: int) -> None:
        """A warning where leaves of min_samples_leaf rows leave no room for a split."""
        if few := too_few_to_split(self, rows):
            warn_caller(f"{NO_SPLIT} {few} Try min_samples_leaf=1.")

    def _learned(self, X: Any, table: Table, classes: NDArray[Any] | None, **found: Any) -> None:
        """The trees take with them how they were made, so that all of their views can tell."""
        super()._learned(X, table, classes, **found)
        learning = learning_of(self)
        lines = (_call(self), *(() if learning is None else (learning.text,)))
        self.ensemble_ = replace(self.ensemble_, notes=Notes(lines))

    def __getattr__(self, name: str) -> Any:
        """Only asked for what is not there, or for a property that has failed: then it says itself why."""
        if isinstance(inspect.getattr_static(type(self), name, None), property):
            return object.__getattribute__(self, name)
        raise unknown_attribute(self, name)

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

    def _late_losses(self) -> NDArray[np.float64]:
        """Training losses after 0, 1, 2 … rounds that fit has not recorded, where they take little time."""
        return np.empty(0)

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


def _call(model: ManyTrees) -> str:
    """What makes the model: its class with the parameters that were changed."""
    said = (
        f"{name}={shortened(_as_text(value), LONGEST)}"
        for name, value in model._changed().items()
        if name not in ("callback", "verbose", "n_jobs")  # which change nothing
    )
    return f"{type(model).__name__}({', '.join(said)})"


def _as_text(value: Any) -> str:
    """The same in every process: without an address, sets in order."""
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_as_text, value))}]"
    if isinstance(value, (set, frozenset)):
        return f"{{{', '.join(sorted(map(_as_text, value)))}}}"
    return str(getattr(value, "__name__", None) or re.sub(r" at 0x[0-9A-Fa-f]+", "", repr(value)))


def too_few_to_split(model: Any, rows: int) -> str:
    """What is said of a model of single leaves if that is why; nothing otherwise."""
    least = getattr(model, "min_samples_leaf", 1)
    if not isinstance(least, int | np.integer) or rows >= 2 * least:
        return ""
    alone = all(tree.n_leaves == 1 for tree in model.ensemble_.trees)
    return f"{rows:,} rows are too few for leaves of {least} rows." if alone else ""


def quick_importances(model: ManyTrees, groups: Any = None) -> Importance:
    """What a view shows: the figures that were kept, `importances()` where they take little time, else the
    shares of the gain. `groups`: of the training rows, where new ones are to be judged."""
    from bough.explain.importance import Importance, names_of

    check_is_fitted(model)
    notes = model.ensemble_.notes
    if notes.measure:
        names, none = names_of(model.ensemble_), np.full(len(notes.values), np.nan)
        return Importance(names, np.array(notes.values), none, notes.measure)
    if _soon_judged(model, groups):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about fits of folds, which nobody has asked for
                more = {} if groups is None else {"groups": groups}
                found = model.importances(random_state=0, **more)
            if np.isfinite(found.values).all():
                return found
        except BoughError:
            pass  # rankers, and too few rows for folds
    return model.importances(method="gain")


def _soon_judged(model: Any, groups: Any) -> bool:
    rows = kept_rows(model)
    if rows is None:
        return False
    bagged = getattr(model, "_bagged", None)
    if groups is None and bagged is not None and np.any(bagged[1].counts(0) == 0):
        return rows.table.n_rows * len(model) <= MOST_WALKS
    # What the user wrote may be slow, and made for all of the rows alone.
    watched = getattr(model, "verbose", False) or getattr(model, "callback", None) is not None
    watched = watched or callable(getattr(model, "criterion", None)) or callable(getattr(model, "loss", None))
    work = rows.table.n_rows * len(rows.table.columns) * len(model)
    return not watched and work <= MOST_REFITTED


def keep_importances(model: ManyTrees, groups: Any = None) -> None:
    """With the trees, so that a model file has what rows have said that are not in it."""
    found = quick_importances(model, groups)
    if found.method != "gain":
        notes = replace(model.ensemble_.notes, measure=found.method, values=tuple(found.values.tolist()))
        model.ensemble_ = replace(model.ensemble_, notes=notes)
