"""Tests of how models of many trees show and explain themselves: every number is the model's own."""

from __future__ import annotations

import pickle
import re
from html import unescape
from typing import Any

import numpy as np
import pytest
from estimators.shown import HOSTILE, Page, mass, unfolded
from sklearn.exceptions import NotFittedError

import bough
from bough import BoughError
from bough.data.examples import load
from bough.ensemble.learning import learning_of
from bough.tree import Tree


def test_text_of_all_trees(made: Any) -> None:
    model, _ = made
    ensemble = model.ensemble_
    text = str(ensemble)
    leaves = sum(tree.n_leaves for tree in ensemble)
    assert text.startswith(f"{len(ensemble)} trees, {leaves:,} leaves, depth ")
    assert text == ensemble.to_text()
    shares = dict(zip([f.name for f in ensemble.fields], model.feature_importances_, strict=True))
    shown = re.findall(r"^(\S+) +(\d+\.\d)%", text, re.MULTILINE)
    assert [name for name, _ in shown] == sorted(shares, key=lambda name: -shares[name])[:10]
    for name, percent in shown:
        assert float(percent) == pytest.approx(100 * shares[name], abs=0.0501)
    assert "Ensemble(" in repr(ensemble)


def test_one_of_the_trees(made: Any) -> None:
    model, _ = made
    tree = model[3]
    assert isinstance(tree, Tree)
    assert len(model) == len(model.ensemble_)
    assert tree.digest() == model.ensemble_[3].digest()
    assert "data:image/svg+xml;base64," in tree._repr_html_()
    assert tree._repr_mimebundle_()["text/plain"] == str(model.ensemble_[3])
    assert pickle.loads(pickle.dumps(tree)).digest() == tree.digest()
    assert model[-1].digest() == model[len(model) - 1].digest()
    assert len(list(model)) == len(model)
    with pytest.raises(IndexError, match=f"tree {len(model)} of a model with trees 0 to {len(model) - 1}"):
        model[len(model)]
    with pytest.raises(BoughError, match="has a number, not slice"):
        model[1:3]


def test_pictures_of_one(made: Any) -> None:
    from bough.view import tree_page, tree_svg

    model, X = made
    assert model.to_svg(tree=2) == tree_svg(model.ensemble_[2])
    assert model.to_html(tree=2, title="Second") == tree_page(model.ensemble_[2], title="Second")
    for wrong in ({}, {"tree": len(model)}, {"tree": -1}, {"tree": "one"}, {"tree": 0, "X": X, "y": []}):
        with pytest.raises(BoughError):
            model.to_svg(**wrong)


def test_the_text_has_parameters_and_the_score(made: Any, tmp_path: Any) -> None:
    model, _ = made
    model.save(tmp_path / "m.bough")
    for ensemble in (model.ensemble_, bough.load(tmp_path / "m.bough").ensemble_):
        call, *score = unfolded(str(ensemble).split("\n\n")[0]).split("\n")[2:]
        assert call.startswith(f"{type(model).__name__}(")
        for parameter, value in model._changed().items():
            assert (f"{parameter}={value!r}" in call) == (parameter != "verbose")
        learning = learning_of(model)
        assert score == ([] if learning is None else [learning.text])


def test_parameters_are_written_without_addresses_and_line_ends() -> None:
    def watch(state: Any) -> None: ...

    names = {"a\nb": [0.0, 1.0], "c": [1.0, 0.0]}
    model = bough.RandomForestRegressor(
        n_estimators=1, random_state=np.random.RandomState(0), callback=watch, monotonic_cst={"a\nb": 1}
    ).fit(names, [0.0, 1.0])
    assert unfolded(str(model.ensemble_)).split("\n")[2] == (
        "RandomForestRegressor(monotonic_cst={'a\\nb': 1}, n_estimators=1, random_state=RandomState(MT19937))"
    )


def test_not_fitted_and_hostile() -> None:
    assert "onerror" not in bough.RandomForestClassifier()._repr_html_()
    for ask in (lambda m: m[0], lambda m: m.explain({}), lambda m: m.to_svg(tree=0), len):
        with pytest.raises(NotFittedError):
            ask(bough.GradientBoostingClassifier())
    with pytest.raises(NotFittedError):  # though an AttributeError asks __getattr__, which knows less
        _ = bough.RandomForestClassifier().feature_importances_
    rng = np.random.default_rng(0)
    X = {HOSTILE: rng.random(200), "red\x1b[0m": rng.choice([HOSTILE, "b"], 200).tolist()}
    y = np.where(X[HOSTILE] > 0.5, "<b>yes</b>", "no")
    model = bough.GradientBoostingClassifier(n_estimators=5, early_stopping=True, random_state=0).fit(X, y)
    tags = {tag for tag, given in Page(model._repr_html_()).tags if "onerror" in given or tag == "b"}
    assert tags <= {"b"}
    assert "<b>yes" not in model._repr_html_()
    for text in (str(model.ensemble_), str(model.explain({}))):
        assert "\x1b" not in text


def test_every_form_of_a_boosted_tree_says_that_its_leaves_are_without_the_learning_rate():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = np.array(["low", "middle", "high"])[np.digitize(X[:, 0], [-0.5, 0.5])]
    model = bough.GradientBoostingClassifier(n_estimators=2, learning_rate=0.25).fit(X, y)
    said = f"the tree adds 0.25 (learning rate) × the leaf's value to the sum for {model.classes_[1]}"
    tree = model[4]
    raw = model.ensemble_.base[1] + 0.25 * sum(model[t].value[model[t].apply(X), 0] for t in (1, 4))
    assert raw == pytest.approx(model.decision_function(X)[:, 1], abs=1e-12)
    for text in (str(tree), str(model.ensemble_[4]), tree.to_text(), pickle.loads(pickle.dumps(tree)).note):
        assert text.split("\n")[-1] == said
    for form in ("markdown", "weka"):
        assert tree.to_text(form).endswith("\n\n" + said)
    shown = unescape(model.to_svg(tree=4))
    assert said in shown
    assert "stroke = value" in shown
    assert "± sd" not in shown
    assert said in unescape(model.to_html(tree=4))
    assert "plus 0.25 × the leaf's value of each tree" in unfolded(str(model.ensemble_))
    assert tree.digest() == model.ensemble_.trees[4].digest()
    model.set_params(warm_start=True, n_estimators=3, learning_rate=0.5).fit(X, y)
    assert "adds 0.5 (learning rate)" in str(model[7])
    assert "plus its learning rate × the leaf's value of each tree" in unfolded(str(model.ensemble_))
    forest = bough.RandomForestClassifier(n_estimators=2).fit(X, y)
    assert forest[0].note == "" == forest.ensemble_[0].note


@pytest.mark.parametrize("l2", [0.0, 1.0])  # with 0, gains of squares add up as variances do
def test_no_form_of_a_boosted_tree_tells_a_deviation(l2):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    given = {"n_estimators": 2, "max_leaf_nodes": 3, "l2_regularization": l2}
    model = bough.GradientBoostingRegressor(**given).fit(X, 3 * X[:, 0] + X[:, 1])
    tree = model[1]
    leaves = [node for node in tree.nodes() if node.is_leaf]
    assert not tree.has_variances
    assert all(f"({leaf.n_rows})" in tree.to_text("weka") for leaf in leaves)
    assert not any("±" in tree.to_text(form) for form in ("box", "markdown"))
    assert "sd" not in model.to_svg(tree=1)
    alone = bough.DecisionTreeRegressor(max_leaf_nodes=3).fit(X, X[:, 0]).tree_
    assert "/" in alone.to_text("weka")
    forest = bough.RandomForestRegressor(n_estimators=2, max_leaf_nodes=3).fit(X, X[:, 0])
    assert forest[0].has_variances
    assert "±" in str(forest[0])


def test_sets_are_told_in_order() -> None:
    from bough.estimators.many import _as_text

    assert _as_text([{"beta", "alpha", "gamma"}, (1, 2)]) == "[{'alpha', 'beta', 'gamma'}, [1, 2]]"


def test_a_page_of_a_boosted_tree_has_no_empty_column() -> None:
    X, y = mass()
    for kind, heads in (
        (bough.GradientBoostingRegressor, ("#", "if", "then", "rows")),
        (bough.RandomForestRegressor, ("#", "if", "then", "± sd", "rows")),
    ):
        page = kind(n_estimators=2, max_leaf_nodes=5).fit(X, y).to_html(tree=0)
        table = next(t for t in re.findall(r"<table>.*?</table>", page, re.DOTALL) if "<th>if</th>" in t)
        assert tuple(re.findall(r"<th(?: [^>]*)?>(.*?)</th>", table)) == heads
        rows = re.findall(r"<tr>(.*?)</tr>", table, re.DOTALL)[1:]
        assert rows
        for row in rows:
            cells = re.findall(r"<td[^>]*>(.*?)</td>", row)
            assert len(cells) == len(heads)
            assert all(cells), cells


def test_a_property_that_fails_says_itself_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(self: Any) -> None:
        raise AttributeError("of a thing within")

    monkeypatch.setattr(bough.AdaBoostClassifier, "n_features_", property(fails), raising=False)
    with pytest.raises(AttributeError, match=r"^of a thing within$"):
        _ = bough.AdaBoostClassifier().n_features_


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("estimators_", "ensemble_.trees"),
        ("tree_count_", "Here: "),
        ("evals_result_", "after 0, 1, 2 … rounds|oob_score=True before the fit"),
        ("save_model", "save(path)"),
        ("nothing_like_it", "no attribute 'nothing_like_it'"),
    ],
)
def test_an_attribute_of_another_library_is_answered_with_ours(name: str, said: str) -> None:
    X, y = mass()
    for kind in (bough.RandomForestRegressor, bough.GradientBoostingRegressor):
        for model in (kind(n_estimators=2), kind(n_estimators=2).fit(X, y)):
            assert not hasattr(model, name)
            with pytest.raises(AttributeError, match="|".join(map(re.escape, said.split("|")))):
                getattr(model, name)
            assert getattr(model, name, None) is None


def test_what_is_about_one_tree_says_how_to_take_one() -> None:
    model = bough.RandomForestClassifier(n_estimators=2, random_state=0).fit(*load("tennis"))
    with pytest.raises(BoughError) as caught:
        model.rules()
    assert "bough.explain.rules_of(model[0])" in str(caught.value)
    assert len(bough.explain.rules_of(model[0])) == model[0].n_leaves
