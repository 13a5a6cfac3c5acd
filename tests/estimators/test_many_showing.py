"""Tests of how models of many trees show and explain themselves: every number is the model's own."""

from __future__ import annotations

import base64
import json
import pickle
import re
from html import escape, unescape
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import bough
from bough import BoughError
from bough.data.examples import load
from bough.ensemble.learning import learning_of
from bough.tree import Tree
from bough.tree.notes import BIASED

HOSTILE = '"><img src=x onerror=alert(1)>'


def unfolded(text: str) -> str:
    """Lines of words as they were before they were cut."""
    return text.replace("\n  ", " ")


def mass() -> tuple[Any, Any]:
    columns, species = load("penguins")
    weights = columns.pop("body_mass_g")
    kept = [i for i, value in enumerate(weights) if value is not None]
    columns["species"] = species
    return {name: [values[i] for i in kept] for name, values in columns.items()}, [weights[i] for i in kept]


CASES: dict[str, tuple[Any, Any]] = {
    "forest": (
        bough.RandomForestClassifier(n_estimators=40, oob_score=True, min_samples_leaf=3, random_state=0),
        "titanic",
    ),
    "votes": (bough.RandomForestClassifier(n_estimators=40, voting="vote", random_state=0), "penguins"),
    "forest of numbers": (
        bough.RandomForestRegressor(n_estimators=40, oob_score=True, random_state=0),
        "mass",
    ),
    "boosting": (bough.GradientBoostingClassifier(early_stopping=True, random_state=0), "titanic"),
    "boosting of classes": (bough.GradientBoostingClassifier(n_estimators=12, random_state=0), "penguins"),
    "boosting of numbers": (
        bough.GradientBoostingRegressor(n_estimators=20, verbose=1, random_state=0),
        "mass",
    ),
    "exponents": (bough.GradientBoostingRegressor(n_estimators=20, loss="gamma", random_state=0), "mass"),
    "adaboost": (bough.AdaBoostClassifier(n_estimators=20), "titanic"),
}


@pytest.fixture(scope="module", params=list(CASES))
def made(request: pytest.FixtureRequest) -> tuple[Any, Any]:
    model, data = CASES[request.param]
    X, y = mass() if data == "mass" else load(data)
    return clone(model).fit(X, y), X


def row_of(X: Any, number: int) -> dict[str, Any]:
    return {name: values[number] for name, values in X.items()}


def test_contributions_add_up_to_the_raw_answer(made: Any) -> None:
    model, X = made
    for number in (0, 100, 200):
        row = row_of(X, number)
        told = model.explain(row)
        one = {name: [value] for name, value in row.items()}
        assert told.prediction == model.predict(one)[0]
        raw = model.ensemble_.raw(one)[0]
        place = 0 if len(raw) == 1 else list(model.classes_).index(told.prediction)
        assert told.raw == pytest.approx(raw[place], abs=1e-12)
        assert told.base + sum(part.amount for part in told.contributions) == pytest.approx(
            told.raw, rel=1e-9, abs=1e-9
        )
        amounts = {part.column: part.amount for part in told.contributions}
        values = model.shap_values(one).values[0]
        expected = values if values.ndim == 1 else values[:, place]
        assert [amounts[name] for name in X] == pytest.approx(expected.tolist(), abs=1e-12)
        if told.share is not None:
            shares = model.predict_proba(one)[0]
            assert list(told.shares.values()) == pytest.approx(shares.tolist())
            assert told.share == told.shares[str(told.prediction)]
        assert json.loads(json.dumps(told.to_dict()))["raw"] == told.raw


def test_the_text_of_an_explanation(made: Any) -> None:
    model, X = made
    told = model.explain(row_of(X, 5))
    lines = str(told).splitlines()
    assert lines[0].startswith(str(told.prediction) if told.share is not None else "")
    assert "nothing known" in lines[1]
    assert lines[-1].strip().startswith(told.of)
    assert len(lines) == 3 + len(told.contributions)
    shown = [float(re.search(r"  ([-+]?[\d.]+)(?:  ▇*)?$", line)[1]) for line in lines[1:]]
    assert sum(shown[:-1]) == pytest.approx(shown[-1], rel=1e-2, abs=0.01)


def test_values_are_named_as_the_row_has_them() -> None:
    X, y = load("titanic")
    model = bough.RandomForestClassifier(n_estimators=5, random_state=0).fit(X, y)
    told = model.explain({"sex": "male", "age": 22.0, "deck": "Z"})
    values = {part.column: part.value for part in told.contributions}
    assert values["sex"] == "male"
    assert values["age"] == "22"
    assert values["fare"] == "missing"
    assert values["deck"] == "never seen"
    with pytest.raises(BoughError, match=r'no column "Sex".*"sex"'):
        model.explain({"Sex": "male"})
    with pytest.raises(BoughError, match="one row, not 891"):
        model.explain(np.zeros((891, 8)))


def test_a_median_has_no_contributions() -> None:
    X, y = mass()
    model = bough.AdaBoostRegressor(n_estimators=5).fit(X, y)
    with pytest.raises(BoughError, match="weighted median is not a sum"):
        model.explain(row_of(X, 0))


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


class Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))


def test_the_notebook_shows_curve_importances_and_parameters(made: Any) -> None:
    model, _ = made
    text = model._repr_html_()
    assert len(text.encode()) <= 60_000
    page = Page(text)
    assert {tag for tag, _ in page.tags}.isdisjoint({"script", "svg", "iframe", "style"})
    rows = {
        given["data-column"]: float(given["data-value"]) for _, given in page.tags if "data-column" in given
    }
    watched = getattr(model, "verbose", 0)  # then no folds are fitted, which would be told of
    found = model.importances(method="gain" if watched else None)
    assert list(rows.items()) == found.ranking[:10]
    images = [given["src"] for tag, given in page.tags if tag == "img" and given["alt"]]
    assert len(images) == (learning_of(model, model._late_losses()) is not None)
    for image in images:
        svg = base64.b64decode(image.split(",")[1]).decode()
        assert svg.startswith("<svg")
        assert "<path" in svg
    for name, value in model._changed().items():
        assert f"<td>{name}</td><td>{escape(repr(value))}</td>" in text
    assert model._repr_mimebundle_() == {"text/plain": repr(model), "text/html": text}


def test_curves_are_what_fit_recorded(made: Any) -> None:
    model, _ = made
    found = learning_of(model)
    if hasattr(model, "oob_curve_"):
        assert np.column_stack([found.lines[0].x, found.lines[0].y]).tolist() == model.oob_curve_.tolist()
        shown = (
            f"{model.oob_score_:.1%}" if model.ensemble_.classes is not None else f"{model.oob_score_:.3f}"
        )
        assert shown in found.text
    elif hasattr(model, "estimator_errors_"):
        assert found.lines[0].y.tolist() == model.estimator_errors_.tolist()
    elif len(getattr(model, "train_loss_", ())):
        lines = {line.name: line for line in found.lines}
        assert lines["training rows"].y.tolist() == model.train_loss_.tolist()
        assert lines["training rows"].x.tolist() == list(range(len(model.train_loss_)))
        if len(model.validation_loss_):
            assert lines["rows held out"].y.tolist() == model.validation_loss_.tolist()
            assert found.best == model.n_estimators_ == int(model.validation_loss_.argmin())
    else:
        assert found is None


@pytest.mark.parametrize("name", ["boosting of classes", "exponents"])
def test_a_curve_that_fit_has_not_recorded_is_what_it_would_have_been(name: str) -> None:
    model, data = CASES[name]
    X, y = mass() if data == "mass" else load(data)
    model = clone(model).fit(X, y)
    assert not len(model.train_loss_)
    watched = clone(model).set_params(callback=lambda state: None).fit(X, y)
    assert model._late_losses() == pytest.approx(watched.train_loss_, rel=1e-12)
    assert not len(watched._late_losses())
    text = model._repr_html_()
    assert learning_of(watched).text in text
    own = bough.GradientBoostingRegressor(
        loss=lambda y, raw: (raw - y, np.ones(len(y))), n_estimators=2, min_samples_leaf=1
    )
    own.fit([[0.0], [1.0]], [0.0, 1.0])
    assert not len(own._late_losses())


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


def test_a_loaded_model_shows_the_same_curve(tmp_path: Any) -> None:
    X, y = load("titanic")
    model = bough.RandomForestClassifier(n_estimators=40, oob_score=True, random_state=0).fit(X, y)
    model.save(tmp_path / "m.bough")
    again = bough.load(tmp_path / "m.bough")
    assert learning_of(again).text == learning_of(model).text
    assert "share of the gain" in again._repr_html_()  # its out-of-bag rows are not in the file
    assert escape(BIASED) in again._repr_html_()


def many_values() -> tuple[Any, Any]:
    """A column that decides a little, and one of 500 values that says nothing."""
    rng = np.random.default_rng(0)
    signal = rng.integers(0, 2, 1000)
    noise = [f"id{k}" for k in rng.integers(0, 500, 1000)]
    return {"signal": signal.tolist(), "noise": noise}, rng.random(1000) < 0.35 + 0.3 * signal


NOISY = {
    "forest": bough.RandomForestClassifier(n_estimators=30, random_state=0),
    "boosting": bough.GradientBoostingClassifier(n_estimators=10, min_category_rows=1, category_smoothing=0),
    "adaboost": bough.AdaBoostClassifier(n_estimators=10),
}


@pytest.mark.parametrize("name", NOISY)
def test_noise_of_many_values_is_first_nowhere_or_said_to_be_favoured(name: str, tmp_path: Any) -> None:
    X, y = many_values()
    model = clone(NOISY[name]).fit(X, y)
    assert model.importances(method="gain").ranking[0][0] == "noise"
    assert re.findall('data-column="([a-z]+)"', model._repr_html_()) == ["signal", "noise"]
    assert escape(BIASED) not in model._repr_html_()
    text = str(model.ensemble_)  # it has no rows
    assert re.findall("^(signal|noise) ", text, re.MULTILINE) == ["noise", "signal"]
    assert unfolded(text).endswith(BIASED)
    model.save(tmp_path / "m.bough")
    again = bough.load(tmp_path / "m.bough")
    for shown in (again._repr_html_(), pickle.loads(pickle.dumps(model))._repr_html_()):
        assert re.findall('data-column="([a-z]+)"', shown) == ["noise", "signal"]
        assert escape(BIASED) in shown


def test_what_rows_have_said_stays_with_the_trees(tmp_path: Any) -> None:
    from bough.estimators.many import keep_importances

    X, y = many_values()
    model = clone(NOISY["forest"]).fit(X, y)
    expected, digest, before = model.importances(), model.digest(), model._repr_html_()
    keep_importances(model)
    model.save(tmp_path / "m.bough")
    loaded, copied = bough.load(tmp_path / "m.bough"), pickle.loads(pickle.dumps(model))
    loaded.save(tmp_path / "again.bough")
    assert (tmp_path / "again.bough").read_bytes() == (tmp_path / "m.bough").read_bytes()
    for again in (loaded, copied, bough.from_json(model.to_json())):
        assert again.ensemble_.notes.values == tuple(expected.values.tolist())
        assert again.digest() == digest
        assert again._repr_html_() == before
        assert re.findall("^(signal|noise) ", str(again.ensemble_), re.MULTILINE) == ["signal", "noise"]
    assert clone(NOISY["forest"]).fit(X, y).ensemble_.notes.measure == ""


def test_a_view_fits_no_folds_that_take_long(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = many_values()
    model = clone(NOISY["adaboost"]).fit(X, y)
    monkeypatch.setattr("bough.estimators.many.MOST_REFITTED", 2 * 1000 * 10 - 1)
    assert escape(BIASED) in model._repr_html_()


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


def test_a_view_draws_nothing_and_calls_nothing_of_the_user() -> None:
    X, y = many_values()
    called = []

    def loss(target: Any, raw: Any) -> Any:
        called.append(len(target))
        return raw - target, np.ones_like(raw)

    numbers = (np.asarray(y) == y[0]).astype(float)
    model = bough.GradientBoostingRegressor(loss=loss, n_estimators=3).fit(X, numbers)
    fitted = len(called)
    assert escape(BIASED) in model._repr_html_()
    assert len(called) == fitted
    for drawn in (
        bough.GradientBoostingRegressor(n_estimators=3, subsample=0.5),
        bough.ExtraTreesClassifier(n_estimators=3),
    ):
        model = drawn.fit(X, numbers)
        before = np.random.get_state()[1].copy()
        assert model._repr_html_() == model._repr_html_()
        assert np.array_equal(np.random.get_state()[1], before)


def test_the_largest_numbers_have_a_bar() -> None:
    X, y = many_values()
    found = json.loads(clone(NOISY["forest"]).fit(X, y).to_json())
    found["notes"] = {"lines": [], "measure": "permutation", "values": [1e308, 1.7e308]}
    assert len(str(bough.from_json(json.dumps(found)).ensemble_)) < 2000


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


def test_a_console_shows_explanations_and_importances_as_they_are_printed() -> None:
    X, y = load("titanic")
    model = bough.RandomForestClassifier(n_estimators=5, random_state=0).fit(X, y)
    average = bough.WeightedAverageClassifier(
        [("a", model), ("b", bough.DecisionTreeClassifier(max_depth=2))]
    )
    row = {name: values[0] for name, values in X.items()}
    tree = bough.DecisionTreeClassifier(max_depth=2).fit(X, y)
    for shown in (
        model.explain(row),
        model.importances(),
        tree.explain(row),
        average.fit(X, y).explain(row),
    ):
        assert repr(shown) == str(shown)
        assert "\n" in repr(shown)


def test_a_notebook_shows_digits_of_small_importances() -> None:
    X, y = mass()
    model = bough.RandomForestRegressor(n_estimators=10, random_state=0).fit(X, [v * 1e-6 for v in y])
    page = model._repr_html_()
    largest = max(model.importances().values)
    assert largest < 1e-4
    shown = [cell for cell in re.findall(r"<td[^>]*>([^<]*)</td></tr>", page) if cell.strip("0.-")]
    assert float(shown[0]) == pytest.approx(largest, rel=1e-3)


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
