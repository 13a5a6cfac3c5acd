"""prune and compare: every method by its name, what it may be given, and what holds for all of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bough import BoughError, DecisionTreeClassifier, DecisionTreeRegressor
from bough.data.examples import load
from bough.pruning import METHODS, Evidence, compare, prune
from bough.pruning.compare import score
from bough.pruning.risk import node_answers, training_risk
from pruning.plain import SOME, asking_nodes
from pruning.test_rebuild import some_tree

OPTIONS = {"max_leaves": {"max_leaves": 5}, "cost_complexity": {"cp": 0.05}}


def penguins():
    """A tree grown on every other bird, and all birds."""
    columns, species = load("penguins")
    halves = [({c: values[start::2] for c, values in columns.items()}, species[start::2]) for start in (0, 1)]
    return DecisionTreeClassifier().fit(*halves[0]).tree_, *halves


def masses():
    columns, _ = load("penguins")
    known = [i for i, mass in enumerate(columns["body_mass_g"]) if mass is not None]
    columns = {name: [values[i] for i in known] for name, values in columns.items()}
    y = columns.pop("body_mass_g")
    halves = [({c: values[start::2] for c, values in columns.items()}, y[start::2]) for start in (0, 1)]
    return DecisionTreeRegressor(min_samples_leaf=2).fit(*halves[0]).tree_, *halves


@pytest.mark.parametrize("problem", [penguins, masses])
@pytest.mark.parametrize("name", METHODS)
def test_a_pruned_tree_is_a_part_of_the_tree(name, problem):
    tree, _, others = problem()
    method = METHODS[name]
    if tree.classes is None and not method.numbers:
        with pytest.raises(BoughError, match="answers with numbers"):
            prune(tree, name)
        return
    rows = {"data": others[0], "target": others[1]} if method.rows == "held-out" else {}
    before = tree.digest()
    pruned = prune(tree, name, **rows, **OPTIONS.get(name, {}))
    asking_nodes(tree, pruned)  # nothing else has changed
    assert tree.digest() == before
    assert pruned.n_leaves <= tree.n_leaves
    assert pruned.fields == tree.fields
    assert pruned.rules == tree.rules
    # Pruned once more by the same rule it stays as it is.
    assert prune(pruned, name, **rows, **OPTIONS.get(name, {})).digest() == pruned.digest()


@SOME
@given(st.integers(0, 10**6))
def test_simplify_changes_no_prediction(seed):
    tree, table, _ = some_tree(seed, missing=(0, 1, -1))
    small = prune(tree, "simplify")
    assert small.predict(table).tolist() == tree.predict(table).tolist()
    asking_nodes(tree, small)
    for node in small.nodes():
        if not node.is_leaf and all(child.is_leaf for child in node.children):
            assert len({child.prediction for child in node.children} | {node.prediction}) > 1


def test_simplify_numbers_and_costs():
    tree = DecisionTreeRegressor().fit([[0.0, 0], [1, 0], [0, 1], [1, 1]], [1.0, 1.0, 3.0, 3.0]).tree_
    assert prune(tree, "simplify").n_leaves == 2
    tree = DecisionTreeClassifier().fit([[0.0], [1.0], [1.0]], ["ill", "ill", "well"]).tree_
    assert prune(tree, "simplify").n_leaves == 1
    # Who is ill and called well costs nothing here, so the answers differ.
    assert prune(tree, "simplify", costs=[[0, 1], [5, 0]]).n_leaves == 2


def test_costs_of_the_tree_are_used():
    columns, y = load("titanic")
    tree = DecisionTreeClassifier(costs=[[0, 1], [4, 0]], max_depth=5).fit(columns, y).tree_
    with_costs = np.array(tree.rules.costs)
    assert tree.classes[node_answers(tree, with_costs)].tolist() == tree.answers.tolist()
    same = prune(tree, "cost_complexity", cp=0.01, measure="error", costs=[[0, 1], [4, 0]])
    assert prune(tree, "cost_complexity", cp=0.01, measure="error").digest() == same.digest()
    plain = prune(tree, "cost_complexity", cp=0.01, measure="error", costs=[[0, 1], [1, 0]])
    assert plain.digest() != same.digest()
    risk = training_risk(tree, "error", with_costs)
    assert risk.as_leaf[0] == pytest.approx((tree.value[0] @ with_costs).min() / tree.weight[0])


@pytest.mark.parametrize("estimate", ["raw", "half", "laplace", "m"])
def test_answers_are_those_of_the_tree(estimate):
    columns, species = load("penguins")
    tree = DecisionTreeClassifier(probabilities=estimate, max_depth=4).fit(columns, species).tree_
    assert tree.classes[node_answers(tree, None)].tolist() == tree.answers.tolist()


# ---- what may be given -------------------------------------------------------------------------------------

WRONG = [
    ({"method": "reduced_errors"}, 'Did you mean "reduced_error"'),
    ({"method": "cost_complexity", "ccp_alfa": 1}, 'Did you mean "ccp_alpha"'),
    ({"method": "cost_complexity", "ccp_alpha": -1}, "a number from 0 up"),
    ({"method": "cost_complexity", "ccp_alpha": 0.1, "cp": 0.1}, "cp is None where ccp_alpha is given"),
    ({"method": "cost_complexity", "measure": "errors"}, 'Did you mean "error"'),
    ({"method": "cost_complexity", "costs": [[0, 1]]}, "not 3 rows of 3 numbers"),
    ({"method": "cost_complexity", "costs": "cheap"}, "not 3 rows of 3 numbers"),
    ({"method": "cost_complexity", "data": [[1]]}, "takes no rows"),
    ({"method": "pessimistic", "confidence": 0.9}, "at most 0.5"),
    ({"method": "pessimistic", "confidence": "high"}, "at most 0.5"),
    ({"method": "pessimistic", "estimate": "tables"}, 'Did you mean "table"'),
    ({"method": "pessimistic", "collapse": 1}, "True or False"),
    ({"method": "pessimistic", "target": [1]}, "needs rows: data and target"),
    ({"method": "reduced_error"}, "Give held-out rows"),
    ({"method": "max_leaves"}, "needs max_leaves"),
    ({"method": "max_leaves", "max_leaves": 0}, "a whole number from 1 up"),
    ({"method": "mdl", "level": 1}, "Its options: none"),
]


@pytest.mark.parametrize(("given", "message"), WRONG, ids=[message for _, message in WRONG])
def test_mistakes_are_answered(given, message):
    tree, *_ = penguins()
    with pytest.raises(BoughError, match=message):
        prune(tree, **given)


def test_evidence_is_checked():
    tree, (columns, species), _ = penguins()
    with pytest.raises(BoughError, match="which the tree does not know"):
        prune(tree, "reduced_error", data=columns, target=["Emperor", *species[1:]])
    with pytest.raises(BoughError, match="has the class 1, which"):
        prune(tree, "reduced_error", data=columns, target=[1] * len(species))
    with pytest.raises(BoughError, match="prune takes a bough"):
        prune(DecisionTreeClassifier().fit(columns, species), "mdl")
    with pytest.raises(BoughError, match="inconsistent numbers of samples"):
        prune(tree, "reduced_error", data=columns, target=species[1:])


def test_labels_of_any_kind_are_matched():
    X, y = np.arange(8.0)[:, None], np.array([3, 3, 1, 1, 7, 7, 7, 1])
    tree = DecisionTreeClassifier().fit(X, y).tree_
    assert Evidence.of(tree, X, y.astype(float)).target.tolist() == [1, 1, 0, 0, 2, 2, 2, 0]
    assert Evidence.of(tree, X, y.tolist(), [2.0] * 8).weights.tolist() == [2.0] * 8


def test_every_method_says_what_it_is():
    assert set(METHODS) == {
        "cost_complexity",
        "pessimistic",
        "reduced_error",
        "mdl",
        "significance",
        "max_leaves",
        "simplify",
    }
    for method in METHODS.values():
        assert method.doc
        assert method.function.__doc__
        assert method.name == method.function.__name__


# ---- all of them side by side ------------------------------------------------------------------------------


def test_compare_classes():
    tree, training, others = penguins()
    table = compare(tree, *training, held_out=others)
    assert [line.method for line in table.lines] == ["unpruned", *METHODS]
    columns = table.as_dict()
    assert columns["leaves"][0] == tree.n_leaves == max(columns["leaves"])
    assert columns["training"][0] == max(columns["training"])
    assert max(columns["held_out"]) == columns["held_out"][columns["method"].index("reduced_error")]
    right = np.mean(tree.predict(others[0]) == np.array(others[1]))
    assert columns["held_out"][0] == pytest.approx(right)
    text = str(table).splitlines()
    assert len(text) == 1 + len(table.lines)
    assert text[0].endswith("(accuracy)")
    assert text[1].split() == ["unpruned", str(tree.n_leaves), str(tree.max_depth), "1.0000", f"{right:.4f}"]


def test_compare_numbers_without_held_out_rows():
    tree, training, _ = masses()
    model = DecisionTreeRegressor(min_samples_leaf=2).fit(*training)
    table = compare(tree, *training, options={"max_leaves": {"max_leaves": 3}})
    names = [line.method for line in table.lines]
    assert names == ["unpruned", *(n for n in METHODS if n not in ("pessimistic", "reduced_error"))]
    assert table.lines[0].training == pytest.approx(model.score(*training))
    assert table.trees["max_leaves"].n_leaves == 3
    assert all(line.held_out is None for line in table.lines)
    assert " -" in str(table)
    with pytest.raises(BoughError, match='Did you mean "max_leaves"'):
        compare(tree, *training, options={"max_leafs": {}})


def test_score_counts_weights():
    X = [[0.0], [1.0]]
    tree = DecisionTreeClassifier(max_depth=0).fit(X, ["a", "b"]).tree_
    assert score(tree, Evidence.of(tree, X, ["a", "b"], [3.0, 1.0])) == 0.75
