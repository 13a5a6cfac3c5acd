"""R10: predict = apply = decision_path = rules = exports, on missing, new, threshold-equal values: 0 differ.

Every export runs on such rows before it is handed over (bough.exporting.fuzz, tests/exporting); rules are
asked in tests/explain/test_rules.py. Here: the answers of one model among themselves, for every kind."""

from __future__ import annotations

import every_model
import numpy as np
import pytest

from bough.exporting.fuzz import fuzz
from bough.exporting.plan import Plan

TREES = {name: model.tree_ for name, model in every_model.estimators().items()}
ENSEMBLES = every_model.ensembles()


def rows(model):
    """Values of every split, their neighbours, missing ones, new categories: what exports are tried with."""
    return fuzz(Plan(model), 500).table


@pytest.mark.parametrize("name", [name for name, tree in TREES.items() if not tree.spreads])
def test_a_tree_answers_as_the_node_that_it_says(name):
    tree = TREES[name]
    table = rows(tree)
    leaf = tree.apply(table)
    assert (tree.answers[leaf] == tree.predict(table)).all()
    path = tree.decision_path(table)
    assert path.shape == (table.n_rows, tree.n_nodes)
    last = [int(path.indices[path.indptr[i] : path.indptr[i + 1]].max()) for i in range(table.n_rows)]
    assert last == leaf.tolist()
    if tree.classes is not None:
        assert (tree.shares[leaf] == tree.predict_proba(table)).all()


@pytest.mark.parametrize("name", ENSEMBLES)
def test_trees_together_answer_as_each_of_them_says(name):
    model = ENSEMBLES[name]
    table = rows(model)
    assert model.apply(table).tolist() == np.column_stack([t.apply(table) for t in model]).tolist()
    each = np.zeros((table.n_rows, model.n_outputs))
    if model.combine == "sum":
        each += model.base
    if model.combine == "vote" and model.classes is None:
        return  # a median: tests/tree/test_ensemble.py
    model._add_each(table, 1, "the model", each)
    whole = each if model.combine == "sum" else each / model.weights.sum()
    np.testing.assert_allclose(model.raw(table), whole, rtol=1e-13, atol=1e-15)
    assert (model.answers(model.raw(table)) == model.predict(table)).all()


@pytest.mark.parametrize("threads", [2, 8])
@pytest.mark.parametrize("name", [*TREES, *ENSEMBLES])
def test_threads_answer_the_same(name, threads):
    model = {**TREES, **ENSEMBLES}[name]
    table = rows(model)
    assert (model.predict(table, threads) == model.predict(table)).all()
