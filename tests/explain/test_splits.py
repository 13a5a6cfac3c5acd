"""Every number of a node: winners and gains are those of the tree, whatever it was grown with."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reference.native import to_table
from reference.strategies import build_column, build_target, build_weights

from bough.explain.sample import Sample
from bough.explain.splits import Grown, explain_split
from bough.growing import Settings, grow

QUICK = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


def draw_settings(rng: Random, classes: bool) -> Settings:
    pick = rng.choice
    criterion = (
        pick(("gini", "entropy", "error", "chi_square")) if classes else pick(("squared_error", "poisson"))
    )
    missing = pick(("learn", "learn", "fractional", "majority", "stop", "surrogate", "branch"))
    categories = pick(("subset", "multiway", "one_vs_rest"))
    choice = pick(("gain", "gain", "gain_ratio", "significance"))
    if criterion == "poisson" and choice == "gain_ratio":
        choice = "gain"
    if criterion == "chi_square" and missing == "branch":
        missing = "learn"
    if criterion == "chi_square" and choice != "gain_ratio" and rng.random() < 0.5:
        categories = "chaid"
    if criterion == "entropy" and rng.random() < 0.2:
        categories = "merge"
    bins = pick((None, None, 3))
    return Settings(
        criterion=criterion,
        choice=choice,
        categories=categories,
        missing=missing,
        ties=pick(("column", "alphabetical")),
        zero_gain_splits=pick((True, False)),
        thresholds=pick(("midpoint", "below", "data", "short")),
        mdl_correction=pick((False, False, True)) and criterion == "entropy",
        cut_minimum=pick(("leaf", "c45")),
        small_branches=pick((False, True)),
        min_weight_leaf=pick((0.0, 0.0, 2.0)),
        min_samples_leaf=pick((1, 1, 2)),
        min_samples_split=pick((2, 2, 6)),
        min_impurity_decrease=pick((0.0, 0.0, 0.02)),
        significance_level=pick((None, None, 0.3)),
        max_depth=pick((None, 2)),
        max_bins=bins,
        value_gap=pick((0.0, 0.0, 1e-5)) if bins is None else 0.0,
    )


def draw(seed: int, n_rows: int) -> tuple[Any, Any, Any, Any, Settings]:
    rng = Random(seed)
    columns = [build_column(Random(f"{seed}/{j}"), f"x{j}", n_rows) for j in range(rng.randint(1, 4))]
    target, k = build_target(rng, n_rows, columns[0])
    weights = build_weights(rng, n_rows)
    from reference.grower import Table

    table = to_table(Table(columns, target, k, weights))
    chosen = draw_settings(rng, k is not None)
    y = np.array(target, dtype=np.int32 if k else float)
    if chosen.criterion == "poisson":
        y = np.abs(y)
    classes = np.arange(k) if k else None
    w = None if weights is None else np.array(weights)
    if w is not None:
        table, y, w = table.take(w > 0), y[w > 0], w[w > 0]
    return table, y, classes, w, chosen


@QUICK
@given(seed=st.integers(0, 2**32 - 1), n_rows=st.integers(2, 40))
def test_the_winner_and_its_gain_are_the_trees_own(seed: int, n_rows: int) -> None:
    table, y, classes, w, chosen = draw(seed, n_rows)
    if classes is None and np.abs(y).max() > 1e5:
        return  # the core refines its moments there; the page would show rounding
    tree = grow(table, y, classes, w, chosen)
    grown = Grown(Sample(table, y, w), chosen)
    for node in range(tree.n_nodes):
        if tree.n_rows[node] == 0:
            continue
        told = explain_split(tree, node, grown)
        assert told.same, told.place
        assert told.notes == (), (told.place, told.notes)
        assert told.whole.n == tree.n_rows[node]
        assert told.whole.impurity == pytest.approx(tree.impurity[node], rel=1e-9, abs=1e-9)
        if told.winner is None:
            assert told.leaf
            continue
        assert told.winner.column == tree.fields[tree.feature[node]].name
        assert told.winner.gain == tree.gain[node]
        best = max((cut.gain for cut in told.winner.cuts if cut.valid), default=None)
        if best is not None and np.isfinite(tree.threshold[node]):
            assert best == pytest.approx(tree.gain[node], rel=1e-7, abs=1e-9)
