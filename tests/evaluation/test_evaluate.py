"""Tests of bough.evaluate: figures equal scikit-learn's, W13, weights, groups, thresholds, any classifier."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from sklearn import metrics
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GroupKFold, ShuffleSplit, StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import bough
from bough.data.examples import load
from bough.data.ingest import to_table
from bough.evaluation import ClassEvaluation, NumberEvaluation, evaluate

# Several figures are those of the very rows fitted on.
pytestmark = pytest.mark.filterwarnings("ignore:.* was fitted on these very rows")


def binary() -> tuple[Any, Any]:
    columns, y = load("titanic")
    return to_table(columns), np.array(y)


def csection() -> bough.DecisionTreeClassifier:
    model = bough.DecisionTreeClassifier(
        criterion="entropy", categories="multiway", missing="fractional", probabilities="half"
    )
    return model.fit(*load("csection"))


def test_w13() -> None:
    columns, y = load("csection")
    found = evaluate(csection(), columns, y, cv=None, positive="C-section")
    assert found.confusion.tolist() == [[51, 116], [11, 822]]  # TP FN, FP TN
    exact = {
        "precision": 0.822581,
        "recall": 0.305389,
        "f1": 0.445415,
        "accuracy": 0.873,
        "false_positive_rate": 0.013205,
    }
    for name, figure in exact.items():
        assert found[name].value == pytest.approx(figure, abs=5e-7), name


class Scored(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Takes the first column as the share of the first class."""

    def fit(self, X: Any, y: Any) -> Scored:
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return self.classes_[(X[:, 0] < 0.5).astype(int)]

    def predict_proba(self, X: Any) -> Any:
        return np.column_stack([X[:, 0], 1 - X[:, 0]])


# Natural births and C-sections in the leaves, as the lecture prints them.
LEAVES = [(399, 13), (201, 10.6), (133, 36.4), (34, 21), (55, 35), (3, 29), (8, 22)]


def test_w13_the_area_from_the_printed_counts() -> None:
    naturals, sections = np.array(LEAVES).T
    share = sections / (naturals + sections)
    X, y = np.r_[share, share][:, None], np.repeat(["C-section", "Natural"], 7)
    w = np.r_[sections, naturals]
    found = evaluate(Scored().fit(X, y), X, y, cv=None, positive="C-section", sample_weight=w)
    assert found["auc"].value == pytest.approx(0.848185, abs=5e-7)


def test_w13_the_area_of_the_rows() -> None:
    """10.6 is printed for 10 + 211/380: with the row in both of its leaves the area is 0.00005 larger, with
    the one answer that a row gets another 0.0002."""
    columns, y = load("csection")
    model = csection()
    rows, leaves, parts = model.tree_.reach(columns)
    score, truth = model.tree_.shares[leaves, :1], np.array(y)[rows]
    spread = evaluate(
        Scored().fit(score, truth), score, truth, cv=None, positive="C-section", sample_weight=parts
    )
    assert spread["auc"].value == pytest.approx(0.848238, abs=5e-7)
    whole = evaluate(model, columns, y, cv=None, positive="C-section")["auc"].value
    assert whole == pytest.approx(0.848427, abs=5e-7)


@pytest.mark.parametrize("weighted", [False, True])
def test_two_classes_equal_scikit_learns_metrics(weighted: bool) -> None:
    table, y = binary()
    w = np.random.default_rng(1).uniform(0.5, 2, len(y)) if weighted else None
    model = bough.DecisionTreeClassifier(max_leaf_nodes=9)
    found = evaluate(model, table, y, sample_weight=w, random_state=3)
    truth, given, shares, weight, fold, area, precision = [], [], [], [], [], [], []
    for number, (fit, left) in enumerate(StratifiedKFold(10, shuffle=True, random_state=3).split(y, y)):
        own = None if w is None else w[fit]
        copy = bough.DecisionTreeClassifier(max_leaf_nodes=9).fit(table.take(fit), y[fit], sample_weight=own)
        p = copy.predict_proba(table.take(left))[:, 1]
        wl = np.ones(len(left)) if w is None else w[left]
        truth.append(y[left] == "survived")
        given.append(copy.predict(table.take(left)) == "survived")
        shares.append(p)
        weight.append(wl)
        fold.append(np.full(len(left), number))
        area.append(metrics.roc_auc_score(truth[-1], p, sample_weight=wl))
        precision.append(metrics.average_precision_score(truth[-1], p, sample_weight=wl))
    t, g, p, wt = map(np.concatenate, (truth, given, shares, weight))
    keys = {"sample_weight": wt}
    expected = {
        "accuracy": metrics.accuracy_score(t, g, **keys),
        "error": 1 - metrics.accuracy_score(t, g, **keys),
        "sensitivity": metrics.recall_score(t, g, **keys),
        "recall": metrics.recall_score(t, g, **keys),
        "specificity": metrics.recall_score(~t, ~g, **keys),
        "false_positive_rate": 1 - metrics.recall_score(~t, ~g, **keys),
        "precision": metrics.precision_score(t, g, **keys),
        "f1": metrics.f1_score(t, g, **keys),
        "auc": np.mean(area),
        "average_precision": np.mean(precision),
        "brier": metrics.brier_score_loss(t, p, **keys),
        "log_loss": metrics.log_loss(t, p, **keys),
    }
    assert set(found) == set(expected)
    for name, value in expected.items():
        assert found[name].value == pytest.approx(value, rel=1e-12), name
        assert found[name].low <= found[name].value <= found[name].high, name
    np.testing.assert_allclose(found.confusion, metrics.confusion_matrix(t, g, **keys))
    roc, pooled = found.roc(), metrics.roc_curve(t, p, **keys, drop_intermediate=False)
    np.testing.assert_allclose(roc.false_positive_rate, pooled[0])
    np.testing.assert_allclose(roc.true_positive_rate, pooled[1])
    pr = found.precision_recall()
    np.testing.assert_allclose(pr.precision, metrics.precision_recall_curve(t, p, **keys)[0])


def test_cross_validated_scores_are_those_of_cross_val_score() -> None:
    table, y = binary()
    X = np.column_stack([c.values for c in table.columns])
    X[np.isnan(X)] = -1
    model = make_pipeline(StandardScaler(), LogisticRegression())
    folds = StratifiedKFold(7, shuffle=True, random_state=5)
    found = evaluate(model, X, y, cv=folds)
    assert found["auc"].value == pytest.approx(
        cross_val_score(model, X, y, cv=folds, scoring="roc_auc").mean()
    )
    by_fold = cross_val_score(model, X, y, cv=folds)
    assert found.standard_error == pytest.approx(by_fold.std(ddof=1) / math.sqrt(7))
    assert found.answers.n_folds == 7
    assert not hasattr(model[-1], "coef_")  # copies were fitted


def test_more_classes_are_means_of_each_against_the_rest() -> None:
    X, y = load_iris(return_X_y=True)
    model = bough.DecisionTreeClassifier(max_depth=2).fit(X, y)
    found = evaluate(model, X, y, cv=None)
    given, shares = model.predict(X), model.predict_proba(X)
    expected = {
        "accuracy": metrics.accuracy_score(y, given),
        "precision": metrics.precision_score(y, given, average="macro"),
        "recall": metrics.recall_score(y, given, average="macro"),
        "f1": metrics.f1_score(y, given, average="macro"),
        "auc": metrics.roc_auc_score(y, shares, multi_class="ovr", average="macro"),
        "average_precision": metrics.average_precision_score(np.eye(3)[y], shares, average="macro"),
        "brier": np.square(shares - np.eye(3)[y]).sum(axis=1).mean(),
        "log_loss": metrics.log_loss(y, shares),
    }
    for name, value in expected.items():
        assert found[name].value == pytest.approx(value, rel=1e-12), name
    each = found.by_class["1"]
    assert each["precision"] == pytest.approx(metrics.precision_score(y == 1, given == 1))
    assert each["specificity"] == pytest.approx(metrics.recall_score(y != 1, given != 1))
    with pytest.raises(bough.BoughError, match="3 classes"):
        found.roc()
    own = found.roc(positive=2)
    assert metrics.auc(own.false_positive_rate, own.true_positive_rate) == pytest.approx(
        metrics.roc_auc_score(y == 2, shares[:, 2])
    )


@pytest.mark.parametrize("weighted", [False, True])
def test_numbers_equal_scikit_learns_metrics(weighted: bool) -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 3))
    y = X[:, 0] * 3 + random.normal(size=200)
    w = random.integers(1, 4, 200).astype(float) if weighted else None
    found = evaluate(bough.DecisionTreeRegressor(max_leaf_nodes=6), X, y, cv=5, sample_weight=w)
    assert isinstance(found, NumberEvaluation)
    truth, given, order = found.answers.truth, found.answers.given, found.answers.rows
    np.testing.assert_array_equal(truth, y[order])
    keys = {"sample_weight": None if w is None else w[order]}
    assert found["rmse"].value == pytest.approx(metrics.root_mean_squared_error(truth, given, **keys))
    assert found["mae"].value == pytest.approx(metrics.mean_absolute_error(truth, given, **keys))
    assert found["r2"].value == pytest.approx(metrics.r2_score(truth, given, **keys))
    assert found["r2"].baseline == pytest.approx(0, abs=1e-12)
    assert all(f.low < f.value < f.high for f in found.values())
    np.testing.assert_allclose(found.residuals, truth - given)
    of_mean = metrics.root_mean_squared_error(y, np.full(200, np.average(y, weights=w)), sample_weight=w)
    assert found["rmse"].baseline == pytest.approx(of_mean)


def test_a_whole_weight_judges_like_copies() -> None:
    X, y = load_iris(return_X_y=True)
    model = bough.DecisionTreeClassifier(max_depth=1).fit(X, y)
    w = np.random.default_rng(2).integers(1, 4, len(y))
    weighted = evaluate(model, X, y, cv=None, sample_weight=w, bootstrap=0)
    copies = evaluate(model, np.repeat(X, w, axis=0), np.repeat(y, w), cv=None, bootstrap=0)
    for name in weighted:
        assert weighted[name].value == pytest.approx(copies[name].value, rel=1e-12)
    np.testing.assert_array_equal(weighted.confusion, copies.confusion)


def test_a_test_set_judges_the_model_as_it_is() -> None:
    table, y = binary()
    model = bough.DecisionTreeClassifier(max_leaf_nodes=5).fit(table.take(range(600)), y[:600])
    digest = model.digest()
    rest = table.take(range(600, 891))
    found = evaluate(model, rest, y[600:], cv=None)
    assert found["accuracy"].value == pytest.approx(model.score(rest, y[600:]))
    assert model.digest() == digest
    assert found.n_rows == 291
    assert "as it is" in str(found)


def test_a_class_that_the_model_does_not_know_is_never_its_answer() -> None:
    X, y = load_iris(return_X_y=True)
    model = bough.DecisionTreeClassifier().fit(X[:100], y[:100])
    found = evaluate(model, X, y, cv=None)
    assert found.confusion[2].sum() == 50
    assert found.confusion[:, 2].sum() == 0
    assert found["accuracy"].value == pytest.approx(2 / 3)


def test_rows_of_a_group_stay_together() -> None:
    table, y = binary()
    groups = np.arange(891) // 3
    found = evaluate(bough.DecisionTreeClassifier(max_depth=2), table, y, cv=5, groups=groups)
    fold_of = np.empty(891, dtype=int)
    fold_of[found.answers.rows] = found.answers.fold
    assert all(len(set(fold_of[groups == g])) == 1 for g in range(297))


def test_any_cv_of_scikit_learn() -> None:
    table, y = binary()
    some = evaluate(
        bough.DecisionTreeClassifier(max_depth=2), table, y, cv=ShuffleSplit(3, test_size=0.1, random_state=0)
    )
    assert some.n_rows == 270
    with pytest.raises(bough.BoughError, match="cv=1"):
        evaluate(bough.DecisionTreeClassifier(), table, y, cv=1)
    with pytest.raises(bough.BoughError, match="cv='ten'"):
        evaluate(bough.DecisionTreeClassifier(), table, y, cv="ten")


def test_models_without_shares_are_ranked_by_their_decision() -> None:
    X, y = load_iris(return_X_y=True)
    two = y > 0
    found = evaluate(RidgeClassifier(), X[:, :2], two, cv=5)
    assert "brier" not in found
    area = cross_val_score(
        RidgeClassifier(),
        X[:, :2],
        two,
        cv=StratifiedKFold(5, shuffle=True, random_state=0),
        scoring="roc_auc",
    )
    assert found["auc"].value == pytest.approx(area.mean())
    turned = evaluate(RidgeClassifier(), X[:, :2], two, cv=5, positive=False)
    assert turned["auc"].value == pytest.approx(area.mean())
    with pytest.raises(bough.BoughError, match="no class shares"):
        found.calibration()


def test_weights_that_a_model_cannot_take_are_an_error() -> None:
    X, y = load_iris(return_X_y=True)
    with pytest.raises(bough.BoughError, match="cannot be fitted with weights"):
        evaluate(KNeighborsClassifier(), X, y, sample_weight=np.arange(1, 151))


def test_the_positive_class_and_the_threshold() -> None:
    table, y = binary()
    model = bough.DecisionTreeClassifier(max_leaf_nodes=7).fit(table, y)
    died, survived = (evaluate(model, table, y, cv=None, positive=c) for c in ("died", "survived"))
    assert died["sensitivity"].value == survived["specificity"].value
    assert died["auc"].value == pytest.approx(survived["auc"].value)
    p = model.predict_proba(table)[:, 1]
    strict = evaluate(model, table, y, cv=None, threshold=0.9)
    assert strict["precision"].value == pytest.approx(metrics.precision_score(y == "survived", p >= 0.9))
    with pytest.raises(bough.BoughError, match='no class "surived"'):
        evaluate(model, table, y, positive="surived")


def test_thresholds_by_cost_recall_and_precision_against_all_thresholds() -> None:
    table, y = binary()
    model = bough.DecisionTreeClassifier(max_leaf_nodes=12)
    found = evaluate(model, table, y)
    truth, share = found.answers.truth == 1, found.answers.scores
    assert share is not None
    cuts = [*np.unique(share), 2.0]
    costs = {t: (5 * (truth & (share < t)).sum() + 2 * (~truth & (share >= t)).sum()) / 891 for t in cuts}
    cheapest = found.threshold(costs={"fn": 5, "fp": 2})
    assert cheapest.cost == pytest.approx(min(costs.values()))
    assert costs[cheapest.value] == pytest.approx(cheapest.cost)
    asked = evaluate(model, table, y, threshold=cheapest.value, costs={"fn": 5, "fp": 2})
    assert asked["cost"].value == pytest.approx(cheapest.cost)
    assert asked["recall"].value == pytest.approx(cheapest.recall)
    recalls = {t: (share[truth] >= t).mean() for t in cuts}
    precisions = {t: truth[share >= t].mean() if (share >= t).any() else 0 for t in cuts}
    high = found.threshold(recall=0.8)
    assert high.precision == pytest.approx(max(precisions[t] for t in cuts if recalls[t] >= 0.8))
    sure = found.threshold(precision=0.9)
    assert sure.recall == pytest.approx(max(recalls[t] for t in cuts if precisions[t] >= 0.9))
    assert sure.precision >= 0.9
    with pytest.raises(bough.BoughError, match="no threshold reaches a precision of"):
        found.threshold(precision=1.01)
    with pytest.raises(bough.BoughError, match="one wish"):
        found.threshold()


def test_calibration_bins_hold_all_rows() -> None:
    table, y = binary()
    found = evaluate(bough.DecisionTreeClassifier(max_leaf_nodes=7), table, y, bins=5)
    bins = found.calibration()
    assert bins.rows.sum() == 891
    p, truth = found.answers.shares[:, 1], found.answers.truth
    inside = (p >= 0.2) & (p < 0.4)
    k = int(np.flatnonzero((bins.predicted >= 0.2) & (bins.predicted < 0.4))[0])
    assert bins.observed[k] == pytest.approx(truth[inside].mean())
    assert bins.predicted[k] == pytest.approx(p[inside].mean())
    assert (bins.low <= bins.observed).all()


def test_forms() -> None:
    table, y = binary()
    found = evaluate(bough.DecisionTreeClassifier(max_leaf_nodes=7), table, y)
    assert isinstance(found, ClassEvaluation)
    again = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert again["figures"]["accuracy"]["value"] == found["accuracy"].value
    assert again["confusion"] == found.confusion.tolist()
    assert f"{found['auc'].value:.4f}" in str(found)
    assert f"{found['auc'].value:.4f}" in found._repr_html_()
    assert repr(found).startswith("ClassEvaluation(accuracy 0.81")
    with pytest.raises(bough.BoughError, match='Did you mean "accuracy"'):
        found["acuracy"]


def test_hostile_names_are_escaped() -> None:
    y = np.array(["<script>alert(1)</script>", "b & c"] * 30)
    X = np.arange(60)[:, None]
    text = evaluate(bough.DecisionTreeClassifier(), X, y)._repr_html_()
    assert "<script" not in text
    assert "&lt;script&gt;" in text


def test_the_seed_decides_everything() -> None:
    table, y = binary()
    model = bough.DecisionTreeClassifier(max_leaf_nodes=7)
    assert evaluate(model, table, y).to_dict() == evaluate(model, table, y).to_dict()
    assert evaluate(model, table, y).to_dict() != evaluate(model, table, y, random_state=1).to_dict()


def test_wrong_wishes() -> None:
    X = np.arange(40.0)[:, None]
    with pytest.raises(bough.BoughError, match="about classes"):
        evaluate(bough.DecisionTreeRegressor(), X, X[:, 0], positive=1)
    with pytest.raises(bough.BoughError, match="level=95"):
        evaluate(bough.DecisionTreeRegressor(), X, X[:, 0], level=95)
    with pytest.raises(bough.BoughError, match="costs="):
        evaluate(bough.DecisionTreeClassifier(), X, X[:, 0] > 9, costs={"miss": 3})
    with pytest.raises(bough.BoughError, match="2 × 2 matrix"):
        evaluate(bough.DecisionTreeClassifier(), X, X[:, 0] > 9, costs=[[0, 1, 2]])


def test_numbers_without_a_bootstrap() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    found = evaluate(bough.DecisionTreeRegressor(max_depth=2), X, X[:, 0], bootstrap=0)
    with_intervals = evaluate(bough.DecisionTreeRegressor(max_depth=2), X, X[:, 0], bootstrap=20)
    for name, figure in found.figures.items():
        assert figure.value == with_intervals.figures[name].value
        assert math.isnan(figure.low)
        assert math.isnan(figure.high)
    assert "RMSE" in str(found)


@pytest.mark.parametrize("target", ["survived", "fare"])
def test_the_baseline_is_the_best_constant_of_the_judged_rows(target: str) -> None:
    """Whole classes of the ship are left out; in folds, as it is, and compared, the baseline is the same."""
    columns, survived = load("titanic")
    groups = columns.pop("pclass")
    y = np.array(columns.pop(target) if target == "fare" else survived)
    model = (bough.DecisionTreeRegressor if target == "fare" else bough.DecisionTreeClassifier)(max_depth=2)
    in_folds = bough.evaluate(model, columns, y, groups=groups, cv=3, bootstrap=0)
    as_it_is = bough.evaluate(model.fit(columns, y), columns, y, cv=None, bootstrap=0)
    both = bough.compare([model, model], columns, y, groups=groups, cv=3, bootstrap=0).evaluations
    for found in (in_folds, as_it_is, *both.values()):
        if target == "fare":
            assert found["rmse"].baseline == pytest.approx(y.std())
            assert found["r2"].baseline == pytest.approx(0, abs=1e-12)
        else:
            assert found["accuracy"].baseline == pytest.approx(549 / 891)
            assert found.baseline == 'always "died"'


@pytest.mark.parametrize("X", [[], np.zeros((0, 2)), {"a": []}], ids=["list", "array", "dict"])
@pytest.mark.parametrize("cv", [10, None])
def test_no_rows_cannot_be_judged(X: Any, cv: Any) -> None:
    for kind in (bough.DecisionTreeClassifier, bough.DecisionTreeRegressor):
        model = kind().fit([[1], [2]], [0, 1])
        with pytest.raises(bough.BoughError, match="0 sample"):
            evaluate(model, X, [], cv=cv)


@pytest.mark.parametrize("odd", [None, float("nan"), np.datetime64("NaT")], ids=["None", "nan", "NaT"])
@pytest.mark.parametrize("cv", [3, GroupKFold(2)], ids=["number", "splitter"])
def test_rows_without_a_group_are_told(odd: Any, cv: Any) -> None:
    rows, y = np.arange(12.0)[:, None], [0, 1] * 6
    kind = np.datetime64("2020-01-01") if isinstance(odd, np.datetime64) else 1 if odd is not None else "a"
    groups = [kind + i if kind != "a" else f"g{i}" for i in range(11)] + [odd]
    model = bough.DecisionTreeClassifier()
    with pytest.raises(bough.BoughError, match="groups has missing values"):
        evaluate(model, rows, y, groups=groups, cv=cv)
    with pytest.raises(bough.BoughError, match="groups has missing values"):
        model.fit(rows, y).importances(groups=groups)


def test_an_error_does_not_print_a_whole_array() -> None:
    rows, y = np.arange(300.0)[:, None], [0, 1] * 150
    model = bough.DecisionTreeClassifier(max_depth=1).fit(rows, y)
    with pytest.raises(bough.BoughError, match=r"groups=\[0, 0, .* is not possible") as told:
        model.importances(rows, y, groups=[0] * 300)
    assert len(told.value.message) < 250
    with pytest.raises(bough.BoughError, match=r"^max_depth='a  b' is not"):
        bough.DecisionTreeClassifier(max_depth="a  b").fit(rows, y)


@pytest.mark.filterwarnings("error")
def test_one_class_has_a_confusion_of_one_cell() -> None:
    model = bough.DecisionTreeClassifier().fit([[1]], ["a"])
    assert "<html" in bough.report(model, [[1]], ["a"])


def test_the_confusion_is_that_of_scikit_learn() -> None:
    table, y = binary()
    w = np.random.default_rng(0).uniform(0.5, 2, 891)
    found = evaluate(bough.DecisionTreeClassifier(max_depth=3), table, y, sample_weight=w, cv=3, bootstrap=0)
    a = found.answers
    due = metrics.confusion_matrix(a.truth, a.given, sample_weight=a.weights)
    np.testing.assert_array_equal(found.confusion, due)
