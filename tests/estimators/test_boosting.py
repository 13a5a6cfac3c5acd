"""Boosting: what the sums are, what stops it, and what it keeps to."""

import io
import pickle
import signal
import threading

import numpy as np
import pandas as pd
import polars as pl
import pytest
from estimators.boosted import SMALL, mixed, numbers
from sklearn.metrics import roc_auc_score
from sklearn.utils.estimator_checks import check_estimator

from bough import (
    BoughError,
    DecisionTreeRegressor,
    GradientBoostingClassifier,
    GradientBoostingRanker,
    GradientBoostingRegressor,
)
from bough.ensemble.progress import Line, Progress


@pytest.mark.parametrize(
    "model", [GradientBoostingClassifier, GradientBoostingRegressor, GradientBoostingRanker]
)
@pytest.mark.filterwarnings("ignore:neither group nor qid", "ignore:no tree has a split")
def test_scikit_learn_checks(model):
    check_estimator(model(n_estimators=20), on_skip=None)


def test_the_first_tree_is_a_regression_tree():
    X, y = numbers(250)
    given = {"max_leaf_nodes": 12, "min_samples_leaf": 3}
    tree = DecisionTreeRegressor(**given).fit(X, y).tree_
    plain = {"learning_rate": 1.0, "min_sum_hessian": 0, "l2_regularization": 0}
    model = GradientBoostingRegressor(n_estimators=1, **plain, **given).fit(X, y)
    first = model.ensemble_[0]
    assert (first.feature == tree.feature).all()
    assert (first.n_rows == tree.n_rows).all()
    assert (first.apply(X) == tree.apply(X)).all()
    assert model.predict(X) == pytest.approx(tree.predict(X), rel=1e-12)
    asking = tree.feature >= 0
    assert first.gain[asking] == pytest.approx(tree.gain[asking], rel=1e-9)


@pytest.mark.parametrize("classes", [2, 3])
def test_answers_are_sums_over_the_trees(classes):
    X, number = numbers(300)
    y = np.digitize(number, np.quantile(number, np.arange(1, classes) / classes))
    model = GradientBoostingClassifier(**SMALL, learning_rate=0.3).fit(X, y)
    ensemble = model.ensemble_
    outputs = 1 if classes == 2 else classes
    assert len(ensemble) == 8 * outputs
    raw = [[float(b) for b in ensemble.base] for _ in range(10)]
    for t, tree in enumerate(ensemble):
        for row, leaf in enumerate(tree.apply(X[:10])):
            raw[row][t % outputs] += 0.3 * float(tree.value[leaf, 0])
    shares = np.array([[1.0, np.exp(r[0])] if classes == 2 else np.exp(r) for r in raw])
    shares /= shares.sum(axis=1, keepdims=True)
    assert model.predict_proba(X[:10]) == pytest.approx(shares, rel=1e-12)
    assert (model.predict(X[:10]) == shares.argmax(axis=1)).all()
    decision = np.array(raw)[:, 0] if classes == 2 else np.array(raw)
    assert model.decision_function(X[:10]) == pytest.approx(decision, rel=1e-12)


def test_stages_end_in_the_model():
    X, y = mixed(400)
    model = GradientBoostingClassifier(**SMALL).fit(X, y)
    stages = list(model.staged_predict_proba(X))
    assert len(stages) == 8
    assert stages[-1] == pytest.approx(model.predict_proba(X), rel=1e-12)
    assert (list(model.staged_predict(X))[-1] == model.predict(X)).all()
    short = GradientBoostingClassifier(**SMALL | {"n_estimators": 3}).fit(X, y)
    assert stages[2] == pytest.approx(short.predict_proba(X), rel=1e-12)


@pytest.mark.parametrize("loss", ["absolute_error", "quantile", "huber"])
def test_leaves_have_the_exact_minimum_of_their_loss(loss):
    X, y = numbers(200)
    given = {"loss": loss, "n_estimators": 1, "max_leaf_nodes": 4, "learning_rate": 1.0, "quantile": 0.8}
    model = GradientBoostingRegressor(**given, huber_delta=1.5).fit(X, y)
    made = model._loss()
    leaves = model.apply(X)[:, 0]
    for leaf in np.unique(leaves):
        rows = y[leaves == leaf]
        at = lambda c, rows=rows: made.mean(rows, np.full((1, len(rows)), c), None)  # noqa: E731
        answer = model.predict(X)[leaves == leaf][0]
        grid = np.linspace(rows.min(), rows.max(), 5001)
        assert at(answer) <= min(map(at, grid)) + 1e-9


@pytest.mark.parametrize("loss", ["poisson", "gamma", "tweedie"])
def test_positive_numbers_by_their_logarithm(loss):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 3))
    mean = np.exp(0.7 * X[:, 0] - 0.4 * (X[:, 1] > 0))
    y = {
        "poisson": rng.poisson(mean),
        "gamma": rng.gamma(3, mean / 3) + 1e-9,
        "tweedie": rng.poisson(mean) * 1.5,
    }
    model = GradientBoostingRegressor(loss=loss, n_estimators=60, max_leaf_nodes=8).fit(X, y[loss])
    truth = mean * (1.5 if loss == "tweedie" else 1.0)
    assert (model.predict(X) > 0).all()
    assert np.corrcoef(np.log(model.predict(X)), np.log(truth))[0, 1] > 0.85
    assert model.predict(X).mean() == pytest.approx(truth.mean(), rel=0.1)


@pytest.mark.parametrize("threads", [2, 4])
def test_the_same_model_for_any_threads(threads):
    X, y = mixed(60_000)
    given = {"n_estimators": 4, "subsample": 0.7, "max_features": 0.8, "random_state": 3}
    one = GradientBoostingClassifier(**given).fit(X, y)
    assert GradientBoostingClassifier(**given, n_jobs=threads).fit(X, y).digest() == one.digest()
    target = X["fare"].to_numpy() + X["member"].to_numpy()
    one = GradientBoostingRegressor(n_estimators=4).fit(X, target)
    assert GradientBoostingRegressor(n_estimators=4, n_jobs=threads).fit(X, target).digest() == one.digest()


def test_the_same_model_for_any_frame():
    X, y = mixed(800)
    digests = {GradientBoostingClassifier(**SMALL).fit(frame, y).digest() for frame in (X, pl.from_pandas(X))}
    assert len(digests) == 1
    X, y = numbers(300)
    names = [f"x{j}" for j in range(6)]
    frames = [X, np.asfortranarray(X), pd.DataFrame(X, columns=names), pl.DataFrame(X, schema=names)]
    models = [GradientBoostingRegressor(**SMALL).fit(frame, y) for frame in frames]
    assert len({tuple(m.predict(f)) for m, f in zip(models, frames, strict=True)}) == 1
    assert len({m.digest() for m in models[2:]}) == 1


def test_early_stopping_keeps_the_best_round():
    X, y = numbers(600)
    X_new, y_new = numbers(300, seed=1)
    given = {"n_estimators": 500, "learning_rate": 0.3, "early_stopping": True, "n_iter_no_change": 5}
    model = GradientBoostingRegressor(**given).fit(X, y, X_val=X_new, y_val=y_new)
    assert model.n_estimators_ == len(model.ensemble_) == model.validation_loss_.argmin()
    assert len(model.validation_loss_) == len(model.train_loss_) == model.n_estimators_ + 6
    half_squared = np.mean((model.predict(X_new) - y_new) ** 2) / 2
    assert model.validation_loss_.min() == pytest.approx(half_squared, rel=1e-9)
    by_share = GradientBoostingRegressor(**given).fit(X, y)
    assert by_share.n_estimators_ < 500
    frame, answer = mixed(500)
    classifier = GradientBoostingClassifier(**given).fit(frame, answer)
    assert classifier.n_estimators_ < 500
    with pytest.raises(BoughError, match="one is missing"):
        model.fit(X, y, X_val=X_new)


def test_held_out_rows_alone_do_not_stop():
    X, y = numbers(300)
    model = GradientBoostingRegressor(**SMALL).fit(X, y, X_val=X, y_val=y)
    assert model.n_estimators_ == 8
    assert model.validation_loss_ == pytest.approx(model.train_loss_, rel=1e-9)


def test_warm_start_goes_on_with_the_record_of_losses():
    X, y = numbers(500)
    given = {"learning_rate": 0.3, "early_stopping": True, "n_iter_no_change": 6, "random_state": 0}
    whole = GradientBoostingRegressor(n_estimators=200, **given).fit(X, y)
    parts = GradientBoostingRegressor(n_estimators=7, warm_start=True, **given).fit(X, y)
    for n in (12, 200):
        parts.set_params(n_estimators=n).fit(X, y)
    assert 12 < whole.n_estimators_ < 200
    assert parts.n_estimators_ == whole.n_estimators_
    for name in ("train_loss_", "validation_loss_"):
        assert getattr(parts, name) == pytest.approx(getattr(whole, name), rel=1e-12)
    # Without a record of the first rounds, they are judged now.
    late = GradientBoostingClassifier(n_estimators=5, warm_start=True).fit(X, np.digitize(y, [5, 15]))
    late.set_params(n_estimators=9).fit(X, np.digitize(y, [5, 15]), X_val=X, y_val=np.digitize(y, [5, 15]))
    assert late.validation_loss_.shape == (10,)
    assert late.validation_loss_ == pytest.approx(late.train_loss_, rel=1e-9)
    assert (np.diff(late.train_loss_) < 0).all()


def test_warm_start_goes_on():
    X, y = mixed(500)
    for more in ({}, {"subsample": 0.6, "colsample_bytree": 0.5, "random_state": 1}):
        whole = GradientBoostingClassifier(**SMALL, **more).fit(X, y)
        half = GradientBoostingClassifier(**SMALL | {"n_estimators": 3}, **more, warm_start=True).fit(X, y)
        assert half.set_params(n_estimators=8).fit(X, y).digest() == whole.digest()
    with pytest.raises(BoughError, match="at least 8"):
        half.set_params(n_estimators=4).fit(X, y)
    with pytest.raises(BoughError, match="same columns and classes"):
        half.set_params(n_estimators=9).fit(X[["age"]], y)
    X, y = numbers(100)
    model = GradientBoostingRegressor(**SMALL, warm_start=True).fit(X, np.exp(y))
    with pytest.raises(BoughError, match="squared_error small, the next ones would poisson"):
        model.set_params(n_estimators=9, loss="poisson").fit(X, np.exp(y))


def test_weights_are_repeated_rows():
    """Leaves need as many rows with the weights as without: the minimum is 1 here."""
    X, y = numbers(200)
    times = np.random.default_rng(0).integers(0, 4, size=200)
    given = {"n_estimators": 5, "max_leaf_nodes": 6, "min_samples_leaf": 1}
    for loss in ("squared_error", "absolute_error", "huber"):
        weighted = GradientBoostingRegressor(**given, loss=loss, huber_delta=2.0).fit(X, y, times)
        repeated = GradientBoostingRegressor(**given, loss=loss, huber_delta=2.0)
        repeated.fit(np.repeat(X, times, axis=0), np.repeat(y, times))
        assert weighted.predict(X) == pytest.approx(repeated.predict(X), rel=1e-9)
    frame, answer = mixed(200)
    given["min_category_rows"] = 1
    given["category_smoothing"] = 0.0
    weighted = GradientBoostingClassifier(**given).fit(frame, answer, times)
    rows = np.repeat(np.arange(200), times)
    repeated = GradientBoostingClassifier(**given).fit(frame.iloc[rows], answer[rows])
    assert weighted.predict_proba(frame) == pytest.approx(repeated.predict_proba(frame), rel=1e-9)


def test_weights_that_sum_to_1_are_weights_of_mean_1():
    X, y = mixed(400)
    w = np.random.default_rng(1).uniform(0.5, 1.5, size=400)
    given = SMALL | {"l1_regularization": 0.5, "min_sum_hessian": 2.0}
    small = GradientBoostingClassifier(**given).fit(X, y, sample_weight=w / w.sum())
    mean_1 = GradientBoostingClassifier(**given).fit(X, y, sample_weight=w / w.mean())
    assert np.ptp(small.predict_proba(X)[:, 1]) > 0.3
    np.testing.assert_allclose(small.predict_proba(X), mean_1.predict_proba(X), rtol=1e-9)


def test_class_weights_are_row_weights():
    X, y = mixed(300)
    balanced = GradientBoostingClassifier(**SMALL, class_weight="balanced").fit(X, y)
    by_hand = {label: 300 / 2 / (y == label).sum() for label in ("no", "yes")}
    weights = np.array([by_hand[label] for label in y])
    assert balanced.digest() == GradientBoostingClassifier(**SMALL).fit(X, y, weights).digest()
    assert balanced.ensemble_.base[0] == pytest.approx(0.0, abs=1e-12)


def test_missing_values_learn_their_way():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 2))
    y = np.where(rng.uniform(size=2000) < 0.3, 5.0, X[:, 0])
    X[y == 5.0, 0] = np.nan
    model = GradientBoostingRegressor(n_estimators=40, learning_rate=0.3).fit(X, y)
    assert model.predict([[np.nan, 0.0]])[0] == pytest.approx(5.0, abs=0.1)
    assert model.predict([[1.0, 0.0]])[0] == pytest.approx(1.0, abs=0.3)


def test_a_column_of_5000_categories():
    rng = np.random.default_rng(0)
    effect, code = rng.normal(size=5000), rng.integers(5000, size=40_000)
    y = (effect[code] + rng.normal(scale=0.5, size=40_000) > 0).astype(int)
    X = pd.DataFrame({"shop": pd.Categorical.from_codes(code, [f"shop {i:04d}" for i in range(5000)])})
    X["noise"] = rng.normal(size=40_000)
    model = GradientBoostingClassifier(n_estimators=30, min_category_rows=3).fit(X[:30_000], y[:30_000])
    # Seven rows for each shop tell most of what the shop's own effect would.
    ideal = roc_auc_score(y[30_000:], effect[code][30_000:])
    assert roc_auc_score(y[30_000:], model.predict_proba(X[30_000:])[:, 1]) > ideal - 0.15
    noise = X.assign(shop=rng.permutation(X["shop"]))
    useless = GradientBoostingClassifier(n_estimators=30).fit(noise[:30_000], y[:30_000])
    assert abs(roc_auc_score(y[30_000:], useless.predict_proba(noise[30_000:])[:, 1]) - 0.5) < 0.02


def test_drawn_rows_and_columns_follow_the_seed():
    X, y = numbers(400)
    for name in ("subsample", "colsample_bytree", "colsample_bylevel", "max_features"):
        one, same, other = (
            GradientBoostingRegressor(**SMALL, **{name: 0.5}, random_state=seed).fit(X, y)
            for seed in (1, 1, 2)
        )
        assert one.digest() == same.digest() != other.digest()
    trees = GradientBoostingRegressor(**SMALL, colsample_bytree=0.34, random_state=0).fit(X, y).ensemble_
    assert all(len(set(tree.feature[tree.feature >= 0])) <= 2 for tree in trees)
    assert trees[0].n_rows[0] == 400
    assert 100 < GradientBoostingRegressor(**SMALL, subsample=0.5).fit(X, y).ensemble_[0].n_rows[0] < 300


def test_level_by_level_fills_the_depth():
    X, y = numbers(2000)
    model = GradientBoostingRegressor(n_estimators=2, max_leaf_nodes=None, max_depth=4, min_samples_leaf=1)
    assert [tree.n_leaves for tree in model.fit(X, y).ensemble_] == [16, 16]


def test_progress_and_callback(capsys):
    X, y = numbers(200)
    seen = []
    model = GradientBoostingRegressor(**SMALL, callback=lambda p: seen.append(p) or p.done == 3).fit(X, y)
    assert [p.done for p in seen] == [1, 2, 3]
    assert model.n_estimators_ == 3
    assert seen[0].loss > seen[2].loss == pytest.approx(np.mean((model.predict(X) - y) ** 2) / 2)
    GradientBoostingRegressor(**SMALL, verbose=True).fit(X, y)
    lines = capsys.readouterr().err.splitlines()
    assert lines[-1].startswith("round 8 of 8, loss ")
    with pytest.raises(BoughError, match="callback"):
        GradientBoostingRegressor(callback=3).fit(X, y)

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    line = Line(Terminal())
    for done in (1, 2):
        line(Progress(done, 2, 0.1 * done, 1.0 / done, 2.0))
    assert line.stream.getvalue() == (
        "\rround 1 of 2, loss 1, held out 2, 0.1 s\rround 2 of 2, loss 0.5, held out 2, 0.2 s\n"
    )


def test_an_interrupt_keeps_the_rounds_so_far():
    X, y = numbers(3000)

    def interrupt(progress):
        if progress.done == 4:
            signal.raise_signal(signal.SIGINT)

    with pytest.warns(UserWarning, match="interrupted: the model has 4 of 50 rounds"):
        model = GradientBoostingRegressor(n_estimators=50, callback=interrupt).fit(X, y)
    assert model.n_estimators_ == 4
    assert model.predict(X).shape == (3000,)


def test_an_interrupt_inside_the_core():
    X, y = numbers(20_000, columns=20)

    def press(progress):
        if progress.done == 2:  # there is a tree to keep, however slow the machine is
            threading.Timer(0.05, signal.raise_signal, [signal.SIGINT]).start()

    with pytest.warns(UserWarning, match=r"interrupted: the model has \d+ of 100000 rounds"):
        model = GradientBoostingRegressor(n_estimators=100_000, callback=press).fit(X, y)
    assert 2 <= model.n_estimators_ < 100_000


def test_a_pickled_model_answers_the_same():
    X, y = mixed(300)
    model = GradientBoostingClassifier(**SMALL).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert again.digest() == model.digest()
    assert (again.predict_proba(X) == model.predict_proba(X)).all()


def test_importances_name_the_columns_that_matter():
    X, y = numbers(1000)
    importances = GradientBoostingRegressor().fit(X, y).feature_importances_
    assert importances.sum() == pytest.approx(1.0)
    assert importances[:4].min() > importances[4:].max()


@pytest.mark.parametrize(
    "given",
    [
        {"n_estimators": 0},
        {"learning_rate": 0.0},
        {"max_bins": 256},
        {"subsample": 0.0},
        {"max_leaf_nodes": 1},
        {"loss": "squared"},
        {"validation_fraction": 1.0},
        {"n_iter_no_change": 0},
        {"tol": -1.0},
        {"init": "zero"},
        {"early_stopping": "auto"},
        {"l2_regularization": -1.0},
    ],
)
def test_parameters_out_of_range(given):
    X, y = numbers(50)
    with pytest.raises(BoughError, match=f"{next(iter(given))}=.* is not possible"):
        GradientBoostingRegressor(**given).fit(X, y)


def test_a_wrong_parameter_is_answered_with_the_right_one():
    with pytest.raises(BoughError, match="learning_rate"):
        GradientBoostingRegressor(learning_rat=0.1)


def test_numbers_too_large_to_square():
    X, y = numbers(100)
    assert np.isfinite(GradientBoostingRegressor(**SMALL).fit(X, y * 1e200).predict(X)).all()
    with pytest.raises(BoughError, match="too large"):
        GradientBoostingRegressor(**SMALL).fit(X, np.where(y > 10, 1.7e308, -1.7e308))
    with pytest.raises(BoughError, match="too large"):
        GradientBoostingRegressor().fit([[0], [1], [2], [3]], [1.7e308, -1.7e308, 1, 2], [2, 2, 1, 1])


def test_errors_of_validation_rows_say_so():
    X, y = numbers(60)
    labels = np.where(y > np.median(y), "high", "low")
    with pytest.raises(BoughError, match=r"(?s)X_val and y_val: X and y have.*60, 5"):
        GradientBoostingRegressor(**SMALL).fit(X, y, X_val=X, y_val=y[:5])
    with pytest.raises(BoughError, match="X_val and y_val: no row of y has the class 'medium'"):
        GradientBoostingClassifier(**SMALL).fit(X, labels, X_val=X[:2], y_val=["low", "medium"])


def test_categories_are_mixed_with_more_rows_where_there_are_more():
    rng = np.random.default_rng(8)
    town = rng.integers(60, size=900)
    frame = pd.DataFrame({"town": [f"t{i}" for i in town], "x": rng.normal(size=900)})
    y = np.sin(town) + frame["x"] * 0.3 + rng.normal(size=900)
    given = {"n_estimators": 3, "min_samples_leaf": 5}
    usual = GradientBoostingRegressor(**given).fit(frame, y)
    assert (
        usual.digest() == GradientBoostingRegressor(**given, category_smoothing=30.0).fit(frame, y).digest()
    )
    assert (
        usual.digest() != GradientBoostingRegressor(**given, category_smoothing=100.0).fit(frame, y).digest()
    )
    for bad in (-1.0, np.nan, "much", True):
        with pytest.raises(BoughError, match="category_smoothing"):
            GradientBoostingRegressor(category_smoothing=bad).fit(frame, y)


@pytest.mark.parametrize("rate", [0, -1, "fast", None, float("nan")])
def test_a_learning_rate_is_above_zero(rate):
    with pytest.raises(BoughError, match="learning_rate") as error:
        GradientBoostingRegressor(learning_rate=rate).fit([[0.0], [1.0]], [0.0, 1.0])
    assert error.value.hint == "learning_rate is a number above 0."
