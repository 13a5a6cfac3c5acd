"""The way of a row is the tree's, and the nearest other answer is the nearest."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bough
from bough.data.examples import load
from bough.data.table import Column, Table
from bough.explain.nearest import LEARNT, scales_of
from bough.explain.path import explain_row
from bough.tree import Tree

from .tables import draw, foreign

QUICK = settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))


def changed(table: Table, changes: dict[str, Any]) -> Table:
    """The row with these values, written as a user would."""
    columns = []
    for c in table.columns:
        values = c.values.copy()
        if c.field.name in changes:
            value = changes[c.field.name]
            if value is None:
                values[0] = math.nan
            elif c.field.kind == "boolean":
                values[0] = float(value)
            elif c.field.categories:
                values[0] = c.field.categories.index(value)
            elif c.field.kind == "datetime":
                values[0] = float(value.astype("int64"))
            else:
                values[0] = value
        columns.append(Column(c.field, values))
    return Table(tuple(columns), 1)


@QUICK
@given(seed=st.integers(0, 2**32 - 1), n_rows=st.integers(2, 30))
def test_path_answer_and_change_are_the_trees(seed: int, n_rows: int) -> None:
    case = draw(seed, n_rows)
    tree = case.tree
    rows = foreign(case, seed)
    for i in range(4):
        row = rows.take([i])
        told = explain_row(tree, row, scales_of(case.table))
        answer = tree.predict(row)[0]
        assert told.prediction == pytest.approx(answer) if tree.classes is None else told.prediction == answer
        if tree.classes is not None:
            assert list(told.shares.values()) == pytest.approx(tree.predict_proba(row)[0])
        if not told.parts:
            assert told.leaf == tree.apply(row)[0]
            assert [s.node for s in told.steps] + [told.leaf] * (
                told.leaf not in [s.node for s in told.steps]
            ) == (tree.path(told.leaf))
            assert told.n == tree.n_rows[told.leaf]
        assert sum(p.share for p in told.parts) == pytest.approx(1.0 if told.parts else 0.0)
        assert str(told).count("\n") >= len(told.steps)
        if told.nearest is not None:
            after = tree.predict(changed(row, {c.column: c.value for c in told.nearest.changes}))[0]
            assert after != answer
            assert after == told.nearest.prediction
        elif len(set(tree.answers[tree.feature < 0].tolist())) == 1:
            assert tree.n_leaves >= 1


def brute(tree: Tree, row: Table, scales: dict[str, float]) -> tuple[int, float] | None:
    """Over all values that the tree can tell apart: fewest changed columns, then the smallest change."""
    answer = tree.predict(row)[0]
    options = []
    for j, c in enumerate(row.columns):
        x = float(c.values[0])
        here: list[tuple[float, float]] = [(x, 0.0)]
        if c.field.kind in ("nominal", "boolean"):
            here += [
                (float(k), LEARNT if math.isnan(x) else 1.0) for k in range(len(c.field.categories)) if k != x
            ]
        else:
            cuts = tree.threshold[(tree.feature == j) & np.isfinite(tree.threshold)]
            whole = c.field.kind in ("ordinal", "datetime")
            values = {math.floor(t) if whole else float(t) for t in cuts}
            values |= {math.floor(t) + 1.0 if whole else float(np.nextafter(t, math.inf)) for t in cuts}
            values.add(0.0)  # known, where a split asks for no more
            scale = scales.get(c.field.name, 1.0)
            here += [(v, LEARNT if math.isnan(x) else abs(v / scale - x / scale)) for v in values]
        options.append(here)
    best: tuple[int, float] | None = None
    for chosen in itertools.product(*options):
        count = sum(size > 0 for _, size in chosen)
        total = sum(size for _, size in chosen)
        if count and (best is None or (count, total) < (best[0], best[1] - 1e-9)):
            moved = Table(
                tuple(Column(c.field, np.array([v])) for c, (v, _) in zip(row.columns, chosen, strict=True)),
                1,
            )
            if tree.predict(moved)[0] != answer:
                best = (count, total)
    return best


@settings(QUICK, max_examples=60)
@given(seed=st.integers(0, 2**32 - 1), n_rows=st.integers(4, 20))
def test_no_smaller_change_gets_another_answer(seed: int, n_rows: int) -> None:
    case = draw(seed, n_rows)
    tree = case.tree
    if (
        tree.classes is None
        or tree.n_leaves > 8
        or len(tree.surrogate_feature)
        or (tree.missing_child == -2).any()
    ):
        return
    scales = scales_of(case.table)
    if any(c.field.kind == "numeric" and c.field.name not in scales for c in case.table.columns):
        return
    row = foreign(case, seed).take([0])
    told = explain_row(tree, row, scales)
    found = brute(tree, row, scales)
    if told.nearest is None or any(c.value is None for c in told.nearest.changes):
        return  # only leaving a value out helps, which the search by hand does not try
    assert found is not None
    assert len(told.nearest.changes) <= found[0]
    if len(told.nearest.changes) == found[0]:
        assert sum(c.size for c in told.nearest.changes) <= found[1] + 1e-6


def test_the_text_of_titanic() -> None:
    columns, target = load("titanic")
    model = bough.DecisionTreeClassifier(max_leaf_nodes=6).fit(columns, target)
    assert str(model.explain({"sex": "male"})) == (
        "died, 88% (402 of 457 rows, 95% interval 85–91%)\n"
        "  sex = male       577 rows  died 81%\n"
        "  deck is missing  471 rows  died 86%\n"
        '  age is missing   457 rows  died 88%   missing goes with "> 3.5"\n'
        "nearest other answer: age <= 3.5 → survived 64% (14 rows)"
    )
    told = model.explain({"sex": "female", "pclass": 3, "fare": 20.0})
    assert [(c.column, c.text) for c in told.nearest.changes] == [("fare", "fare > 23.35")]
    assert told.shares == {"died": pytest.approx(48 / 117), "survived": pytest.approx(69 / 117)}


def test_a_row_comes_in_any_form() -> None:
    columns, target = load("titanic")
    frame = pd.DataFrame(columns)
    model = bough.DecisionTreeClassifier(max_leaf_nodes=6).fit(frame, target)
    whole = model.explain(frame.iloc[[17]])
    assert whole == model.explain(frame.iloc[17].to_dict()) == model.explain(frame.iloc[17])
    assert (
        whole
        == model.explain(list(frame.iloc[17]))
        == model.explain({c: [v[17]] for c, v in columns.items()})
        == model.explain([list(frame.iloc[17])])
        == model.explain([frame.iloc[17].to_dict()])
    )
    with pytest.raises(bough.BoughError, match="one row, not 2"):
        model.explain([list(frame.iloc[17])] * 2)
    with pytest.raises(bough.BoughError, match="one row, not 891"):
        model.explain(frame)
    with pytest.raises(bough.BoughError, match=r'"sexx".*"sex"'):
        model.explain({"sexx": "male"})
    with pytest.raises(bough.BoughError, match="2 values"):
        model.explain([1, 2])


def test_unseen_stay_spread_and_surrogates_are_said() -> None:
    columns, target = load("titanic")
    stop = bough.DecisionTreeClassifier(missing="stop", max_depth=2).fit(columns, target)
    assert "age is missing  577 rows  died 81%   the row stays here" in str(stop.explain({"sex": "male"}))
    assert "sex is without a branch here" in str(stop.explain({"sex": "?"}))
    spread = bough.C45Classifier().fit(columns, target).explain({"sex": "male", "pclass": 3})
    assert sum(part.share for part in spread.parts) == pytest.approx(1)
    assert "the row is spread over all branches" in str(spread)
    cart = bough.CARTClassifier(pruning=None).fit(columns, target)
    assert "as its surrogates say" in str(cart.explain({"sex": "male", "pclass": 3}))
    groups = bough.DecisionTreeClassifier(max_leaf_nodes=6).fit(columns, target)
    assert "deck = G" in str(groups.explain({"sex": "male", "deck": "G"}))
    assert 'has no branch here and goes with "missing"' not in str(
        groups.explain({"sex": "male", "deck": "G"})
    )


def test_numbers() -> None:
    columns, _ = load("titanic")
    fare = columns.pop("fare")
    model = bough.DecisionTreeRegressor(max_depth=2).fit(columns, fare)
    told = model.explain({"pclass": 1, "parch": 0})
    assert str(told).splitlines()[0] == "68.64 ± 67.4 (163 rows, 95% interval 58.18 to 79.1)"
    assert told.share is None
    assert told.nearest.prediction != told.prediction
    assert told.to_dict()["steps"][0]["column"] == "pclass"


def test_the_nearest_answer_is_the_one_that_the_changed_row_gets() -> None:
    """Surrogates may ask the column that changes, and send the row to another leaf than it was meant for."""
    for seed in (0, 15, 44):
        rng = np.random.default_rng(seed)
        columns = {name: rng.integers(0, 6, 30).astype(float) for name in "ab"}
        target = columns["a"] + columns["b"] + rng.normal(size=30) * 0.3
        columns["c"] = columns["a"] + rng.integers(0, 2, 30)
        for values in columns.values():
            values[rng.random(30) < 0.25] = np.nan
        model = bough.DecisionTreeRegressor(missing="surrogate", max_depth=4).fit(columns, target)
        for i in range(30):
            row = {name: values[i] for name, values in columns.items()}
            found = model.explain(row).nearest
            assert found is not None
            again = model.explain(row | {change.column: change.value for change in found.changes})
            assert (again.prediction, again.leaf) == (found.prediction, found.leaf)
