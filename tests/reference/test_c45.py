"""The plain C4.5 on random tables: what must hold whatever the table. Figures of others: tests/golden."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from .c45 import Node, Settings, answer, grow
from .c45_prune import Pruner, collapse, prune, reduced_error, training_errors
from .strategies import Case, cases

settings_of_c45 = st.builds(
    Settings,
    dialect=st.sampled_from(("j48", "release8")),
    minimum=st.sampled_from((1.0, 2.0, 3.5)),
    choice=st.sampled_from(("gain_ratio", "gain")),
    categories=st.sampled_from(("multiway", "one_vs_rest", "merge")),
    mdl_correction=st.booleans(),
    single=st.booleans(),
)


def nodes(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from nodes(child)


@given(cases(), settings_of_c45)
def test_weights_are_kept_and_answers_are_distributions(case: Case, settings: Settings) -> None:
    table = case.table
    assume(table.n_classes is not None)
    tree = grow(table, settings)
    for node in nodes(tree):
        if node.split is not None:
            assert sum(node.shares) == pytest.approx(1)
            assert sum(child.weight for child in node.children) == pytest.approx(node.weight, rel=1e-4)
            assert sum(child.weight >= settings.minimum - 1e-3 for child in node.children) >= 2
    for i in range(len(table.target)):
        shares = answer(tree, [c.values[i] for c in table.columns], settings, laplace=case.seed % 2 == 0)
        assert sum(shares) == pytest.approx(1)


@given(cases(), settings_of_c45, st.sampled_from((0.05, 0.25, 0.5)), st.booleans())
def test_pruning_keeps_its_promises(case: Case, settings: Settings, level: float, raising: bool) -> None:
    table = case.table
    assume(table.n_classes is not None)
    tree = grow(table, settings)
    size = tree.size
    collapse(tree, settings.dialect)
    assert tree.size <= size
    collapsed, pruner = deepcopy(tree), Pruner(table, settings, level, raising)
    estimate = prune(tree, table, settings, level, raising)
    assert tree.size <= collapsed.size
    assert estimate == pytest.approx(pruner.estimate(tree, tree.rows))
    # Each of the inner nodes may give way to something worse by 0.1.
    assert estimate <= pruner.estimate(collapsed, tree.rows) + 0.1 * collapsed.size + 1e-9
    if tree.split is not None:
        assert pruner.as_leaf(tree.rows) > estimate
    assert sum(leaf.weight for leaf in nodes(tree) if not leaf.children) == pytest.approx(
        tree.weight, rel=1e-4
    )


@given(cases(), settings_of_c45)
def test_reduced_error_pruning_only_takes_away(case: Case, settings: Settings) -> None:
    assume(case.table.n_classes is not None and case.rows >= 3)
    tree = reduced_error(case.table, settings)
    assert training_errors(tree) <= tree.errors + 1e-6
