"""C45Classifier, ID3Classifier and the stump against what Weka (J48, Id3, DecisionStump) and C4.5 printed."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from reference import c45

from bough import C45Classifier, DecisionStumpClassifier, ID3Classifier
from golden.readers import TABLES, Golden, load, load_c45, outside, printed, weka

# Weka's options as parameters.
CONFIGS: dict[str, dict[str, Any]] = {
    "default": {},
    "unpruned": {"pruning": None},
    "unpruned_M1": {"pruning": None, "min_weight_leaf": 1.0},
    "noraise": {"subtree_raising": False},
    "binary": {"categories": "one_vs_rest"},
    "laplace": {"probabilities": "laplace"},
    "C0.05": {"confidence": 0.05},
}


# C4.5's own, beside the defaults of release 8: splits without gain are tried, collapsing removes them again.
OPTIONS: dict[str, dict[str, Any]] = {
    "": {},
    "-g": {"choice": "gain"},
    "-s": {"categories": "merge"},
    "-m1": {"min_weight_leaf": 1.0},
    "-c10": {"confidence": 0.1},
    "-c50": {"confidence": 0.5},
}
STEMS = ("golf", "labor-neg", "vote", "monk1", "crx")
# Columns of a node tie here, and the single precision of C4.5 takes a later one.
TIED = (("crx", "-g"), ("crx", "-m1"))
RELEASE_8 = {"error_estimate": "table", "zero_gain_splits": True, "ties": "single"}


def fitted(table: Golden, **options: Any) -> C45Classifier:
    return C45Classifier(classes=table.classes, **options).fit(table.frame, table.target)


def wrong(model: C45Classifier, table: Golden) -> int:
    return int(np.count_nonzero(model.predict(table.frame) != np.array(table.target)))


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("name", TABLES)
def test_j48(name: str, config: str) -> None:
    table, figures = load(name), weka(name, f"J48_{config}")
    model = fitted(table, **CONFIGS[config])
    assert list(model.classes_) == figures.classes
    assert (model.tree_.n_nodes, model.tree_.n_leaves) == (figures.size, figures.leaves)
    shares = model.predict_proba(table.frame)
    np.testing.assert_allclose(shares, figures.train_predictions, rtol=0, atol=1e-9)
    # J48 names a class by the shares as counted, whatever it prints.
    counted = fitted(table, **CONFIGS[config] | {"probabilities": "raw"})
    assert 1 - wrong(counted, table) / len(table.target) == pytest.approx(figures.train_accuracy)


@pytest.mark.parametrize("categories", ["multiway", "one_vs_rest"])
@pytest.mark.parametrize("name", TABLES)
def test_every_node_of_the_tree_as_grown(name: str, categories: str) -> None:
    table = load(name)
    tree = fitted(table, categories=categories, min_weight_leaf=1.0, collapse=False, pruning=None).tree_
    nodes = [c45.grow(table.table, c45.Settings(minimum=1, categories=categories))]
    for node in nodes:
        nodes.extend(node.children)
    assert tree.feature.tolist() == [-1 if n.split is None else n.split.column for n in nodes]
    np.testing.assert_allclose(tree.value, [n.counts for n in nodes], rtol=0, atol=1e-9)
    cuts = {i: n.split.threshold for i, n in enumerate(nodes) if n.split and n.split.threshold is not None}
    assert tree.threshold[list(cuts)].tolist() == list(cuts.values())


@pytest.mark.parametrize("name", ["weather.nominal", "contact-lenses"])
def test_id3(name: str) -> None:
    table = load(name)
    model = ID3Classifier(classes=table.classes).fit(table.frame, table.target)
    assert model.predict_proba(table.frame).tolist() == weka(name, "Id3").train_predictions


# Weka's stump gives missing values a third branch beside a category and the rest; these tables have none.
@pytest.mark.parametrize("name", [name for name in TABLES if not load(name).frame.isna().any(axis=None)])
def test_decision_stump(name: str) -> None:
    table = load(name)
    model = DecisionStumpClassifier(classes=table.classes, criterion="entropy", categories="one_vs_rest")
    shares = model.fit(table.frame, table.target).predict_proba(table.frame)
    expected = weka(name, "DecisionStump").train_predictions
    np.testing.assert_allclose(shares, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize(("stem", "option"), TIED)
def test_ties_of_release_8_are_broken_by_its_single_precision(stem: str, option: str) -> None:
    path = outside("c45", stem)
    table, options = load_c45(path), RELEASE_8 | OPTIONS[option]
    expected = printed(path.with_name(f"{stem}__c45{option}.txt"))[0]["size"]
    sizes = {
        ties: fitted(table, **options | {"pruning": None, "ties": ties}).tree_.n_nodes
        for ties in ("single", "column")
    }
    assert sizes["single"] == expected != sizes["column"]


@pytest.mark.parametrize(("stem", "option"), list(product(STEMS, OPTIONS)))
def test_c45_release_8(stem: str, option: str) -> None:
    path = outside("c45", stem)
    table = load_c45(path)
    options = RELEASE_8 | OPTIONS[option]
    grown, pruned = fitted(table, **options | {"pruning": None}), fitted(table, **options)
    tables = [table] if stem == "golf" else [table, load_c45(path, ".test")]
    expected = printed(path.with_name(f"{stem}__c45{option}.txt"))
    for rows, line in zip(tables, expected, strict=True):
        found = {
            "size": grown.tree_.n_nodes,
            "errors": wrong(grown, rows),
            "pruned_size": pruned.tree_.n_nodes,
            "pruned_errors": wrong(pruned, rows),
        }
        assert found == {name: line[name] for name in found}


def test_shares_that_rounding_tells_apart_are_equal() -> None:
    """One row of crx is spread over leaves whose shares add up to 1/2 and 1/2 but for the last digit."""
    table = load_c45(outside("c45", "crx"))
    model = fitted(table, **RELEASE_8 | {"choice": "gain", "pruning": None})
    shares = model.predict_proba(table.frame)
    near = np.flatnonzero(np.abs(shares[:, 0] - shares[:, 1]) < 1e-12)
    assert len(near)
    assert set(model.predict(table.frame)[near]) == {model.classes_[0]}
