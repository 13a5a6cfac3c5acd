"""AdaBoost behind the scikit-learn API: AdaBoostClassifier and AdaBoostRegressor."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils.validation import check_is_fitted

from bough.data.ingest import to_table
from bough.data.stages import profiled
from bough.data.table import Table
from bough.data.target import class_codes, number_target, weights
from bough.ensemble.adaboost import (
    LOSSES,
    SAMPLING,
    Boosted,
    Learner,
    Rounds,
    boost_classes,
    boost_numbers,
    stages,
)
from bough.ensemble.progress import watching
from bough.errors import BoughError
from bough.estimators.base import TreeEstimator, _random_state
from bough.estimators.elsewhere import own_arguments
from bough.estimators.many import ManyTrees
from bough.estimators.parameters import constructor, copy_with
from bough.estimators.presets import DecisionStumpClassifier
from bough.estimators.seen import Seen, seen
from bough.estimators.trees import DecisionTreeRegressor
from bough.growing.settings import check_name, is_count, is_finite_number, wrong
from bough.store.plain import ask_again

FIRST: dict[str, Any] = {"estimator": None, "n_estimators": 50, "learning_rate": 1.0}
LAST: dict[str, Any] = {
    "sampling": "weights",
    "verbose": False,
    "callback": None,
    "random_state": None,
    "n_jobs": None,
}


class AdaBoostEstimator(ManyTrees):
    """What both share: the rounds, and the questions asked of the trees together."""

    estimator: Any
    n_estimators: Any
    learning_rate: Any
    sampling: Any
    verbose: Any
    callback: Any

    def __init_subclass__(cls, defaults: dict[str, Any] | None = None, **others: Any) -> None:
        """`defaults`: of the parameters, in their order; None: a user's class, with its own constructor."""
        super().__init_subclass__(**others)
        if defaults is not None:
            cls.__init__ = constructor(defaults)  # type: ignore[method-assign]  # one for each class

    def _tree(self, y: Any) -> TreeEstimator:
        """The estimator of each round: the one that was given, or the usual one."""
        model = self._usual() if self.estimator is None else self.estimator
        ask_again(model)
        if not isinstance(model, TreeEstimator) or model.predicts != self.predicts:
            raise BoughError(
                f"estimator={model!r} is not possible.",
                code="parameter",
                hint=f"estimator is a tree of bough that answers with {self.predicts}: {self._usual()!r}.",
            )
        self._check_target(y)
        return model

    def _learner(self, model: TreeEstimator, table: Table, y: Any, **settings: Any) -> Learner:
        coded = dataclasses.replace(table, coded={})  # all trees grow from the same codes

        def learn(w: NDArray[np.float64], seed: int) -> Any:
            tree = copy_with(model, random_state=seed, n_jobs=self.n_jobs, **settings)
            return tree.fit(coded, y, w).tree_

        return learn

    def _usual(self) -> TreeEstimator:
        raise NotImplementedError

    def _rounds(self) -> Rounds:
        check_name("sampling", self.sampling, SAMPLING)
        if not is_count(self.n_estimators) or self.n_estimators < 1:
            raise wrong("n_estimators", self.n_estimators, "a whole number from 1 up")
        if not is_finite_number(self.learning_rate) or self.learning_rate <= 0:
            raise wrong("learning_rate", self.learning_rate, "a number above 0")
        # Weights grow the same trees whatever the seed, unless the estimator itself draws.
        seed = 0 if self.random_state is None and self.sampling == "weights" else self.random_state
        watch = watching(self.verbose, self.callback)
        return Rounds(
            int(self.n_estimators), float(self.learning_rate), self.sampling, _random_state(seed), watch
        )

    def _keep(self, X: Any, rows: Seen, classes: NDArray[Any] | None, boosted: Boosted) -> None:
        self._learned(
            X,
            rows.table,
            classes,
            ensemble_=boosted.ensemble(),
            estimator_weights_=boosted.weights,
            estimator_errors_=boosted.errors,
            stop_reason_=boosted.stop,
            _seen=seen(X, rows.table, rows.target, rows.weights),
        )
        self._say_stopped(boosted.stop, len(boosted.trees), self.n_estimators)

    @profiled("prediction")
    def predict(self, X: Any) -> NDArray[Any]:
        """The class with the most votes, or the weighted median of the trees' numbers."""
        threads, owner = self._asked()
        return self.ensemble_.predict(X, threads, owner)

    def apply(self, X: Any) -> NDArray[np.int64]:
        """The number of the leaf that each row comes to, rows by trees."""
        asked = self._asked()
        return self.ensemble_.apply(X, *asked)

    def _stages(self, X: Any) -> Iterator[NDArray[Any]]:
        asked = self._asked()
        return stages(self.ensemble_, X, *asked)

    def digest(self) -> str:
        """SHA-256 of the model's content, equal for equal models everywhere."""
        check_is_fitted(self)
        return self.ensemble_.digest()


class AdaBoostClassifier(ClassifierMixin, AdaBoostEstimator, defaults=FIRST | LAST):  # type: ignore[misc]
    """Trees that vote; each is grown on rows that count more where the ones before it erred (SAMME).

    Parameters
    ----------
    estimator : None
        a classifier of bough that grows each tree; None: a stump, `DecisionStumpClassifier()`
    n_estimators : 50
        most trees; fewer if one errs nowhere, or no less than chance (`stop_reason_`)
    learning_rate : 1.0
        what each vote, and each change of the weights, is multiplied by
    sampling : 'weights'
        "weights": all rows with their weights; "resample": rows drawn by their weights, with replacement
    verbose : False
        write a line on how far it is
    callback : None
        called with the progress (done, of, seconds) after each tree; what is true stops
    random_state : None
        seed of the draws; None: new ones each time
    n_jobs : None
        threads; the trees are the same for any number

    After fit: ensemble_ (a bough.Ensemble), classes_, estimator_weights_, estimator_errors_, stop_reason_.
    """

    predicts = "classes"

    def _usual(self) -> TreeEstimator:
        return DecisionStumpClassifier()

    @own_arguments
    @profiled("fit")
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> AdaBoostClassifier:
        rounds, model = self._rounds(), self._tree(y)
        table = to_table(X, owner=type(self).__name__)
        codes, classes = class_codes(y, table.n_rows, type(self).__name__, getattr(model, "classes", None))
        table, codes, w = _weighing(table, codes, sample_weight)
        # Trees are told all classes: a draw may miss some.
        learn = self._learner(model, table, classes[codes], classes=classes.tolist())
        boosted = boost_classes(learn, table, codes, len(classes), w, rounds)
        self._keep(X, Seen(table, codes, w), classes, boosted)
        return self

    @profiled("prediction")
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The share of each class in the votes, classes as in `classes_`."""
        threads, owner = self._asked()
        return self.ensemble_.predict_proba(X, threads, owner)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def staged_predict_proba(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """The shares after the first tree, after two, …"""
        return self._stages(X)

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """The answers after the first tree, after two, …"""
        for shares in self._stages(X):
            yield self.classes_[shares.argmax(axis=1)]

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """The accuracy after the first tree, after two, …"""
        for answers in self.staged_predict(X):
            yield float(accuracy_score(y, answers, sample_weight=sample_weight))


class AdaBoostRegressor(RegressorMixin, AdaBoostEstimator, defaults=FIRST | {"loss": "linear"} | LAST):  # type: ignore[misc]
    """The weighted median of trees; each is grown on rows that count more where the ones before it were far
    off (AdaBoost.R2).

    Parameters
    ----------
    estimator : None
        a regressor of bough that grows each tree; None: `DecisionTreeRegressor(max_depth=3)`
    n_estimators : 50
        most trees; fewer if one errs nowhere, or by half of its largest error or more (`stop_reason_`)
    learning_rate : 1.0
        what each vote, and each change of the weights, is multiplied by
    loss : 'linear'
        of an error, as a share of the largest: "linear", "square" or "exponential"
    sampling : 'weights'
        "weights": all rows with their weights; "resample": rows drawn by their weights, as Drucker has it
    verbose : False
        write a line on how far it is
    callback : None
        called with the progress (done, of, seconds) after each tree; what is true stops
    random_state : None
        seed of the draws; None: new ones each time
    n_jobs : None
        threads; the trees are the same for any number

    After fit: ensemble_ (a bough.Ensemble), estimator_weights_, estimator_errors_, stop_reason_.
    """

    predicts = "numbers"
    loss: Any

    def _usual(self) -> TreeEstimator:
        return DecisionTreeRegressor(max_depth=3)

    @own_arguments
    @profiled("fit")
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> AdaBoostRegressor:
        rounds = self._rounds()
        model = self._tree(y)
        check_name("loss", self.loss, LOSSES)
        table = to_table(X, owner=type(self).__name__)
        target = number_target(y, table.n_rows, type(self).__name__)
        table, target, w = _weighing(table, target, sample_weight)
        boosted = boost_numbers(self._learner(model, table, target), table, target, w, rounds, self.loss)
        self._keep(X, Seen(table, target, w), None, boosted)
        return self

    def staged_predict(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """The answers after the first tree, after two, …"""
        return self._stages(X)

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """R² after the first tree, after two, …"""
        for answers in self._stages(X):
            yield float(r2_score(y, answers, sample_weight=sample_weight))


def _weighing(
    table: Table, target: NDArray[Any], sample_weight: Any
) -> tuple[Table, NDArray[Any], NDArray[np.float64]]:
    """The rows that have a weight above 0, and their weights."""
    w = weights(sample_weight, table.n_rows)
    if w is None:
        return table, target, np.ones(table.n_rows)
    kept = w > 0
    return table.take(kept), target[kept], w[kept]
