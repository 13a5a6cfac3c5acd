"""Any models averaged by weights that are learned from rows that they have not seen."""

from __future__ import annotations

import hashlib
import numbers
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit, check_cv
from sklearn.utils import Bunch, _safe_indexing, estimator_html_repr, get_tags
from sklearn.utils.metaestimators import _BaseComposition
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _num_samples, check_is_fitted, column_or_1d

from bough.data.ingest import check_not_empty, to_table
from bough.data.target import class_codes, number_target
from bough.data.target import weights as row_weights
from bough.ensemble.combining import WAYS, learned_weights
from bough.errors import BoughError, BoughTypeError
from bough.estimators.averaged import check_kind, clear_constructor, is_well_formed, named_members
from bough.estimators.base import Model, set_learned
from bough.estimators.elsewhere import own_arguments, unknown_parameter
from bough.estimators.saving import MODELS, CombinedSaving, model_of
from bough.evaluation.answers import fitted_copy
from bough.evaluation.folds import Folds, as_rows, divided_by, indexable
from bough.explain.members import Member, Members
from bough.explain.path import not_one_row, one_row
from bough.growing import thread_count
from bough.growing.settings import check_name, wrong
from bough.growing.threads import MOST_THREADS
from bough.store.plain import ask_again

Floats = NDArray[np.float64]

CV = "a whole number from 2 up, a share between 0 and 1, a splitter, or pairs of rows (to fit, to judge)"
PARAMETERS = """
    Parameters
    ----------
    estimators :
        a list of names and models, of bough or any other kind
    learn : 'least_squares'
        how the weights are learned: "score" (in proportion to the skill of each model), "least_squares"
        (of the average) or "greedy" (selection with repetition); docs/combining.md
    cv : 5
        the rows that judge: a number of folds, a share to hold out, or a splitter of scikit-learn
    n_jobs : None
        processes that fit the models

    After fit: weights_, estimators_ (fitted on all rows), named_estimators_.
    """


class WeightedAverage(CombinedSaving, _BaseComposition):  # type: ignore[misc]  # scikit-learn has no types
    """What both share: rows that judge, the weights, and the average of models fitted on all rows."""

    estimators: Any
    learn: Any
    cv: Any
    n_jobs: Any

    @clear_constructor
    def __init__(
        self, estimators: Any, *, learn: str = "least_squares", cv: Any = 5, n_jobs: Any = None
    ) -> None:
        self.estimators = estimators
        self.learn = learn
        self.cv = cv
        self.n_jobs = n_jobs

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        found: dict[str, Any] = self._get_params("estimators", deep=deep and is_well_formed(self.estimators))
        return found

    def set_params(self, **params: Any) -> Any:
        """Sets parameters; a wrong name is answered with the right one."""
        own = self._get_param_names()
        if "estimators" not in params and not set(params) <= set(own):
            named_members(self)  # which the others are about
        known = [name for name in self.get_params() if "__" not in name]
        for name in params if "estimators" not in params else ():
            if name.partition("__")[0] not in known:
                raise unknown_parameter(self, name, known)
        return self._set_params("estimators", **params)

    def _named(self) -> list[tuple[str, Any]]:
        check_name("learn", self.learn, WAYS)
        pairs = named_members(self)
        for name, model in pairs:
            check_kind(self, name, model, classes=isinstance(self, ClassifierMixin))
        return pairs

    def _rows(self, X: Any) -> Any:
        """Rows that can be taken of: frames and arrays as they are, columns by name as a table, which the
        models of bough know."""
        named = self._named()
        if not issparse(X) and isinstance(X, list | tuple | dict):
            if not isinstance(X, dict) and not (len(X) and isinstance(X[0], dict)) and not self._ours(named):
                rows = np.asarray(X)
                check_not_empty(len(rows), rows.size)
                return (
                    np.asarray(X, dtype=object) if rows.dtype.kind in "US" else rows
                )  # numbers stay numbers
            for name, model in named:
                if not isinstance(model, Model | WeightedAverage):
                    raise BoughError(
                        f'"{name}", a {type(model).__name__}, takes frames and arrays, and X is of dicts.',
                        code="data",
                        hint="pandas.DataFrame(X) and polars.DataFrame(X) make a frame of it.",
                    )
        elif issparse(X):
            return X.tocsr()
        elif hasattr(X, "shape") and hasattr(X, "__getitem__") and not (_columnar(X) and self._ours(named)):
            return X
        elif not self._ours(named):
            return indexable(X)
        return as_rows(to_table(X, owner=type(self).__name__))  # each cell as it is, of lists of rows too

    def _ours(self, named: list[tuple[str, Any]]) -> bool:
        return all(isinstance(model, Model | WeightedAverage) for _, model in named)

    def _fit(
        self, X: Any, y: NDArray[Any], sample_weight: Any, classes: NDArray[Any] | None
    ) -> WeightedAverage:
        named = self._named()
        thread_count(self.n_jobs)  # joblib's own message names no parameter
        workers = None if self.n_jobs is None else max(-MOST_THREADS, min(int(self.n_jobs), MOST_THREADS))
        w = row_weights(sample_weight, len(y))
        target = (
            y[:, None].astype(np.float64) if classes is None else (y[:, None] == classes).astype(np.float64)
        )
        folds = self._folds(y, classes)
        said = np.array([_said(pair, X, y, w, folds, classes, target.shape) for pair in named])
        judges = np.unique(np.concatenate([held_out for _, held_out in folds]))
        heavy = np.ones(len(judges)) if w is None else w[judges]
        learned = learned_weights(self.learn, said[:, judges], target[judges], heavy)
        members = Parallel(n_jobs=workers)(delayed(_fitted)(pair, X, y, w) for pair in named)
        set_learned(self, together([name for name, _ in named], members, learned, classes))
        return self

    def _folds(self, y: NDArray[Any], classes: NDArray[Any] | None) -> Folds:
        """As many folds as the rows allow; a share is held out the same way each time."""
        ask_again(self.cv)
        whole = isinstance(self.cv, numbers.Integral)
        share = float(self.cv) if isinstance(self.cv, numbers.Real) and not whole else None
        if (whole and (isinstance(self.cv, bool) or self.cv < 2)) or (
            share is not None and not 0 < share < 1
        ):
            raise wrong("cv", self.cv, CV)
        if len(y) < 2:
            raise BoughError(
                "one row, n_samples=1, cannot be held out: none would remain.",
                code="target",
                hint="Give two rows or more.",
            )
        cv = self.cv
        if share is not None:
            kind = ShuffleSplit if classes is None else StratifiedShuffleSplit
            cv = kind(1, test_size=share, random_state=0)
        elif whole:
            most = len(y) if classes is None else int(np.unique(y, return_counts=True)[1].max())
            cv = check_cv(max(2, min(int(cv), most)), y, classifier=classes is not None)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # a class that some folds lack does no harm
            try:
                return divided_by(cv, y, classes=classes is not None)
            except (TypeError, ValueError) as error:
                raise BoughError(
                    f"cv={self.cv!r} is not possible: {error}", code="parameter", hint=f"cv is {CV}."
                ) from None

    def _average(self, method: str, X: Any) -> Floats:
        check_is_fitted(self)
        answers = []
        for name, member in zip(self.named_estimators_, self.estimators_, strict=True):
            with of_member(name, member):
                answers.append(getattr(member, method)(X))
        mean: Floats = np.average(answers, axis=0, weights=self.weights_)
        return mean

    def digest(self) -> str:
        """SHA-256 of the members' digests and weights, equal for equal models everywhere."""
        check_is_fitted(self)
        sha = hashlib.sha256(type(self).__name__.encode())
        for name, member, weight in self._members():
            if not hasattr(member, "digest"):
                raise BoughError(
                    f'"{name}", a {type(member).__name__}, is not a model of bough and has no digest.',
                    code="model",
                    hint="Only averages of bough's models have one.",
                )
            sha.update(f"{member.digest()} {float(weight).hex()}\n".encode())
        return sha.hexdigest()

    def explain(self, row: Any) -> Members:
        """Why a row gets its answer: what each model says and what it counts. The row is a dict, a list of
        values, or a frame of one row; `named_estimators_[name].explain(row)` tells more about one of them."""
        check_is_fitted(self)
        X = self._one_row(row)
        answer = self.predict(X)[0]
        classes = getattr(self, "classes_", None)
        place = None if classes is None else int(np.flatnonzero(classes == answer)[0])
        found = []
        for name, member, weight in self._members():
            own = member.predict(X)[0]
            says = own if place is None else member.predict_proba(X)[0, place]
            found.append(Member(name, float(weight), _plain(own), float(says)))
        share = None if place is None else float(self._average("predict_proba", X)[0, place])
        return Members(_plain(answer), share, tuple(found))

    def _members(self) -> list[tuple[str, Any, float]]:
        return list(zip(self.named_estimators_, self.estimators_, self.weights_, strict=True))

    def _not_ours(self) -> list[Any]:
        """Members of other libraries, also of averages among the members."""
        found = []
        for member in self.estimators_:
            if isinstance(member, WeightedAverage):
                found += member._not_ours()
            elif not any(hasattr(member, name) for name in MODELS):
                found.append(member)
        return found

    def _was_fitted_on(self, X: Any, y: Any, sample_weight: Any) -> bool:
        """As far as its members know their rows; `bough.evaluate` asks."""
        asked = [m._was_fitted_on for m in self.estimators_ if hasattr(m, "_was_fitted_on")]
        return any(ask(X, y, sample_weight) for ask in asked)

    def _one_row(self, row: Any) -> Any:
        """A table of one row for all members; other libraries' models take arrays and frames alone."""
        first, other = self, self._not_ours()
        if not other:
            while isinstance(first, WeightedAverage):
                first = first.estimators_[0]
            return one_row(model_of(first).fields, row)
        if isinstance(row, dict):
            raise BoughError(
                f"a dict is no row for {type(other[0]).__name__}.",
                code="data",
                hint="Give a frame of one row, such as X[:1], or a list of the values.",
            )
        if getattr(row, "ndim", 1) != 2:
            return np.asarray(row)[None]
        if len(row) != 1:
            raise not_one_row(len(row))
        return row

    def _repr_html_(self) -> str:
        if not hasattr(self, "weights_"):
            readable = is_well_formed(self.estimators)
            return str(estimator_html_repr(self)) if readable else f"<pre>{escape(repr(self))}</pre>"
        from bough.reporting.many_notebook import average_html

        return average_html(self)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        models = [model for _, model in self.estimators] if is_well_formed(self.estimators) else []
        tags.input_tags.allow_nan = all(get_tags(model).input_tags.allow_nan for model in models)
        tags.input_tags.sparse = all(get_tags(model).input_tags.sparse for model in models)
        return tags


def _plain(answer: Any) -> Any:
    return answer.item() if isinstance(answer, np.generic) else answer


def _columnar(X: Any) -> bool:
    """Of what scikit-learn takes columns for rows (a batch), or cannot take rows of (views of texts)."""
    return type(X).__module__.partition(".")[0] in ("pyarrow", "_duckdb", "duckdb")


@contextmanager
def of_member(name: str, model: Any) -> Iterator[None]:
    """What a model of another library says of the rows comes with its name."""
    try:
        yield
    except (TypeError, ValueError) as error:
        if isinstance(error, BoughError | BoughTypeError):
            raise
        kind = BoughTypeError if isinstance(error, TypeError) else BoughError
        raise kind(
            f'"{name}", a {type(model).__name__}, does not take these rows: {error}',
            code="model",
            hint="All models get the same rows; what one needs besides goes before it in a pipeline.",
        ) from error


def _fitted(pair: tuple[str, Any], X: Any, y: NDArray[Any], w: Floats | None) -> Any:
    with of_member(*pair):
        return fitted_copy(pair[1], X, y, np.ones(len(y)) if w is None else w)


def together(
    names: list[str], members: list[Any], weights: Floats, classes: NDArray[Any] | None
) -> dict[str, Any]:
    """What an average of fitted models knows."""
    found = {"estimators_": members, "weights_": weights}
    found["named_estimators_"] = Bunch(**dict(zip(names, members, strict=True)))
    columns = [name for name in ("n_features_in_", "feature_names_in_") if hasattr(members[0], name)]
    found |= {name: getattr(members[0], name) for name in columns}
    return found if classes is None else found | {"classes_": classes}


def _said(
    pair: tuple[str, Any],
    X: Any,
    y: NDArray[Any],
    w: Floats | None,
    folds: list[tuple[NDArray[Any], NDArray[Any]]],
    classes: NDArray[Any] | None,
    shape: tuple[int, ...],
) -> Floats:
    """What the model says about each row that judges, learned without it; rows by outputs."""
    said = np.zeros(shape)
    for kept, held_out in folds:
        fitted = _fitted(pair, _safe_indexing(X, kept), y[kept], None if w is None else w[kept])
        rows = _safe_indexing(X, held_out)
        with of_member(*pair):
            answers = fitted.predict(rows) if classes is None else fitted.predict_proba(rows)
        if classes is None:
            said[held_out, 0] = answers
        else:  # a fold may lack a class
            said[np.ix_(held_out, np.searchsorted(classes, fitted.classes_))] = answers
    return said


class WeightedAverageClassifier(ClassifierMixin, WeightedAverage):  # type: ignore[misc]
    __doc__ = (
        "Class shares of several models, averaged by weights that rows not learned from decide.\n"
        + PARAMETERS
    )

    @own_arguments
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> WeightedAverageClassifier:
        rows = self._rows(X)
        codes, classes = class_codes(_one_column(y), int(_num_samples(rows)), type(self).__name__)
        self._fit(rows, classes[codes], sample_weight, classes)
        return self

    def predict_proba(self, X: Any) -> Floats:
        """The weighted mean of the models' class shares."""
        return self._average("predict_proba", X)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class with the largest share."""
        best = self.predict_proba(X).argmax(axis=1)
        answers: NDArray[Any] = self.classes_[best]
        return answers


class WeightedAverageRegressor(RegressorMixin, WeightedAverage):  # type: ignore[misc]
    __doc__ = (
        "Numbers of several models, averaged by weights that rows not learned from decide.\n" + PARAMETERS
    )

    @own_arguments
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> WeightedAverageRegressor:
        rows = self._rows(X)
        target = number_target(_one_column(y), int(_num_samples(rows)), type(self).__name__)
        self._fit(rows, target, sample_weight, None)
        return self

    def predict(self, X: Any) -> Floats:
        """The weighted mean of the models' numbers."""
        return self._average("predict", X)


def _one_column(y: Any) -> Any:
    """A column vector is taken as a vector, with scikit-learn's warning."""
    return column_or_1d(y, warn=True) if getattr(y, "ndim", 1) == 2 else y
