"""The estimators among scikit-learn's tools: check_estimator, pipelines, searches, copies, plain frames."""

from __future__ import annotations

import io
import pickle

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.ensemble import BaggingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.inspection import permutation_importance
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from bough import BoughError, DecisionTreeClassifier, DecisionTreeRegressor
from bough.data.examples import load

ESTIMATORS = (
    DecisionTreeClassifier(),
    DecisionTreeRegressor(),
    DecisionTreeClassifier(categories="multiway"),
    DecisionTreeRegressor(categories="multiway"),
    DecisionTreeClassifier(max_bins=16),
    DecisionTreeRegressor(max_bins=16),
    DecisionTreeClassifier(ties="random"),
    DecisionTreeRegressor(ties="random"),
    DecisionTreeClassifier(max_leaf_nodes=8),
    DecisionTreeRegressor(max_leaf_nodes=8),
    DecisionTreeClassifier(criterion="entropy"),
    DecisionTreeClassifier(criterion="error"),
    DecisionTreeClassifier(max_features="sqrt"),
    DecisionTreeClassifier(class_weight="balanced"),
    DecisionTreeClassifier(n_jobs=2),
    DecisionTreeRegressor(n_jobs=2, ties="alphabetical", zero_gain_splits=False),
)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_check_estimator_has_nothing_to_object(estimator):
    results = check_estimator(estimator, on_skip=None, on_fail=None)
    assert len(results) > 50
    failures = {r["check_name"]: r["exception"] for r in results if r["status"] not in ("passed", "skipped")}
    assert not failures
    # It needs SCIPY_ARRAY_API=1 in the environment before scipy is imported.
    assert {r["check_name"] for r in results if r["status"] == "skipped"} <= {"check_array_api_input"}


def titanic(library=pd.DataFrame):
    columns, target = load("titanic")
    return library(columns), np.array(target)


def penguins(library=pd.DataFrame):
    columns, target = load("penguins")
    return library(columns), np.array(target)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("categories", ["subset", "multiway"])
@pytest.mark.parametrize(("table", "floor"), [(titanic, 0.76), (penguins, 0.93)])
def test_frames_with_strings_and_holes_are_cross_validated_as_they_are(table, floor, categories, library):
    X, y = table(library)
    holes = X.isnull().sum().sum() if library is pd.DataFrame else X.null_count().to_numpy().sum()
    assert holes > 0
    model = DecisionTreeClassifier(categories=categories, min_samples_leaf=5, max_leaf_nodes=20)
    scores = cross_val_score(model, X, y, cv=5)
    assert scores.mean() > floor


def test_a_regressor_is_cross_validated_on_strings_and_holes():
    X, _ = penguins()
    mass = X.pop("body_mass_g").astype(float)
    known = mass.notna()
    folds = KFold(5, shuffle=True, random_state=0)
    scores = cross_val_score(DecisionTreeRegressor(min_samples_leaf=5), X[known], mass[known], cv=folds)
    assert scores.mean() > 0.6


def test_a_pipeline_fits_scores_and_gives_its_parameters():
    X, y = np.random.default_rng(0).normal(size=(200, 3)), np.arange(200) % 2
    pipeline = make_pipeline(StandardScaler(), DecisionTreeClassifier())
    plain = DecisionTreeClassifier().fit(X, y)
    assert pipeline.fit(X, y).score(X, y) == 1.0
    assert (pipeline.predict(X) == plain.predict(X)).all()
    assert pipeline.get_params()["decisiontreeclassifier__max_depth"] is None
    pipeline.set_params(decisiontreeclassifier__max_depth=1).fit(X, y)
    assert pipeline[-1].get_depth() == 1


@pytest.mark.parametrize("output", ["pandas", "polars"])
def test_a_pipeline_with_set_output_hands_named_columns_to_the_tree(output):
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"low": rng.normal(size=80), "high": rng.normal(size=80)})
    y = (X["high"] > 0).to_numpy()
    pipeline = Pipeline([("scale", StandardScaler()), ("tree", DecisionTreeClassifier())])
    pipeline.set_output(transform=output).fit(X, y)
    assert pipeline["tree"].feature_names_in_.tolist() == ["low", "high"]
    assert pipeline["tree"].tree_.root.column == "high"
    assert pipeline.score(X, y) == 1.0


def test_a_step_before_the_tree_may_hand_on_strings():
    X, y = titanic()
    drop = FunctionTransformer(lambda table: table.drop(columns="deck"))
    pipeline = make_pipeline(drop, DecisionTreeClassifier(max_depth=3))
    assert "deck" not in pipeline.fit(X, y)[-1].feature_names_in_
    assert pipeline.score(X, y) > 0.8


def test_a_grid_search_finds_the_better_setting():
    X, y = titanic()
    grid = {"max_leaf_nodes": [2, 12], "criterion": ["gini", "entropy"], "categories": ["subset", "multiway"]}
    search = GridSearchCV(DecisionTreeClassifier(min_samples_leaf=5), grid, cv=3).fit(X, y)
    assert len(search.cv_results_["params"]) == 8
    assert search.best_params_["max_leaf_nodes"] == 12
    again = DecisionTreeClassifier(min_samples_leaf=5, **search.best_params_).fit(X, y)
    assert search.best_estimator_.digest() == again.digest()


def test_a_grid_search_in_processes_gives_the_same():
    X, y = penguins()
    grid = {"max_depth": [1, 2, 4]}
    one, two = (GridSearchCV(DecisionTreeClassifier(), grid, cv=3, n_jobs=jobs).fit(X, y) for jobs in (1, 2))
    assert one.cv_results_["mean_test_score"].tolist() == two.cv_results_["mean_test_score"].tolist()


def test_cross_val_predict_gives_shares_of_every_class():
    X, y = penguins()
    shares = cross_val_predict(DecisionTreeClassifier(max_depth=3), X, y, cv=3, method="predict_proba")
    assert shares.shape == (len(y), 3)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-15)


def test_bagging_and_permutation_importance_take_the_tree():
    X, y = np.random.default_rng(2).normal(size=(150, 3)), np.arange(150) % 3
    X[:, 1] += 5 * y
    bagged = BaggingClassifier(DecisionTreeClassifier(), n_estimators=5, random_state=0).fit(X, y)
    assert bagged.score(X, y) > 0.95
    importance = permutation_importance(bagged, X, y, random_state=0, n_repeats=3)
    assert importance.importances_mean.argmax() == 1


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_clone_copies_parameters_and_nothing_else(estimator):
    copy = clone(estimator)
    assert copy is not estimator
    assert copy.get_params() == estimator.get_params()
    assert hasattr(copy.fit([[1], [2]], [1, 2]), "tree_")
    assert not hasattr(clone(copy), "tree_")


@pytest.mark.parametrize("kind", [DecisionTreeClassifier, DecisionTreeRegressor])
def test_get_params_and_set_params_are_inverse(kind):
    values = {
        "max_depth": 3,
        "min_samples_split": 0.1,
        "min_samples_leaf": 4,
        "min_weight_fraction_leaf": 0.01,
        "max_features": "log2",
        "max_leaf_nodes": 9,
        "min_impurity_decrease": 0.5,
        "categories": "multiway",
        "ties": "alphabetical",
        "zero_gain_splits": False,
        "max_bins": 5,
        "random_state": 7,
        "n_jobs": 2,
    }
    model = kind(**values)
    assert values.items() <= model.get_params().items()
    assert kind().set_params(**values).get_params() == model.get_params()
    assert kind(**model.get_params()).get_params() == model.get_params()
    assert repr(kind(max_depth=3)) == f"{kind.__name__}(max_depth=3)"


def test_set_params_with_a_wrong_name_suggests_the_right_one():
    with pytest.raises(BoughError, match='no parameter "max_dept"\\. Did you mean "max_depth"'):
        DecisionTreeClassifier().set_params(max_dept=3)
    with pytest.raises(ValueError, match="max_dept"):
        make_pipeline(DecisionTreeClassifier()).set_params(decisiontreeclassifier__max_dept=3)


def through_pickle(model):
    return pickle.loads(pickle.dumps(model))


def through_joblib(model):
    buffer = io.BytesIO()
    joblib.dump(model, buffer, compress=3)
    buffer.seek(0)
    return joblib.load(buffer)


@pytest.mark.parametrize("through", [through_pickle, through_joblib])
@pytest.mark.parametrize("categories", ["subset", "multiway"])
def test_a_model_comes_back_from_a_pickle_the_same(through, categories):
    X, y = titanic()
    model = DecisionTreeClassifier(categories=categories, min_samples_leaf=3).fit(X, y)
    back = through(model)
    assert back.digest() == model.digest()
    assert back.get_params() == model.get_params()
    assert back.feature_names_in_.tolist() == list(X.columns)
    assert (back.predict_proba(X) == model.predict_proba(X)).all()
    assert (back.apply(X) == model.apply(X)).all()


def test_joblib_maps_the_arrays_of_a_model_from_disk(tmp_path):
    X, y = titanic()
    model = DecisionTreeClassifier().fit(X, y)
    joblib.dump(model, tmp_path / "model")
    back = joblib.load(tmp_path / "model", mmap_mode="r")
    assert back.digest() == model.digest()
    assert (back.predict(X) == model.predict(X)).all()


def test_an_unfitted_pickle_is_still_unfitted():
    back = through_pickle(DecisionTreeRegressor(max_depth=2))
    assert back.max_depth == 2
    with pytest.raises(NotFittedError):
        back.predict([[1]])


@pytest.mark.parametrize(
    "call",
    [
        "predict",
        "predict_proba",
        "predict_log_proba",
        "apply",
        "decision_path",
        "score",
        "digest",
        "get_depth",
    ],
)
def test_an_unfitted_model_says_so(call):
    arguments = {"digest": (), "get_depth": (), "score": ([[1]], [1])}.get(call, ([[1]],))
    with pytest.raises(NotFittedError, match="not fitted"):
        getattr(DecisionTreeClassifier(), call)(*arguments)


def test_scikit_learn_knows_what_is_what():
    assert is_classifier(DecisionTreeClassifier())
    assert is_regressor(DecisionTreeRegressor())
    tags = DecisionTreeClassifier().__sklearn_tags__()
    assert tags.input_tags.allow_nan
    assert tags.input_tags.string
    assert tags.input_tags.categorical


def test_fit_again_forgets_the_first_fit():
    X, y = titanic()
    model = DecisionTreeClassifier(max_depth=2).fit(X, y)
    model.fit(np.arange(6.0).reshape(3, 2), [3, 1, 2])
    assert model.n_features_in_ == 2
    assert not hasattr(model, "feature_names_in_")
    assert model.classes_.tolist() == [1, 2, 3]
    fresh = DecisionTreeClassifier(max_depth=2).fit(np.arange(6.0).reshape(3, 2), [3, 1, 2])
    assert model.digest() == fresh.digest()


def test_a_fit_leaves_data_and_parameters_as_they_were():
    X, y = titanic()
    before, names = X.copy(deep=True), y.copy()
    weights = np.arange(len(y)) % 3.0
    kept = weights.copy()
    model = DecisionTreeClassifier(max_depth=3, random_state=np.random.RandomState(0))
    parameters = model.get_params()
    model.fit(X, y, sample_weight=weights).predict(X)
    pd.testing.assert_frame_equal(X, before)
    assert (y == names).all()
    assert (weights == kept).all()
    assert model.get_params() == parameters


def test_changing_the_data_after_the_fit_does_not_change_the_model():
    X = np.random.default_rng(3).normal(size=(60, 2))
    y = X[:, 0] > 0
    model = DecisionTreeClassifier().fit(X, y)
    digest = model.digest()
    X[:] = 0.0
    y[:] = False
    assert model.digest() == digest


def test_probabilities_logarithms_and_scores_agree():
    X, y = penguins()
    model = DecisionTreeClassifier(max_depth=2).fit(X, y)
    shares = model.predict_proba(X)
    with np.errstate(divide="ignore"):
        assert (model.predict_log_proba(X) == np.log(shares)).all()
    assert (model.classes_[shares.argmax(axis=1)] == model.predict(X)).all()
    assert model.score(X, y) == (model.predict(X) == y).mean()


def test_balanced_class_weights_are_the_weights_that_balance():
    X, y = titanic()
    count = {label: (y == label).sum() for label in set(y)}
    by_hand = np.array([len(y) / (2 * count[label]) for label in y])
    balanced = DecisionTreeClassifier(class_weight="balanced", max_depth=3).fit(X, y)
    weighted = DecisionTreeClassifier(max_depth=3).fit(X, y, sample_weight=by_hand)
    assert balanced.digest() == weighted.digest()
    assert balanced.digest() != DecisionTreeClassifier(max_depth=3).fit(X, y).digest()


def test_class_weights_multiply_the_sample_weights():
    X, y = penguins()
    weights = np.arange(len(y)) % 4 + 1.0
    both = DecisionTreeClassifier(class_weight={"Gentoo": 3, "Adelie": 0}, max_depth=2).fit(X, y, weights)
    factor = np.select([y == "Gentoo", y == "Adelie"], [3.0, 0.0], 1.0)
    assert both.digest() == DecisionTreeClassifier(max_depth=2).fit(X, y, weights * factor).digest()
