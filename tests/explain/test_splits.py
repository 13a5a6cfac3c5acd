"""Every number of a node: winners and gains are those of the tree, whatever it was grown with."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bough
from bough import information as info
from bough.data.examples import load
from bough.explain.cuts import packed
from bough.explain.numbers import Candidate
from bough.explain.sample import Sample
from bough.explain.splits import Grown, explain_split

from .tables import draw

QUICK = settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))


@QUICK
@given(seed=st.integers(0, 2**32 - 1), n_rows=st.integers(2, 40))
def test_the_winner_and_its_gain_are_the_trees_own(seed: int, n_rows: int) -> None:
    case = draw(seed, n_rows)
    tree = case.tree
    grown = Grown(Sample(case.table, case.y, case.weights), case.settings)
    for node in np.flatnonzero(tree.n_rows > 0).tolist():
        told = explain_split(tree, node, grown)
        assert told.same, told.place
        assert told.notes == (), (told.place, told.notes)
        assert told.whole.n == tree.n_rows[node]
        assert told.whole.impurity == pytest.approx(tree.impurity[node], rel=1e-9, abs=1e-9)
        if told.winner is None:
            assert told.leaf
            continue
        winner = told.winner
        assert winner.column == tree.fields[tree.feature[node]].name
        assert winner.gain == tree.gain[node]
        best = max((cut.gain for cut in winner.cuts if cut.valid), default=None)
        if best is not None and np.isfinite(tree.threshold[node]):
            assert best == pytest.approx(tree.gain[node], rel=1e-7, abs=1e-9)
        # C4.5's merging leaves categories lighter than half a row out of the gain, not out of the branches.
        if case.settings.categories != "merge" or not (winner.n_missing or case.weights is not None):
            by_branches(winner, tree.impurity[node], case.settings.criterion)


def by_branches(winner: Candidate, impurity: float, criterion: object) -> None:
    """The gain follows from the branches that are shown; so does that of other measures."""
    if criterion != "chi_square":
        shown = winner.known * (winner.before - winner.after)
        assert shown == pytest.approx(winner.gain, rel=1e-7, abs=1e-8 * max(1.0, impurity))
    if criterion == "entropy":
        assert winner.information_gain == pytest.approx(winner.gain, abs=1e-9)
    if criterion == "gini":
        assert winner.gini_gain == pytest.approx(winner.gain, abs=1e-9)
    if criterion == "error":
        assert winner.error_gain == pytest.approx(winner.gain, abs=1e-9)


def candidates(model: object, node: int = 0) -> dict[str, Candidate]:
    return {c.column: c for c in model.explain_split(node).candidates}  # type: ignore[attr-defined]


def test_tennis_in_every_measure() -> None:
    found = candidates(bough.ID3Classifier().fit(*load("tennis")))
    assert {c: round(v.gain, 4) for c, v in found.items()} == {
        "Outlook": 0.2467,
        "Humidity": 0.1518,
        "Wind": 0.0481,
        "Temperature": 0.0292,
    }
    assert [round(v.split_information, 4) for v in found.values()] == [1.5774, 1.0, 0.9852, 1.5567]
    assert [round(v.gini_gain or 0, 6) for v in found.values()] == [0.116327, 0.091837, 0.030612, 0.018707]
    outlook = found["Outlook"]
    assert (round(outlook.statistic, 4), outlook.df, round(outlook.p_value, 4)) == (3.5467, 2, 0.1698)
    assert outlook.error_gain == pytest.approx(5 / 14 - 4 / 14)


def test_ties_are_told_and_broken_by_the_named_rule() -> None:
    columns, target = load("restaurant")
    for ties, winner in (("column", "Hungry"), ("alphabetical", "Est")):
        model = bough.ID3Classifier(ties=ties).fit(columns, target)
        full = next(n.id for n in model.tree_.nodes() if n.column == winner)
        told = model.explain_split(full)
        assert set(told.ties) == {"Hungry", "Price", "Res", "Type", "Est"}
        assert told.chosen == winner
        assert "tie: gain 0.2516" in told.why
        assert told.notes == ()


def test_a_column_without_rows_of_its_own_says_so() -> None:
    model = bough.DecisionTreeClassifier().fit(
        {"a": [1, 1, 1, 1], "b": [1, 2, 3, 4], "c": [None] * 4}, [0, 0, 1, 1]
    )
    found = candidates(model)
    assert found["a"].why_not == "all known rows have the same value here"
    assert found["c"].why_not == "no value is known here"
    assert [cut.threshold for cut in found["b"].cuts] == [1.5, 2.5, 3.5]
    assert [cut.left for cut in found["b"].cuts] == [(1, 0), (2, 0), (2, 1)]


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"max_depth": 1}, "its depth 1 is max_depth"),
        ({"min_samples_split": 6}, "its 5 rows are fewer than min_samples_split=6"),
        ({"min_samples_leaf": 3}, "its 5 rows are fewer than 2 × min_samples_leaf=3"),
        ({"min_impurity_decrease": 0.36}, "below min_impurity_decrease=0.36"),
        ({"max_leaf_nodes": 3}, "max_leaf_nodes=3 was reached"),
        ({"significance_level": 0.2, "min_samples_leaf": 1}, ""),
    ],
)
def test_why_a_leaf(settings: dict[str, object], reason: str) -> None:
    model = bough.DecisionTreeClassifier(criterion="entropy", categories="multiway", **settings)
    model.fit(*load("tennis"))
    leaves = [n.id for n in model.tree_.leaves() if n.impurity > 0]
    assert bool(leaves) == bool(reason)
    for leaf in leaves:
        assert any(reason in text for text in model.explain_split(leaf).leaf), model.explain_split(leaf).leaf
    pure = [n.id for n in model.tree_.leaves() if n.impurity == 0 and n.n_rows]
    for leaf in pure:
        assert "all rows have one class" in model.explain_split(leaf).leaf


def test_a_pruned_leaf_says_what_pruned_it() -> None:
    columns, target = load("titanic")
    model = bough.DecisionTreeClassifier(ccp_alpha=0.01).fit(columns, target)
    impure = [n.id for n in model.tree_.leaves() if n.impurity > 0]
    reasons = [model.explain_split(leaf).leaf for leaf in impure]
    assert ('growth went on here; pruning="cost_complexity" made it a leaf',) in reasons
    # What stood there is grown once more: its alpha is below the cost of a leaf.
    for leaf in impure:
        numbers = model.explain_split(leaf).pruning
        if numbers.leaves > 1:
            [alpha] = [c.alpha for c in numbers.costs if c.measure == "impurity"]
            assert alpha is not None
            assert alpha <= 0.01 + 1e-12


def test_costs_class_weights_and_priors_are_those_of_growth() -> None:
    columns, target = load("titanic")
    for counted in (
        {"costs": [[0, 1], [5, 0]]},
        {"class_weight": "balanced"},
        {"priors": {"died": 0.5, "survived": 0.5}},
        {"costs": [[0, 2], [1, 0]], "class_weight": {"died": 3, "survived": 1}},
    ):
        model = bough.DecisionTreeClassifier(max_depth=2, **counted).fit(columns, target)
        for node in range(model.tree_.n_nodes):
            told = model.explain_split(node)
            assert told.same, (counted, node)
            assert [n for n in told.notes if "costs" not in n] == []


def test_rows_can_be_given_and_others_are_noticed() -> None:
    columns, target = load("titanic")
    model = bough.DecisionTreeClassifier(max_depth=2, class_weight="balanced").fit(columns, target)
    kept = model.explain_split(1)
    given = model.explain_split(1, columns, target)
    assert given == kept
    half = {name: values[:400] for name, values in columns.items()}
    assert not model.explain_split(1, half, target[:400]).same
    import pickle

    loaded = pickle.loads(pickle.dumps(model))
    with pytest.raises(bough.BoughError, match="training rows are not at hand"):
        loaded.explain_split(0)
    assert loaded.explain_split(1, columns, target) == kept


def test_a_node_that_is_not_there() -> None:
    model = bough.ID3Classifier().fit(*load("tennis"))
    with pytest.raises(IndexError):
        model.explain_split(99)


def test_a_criterion_of_ones_own() -> None:
    columns, target = load("tennis")
    own = bough.DecisionTreeClassifier(
        criterion=lambda s: s.sum(axis=1) - (s**2).sum(axis=1) / s.sum(axis=1).clip(1e-9)
    )
    gini = bough.DecisionTreeClassifier(criterion="gini")
    a, b = (m.fit(columns, target).explain_split(0) for m in (own, gini))
    assert (a.criterion, a.chosen) == ("custom", b.chosen)
    assert [c.gain for c in a.candidates] == pytest.approx([c.gain for c in b.candidates])


def test_pruning_arithmetic_of_tennis() -> None:
    model = bough.DecisionTreeClassifier(criterion="gini", categories="multiway").fit(*load("tennis"))
    numbers = model.explain_split(0).pruning
    error, impurity = numbers.costs
    assert (error.measure, numbers.leaves) == ("error", 5)
    assert (error.alpha or 0) * 14 == pytest.approx(1.25)
    assert impurity.alpha == pytest.approx(0.114796, abs=1e-6)
    assert numbers.estimate is not None
    assert not numbers.estimate.pruned


def test_bins_are_those_of_the_core() -> None:
    rng = np.random.RandomState(3)
    for most in (2, 3, 7, 10):
        values = np.round(rng.exponential(3, 200), 1)
        y = rng.randint(0, 2, 200)
        bins, low, high = packed(values, most)
        cut = bough.DecisionTreeClassifier(max_bins=most).fit(values[:, None], y).tree_
        middles = {round(float(a + b) / 2, 9) for a in high for b in low if a < b}
        assert {round(float(t), 9) for t in cut.threshold[cut.feature >= 0]} <= middles
        assert len(np.unique(bins)) == len(low) <= most


def test_poisson_and_regression_tell_means() -> None:
    columns, _ = load("titanic")
    fare = columns.pop("fare")
    told = bough.DecisionTreeRegressor(max_depth=2).fit(columns, fare).explain_split(0)
    assert told.winner is not None
    means = [b.mean for b in told.winner.branches]
    first = [f for f, c in zip(fare, columns["pclass"], strict=True) if c <= 1.5]
    assert told.winner.column == "pclass"
    assert means[0] == pytest.approx(np.mean(first))
    assert info.squared_loss(fare) / len(fare) == pytest.approx(told.whole.impurity)
    assert "mean" in str(told)


def test_rows_that_were_held_out_are_noticed() -> None:
    columns, target = load("titanic")
    model = bough.DecisionTreeClassifier(early_stopping=True, random_state=0).fit(columns, target)
    told = model.explain_split(0)
    assert not told.same
    assert any("grew on others" in note for note in told.notes)


def test_columns_that_constraints_keep_out() -> None:
    columns, target = load("titanic")
    model = bough.DecisionTreeClassifier(
        max_depth=2, forbidden_columns=["deck"], interaction_cst=[["sex", "fare"]]
    ).fit(columns, target)
    root = {c.column: c for c in model.explain_split(0).candidates}
    assert root["deck"].why_not == "the column is among forbidden_columns"
    below = {c.column: c for c in model.explain_split(1).candidates}
    assert below["age"].why_not == "interaction_cst keeps it apart from the columns asked above"
    assert below["fare"].possible
    assert model.explain_split(1).notes == ()


def test_a_forest_has_no_rules_of_its_own() -> None:
    columns, target = load("tennis")
    forest = bough.RandomForestClassifier(n_estimators=3, random_state=0).fit(columns, target)
    for ask in (forest.rules, forest.explain_split, lambda: forest.dnf("Yes")):
        with pytest.raises(bough.BoughError, match="many trees"):
            ask()


def test_given_rows_may_have_categories_that_were_never_seen() -> None:
    columns, target = load("tennis")
    model = bough.ID3Classifier().fit(columns, target)
    odd = {**columns, "Wind": ["Storm", *columns["Wind"][1:]]}
    told = model.explain_split(0, odd, target)
    assert {c.column: c.n_missing for c in told.candidates}["Wind"] == 1


def test_a_compiled_criterion_is_explained() -> None:
    double, pointer = ctypes.c_double, ctypes.POINTER(ctypes.c_double)

    @ctypes.CFUNCTYPE(double, pointer, ctypes.c_int64)
    def compiled(sums: Any, n: int) -> float:
        counts = [sums[k] for k in range(n)]
        return sum(counts) - sum(c * c for c in counts) / sum(counts)

    class Compiled:
        address = ctypes.cast(compiled, ctypes.c_void_p).value

        def __call__(self, sums: Any) -> Any:
            raise AssertionError("called as a function of Python")

    columns, target = load("tennis")
    own = bough.DecisionTreeClassifier(criterion=Compiled()).fit(columns, target).explain_split(0)
    gini = bough.DecisionTreeClassifier(criterion="gini").fit(columns, target).explain_split(0)
    assert own.same
    assert [(c.column, c.gain) for c in own.candidates] == [
        (c.column, pytest.approx(c.gain)) for c in gini.candidates
    ]
    assert own.whole.impurity == pytest.approx(gini.whole.impurity)


def test_the_largest_gain_is_said_to_be_largest_only_where_it_is() -> None:
    columns, target = load("titanic")
    asked = bough.DecisionTreeClassifier(required_columns=["age"], max_depth=1).fit(columns, target)
    assert asked.explain_split(0).why == "age is asked, gain 0.0113, though the largest is 0.1396 of sex."
    best = bough.DecisionTreeClassifier(max_depth=1).fit(columns, target)
    assert best.explain_split(0).why == "sex has the largest gain: 0.1396, before 0.0491 of pclass."


def test_a_forced_split_has_the_rows_of_growth() -> None:
    columns, target = load("titanic")
    forced = {"column": "age", "threshold": 30}
    numbers = (
        bough.DecisionTreeClassifier(forced_splits=forced, max_depth=1).fit(columns, target).explain_split(0)
    )
    assert numbers.same
    assert numbers.notes == ("The split may be one of forced_splits, which are made whatever they gain.",)
    assert numbers.why.startswith("age is asked, gain 0.0008, though the largest is 0.1396 of sex")


def test_ratios_are_compared_among_columns_that_gain_enough() -> None:
    """The column with the largest ratio of all gains too little to take part, so it is no runner-up."""
    rng = np.random.default_rng(0)
    found = 0
    for _ in range(60):
        columns = {f"x{j}": rng.choice(list("abc"), 25, p=(0.9, 0.05, 0.05)) for j in range(2)}
        columns["y"] = rng.choice(list("abcde"), 25)
        model = bough.C45Classifier(pruning=None, min_samples_leaf=1).fit(columns, rng.choice(["p", "q"], 25))
        numbers = model.explain_split(0)
        if numbers.winner is None or numbers.average is None:
            continue
        out = [c for c in numbers.candidates if c.possible and c.gain < numbers.average - 1e-3]
        if any(c.gain_ratio > numbers.winner.gain_ratio for c in out):
            found += 1
            assert all(f"of {c.column}" not in numbers.why for c in out)
    assert found
