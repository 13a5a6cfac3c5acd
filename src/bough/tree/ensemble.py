"""Trees that answer together: averaged (forests), voted by weight (AdaBoost), or added up (boosting)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from bough import _core
from bough.data.ingest import check_known, to_table
from bough.data.matrix import is_numeric, plain_matrix
from bough.data.objects import label
from bough.data.table import Field, Table
from bough.errors import BoughError
from bough.kept import kept
from bough.tree.notes import Notes
from bough.tree.rules import cheapest, class_shares
from bough.tree.text import shown_name, significant
from bough.tree.tree import ARRAYS, Tree

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]

COMBINE = ("mean", "vote", "sum")
LINKS = ("identity", "logistic", "softmax", "exp")
RAW = _core.Link.identity


@dataclass(frozen=True, eq=False, repr=False)
class Summand(Tree):
    """A tree of those that are added up; it says what it adds."""

    said: str = ""

    @property
    def note(self) -> str:
        return self.said

    @kept
    def has_variances(self) -> bool:
        """Gains of boosting may add up as variances do, and are none."""
        return not self.said and super().has_variances


@dataclass(frozen=True, eq=False, repr=False)
class Ensemble:
    """All trees ask the same fields. With `combine`
    "mean": class shares, or numbers, are averaged by `weights`;
    "vote": each tree's answer gets the tree's weight (of numbers: the weighted median);
    "sum":  raw output k is base[k] plus weights[t] times the value of tree t's leaf, over trees t with
            output[t] = k; `link` turns raw outputs into the answer ("logistic": one raw output, two classes;
            "softmax": one for each class; "identity" and "exp": a number). Such trees have classes None."""

    trees: tuple[Tree, ...]
    fields: tuple[Field, ...]
    classes: NDArray[Any] | None  # None: the answer is a number
    combine: str
    weights: Floats
    output: Ints
    base: Floats
    link: str = "identity"
    notes: Notes = Notes()

    def __len__(self) -> int:
        return len(self.trees)

    @overload
    def __getitem__(self, number: int) -> Tree: ...
    @overload
    def __getitem__(self, number: slice) -> tuple[Tree, ...]: ...
    def __getitem__(self, number: int | slice) -> Tree | tuple[Tree, ...]:
        if isinstance(number, slice):
            return tuple(self[i] for i in range(*number.indices(len(self))))
        tree = self.trees[number]
        if self.combine != "sum":
            return tree
        given = {field.name: getattr(tree, field.name) for field in fields(Tree)}
        return Summand(**given, said=self._adds(number))

    def _adds(self, number: int) -> str:
        """What a tree does to the sum: the values of its leaves are without the learning rate."""
        classes = self.classes if len(self.base) > 1 else None
        name = "" if classes is None else shown_name(label(classes[self.output[number]]))
        rate = significant(float(self.weights[number]), 4)
        return f"the tree adds {rate} (learning rate) × the leaf's value to the sum{name and f' for {name}'}"

    def __iter__(self) -> Iterator[Tree]:
        return iter(self.trees)

    @property
    def n_outputs(self) -> int:
        """Of `raw`: shares of the classes, votes for them, sums, or one number."""
        if self.combine == "sum":
            return len(self.base)
        return 1 if self.classes is None else len(self.classes)

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def node_values(self, tree: Tree) -> Floats:
        """What each node of a tree adds to the outputs, nodes by outputs."""
        if tree.packed is not None and self.combine == "mean":  # without its other arrays
            values = tree.packed.values()
            return values if tree.classes is None else class_shares(values, tree.rules)
        if tree.classes is None:
            return tree.value
        if self.combine == "mean":
            return tree.shares
        chosen: Floats = (tree.answers[:, None] == tree.classes).astype(np.float64)
        return chosen

    @kept
    def _forest(self) -> _core.Forest | None:
        """All trees packed for the core; None where rows are spread, which each tree does by itself."""
        if any(tree.spreads for tree in self.trees):
            return None
        sizes = [len(f.categories) if f.kind in ("nominal", "boolean") else 0 for f in self.fields]
        return _core.Forest(
            [tree.packed or {name: getattr(tree, name) for name in ARRAYS} for tree in self.trees],
            [np.ascontiguousarray(self.node_values(tree)) for tree in self.trees],
            self.weights,
            self.output if self.combine == "sum" else np.zeros(len(self.trees), np.int32),
            sizes,
            self.trees[0].rules.unseen == "majority",
            self.base if self.combine == "sum" else np.zeros(self.n_outputs),
            None if self.combine == "sum" else float(self.weights.sum()),
        )

    @kept
    def _reads_matrix(self) -> bool:
        numeric = is_numeric(self.fields) and not self.trees[0].rules.never_missing
        return numeric and self._forest is not None

    def table(self, data: Any, owner: str = "the model") -> Table:
        """Any data as the columns that the trees ask."""
        rules = self.trees[0].rules
        table = to_table(data, fields=self.fields, owner=owner, strict=rules.unseen == "error")
        check_known(table, rules.never_missing)
        return table

    @kept
    def _link(self) -> _core.Link:
        """From raw outputs to class shares."""
        return {"logistic": _core.Link.logistic, "softmax": _core.Link.softmax}.get(self.link, RAW)

    def _quick(self, data: Any, threads: int, link: _core.Link) -> Floats | None:
        """The answers for a matrix of numbers, which the core reads as it is; None: go the long way."""
        if not self._reads_matrix:
            return None
        forest = self._forest
        assert forest is not None
        found = forest.answers(data, threads, link)
        if found is None and not isinstance(data, list):
            matrix = plain_matrix(data, self.fields)
            if matrix is not None and matrix is not data:
                return forest.answers(matrix, threads, link)
        return found

    def raw(self, data: Any, threads: int = 1, owner: str = "the model") -> Floats:
        """What the trees say together, rows by outputs, before the link; not for the median of numbers."""
        found = self._quick(data, threads, RAW)
        return self._raw_of_table(data, threads, owner) if found is None else found

    def _raw_of_table(self, data: Any, threads: int, owner: str) -> Floats:
        """The same by the long way, which has the errors."""
        table = self.table(data, owner)
        if self._forest is not None:
            found = self._forest.raw([column.values for column in table.columns], table.n_rows, threads)
            if found is not None:
                return found
        return self._raw_of_each(table, threads, owner)

    def _raw_of_each(self, table: Table, threads: int, owner: str) -> Floats:
        """The same from each tree's answers; also of numbers near the largest float64: their mean is one too,
        their sum is not."""
        total = np.zeros((table.n_rows, self.n_outputs))
        if self.combine == "sum":
            total += self.base
        with np.errstate(over="ignore", invalid="ignore"):
            self._add_each(table, threads, owner, total)
        if self.combine == "sum":
            return total
        if np.isfinite(total).all():
            mean: Floats = total / self.weights.sum()
            return mean
        total[:] = 0.0
        replace(self, weights=self.weights / self.weights.sum())._add_each(table, threads, owner, total)
        return total

    def add_unseen(
        self,
        table: Table,
        bags: _core.Bags,
        first: int,
        total: Floats,
        times: NDArray[np.int64],
        threads: int = 1,
    ) -> None:
        """Adds to `total` what each tree says of the rows that are not in its bag, and to `times` how many
        trees that are. The trees are number first, first + 1 … of the bags."""
        if self._forest is not None:
            columns = [column.values for column in table.columns]
            self._forest.add_unseen(columns, table.n_rows, threads, bags, first, total, times)
            return
        for number, tree in enumerate(self.trees, first):
            rows = np.flatnonzero(bags.counts(number) == 0)
            if not rows.size:
                continue
            times[rows] += 1
            part = np.zeros((len(rows), self.n_outputs))
            alone = replace(self, trees=(tree,), weights=np.ones(1), output=np.zeros(1, np.int32))
            alone._add_each(table.take(rows), threads, "the model", part)
            total[rows] += part

    def _add_each(self, table: Table, threads: int, owner: str, total: Floats) -> None:
        """The same, tree by tree."""
        for tree, weight, output in zip(self.trees, self.weights, self.output, strict=True):
            if self.combine == "sum":
                total[:, output] += weight * tree.predict(table, threads, owner)
            elif self.classes is None:
                total[:, 0] += weight * tree.predict(table, threads, owner)
            elif self.combine == "mean":
                total += weight * tree.predict_proba(table, threads, owner)
            else:
                total += weight * (tree.predict(table, threads, owner)[:, None] == self.classes)

    def predict_proba(self, data: Any, threads: int = 1, owner: str = "the model") -> Floats:
        if self.classes is None:
            raise BoughError(
                "this model answers with numbers, so it has no class shares.",
                code="model",
                hint="Use predict.",
            )
        found = self._quick(data, threads, self._link)
        return self.shares(self._raw_of_table(data, threads, owner)) if found is None else found

    def shares(self, raw: Floats) -> Floats:
        """Class shares, rows by classes, from raw outputs."""
        if self.link == "logistic":
            return _core.logistic(raw)
        if self.link == "softmax":
            return _core.softmax(raw)
        return raw

    def answers(self, raw: Floats) -> NDArray[Any]:
        """Classes or numbers from raw outputs; not for the median of numbers."""
        if self.classes is not None:
            # Trees that vote have counted the costs already.
            costs = self.trees[0].rules.costs if self.combine == "mean" else None
            chosen: NDArray[Any] = self.classes[cheapest(self.shares(raw), costs)]
            return chosen
        return np.exp(raw[:, 0]) if self.link == "exp" else raw[:, 0]

    def predict(self, data: Any, threads: int = 1, owner: str = "the model") -> NDArray[Any]:
        if self.classes is None and self.combine == "vote":
            return self._median(data, threads, owner)
        return self.answers(self.raw(data, threads, owner))

    def _median(self, data: Any, threads: int, owner: str) -> Floats:
        table = self.table(data, owner)
        answers = np.column_stack([tree.predict(table, threads, owner) for tree in self.trees])
        return weighted_median(answers, self.weights)

    def apply(self, data: Any, threads: int = 1, owner: str = "the model") -> NDArray[np.int64]:
        """The number of the leaf that each row comes to, rows by trees."""
        table = self.table(data, owner)
        if self._forest is None:
            return np.column_stack([tree.apply(table, threads, owner) for tree in self.trees])
        columns = [column.values for column in table.columns]
        leaves: NDArray[np.int64] = self._forest.leaves(columns, table.n_rows, threads)
        return leaves

    def digest(self) -> str:
        """SHA-256 of the content: of the trees, in order, and of how they answer together."""
        head = [self.combine, self.link, None if self.classes is None else list(map(str, self.classes))]
        sha = hashlib.sha256(json.dumps(head, ensure_ascii=False).encode("utf-8", "surrogatepass"))
        for array, kind in ((self.weights, "<f8"), (self.output, "<i8"), (self.base, "<f8")):
            sha.update(np.ascontiguousarray(array, dtype=kind).tobytes())
        for tree in self.trees:
            sha.update(tree.digest().encode())
        return sha.hexdigest()

    def to_text(self) -> str:
        """How many trees and how large, how they answer together, and what they ask most."""
        from bough.tree.ensemble_text import ensemble_text  # which asks for this class

        return ensemble_text(self)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        what = "number" if self.classes is None else f"{len(self.classes)} classes"
        leaves = sum(tree.n_leaves for tree in self.trees)
        return f"Ensemble({len(self)} trees, {leaves} leaves, {len(self.fields)} columns, {what})"


def weighted_median(answers: Floats, weights: Floats) -> Floats:
    """Of each row of answers: the number at which half of the weight is reached, in ascending order."""
    order = answers.argsort(axis=1, kind="stable")
    reached = weights[order].cumsum(axis=1)
    place = (reached >= 0.5 * reached[:, -1:]).argmax(axis=1)
    rows = np.arange(len(answers))
    median: Floats = answers[rows, order[rows, place]]
    return median
