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
