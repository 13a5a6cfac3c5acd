"""C4.5's pruning against what Weka's J48 and Quinlan's release 8 printed, and the arithmetic of its bound."""

from __future__ import annotations

import re
from random import Random

import numpy as np
import pytest
from golden.readers import TABLES, load, load_c45, outside, weka
from hypothesis import given
from hypothesis import strategies as st
from reference.c45 import answer, grow
from reference.c45_prune import collapse
from reference.c45_prune import prune as c45_prune
from reference.c45_splits import Settings
from reference.grower import Col
from reference.grower import Table as PlainTable

from bough import BoughError, DecisionTreeClassifier, information
from bough.data.examples import load as example
from bough.data.ingest import to_table
from bough.pruning import Evidence, prune
from bough.pruning.pessimistic import Bound, pessimistic
from bough.pruning.raising import impurity_of
from pruning.plain import SOME, Question, make_tree, question_at, random_table
from pruning.test_rebuild import some_tree


def questions(node):
    """A tree of the plain C4.5 as questions."""
    if node.split is None:
        return None
    children = [questions(child) for child in node.children]
    if node.split.threshold is not None:
        return Question(node.split.column, "threshold", children, node.split.threshold)
    groups = {c: branch for branch, group in enumerate(node.split.groups) for c in group}
    return Question(node.split.column, "subset", children, groups=groups)


def grown(golden, settings):
    """The tree that the plain C4.5 grows and collapses, and its rows."""
    tree = grow(golden.table, settings)
    collapse(tree, settings.dialect)
    table, classes = to_table(golden.frame), np.array(golden.classes)
    target = np.array([golden.classes.index(label) for label in golden.target])
    return make_tree(questions(tree), table, target, classes), Evidence(table, target, np.ones(len(target)))


CONFIGS = {
    "default": {},
    "noraise": {"raising": False},
    "C0.05": {"confidence": 0.05},
    "binary": {},
}


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("name", TABLES)
def test_j48(name, config):
    categories = "one_vs_rest" if config == "binary" else "multiway"
    tree, rows = grown(load(name), Settings(minimum=2, categories=categories))
    pruned = pessimistic(tree, rows, **CONFIGS[config])
    expected = weka(name, f"J48_{config}")
    assert (pruned.n_nodes, pruned.n_leaves) == (expected.size, expected.leaves)
    np.testing.assert_allclose(pruned.predict_proba(rows.table), expected.train_predictions, atol=1e-9)
    check_counts(pruned, rows)


def check_counts(tree, rows):
    """Every node has counted the rows that come to it."""
    again = make_tree(as_questions(tree, 0), rows.table, rows.target, tree.classes)
    for name in ("value", "weight", "impurity", "n_missing"):
        np.testing.assert_allclose(getattr(tree, name), getattr(again, name), atol=1e-9)
    np.testing.assert_array_equal(tree.n_rows, again.n_rows)


def as_questions(tree, node):
    if tree.feature[node] < 0:
        return None
    question = question_at(tree, node)
    first = int(tree.first_child[node])
    question.children = [as_questions(tree, first + c) for c in range(len(question.children))]
    return question


@SOME
@given(st.integers(0, 10**6))
def test_any_tree_is_pruned_as_by_the_plain_c45(seed):
    random = Random(seed)
    rows = random.randint(10, 60)
    table = random_table(random, rows)
    names = np.array(["a", "b", "c"])
    target = [random.randrange(3) if random.random() < 0.5 else int(c > 0) for c in table.columns[2].values]
    columns = [
        Col(
            c.field.name,
            "nominal" if c.field.categories else "ordered",
            [None if np.isnan(v) else int(v) if c.field.categories else v for v in c.values.tolist()],
            len(c.field.categories),
        )
        for c in table.columns
    ]
    plain, settings = PlainTable(columns, target, 3), Settings(minimum=random.choice([1, 2]))
    tree = grow(plain, settings)
    collapse(tree)
    ours = make_tree(questions(tree), table, np.array(target), names)
    confidence, raising = random.choice([0.05, 0.25, 0.5]), random.random() < 0.8
    c45_prune(tree, plain, settings, confidence, raising)
    evidence = Evidence(table, np.array(target), np.ones(rows))
    pruned = pessimistic(ours, evidence, confidence=confidence, raising=raising)
    assert (pruned.n_nodes, pruned.n_leaves) == (tree.size, tree.leaves)
    expected = [answer(tree, [c.values[i] for c in columns], settings) for i in range(rows)]
    np.testing.assert_allclose(pruned.predict_proba(table), expected, atol=1e-9)


STEMS = ("golf", "labor-neg", "vote", "monk1", "crx")
OPTIONS = {"": 0.25, "-g": 0.25, "-m1": 0.25, "-c10": 0.1, "-c50": 0.5}


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("stem", STEMS)
def test_release_8(stem, option):
    path = outside("c45", stem)
    settings = Settings(
        dialect="release8",
        minimum=1 if option == "-m1" else 2,
        choice="gain" if option == "-g" else "gain_ratio",
        single=True,
    )
    tree, rows = grown(load_c45(path), settings)
    pruned = pessimistic(tree, rows, confidence=OPTIONS[option], estimate="table")
    text = path.with_name(f"{stem}__c45{option}.txt").read_text("latin-1")
    size = re.search(r"^\s+\d+\s+\d+\(.*?%\)\s+(\d+)\s", text, re.MULTILINE)
    assert pruned.n_nodes == int(size[1])
    if "Simplified" not in text:
        return
    # The weight and the expected errors of each leaf, as printed.
    printed = re.findall(
        r"\(([\d.]+)/([\d.]+)\)", text.split("Simplified Decision Tree")[1].split("saved")[0]
    )
    leaves = (pruned.feature < 0) & (pruned.weight > 0.05)
    expected = Bound.of(OPTIONS[option], "table").errors(pruned.value)
    found = sorted(zip(pruned.weight[leaves], expected[leaves], strict=True))
    wanted = sorted((float(n), float(e)) for n, e in printed)
    np.testing.assert_allclose(found, wanted, atol=0.0501)


# Quinlan, C4.5 (1993), chapter 4: U25% of no error among 6, 9 and 1.
@pytest.mark.parametrize(("n", "bound"), [(6, 0.206), (9, 0.143), (1, 0.75)])
def test_bound_without_errors(n, bound):
    for estimate in ("normal", "table"):
        [expected] = Bound.of(0.25, estimate).errors(np.array([[float(n), 0.0]]))
        assert expected / n == pytest.approx(bound, abs=0.0005)


# From C4.5's own account of pruning golf: 5 with 2 errors 2.00 + 1.24, 14 with 5 errors 5.00 + 1.79.
@pytest.mark.parametrize(("n", "e", "added"), [(2, 0, 1.00), (3, 0, 1.11), (5, 2, 1.24), (14, 5, 1.79)])
def test_bound_by_the_table(n, e, added):
    found = Bound.of(0.25, "table").errors(np.array([[n - e, e]], dtype=float))
    assert found[0] - e == pytest.approx(added, abs=0.005)


def test_bound_is_continuous():
    bound = Bound.of(0.25, "normal")
    below, above = bound.errors(np.array([[9.0 + 1e-9, 1 - 1e-9], [9.0 - 1e-9, 1 + 1e-9]]))
    assert below == pytest.approx(above, abs=1e-6)
    many = bound.errors(np.column_stack([np.arange(50, 0, -1.0), np.full(50, 50.0)]))
    assert (np.diff(many) < 0).all()
    assert bound.errors(np.zeros((1, 2)))[0] == 0


def test_tables_deviation_is_interpolated():
    assert Bound.of(0.25, "table").z == pytest.approx(0.84 - 0.59 * 0.25)
    assert Bound.of(0.05, "table").z == 1.65
    assert Bound.of(0.25, "normal").z == pytest.approx(0.6744897501960817)


def test_w16_tennis_stays_and_noise_goes():
    columns, play = example("tennis")
    tree = DecisionTreeClassifier(criterion="entropy", categories="multiway").fit(columns, play).tree_
    assert prune(tree, "pessimistic").n_leaves == 5
    assert prune(tree, "pessimistic", confidence=0.05).n_leaves == 1
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 3)), rng.integers(0, 2, 300)
    full = DecisionTreeClassifier().fit(X, y).tree_
    with_rows = prune(full, "pessimistic", data=X, target=y)
    assert with_rows.n_leaves < full.n_leaves
    check_counts(with_rows, Evidence.of(full, X, y))


@SOME
@given(st.integers(0, 10**6))
def test_raising_any_tree_counts_right(seed):
    tree, table, target = some_tree(seed, depth=4, rows=25)
    weights = np.array([Random(seed + i).choice([0.5, 1.0, 2.0]) for i in range(25)])
    tree = make_tree(as_questions(tree, 0), table, target, tree.classes, weights)
    rows = Evidence(table, target, weights)
    pruned = pessimistic(tree, rows, confidence=Random(seed).choice([0.05, 0.25, 0.5]))
    again = make_tree(as_questions(pruned, 0), table, target, tree.classes, weights)
    assert pruned.n_nodes == again.n_nodes
    for name in ("value", "weight", "impurity", "n_missing", "n_rows"):
        np.testing.assert_allclose(getattr(pruned, name), getattr(again, name), atol=1e-9)
    without = pessimistic(tree, rows, raising=False)
    assert without.digest() == prune(tree, "pessimistic").digest()


@pytest.mark.parametrize("criterion", ["entropy", "gini", "error"])
def test_the_criterion_is_known_by_its_figures(criterion):
    columns, y = example("titanic")
    tree = DecisionTreeClassifier(criterion=criterion, max_depth=5).fit(columns, y).tree_
    name = {"error": "error_rate"}.get(criterion, criterion)
    assert impurity_of(tree) is getattr(information, name)


def test_rows_must_be_the_training_rows():
    columns, y = example("titanic")
    tree = DecisionTreeClassifier(max_depth=5).fit(columns, y).tree_
    with pytest.raises(BoughError, match="not those that the tree was grown on"):
        prune(tree, "pessimistic", data={c: v[:500] for c, v in columns.items()}, target=y[:500])
    with pytest.raises(BoughError, match="needs the training rows"):
        prune(tree, "pessimistic", raising=True)
