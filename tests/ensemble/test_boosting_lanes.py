"""Rows that go through the steps of boosting several at a time come out as if each had gone alone."""

import numpy as np
import pytest
from simd import told_by_each_level

from bough import _core

FITS = """
import numpy as np, bough
rng = np.random.default_rng(0)
n = 40_003  # enough for sums of few bits; no multiple of two, four or eight
X = rng.normal(size=(n, 5))
X[:, 3] = rng.integers(0, 4, n)
X[rng.random(n) < 0.1, 0] = np.nan
score = np.nan_to_num(X[:, 0]) + X[:, 1] * X[:, 2] + rng.normal(size=n)
weight = rng.integers(1, 9, n) / 7
given = {"n_estimators": 3, "max_leaf_nodes": 40, "min_samples_leaf": 1, "random_state": 0}
for classes in 2, 3:
    y = np.digitize(score, np.quantile(score, np.arange(1, classes) / classes))
    for more in {}, {"subsample": 0.7}, {"n_jobs": 2}, {"max_depth": 4, "max_leaf_nodes": None}:
        model = bough.GradientBoostingClassifier(**given | more)
        print(model.fit(X, y).digest(), model.fit(X, y, weight).digest())
print(bough.GradientBoostingRegressor(**given).fit(X, score).digest())
many = np.column_stack([rng.integers(0, 400, n).astype(str), score.round(1).astype(str)])
print(bough.GradientBoostingClassifier(**given).fit(many, score > 0).digest())
for size in 2, 8, 9, 63, 64, 71, 72, 73, 80, 81, 150, 999:  # also of the nodes below
    model = bough.GradientBoostingClassifier(**given).fit(X[:size], np.arange(size) * 7 % 31 % 2)
    print(model.digest())
"""


def test_models_are_the_same_with_and_without_vector_instructions():
    found = told_by_each_level(FITS)
    assert len(found) == 1
    assert len(found.pop().splitlines()) == 22


@pytest.mark.parametrize("classes", [1, 2, 7])
def test_derivatives_of_a_row_do_not_depend_on_its_neighbours(classes):
    rng = np.random.default_rng(classes)
    n = 4096 + 256 + 13  # two tasks, strips, and rows left over
    raw = np.ascontiguousarray(rng.normal(scale=9.0, size=(classes, n)))
    y = rng.integers(max(classes, 2), size=n)

    def derivatives(part):
        here = np.ascontiguousarray(raw[:, part])
        out = np.empty_like(here), np.empty_like(here)
        if classes == 1:
            _core.logistic_derivatives(y[part].astype(float), here[0], out[0][0], out[1][0], 2)
        else:
            _core.softmax_derivatives(y[part], here, *out, 2)
        return np.array(out)

    together = derivatives(slice(None))
    alone = [derivatives(slice(i, i + 1)) for i in range(0, n, 7)]
    assert np.array_equal(together[:, :, ::7], np.concatenate(alone, axis=2))
    gradient, hessian = together
    shares = gradient + (y if classes == 1 else y == np.arange(classes)[:, None])
    assert np.allclose(hessian, shares * (1 - shares), atol=1e-15)


@pytest.mark.parametrize("n", [3, 8, 40_003])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, -1e-300])
def test_a_derivative_that_is_not_possible_is_found_wherever_it_stands(n, bad):
    values = [np.arange(float(n))]
    booster = _core.Booster(values, [0], n, 255, _core.BoostSettings(), 2)

    def grow(gradient, hessian):
        return booster.grow(gradient, hessian, np.empty(0), np.empty(0, np.uint32), [0], [0], 2)

    good = np.linspace(-1.0, 1.0, n)[None], np.full((1, n), 0.25)
    assert grow(*good)[0]["n_rows"][0] == n
    for place in {0, n // 2, n - 1}:
        for which in (1,) if bad == -1e-300 else (0, 1):
            given = [array.copy() for array in good]
            given[which][0, place] = bad
            with pytest.raises(ValueError, match="gradient or hessian"):
                grow(*given)
