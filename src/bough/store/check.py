"""Whether a model that was read can answer: every node, list and rule, beyond what the core checks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.data.table import BOOLEAN, Field
from bough.errors import BoughError
from bough.tree import Ensemble, Tree
from bough.tree.condition import MULTIWAY, SPREAD, THRESHOLD
from bough.tree.ensemble import COMBINE, LINKS
from bough.tree.rules import ESTIMATES, UNSEEN, Rules

KINDS = ("numeric", "boolean", "nominal", "ordinal", "datetime")
GROUPED = ("nominal", "boolean")
SUBSET = THRESHOLD + 1


def broken(why: str) -> BoughError:
    return BoughError(
        f"the model in the file cannot answer: {why}.",
        code="model",
        hint="Was it changed by hand? Save the model again.",
    )


def check_fields(fields: tuple[Field, ...]) -> None:
    if not fields or len({f.name for f in fields}) != len(fields):
        raise broken("its columns have no names of their own")
    for f in fields:
        texts = isinstance(f.name, str) and all(isinstance(c, str) for c in f.categories)
        if f.zoned not in ((None, True, False) if f.kind == "datetime" else (None,)):
            raise broken(f'the {f.kind} column "{f.name}" has a time zone')
        if not texts or f.kind not in KINDS or len(set(f.categories)) != len(f.categories):
            raise broken(f'the column "{f.name}" is not described as columns are')
        if (f.kind in ("numeric", "datetime") and f.categories) or (
            f.kind == "boolean" and f.categories != BOOLEAN
        ):
            raise broken(f'the {f.kind} column "{f.name}" has categories')


def check_classes(classes: NDArray[Any] | None) -> None:
    if classes is None:
        return
    if not isinstance(classes, np.ndarray) or classes.ndim != 1 or not classes.size:
        raise broken("it has no classes")
    labels = classes.tolist()
    if any(isinstance(v, list | dict) or v is None or v != v for v in labels):  # noqa: PLR0124  # NaN
        raise broken("a class is no label")
    if len(set(labels)) != len(labels):
        raise broken("a class comes twice")


def check_rules(rules: Rules, fields: tuple[Field, ...], n_classes: int) -> None:
    good = (
        rules.estimate in ESTIMATES
        and rules.unseen in UNSEEN
        and type(rules.m) in (int, float)
        and 0 < rules.m < math.inf
        and isinstance(rules.never_missing, tuple)
        and set(rules.never_missing) <= {f.name for f in fields}
    )
    if good and rules.costs is not None:
        costs = np.array(rules.costs, dtype=object)
        numbers = costs.shape == (n_classes, n_classes) and all(
            type(cost) in (int, float) and 0 <= cost < math.inf for cost in costs.ravel().tolist()
        )
        good = numbers and n_classes > 0
    if not good:
        raise broken("its rules for answers are not possible")


def check_tree(tree: Tree) -> None:
    """Raises unless every row can be walked to an answer."""
    check_rules(tree.rules, tree.fields, 0 if tree.classes is None else len(tree.classes))
    _check_numbers(tree)
    inner = tree.feature >= 0
    if (tree.feature[~inner] != -1).any() or (tree.n_children[~inner] != 0).any():
        raise broken("a leaf has children")
    expected = np.cumsum(tree.n_children) - tree.n_children + 1
    if (tree.first_child[inner] != expected[inner]).any() or int(tree.n_children.sum()) != tree.n_nodes - 1:
        raise broken("its nodes are not numbered breadth-first")
    _check_kinds(tree, inner)
    _check_lists(tree)
    try:
        assert tree.walker is not None
    except (ValueError, TypeError, KeyError):
        raise broken("its arrays do not fit together") from None
    _check_spread(tree)


def _check_numbers(tree: Tree) -> None:
    width = 1 if tree.classes is None else len(tree.classes)
    if tree.value.shape != (tree.n_nodes, width) or not np.isfinite(tree.value).all():
        raise broken("a node has no value")
    if tree.classes is not None and ((tree.value < 0).any() or not tree.value[0].sum() > 0):
        raise broken("a class has a negative weight, or the root has none")
    if (tree.n_rows < 0).any() or (tree.n_missing < 0).any():
        raise broken("a node has fewer rows than none")
    if not np.isfinite(tree.weight).all() or (tree.weight < 0).any():
        raise broken("a node has no weight")
    for name in (
        "threshold",
        "impurity",
        "gain",
        "surrogate_threshold",
        "surrogate_agree",
        "surrogate_adjusted",
    ):
        if np.isnan(getattr(tree, name)).any():
            raise broken(f"{name} is not a number")
    empty = np.flatnonzero(tree.n_rows == 0)
    if (empty == 0).any():
        raise broken("the root has no rows")
    if tree.classes is not None and (tree.n_children[empty] > 0).any():
        raise broken("a node without rows has children")


def _check_kinds(tree: Tree, inner: NDArray[Any]) -> None:
    if (tree.feature >= len(tree.fields)).any():
        raise broken("a node asks for a column that there is not")
    grouped = np.array([f.kind in GROUPED for f in tree.fields])
    wants = np.where(grouped[tree.feature], 0, THRESHOLD)
    kind = tree.kind
    good = np.where(wants == THRESHOLD, kind == THRESHOLD, (kind == SUBSET) | (kind == MULTIWAY))
    if not good[inner].all() or (kind[~inner] != 0).any():
        raise broken("a node asks for a column in a way that does not fit its kind")
    sizes = np.array([len(f.categories) for f in tree.fields])[tree.feature]
    ways = tree.n_children - sizes
    if ((kind == MULTIWAY) & (ways != 0) & (ways != 1)).any():
        raise broken("a node has more branches than categories")
    if (tree.missing_child[~inner] != -1).any():
        raise broken("a leaf sends missing values on")


def _check_lists(tree: Tree) -> None:
    sizes = [len(f.categories) if f.kind in GROUPED else 0 for f in tree.fields]
    _check_codes(tree.category_start, tree.category, np.array(sizes)[tree.feature])
    if (np.diff(tree.category_start)[tree.kind != SUBSET] != 0).any():
        raise broken("a node lists categories that it does not ask for")
    feature = tree.surrogate_feature
    if ((feature < 0) | (feature >= len(tree.fields))).any():
        raise broken("a surrogate asks for a column that there is not")
    grouped = np.array(sizes)[feature] > 0
    if (tree.surrogate_kind != np.where(grouped, SUBSET, THRESHOLD)).any():
        raise broken("a surrogate does not fit its column")
    _check_codes(tree.surrogate_category_start, tree.surrogate_category, np.array(sizes)[feature])


def _check_codes(start: NDArray[Any], codes: NDArray[Any], sizes: NDArray[Any]) -> None:
    """Category numbers are ascending in each list, and there are such categories."""
    if len(start) != len(sizes) + 1 or start[0] != 0 or start[-1] != len(codes) or (np.diff(start) < 0).any():
        raise broken("its lists of categories do not fit together")
    if (codes < 0).any() or (codes >= np.repeat(sizes, np.diff(start))).any():
        raise broken("a node lists a category that there is not")
    falls = np.flatnonzero(np.diff(codes) <= 0) + 1
    if not np.isin(falls, start).all():
        raise broken("a node lists a category twice")


def _check_spread(tree: Tree) -> None:
    spread = np.flatnonzero((tree.missing_child == SPREAD) & (tree.feature >= 0))
    below = np.bincount(tree.parent[1:], tree.weight[1:], tree.n_nodes)
    if (below[spread] <= 0).any():
        raise broken("a node spreads rows over branches without weight")


def check_ensemble(model: Ensemble) -> None:
    n_classes = 0 if model.classes is None else len(model.classes)
    count = len(model.trees)
    good = (
        model.combine in COMBINE
        and model.link in LINKS
        and model.weights.shape == (count,)
        and model.output.shape == (count,)
        and model.base.ndim == 1
        and bool(np.isfinite(model.weights).all() and np.isfinite(model.base).all())
    )
    if good and model.combine == "sum":
        outputs = {"identity": 1, "exp": 1, "logistic": 1, "softmax": n_classes}[model.link]
        wanted = {"identity": n_classes == 0, "exp": n_classes == 0, "logistic": n_classes == 2}
        good = (
            len(model.base) == outputs > 0
            and wanted.get(model.link, n_classes > 0)
            and bool(((model.output >= 0) & (model.output < outputs)).all())
            and all(tree.classes is None for tree in model.trees)
        )
    elif good:
        good = (
            model.link == "identity" and bool((model.weights >= 0).all()) and float(model.weights.sum()) > 0
        )
    if not good:
        raise broken("its trees cannot answer together")
