"""An average of models, as the verbs ask a tree or an ensemble: its columns, its classes, its answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bough.data.table import Field, Table
from bough.errors import BoughError
from bough.tree import Ensemble, Tree


@dataclass(frozen=True)
class Average:
    estimator: Any  # a WeightedAverageClassifier or a WeightedAverageRegressor

    @property
    def fields(self) -> tuple[Field, ...]:
        return next(self.models()).fields

    @property
    def classes(self) -> Any:
        return getattr(self.estimator, "classes_", None)

    def models(self) -> Iterator[Tree | Ensemble]:
        """Of all members, also of averages among them."""
        from bough.estimators.saving import model_of

        return map(model_of, _single(self.estimator))

    def predict(self, table: Table, threads: int) -> Any:
        return self._with(threads).predict(table)

    def predict_proba(self, table: Table, threads: int) -> Any:
        return self._with(threads).predict_proba(table)

    def _with(self, threads: int) -> Any:
        for member in _single(self.estimator):
            member.set_params(n_jobs=threads)
        return self.estimator

    def apply(self, table: Table, threads: int) -> Any:
        raise self.no_tree("the model")

    def no_tree(self, name: str) -> BoughError:
        """What is about one model, or its trees, cannot be had of several."""
        return BoughError(
            f"{name} is an average of {len(self.estimator.estimators_)} models, and this is about one.",
            code="parameter",
            hint="predict, eval, compare, explain and show (as text or JSON) work. For one of them, in "
            "Python:  bough.load(file).named_estimators_[name].save(other)",
        )

    def text(self) -> str:
        """The members with their weights."""
        from bough.tree.text import display_width, padded, shown_name, significant

        model = self.estimator
        rows = [("model", "weight", "")]
        for name, member, weight in model._members():
            rows.append((shown_name(name), significant(float(weight), 3), _size(member)))
        widths = [max(display_width(row[i]) for row in rows) for i in (0, 1)]
        lines = [f"  {padded(a, widths[0])}  {padded(b, widths[1])}  {c}".rstrip() for a, b, c in rows]
        return "\n".join([f"{type(model).__name__}: {len(lines) - 1} models, averaged", *lines])

    def as_dict(self) -> dict[str, Any]:
        """The same for JSON; of members that are averages, their members too."""
        return {
            "model": type(self.estimator).__name__,
            "members": list(map(_member, self.estimator._members())),
        }


def _member(found: tuple[str, Any, float]) -> dict[str, Any]:
    name, member, weight = found
    about = {"name": name, "weight": float(weight)}
    if hasattr(member, "estimators_"):
        return about | Average(member).as_dict()
    size = {"leaves": member.tree_.n_leaves} if hasattr(member, "tree_") else {"trees": len(member.ensemble_)}
    return about | {"model": type(member).__name__} | size


def _single(estimator: Any) -> Iterator[Any]:
    for member in estimator.estimators_:
        if hasattr(member, "estimators_"):
            yield from _single(member)
        else:
            yield member


def _size(member: Any) -> str:
    kind = type(member).__name__
    if hasattr(member, "estimators_"):
        return f"{kind}, {len(member.estimators_)} models"
    if hasattr(member, "tree_"):
        return f"{kind}, {member.tree_.n_leaves:,} leaves"
    return f"{kind}, {len(member.ensemble_):,} trees"
