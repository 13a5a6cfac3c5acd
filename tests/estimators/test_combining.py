"""Weighted averages by hand and among scikit-learn's tools; its stacking and voting with our trees."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import StackingClassifier, StackingRegressor, VotingClassifier, VotingRegressor
from sklearn.linear_model import LogisticRegression, Perceptron, Ridge
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, cross_val_predict, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from bough import (
    AdaBoostClassifier,
    BoughError,
    C45Classifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    GradientBoostingRanker,
    WeightedAverageClassifier,
    WeightedAverageRegressor,
    export,
)
from bough.data.examples import load
from bough.ensemble.combining import WAYS, learned_weights, skill
from bough.errors import BoughTypeError

TREES = [("deep", DecisionTreeClassifier()), ("flat", DecisionTreeClassifier(max_depth=2))]
NUMBERS = [("deep", DecisionTreeRegressor()), ("flat", DecisionTreeRegressor(max_depth=2))]


@pytest.mark.parametrize("learn", WAYS)
@pytest.mark.parametrize(
    "kind",
    [(WeightedAverageClassifier, TREES), (WeightedAverageRegressor, NUMBERS)],
    ids=["classes", "numbers"],
)
def test_check_estimator_has_nothing_to_object(kind, learn):
    model, named = kind
    results = check_estimator(model(named, learn=learn, cv=3), on_skip=None, on_fail=None)
    assert len(results) > 40
    failures = {r["check_name"]: r["exception"] for r in results if r["status"] not in ("passed", "skipped")}
    assert not failures


def test_weights_by_score_are_shares_of_skill():
    target = np.array([[1.0], [2.0], [3.0], [6.0]])
    said = np.array([target + 1.0, target - 2.0, target * 0 + 100.0])
    w = np.ones(4)
    # Around the mean of 3 the squares add up to 14; models err by 4 and by 16.
    assert skill(said[0], target, w) == pytest.approx(1 - 4 / 14)
    assert learned_weights("score", said, target, w).tolist() == [1.0, 0.0, 0.0]
    said[1] = target - 1.5
    expected = np.array([10 / 14, 5 / 14, 0.0])
    np.testing.assert_allclose(learned_weights("score", said, target, w), expected / expected.sum())


def test_weights_by_least_squares_minimise_the_squared_error():
    rng = np.random.default_rng(0)
    target = rng.normal(size=(200, 1))
    said = np.array([target + rng.normal(size=(200, 1)) * s for s in (0.5, 1.0, 2.0)])
    w = rng.uniform(0.5, 2.0, 200)
    found = learned_weights("least_squares", said, target, w)

    def off(v):
        return (w[:, None] * (np.tensordot(v, said, 1) - target) ** 2).sum()

    whole = {"type": "eq", "fun": lambda v: v.sum() - 1.0}
    best = minimize(off, np.ones(3) / 3, bounds=[(0, None)] * 3, constraints=whole, tol=1e-12).x
    np.testing.assert_allclose(found, best, atol=1e-4)
    assert found[0] > found[1] > found[2]
    assert off(found) <= min(off(alone) for alone in np.eye(3))
    for far in (100.0, -1e4):  # where 0 is must not matter
        moved = learned_weights("least_squares", said + far, target + far, w)
        np.testing.assert_allclose(moved, found, atol=1e-9)


def test_least_squares_of_two_models_are_those_of_a_grid():
    grid = np.linspace(0, 1, 10_001)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        target = rng.normal(size=(30, 1)) + 3.0
        # Both answer too low, so that weights of a larger sum would have a smaller error.
        said = np.array([target * 0.5 + rng.normal(size=(30, 1)) * s for s in rng.uniform(0.2, 2.0, 2)])
        found = learned_weights("least_squares", said, target, np.ones(30))
        errors = [((g * said[0] + (1 - g) * said[1] - target) ** 2).sum() for g in grid]
        assert found[0] == pytest.approx(grid[np.argmin(errors)], abs=1e-4)
        mean = np.tensordot(found, said, 1)
        assert ((mean - target) ** 2).sum() <= min(((one - target) ** 2).sum() for one in said) * (1 + 1e-12)


def test_least_squares_without_an_error():
    target = np.array([[1.0], [2.0], [4.0]])
    assert learned_weights("least_squares", np.array([target + 1, target]), target, np.ones(3)).tolist() == [
        0,
        1,
    ]
    both = learned_weights("least_squares", np.array([target, target]), target, np.ones(3))
    assert both.sum() == 1.0


def test_greedy_selection_repeats_the_good_and_leaves_out_the_bad():
    rng = np.random.default_rng(1)
    target = rng.normal(size=(300, 1))
    one, two = rng.normal(size=(2, 300, 1))
    said = np.array([target + one, target - one * 0.5 + two * 0.1, rng.normal(size=(300, 1)) * 9])
    found = learned_weights("greedy", said, target, np.ones(300))
    assert found[2] == 0.0
    assert found[0] == pytest.approx(1 / 3, abs=0.02)  # errors of 1 and -1/2 cancel


@pytest.mark.parametrize("learn", WAYS)
def test_a_model_that_knows_nothing_gets_no_weight(learn):
    X, y = load_breast_cancer(return_X_y=True)
    named = [
        ("tree", DecisionTreeClassifier(max_depth=4)),
        ("none", DummyClassifier(strategy="stratified", random_state=0)),
    ]
    model = WeightedAverageClassifier(named, learn=learn).fit(X, y)
    assert model.weights_[1] < 0.1
    assert model.weights_.sum() == pytest.approx(1.0)
    X, y = load_diabetes(return_X_y=True)
    numbers = [("ridge", Ridge()), ("wrong", DummyRegressor(strategy="constant", constant=1000.0))]
    assert WeightedAverageRegressor(numbers, learn=learn).fit(X, y).weights_[1] < 0.01


def test_the_weights_come_from_out_of_fold_answers_and_the_models_from_all_rows():
    X, y = load_breast_cancer(return_X_y=True)
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    named = [*TREES, ("bayes", GaussianNB())]
    model = WeightedAverageClassifier(named, cv=folds).fit(X, y)
    said = np.array([cross_val_predict(m, X, y, cv=folds, method="predict_proba") for _, m in named])
    expected = learned_weights("least_squares", said, np.eye(2)[y], np.ones(len(y)))
    np.testing.assert_allclose(model.weights_, expected, atol=1e-12)
    shares = [w * clone(m).fit(X, y).predict_proba(X) for w, (_, m) in zip(expected, named, strict=True)]
    np.testing.assert_allclose(model.predict_proba(X), sum(shares), atol=1e-9)
    assert (model.predict(X) == sum(shares).argmax(axis=1)).all()


def test_a_held_out_share_decides_the_weights():
    X, y = load_diabetes(return_X_y=True)
    model = WeightedAverageRegressor(NUMBERS, cv=0.3, learn="score").fit(X, y)
    assert model.weights_[1] > model.weights_[0]
    assert model.weights_.tolist() == clone(model).fit(X, y).weights_.tolist()


def test_the_average_is_better_than_its_models_on_strings_and_holes():
    columns, y = load("titanic")
    X, y = pd.DataFrame(columns), np.array(y)
    named = [
        ("c45", C45Classifier()),
        ("small", DecisionTreeClassifier(min_samples_leaf=10)),
        ("boosted", AdaBoostClassifier(n_estimators=10)),
    ]
    folds = StratifiedKFold(3, shuffle=True, random_state=1)

    def brier(model, X, y):
        return -((model.predict_proba(X)[:, 1] - (y == "survived")) ** 2).mean()

    def loss(model):
        return -cross_val_score(model, X, y, cv=folds, scoring=brier).mean()

    assert loss(WeightedAverageClassifier(named)) < min(loss(model) for _, model in named) + 0.001
    same = [
        WeightedAverageClassifier(named).fit(lib(columns), y).weights_.tolist()
        for lib in (pd.DataFrame, pl.DataFrame)
    ]
    assert same[0] == same[1]


@pytest.mark.parametrize("cv", [1, 0, -1, True, 0.0, 1.5, float("nan")])
def test_what_does_not_divide_the_rows(cv):
    X, y = load_diabetes(return_X_y=True)
    with pytest.raises(BoughError, match="cv="):
        WeightedAverageRegressor([("mean", DummyRegressor())], cv=cv).fit(X, y)


def test_one_row_is_not_enough():
    with pytest.raises(BoughError, match="cannot be held out"):
        WeightedAverageRegressor([("mean", DummyRegressor())]).fit([[1.0]], [1.0])


def test_a_class_that_a_fold_lacks():
    X = np.arange(12.0).reshape(-1, 1)
    y = np.array(["a"] * 6 + ["b"] * 5 + ["c"])
    model = WeightedAverageClassifier(TREES, cv=KFold(4)).fit(X, y)
    assert model.predict_proba(X).shape == (12, 3)


def test_parameters_of_the_models_are_parameters_of_the_average():
    X, y = load_breast_cancer(return_X_y=True)
    model = WeightedAverageClassifier(TREES, cv=3)
    assert model.get_params()["flat__max_depth"] == 2
    search = GridSearchCV(model, {"deep__max_depth": [1, 4], "learn": ["score", "greedy"]}, cv=3).fit(X, y)
    assert search.best_params_["deep__max_depth"] == 4
    with pytest.raises(BoughError, match='Did you mean "greedy"'):
        WeightedAverageClassifier(TREES, learn="greed").fit(X, y)
    with pytest.raises(BoughError, match="list of names and models"):
        WeightedAverageClassifier(DecisionTreeClassifier()).fit(X, y)


def test_scikit_learns_stacking_takes_our_trees():
    X, y = load_breast_cancer(return_X_y=True)
    named = [
        ("small", DecisionTreeClassifier(min_samples_leaf=10)),
        ("boosted", AdaBoostClassifier(n_estimators=20)),
        ("near", make_pipeline(StandardScaler(), KNeighborsClassifier())),
    ]
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    for meta in (LogisticRegression(), DecisionTreeClassifier(max_depth=3)):
        stack = StackingClassifier(named, meta, cv=3)
        assert (
            cross_val_score(stack, X, y, cv=folds).mean()
            > cross_val_score(named[0][1], X, y, cv=folds).mean()
        )
    columns, target = load("titanic")
    mixed = StackingClassifier(named[:2], LogisticRegression(), cv=3).fit(pd.DataFrame(columns), target)
    assert mixed.score(pd.DataFrame(columns), target) > 0.8


def test_scikit_learns_voting_takes_our_trees():
    columns, target = load("titanic")
    X = pd.DataFrame(columns)
    named = [
        ("c45", C45Classifier()),
        ("small", DecisionTreeClassifier(min_samples_leaf=10)),
        ("boosted", AdaBoostClassifier()),
    ]
    for voting in ("hard", "soft"):
        assert VotingClassifier(named, voting=voting).fit(X, target).score(X, target) > 0.8
    X, y = load_diabetes(return_X_y=True)
    trees = [(f"{d}", DecisionTreeRegressor(max_depth=d)) for d in (2, 3, 4)]
    mean = np.mean([clone(m).fit(X, y).predict(X) for _, m in trees], axis=0)
    np.testing.assert_allclose(VotingRegressor(trees).fit(X, y).predict(X), mean)
    assert StackingRegressor(trees, Ridge()).fit(X, y).score(X, y) > 0.4


def test_models_are_fitted_on_the_labels_themselves():
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = np.where(X[:, 0] < 0, "no", "yes")
    heavy = DecisionTreeClassifier(max_depth=1, class_weight={"no": 2.0, "yes": 1.0})
    model = WeightedAverageClassifier([("one", heavy), ("two", DecisionTreeClassifier())]).fit(X, y)
    assert [list(member.classes_) for member in model.estimators_] == [["no", "yes"]] * 2
    assert model.predict(X).tolist() == y.tolist()


def test_dicts_of_columns_are_as_good_as_frames_where_all_models_are_of_bough():
    columns, y = load("titanic")
    frame = pd.DataFrame(columns)
    inside = WeightedAverageClassifier(TREES, cv=0.3)
    model = WeightedAverageClassifier([("c45", C45Classifier()), ("two", inside)], cv=3)
    expected = clone(model).fit(frame, y)
    for X in (columns, pl.DataFrame(columns).to_dicts()):
        found = clone(model).fit(X, y)
        assert found.digest() == expected.digest()
        assert found.feature_names_in_.tolist() == list(columns)
        assert (found.predict_proba(columns) == expected.predict_proba(frame)).all()
    other = WeightedAverageClassifier([("tree", DecisionTreeClassifier()), ("near", KNeighborsClassifier())])
    for X in ({"a": [1.0, 2.0]}, [{"a": 1.0}, {"a": 2.0}]):
        with pytest.raises(BoughError, match='"near", a KNeighborsClassifier, takes frames'):
            other.fit(X, ["no", "yes"])


@pytest.mark.parametrize(
    ("kind", "member", "message"),
    [
        (WeightedAverageRegressor, DecisionTreeClassifier(), "DecisionTreeClassifier, is no regressor"),
        (WeightedAverageRegressor, GradientBoostingRanker(), "GradientBoostingRanker, is no regressor"),
        (WeightedAverageClassifier, DecisionTreeRegressor(), "DecisionTreeRegressor, is no classifier"),
        (WeightedAverageClassifier, KMeans(), "KMeans, is no classifier"),
        (WeightedAverageClassifier, Perceptron(), "no predict_proba"),
        (WeightedAverageRegressor, Ridge(), "does not take these rows.*contains NaN"),
        (WeightedAverageClassifier, KNeighborsClassifier(), "cannot be fitted with weights"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_a_model_cannot_do_is_told_with_its_name(kind, member, message):
    X = np.random.default_rng(0).normal(size=(40, 2))
    y, w = np.arange(40) % 2, None
    if isinstance(member, Ridge):
        X[3, 1] = np.nan
    if isinstance(member, KNeighborsClassifier):
        w = np.arange(1, 41)
    with pytest.raises(BoughError, match=message):
        kind([("odd", member)]).fit(X, y, w)


@pytest.mark.parametrize("form", [list, tuple])
@pytest.mark.parametrize("other", [False, True], ids=["all of bough", "a pipeline"])
def test_rows_of_mixed_cells_are_as_good_as_columns(form, other):
    random = np.random.default_rng(0)
    numbers, texts = random.normal(size=200).round(2), random.choice(["u", "v", "w"], 200)
    y = np.where((numbers > 0.3) != (texts == "u"), "yes", "no")
    y[random.random(200) < 0.2] = "yes"
    rows = form([float(a), str(b)] for a, b in zip(numbers, texts, strict=True))
    columns = pd.DataFrame({"x0": numbers, "x1": texts})
    first = (
        make_pipeline(DecisionTreeClassifier(max_depth=2)) if other else DecisionTreeClassifier(max_depth=2)
    )
    named = [
        ("a", first),
        ("b", DecisionTreeClassifier(max_depth=5)),
        ("c", DecisionTreeClassifier(max_depth=1)),
    ]
    one, two = (WeightedAverageClassifier(named).fit(X, y) for X in (rows, columns))
    np.testing.assert_array_equal(one.weights_, two.weights_)
    np.testing.assert_array_equal(one.predict_proba(rows), two.predict_proba(columns))
    deep = one.named_estimators_["b"].tree_
    assert [field.kind for field in deep.fields] == ["numeric", "nominal"]


def test_rows_of_numbers_go_to_other_libraries_as_numbers():
    named = [("a", DecisionTreeRegressor(max_depth=2)), ("b", Ridge())]
    y = [0.0, 1.0, 2.0, 3.0, 4.0]
    one, two = (WeightedAverageRegressor(named, cv=2).fit(X, y) for X in (ROWS, np.array(ROWS, dtype=float)))
    np.testing.assert_array_equal(one.weights_, two.weights_)


def test_no_rows_are_told_as_such():
    named = [("a", DecisionTreeRegressor(max_depth=2))]
    for model in (WeightedAverageRegressor(named), WeightedAverageRegressor([*named, ("b", Ridge())])):
        with pytest.raises(BoughError, match="0 sample"):
            model.fit([], [])


ROWS = [[1, 2.5], [2, 0.5], [3, 1.5], [4, 2.0], [5, 0.0]]


def test_what_is_odd_about_the_parameters():
    X, y = np.arange(40.0).reshape(20, 2), np.arange(20.0)
    for cv, message in (
        ("five", "Expected `cv`"),
        ([1, 2], "cannot unpack"),
        ([([0, 1], [500])], "row 500 of 20 rows"),
        ([([0, 1], [-1])], "row -1 of 20 rows"),
        ([([0.5], [1])], "no list of row numbers"),
    ):
        with pytest.raises(BoughError, match=message) as error:
            WeightedAverageRegressor(NUMBERS, cv=cv).fit(X, y)
        assert error.value.code == "parameter"
    with pytest.raises(BoughError, match=r"cv=0\.2 is not possible"):
        WeightedAverageClassifier(TREES, cv=0.2).fit(X, [0] * 19 + [1])
    with pytest.raises(BoughError, match="n_jobs='all'"):
        WeightedAverageRegressor(NUMBERS, n_jobs="all").fit(X, y)
    for name in ("learned", "shallow__max_depth"):
        with pytest.raises(BoughTypeError, match=f'no parameter "{name}"'):
            WeightedAverageRegressor(NUMBERS).set_params(**{name: 1})


def test_weights_reach_the_last_step_of_a_pipeline():
    X, y = load_diabetes(return_X_y=True)
    w = np.arange(1.0, len(y) + 1)
    alone = make_pipeline(StandardScaler(), Ridge()).fit(X, y, ridge__sample_weight=w)
    average = WeightedAverageRegressor([("line", make_pipeline(StandardScaler(), Ridge()))], cv=2).fit(
        X, y, w
    )
    assert average.predict(X) == pytest.approx(alone.predict(X), rel=1e-12)


def test_a_file_holds_models_of_bough_alone(tmp_path):
    X, y = load_diabetes(return_X_y=True)
    model = WeightedAverageRegressor([*NUMBERS, ("line", Ridge())], cv=2).fit(X, y)
    with pytest.raises(BoughError, match='"line", a Ridge, is not of bough') as error:
        model.save(tmp_path / "m.bough")
    assert "pickle" in error.value.hint
    assert not list(tmp_path.iterdir())


def test_the_digest_of_an_average():
    X, y = load_breast_cancer(return_X_y=True)
    model = WeightedAverageClassifier(TREES, cv=3).fit(X, y)
    assert model.digest() == WeightedAverageClassifier(TREES, cv=3).fit(X.copy(), y).digest()
    other = WeightedAverageClassifier(TREES, cv=3, learn="score").fit(X, y)
    assert other.weights_.tolist() != model.weights_.tolist()
    assert other.digest() != model.digest()
    mixed = WeightedAverageClassifier([*TREES, ("bayes", GaussianNB())], cv=3).fit(X, y)
    with pytest.raises(BoughError, match='"bayes", a GaussianNB, is not a model of bough and has no digest'):
        mixed.digest()


def test_an_average_is_not_exported():
    X, y = load_breast_cancer(return_X_y=True)
    model = WeightedAverageClassifier(TREES, cv=3).fit(X, y)
    with pytest.raises(BoughError, match="average of several models") as error:
        export(model, "sql")
    assert "estimators_" in error.value.hint


def test_why_an_average_answers_so():
    columns, survived = load("titanic")
    pairs = [("small", DecisionTreeClassifier(max_depth=2)), ("c45", C45Classifier())]
    model = WeightedAverageClassifier(pairs, learn="score").fit(pd.DataFrame(columns), survived)
    row = {name: values[17] for name, values in columns.items()}
    told = model.explain(row)
    assert sum(one.weight * one.says for one in told.members) == pytest.approx(told.share, abs=1e-12)
    frame = pd.DataFrame({name: [value] for name, value in row.items()})
    assert told.prediction == model.predict(frame)[0]
    assert told.share == model.predict_proba(frame).max()
    assert model.explain(frame) == told
    assert [one.name for one in told.members] == ["small", "c45"]
    assert str(told).splitlines()[1].split() == ["model", "weight", "answer"]
    with pytest.raises(BoughError, match="no column"):
        model.explain({"nothing": 1})
    X, y = load_diabetes(return_X_y=True)
    numbers = WeightedAverageRegressor([("flat", NUMBERS[1][1]), ("ridge", Ridge())]).fit(X, y)
    told = numbers.explain(X[3].tolist())
    assert told.share is None
    assert told.prediction == pytest.approx(numbers.predict(X[3:4])[0], abs=1e-9)
    assert told.to_dict()["members"][1]["name"] == "ridge"
    with pytest.raises(BoughError, match="a dict is no row for Ridge"):
        numbers.explain({"x0": 1.0})


def test_explain_takes_one_row_whatever_the_members():
    X, y = load_breast_cancer(return_X_y=True)
    members = [("one", KNeighborsClassifier(3)), ("two", KNeighborsClassifier(5))]
    model = WeightedAverageClassifier(members, cv=3).fit(X[:100], y[:100])
    assert model.explain(X[:1]).prediction == model.predict(X[:1])[0]
    for rows in (X[:2], X[:0]):
        with pytest.raises(BoughError, match=f"explain takes one row, not {len(rows)}"):
            model.explain(rows)


ARROW = pa.table({"a": [1.0, 2.0, 3.0, 4.0] * 5, "b": ["u", "v", "u", "w"] * 5})
COLUMNAR = {
    "batch": ARROW.to_batches()[0],
    "views": ARROW.set_column(1, "b", ARROW["b"].cast(pa.string_view())),
    "chunks": pa.concat_tables([ARROW.slice(0, 7), ARROW.slice(7)]),
}


@pytest.mark.parametrize("form", COLUMNAR)
def test_forms_of_arrow_whose_rows_scikit_learn_cannot_take(form):
    y = [0, 1, 1, 0] * 5
    expected = WeightedAverageClassifier(TREES, cv=3).fit(ARROW.to_pydict(), y)
    model = WeightedAverageClassifier(TREES, cv=3).fit(COLUMNAR[form], y)
    assert model.digest() == expected.digest()
    assert (model.predict(COLUMNAR[form]) == expected.predict(ARROW)).all()


def test_a_lazy_frame_has_no_rows_to_take():
    with pytest.raises(BoughTypeError, match="lazy query"):
        WeightedAverageClassifier(TREES).fit(pl.LazyFrame({"a": [1, 2]}), [0, 1])


@pytest.mark.parametrize(
    "given", [{"cv": []}, {"cv": {}}, {"cv": iter(())}], ids=["list", "dict", "iterator"]
)
def test_folds_that_are_none(given):
    with pytest.raises(BoughError, match=r"^cv=.* is not possible: there are no folds"):
        WeightedAverageClassifier(TREES, **given).fit([[1], [2], [3], [4]], [0, 1, 0, 1])


def test_more_workers_than_a_machine_word_can_count():
    model = WeightedAverageClassifier(TREES, cv=2, n_jobs=-(2**70)).fit([[1], [2], [3], [4]], [0, 1, 0, 1])
    assert model.predict([[1]]).tolist() == [0]


def test_a_notebook_shows_what_each_model_counts() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    models = [("tree <1>", DecisionTreeClassifier(max_depth=3)), ("near", KNeighborsClassifier(5))]
    average = WeightedAverageClassifier(models, cv=3)
    assert "Parameters" in average._repr_html_()  # scikit-learn's own, before the fit
    average.fit(X, y)
    bundle = average._repr_mimebundle_()
    found = dict(re.findall(r'data-model="([^"]+)" data-value="([^"]+)"', bundle["text/html"]))
    assert {name: float(value) for name, value in found.items()} == {
        "tree &lt;1&gt;": average.weights_[0],
        "near": average.weights_[1],
    }
    assert "KNeighborsClassifier" in bundle["text/html"]
    assert bundle["text/plain"] == repr(average)
