"""Trees that answer together: the three ways, by hand."""

import numpy as np
import pytest

from bough import BoughError, DecisionTreeClassifier, DecisionTreeRegressor
from bough.tree import Ensemble

X = np.arange(8.0).reshape(-1, 1)
Y = np.array(["a", "a", "b", "b", "c", "c", "a", "b"])
NUMBERS = np.array([1.0, 2.0, 4.0, 4.0, 7.0, 9.0, 9.0, 12.0])


def of(models, combine, weights, **more):
    trees = tuple(m.tree_ for m in models)
    given = {
        "classes": trees[0].classes,
        "output": np.zeros(len(trees), np.int32),
        "base": np.zeros(0),
        **more,
    }
    return Ensemble(trees, trees[0].fields, combine=combine, weights=np.array(weights, float), **given)


def test_shares_are_averaged_by_weight():
    models = [DecisionTreeClassifier(max_depth=d).fit(X, Y) for d in (1, 2)]
    both = of(models, "mean", [1, 3])
    expected = (models[0].predict_proba(X) + 3 * models[1].predict_proba(X)) / 4
    assert np.allclose(both.predict_proba(X), expected, rtol=1e-15)
    assert (both.predict(X) == both.classes[expected.argmax(axis=1)]).all()


def test_votes_count_the_weight_of_the_tree():
    models = [DecisionTreeClassifier(max_depth=d).fit(X, Y) for d in (1, 2, 3)]
    votes = sum(
        w * (m.predict(X)[:, None] == np.array(["a", "b", "c"]))
        for m, w in zip(models, (1, 1, 3), strict=True)
    )
    assert np.allclose(of(models, "vote", [1, 1, 3]).predict_proba(X), votes / 5)


def test_the_weighted_median_of_numbers():
    models = [DecisionTreeRegressor(max_depth=d).fit(X, NUMBERS) for d in (0 + 1, 2, 3)]
    answers = np.column_stack([m.predict(X) for m in models])
    assert (of(models, "vote", [1, 1, 1]).predict(X) == np.median(answers, axis=1)).all()
    assert (of(models, "vote", [5, 1, 1]).predict(X) == answers[:, 0]).all()


@pytest.mark.parametrize(("link", "answer"), [("identity", lambda z: z), ("exp", np.exp)])
def test_sums_and_links(link, answer):
    models = [DecisionTreeRegressor(max_depth=1).fit(X, NUMBERS)] * 2
    summed = of(models, "sum", [0.1, 0.2], base=np.array([0.5]), link=link)
    assert np.allclose(
        summed.predict(X), answer(0.5 + 0.1 * models[0].predict(X) + 0.2 * models[0].predict(X))
    )
    with pytest.raises(BoughError, match="no class shares"):
        summed.predict_proba(X)


def test_classes_from_sums():
    model = DecisionTreeRegressor(max_depth=2).fit(X, NUMBERS - 5)
    z = model.predict(X)
    two = of([model], "sum", [1.0], classes=np.array(["n", "y"]), base=np.zeros(1), link="logistic")
    assert np.allclose(two.predict_proba(X)[:, 1], 1 / (1 + np.exp(-z)))
    output = np.array([0, 2], np.int32)
    three = of(
        [model] * 2, "sum", [1.0, 2.0], classes=np.arange(3), base=np.zeros(3), link="softmax", output=output
    )
    powers = np.exp(np.column_stack([z, np.zeros(8), 2 * z]))
    assert np.allclose(three.predict_proba(X), powers / powers.sum(axis=1, keepdims=True))


def test_the_digest_sees_trees_weights_and_the_way():
    models = [DecisionTreeClassifier(max_depth=d).fit(X, Y) for d in (1, 2)]
    digests = [
        of(models, "mean", [1, 1]),
        of(models, "mean", [1, 2]),
        of(models, "vote", [1, 1]),
        of(models[::-1], "mean", [1, 1]),
    ]
    assert len({e.digest() for e in digests}) == 4
    assert of(models, "mean", [1, 1]).digest() == digests[0].digest()
    assert len(digests[0]) == 2
    assert digests[0][1] is models[1].tree_


def holes(n=700, seed=0):
    """Numbers with holes, categories with holes, and both kinds of target."""
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=(n, 3)).round(1)
    numbers[rng.random((n, 3)) < 0.1] = np.nan
    letters = np.array(list("abcdef"), dtype=object)[rng.integers(6, size=n)]
    letters[rng.random(n) < 0.1] = None
    table = {"x": numbers[:, 0], "y": numbers[:, 1], "z": numbers[:, 2], "letter": letters}
    return table, rng.integers(3, size=n), rng.normal(size=n)


@pytest.mark.parametrize("missing", ["learn", "branch", "stop", "surrogate", "majority", "fractional"])
@pytest.mark.parametrize("combine", ["mean", "vote"])
def test_all_trees_at_once_say_what_each_says(missing, combine):
    table, classes, _ = holes()
    models = [
        DecisionTreeClassifier(missing=missing, max_depth=d, categories=c).fit(table, classes)
        for d, c in ((3, "subset"), (9, "multiway"), (6, "one_vs_rest"))
    ]
    weights = np.array([1.0, 0.3, 2.5])
    said = [m.predict_proba(table) for m in models]
    if combine == "vote":
        said = [(m.predict(table)[:, None] == m.classes_).astype(float) for m in models]
    expected = np.zeros((len(classes), 3))
    for weight, one in zip(weights, said, strict=True):
        expected += weight * one
    ensemble = of(models, combine, weights)
    for threads in (1, 2):
        assert (ensemble.raw(table, threads) == expected / weights.sum()).all()
    assert (ensemble.apply(table) == np.column_stack([m.apply(table) for m in models])).all()


def test_sums_at_once_do_not_depend_on_threads():
    table, _, numbers = holes(3000)
    models = [DecisionTreeRegressor(max_depth=d).fit(table, numbers) for d in (2, 5, 20, 3)]
    output = np.array([0, 1, 1, 0], np.int32)
    base = np.array([0.25, -1.0])
    ensemble = of(
        models, "sum", [0.1, 0.2, 0.3, 0.4], base=base, output=output, classes=np.arange(2), link="softmax"
    )
    expected = np.tile(base, (3000, 1))
    for model, weight, k in zip(models, (0.1, 0.2, 0.3, 0.4), output, strict=True):
        expected[:, k] += weight * model.predict(table)
    for threads in (1, 2, 4):
        assert (ensemble.raw(table, threads) == expected).all()


def test_an_ensemble_can_be_pickled_after_use():
    import pickle

    model = of([DecisionTreeClassifier(max_depth=2).fit(X, Y)], "mean", [1.0])
    before = model.predict_proba(X)
    assert (pickle.loads(pickle.dumps(model)).predict_proba(X) == before).all()
