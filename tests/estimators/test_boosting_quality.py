"""Boosting answers as well as scikit-learn's."""

import numpy as np
from estimators.boosted import mixed, numbers
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.metrics import accuracy_score, roc_auc_score, root_mean_squared_error
from threadpoolctl import threadpool_limits

from bough import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
)


def compared(ours, theirs, measure, make):
    """How much larger our figure is on rows not seen, the mean of six tables, and its standard error: on one
    table models of equal worth differ by .003 of AUC."""
    found = []
    for seed in range(6):
        X, y = make(seed)
        half = len(y) // 2
        models = [model.fit(X[:half], y[:half]) for model in (ours, theirs)]
        a, b = (measure(model, X[half:], y[half:]) for model in models)
        found.append(a - b)
    return np.mean(found), np.std(found, ddof=1) / np.sqrt(len(found))


def area(model, X, y):
    return roc_auc_score(y == model.classes_[1], model.predict_proba(X)[:, 1])


def right(model, X, y):
    return accuracy_score(y, model.predict(X))


def error(model, X, y):
    return root_mean_squared_error(y, model.predict(X))


def crossed(seed, cuts=(0.0,), n=8000):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 10))
    score = X[:, 0] + X[:, 1] * X[:, 2] + np.sin(3 * X[:, 3]) + 0.5 * X[:, 4] ** 2 - 0.5
    return X, np.digitize(score + rng.normal(scale=0.7, size=n), cuts)


def test_as_good_as_scikit_learn():
    """At the same number and size of trees: not worse by more than .001 of AUC, .002 of accuracy, 1 % of
    the error, and the noise of six tables."""
    with threadpool_limits(1):
        ours, theirs = {"n_estimators": 30}, {"max_iter": 30, "early_stopping": False}
        classifiers = GradientBoostingClassifier(**ours), HistGradientBoostingClassifier(**theirs)
        more, noise = compared(*classifiers, area, crossed)
        assert more > -0.001 - 2 * noise
        more, noise = compared(*classifiers, right, lambda seed: crossed(seed, (-1.0, 0.0, 1.0), 5000))
        assert more > -0.002 - 2 * noise
        more, noise = compared(*classifiers, area, lambda seed: mixed(6000, seed))
        assert more > -0.001 - 2 * noise
        regressors = GradientBoostingRegressor(**ours), HistGradientBoostingRegressor(**theirs)
        more, noise = compared(*regressors, error, lambda seed: numbers(6000, seed, 10))
        assert more < 0.015 + 2 * noise  # 1 % of about 1.5
