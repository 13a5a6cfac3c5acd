"""How an estimator leaves the process and comes back: model files, JSON, and its class from a fixed list."""

from __future__ import annotations

import os
from dataclasses import asdict
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from bough.errors import BoughError, warn_caller
from bough.estimators.seen import known_digest
from bough.pruning import Choice
from bough.store import save, to_json
from bough.store.bundle import dumps_bundle, loads_bundle
from bough.store.files import with_mapped, write_atomically
from bough.store.json_text import from_json_all
from bough.store.model import Model, dumps, loads
from bough.store.plain import NotInFile, NotPlain, from_plain, is_text, or_text, to_plain
from bough.tree.text import printable

# What an attribute that fit sets may be, besides plain values.
RECORDS: dict[str, Any] = {"Choice": Choice}
MODELS = ("tree_", "ensemble_")
COMBINED = ("learn", "cv", "n_jobs")  # parameters of models that average others
NO_MATTER = ("callback", "verbose", "random_state", "n_jobs")  # parameters, to a model that is there
MOST_NESTED = 5  # averages of averages


class Saving:
    """Mixed into every estimator; hands the fitted model to `bough.store`."""

    _data_digest: str | None  # of the training rows, in a model that was loaded

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model to one file, at once or not at all; `bough.load(path)` gives it back."""
        check_is_fitted(self)
        save(model_of(self), path, about(self))

    def to_json(self) -> str:
        """The model as JSON that a person can read; `bough.from_json(text)` gives it back."""
        check_is_fitted(self)
        return to_json(model_of(self), about(self))


class CombinedSaving:
    """Mixed into models that average others; the others must be of bough to be saved."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes all models to one file, at once or not at all; `bough.load(path)` gives them back."""
        check_is_fitted(self)
        write_atomically(path, _file(self))


def _file(estimator: Any) -> bytes:
    if not isinstance(estimator, CombinedSaving):
        return dumps(model_of(estimator), about(estimator))
    found: Any = estimator
    for name, member in zip(found.named_estimators_, found.estimators_, strict=True):
        if not isinstance(member, Saving | CombinedSaving):
            raise BoughError(
                f'"{name}", a {type(member).__name__}, is not of bough, and a model file holds no others.',
                code="model",
                hint="Keep this average with pickle or joblib, or leave that model out.",
            )
    parameters = {name: or_text(getattr(found, name)) for name in COMBINED}
    told = {
        "class": class_in_file(estimator).__name__,
        "parameters": parameters,
        "names": [name for name, _ in found.estimators],
        "weights": to_plain(found.weights_),
        "classes": to_plain(getattr(found, "classes_", None)),
    }
    return dumps_bundle([_file(member) for member in found.estimators_], told)


def model_of(estimator: Any) -> Model:
    """The tree or ensemble of a fitted estimator; a tree or ensemble is its own."""
    for name in MODELS:
        if hasattr(estimator, name):
            model: Model = getattr(estimator, name)
            return model
    if isinstance(estimator, Model):
        return estimator
    if isinstance(estimator, Saving):
        check_is_fitted(estimator)
    if isinstance(estimator, CombinedSaving):
        raise BoughError(
            f"{type(estimator).__name__} is an average of several models, not one that could be exported.",
            code="model",
            hint="Take its members one by one: estimators_; the average weighs them by weights_.",
        )
    raise BoughError(
        f"{type(estimator).__name__} is not a model of bough.",
        code="model",
        hint="Give a fitted estimator, a Tree or an Ensemble of bough.",
    )


def about(estimator: Any) -> dict[str, Any]:
    """The class, its parameters, what fit learned beside the nodes, and a digest of the training rows."""
    kind = class_in_file(estimator)
    found = {"class": kind.__name__}
    parameters = {name: or_text(getattr(estimator, name)) for name in kind().get_params(deep=False)}
    learned: dict[str, Any] = {}
    for name, value in sorted(vars(estimator).items()):
        if name.endswith("_") and not name.startswith("_") and name not in (*MODELS, "classes_"):
            record = type(value).__name__
            try:
                plain = asdict(value) if RECORDS.get(record) is type(value) else value
                learned[name] = {record: to_plain(plain)} if plain is not value else to_plain(value)
            except NotPlain:
                continue  # large arrays about training rows, and what holds objects
    return found | {"parameters": parameters, "learned": learned, "data": known_digest(estimator)}


def class_in_file(estimator: Any) -> Any:
    """Its class; of a class of the user's the one of bough that it is made from, with a warning: a file that
    could not be loaded would be worse."""
    import bough.estimators as known

    own = [cls for cls in type(estimator).__mro__ if getattr(known, cls.__name__, None) is cls]
    if not own:
        raise BoughError(
            f"{type(estimator).__name__} is a class of your own, and a model file knows those of bough.",
            code="model",
            hint="Keep it with pickle or joblib.",
        )
    if own[0] is not type(estimator):
        warn_caller(
            f"{type(estimator).__name__} is a class of your own: the file holds a {own[0].__name__}, without "
            "what your class adds. pickle keeps all of it."
        )
    return own[0]


def load(path: str | os.PathLike[str]) -> Any:
    """The model of a file: the estimator that was saved, or a Tree or Ensemble if that was saved.

    Nothing in the file is run; the class is looked up in the list of bough's own."""
    _import_all()
    return with_mapped(path, _loaded)


def _import_all() -> None:
    """All classes, before the file is looked at: what it says imports nothing."""
    import bough.estimators as known

    for name in known.__all__:
        getattr(known, name)


def _loaded(data: memoryview, depth: int = 0) -> Any:
    found = loads_bundle(data) if depth < MOST_NESTED else None
    if found is None:
        return restored(*loads(data))
    parts, told = found
    members = [_loaded(part, depth + 1) for part in parts]
    try:
        return _combined(members, told)
    except (TypeError, KeyError, AttributeError, ValueError) as error:
        if isinstance(error, BoughError):
            raise
        raise _not_together() from error


def _combined(members: list[Any], told: dict[str, Any]) -> Any:
    """Models that were averaged."""
    import bough.estimators as known
    from bough.estimators.base import set_learned
    from bough.estimators.combining import together

    name, classes = told.get("class"), from_plain(told.get("classes"))
    names, weights = list(told.get("names") or []), from_plain(told.get("weights"))
    labels = None if classes is None else classes.tolist()
    fits = (
        name in ("WeightedAverageClassifier", "WeightedAverageRegressor")
        and all(isinstance(text, str) for text in names)
        and len(set(names)) == len(members) == len(names)
        and isinstance(weights, np.ndarray)
        and weights.shape == (len(members),)
        and bool(np.isfinite(weights).all() and weights.sum() > 0 and weights.min() >= 0)
        and (classes is not None) == (name == "WeightedAverageClassifier")
        and all(isinstance(member, BaseEstimator) for member in members)
        and all(labels == getattr(member, "classes_", np.array(None)).tolist() for member in members)
    )
    if not fits:
        raise _not_together()
    kept = _parameters({n: v for n, v in told.get("parameters", {}).items() if n in COMBINED})
    named = [(text, clone(member)) for text, member in zip(names, members, strict=True)]
    estimator = getattr(known, str(name))(named, **kept)
    set_learned(estimator, together(names, members, weights, classes))
    return estimator


def _not_together() -> BoughError:
    return BoughError("the models in the file do not answer together.", code="model", hint="Save them again.")


def from_json(text: str | bytes) -> Any:
    """The model of a text that `to_json` made."""
    _import_all()
    return restored(*from_json_all(text))


def restored(model: Model, found: dict[str, Any]) -> Any:
    if not found:
        return model
    import bough.estimators as known

    name = found.get("class")
    if name not in known.__all__:
        raise BoughError(
            f'the file holds a "{name!s:.40}", which this version of bough does not have.',
            code="model",
            hint="bough.store.read(path) gives its trees.",
        )
    estimator = getattr(known, name)()
    try:
        _restore(estimator, model, found)
    except (TypeError, KeyError, AttributeError, ValueError) as error:
        if isinstance(error, BoughError) and error.code == "model":
            raise
        raise BoughError(
            f"the file's parameters are not those of {name}.",
            code="model",
            hint="bough.store.read(path) gives its trees.",
        ) from error
    return estimator


def _parameters(told: dict[str, Any]) -> dict[str, Any]:
    """Of those that a file cannot hold, the ones that decide nothing are left at their default; of the others
    the name comes back."""
    kept: dict[str, Any] = {}
    for name, value in told.items():
        if not is_text(value):
            kept[name] = from_plain(value)
        elif name not in NO_MATTER:
            (text,) = value.values()
            kept[name] = NotInFile(name, printable(str(text)))
    return kept


def _restore(estimator: Any, model: Model, found: dict[str, Any]) -> None:
    estimator.set_params(**_parameters(found["parameters"]))
    predicts = "numbers" if model.classes is None else "classes"
    kind = getattr(estimator, "predicts", predicts)
    if kind != predicts and (kind, predicts) != ("queries", "numbers"):  # a ranker's scores are numbers
        raise BoughError(
            f"the file says {found['class']}, but its trees answer with {predicts}.",
            code="model",
            hint="bough.store.read(path) gives its trees.",
        )
    for name, value in found["learned"].items():
        if not name.endswith("_") or name.startswith("_") or not name.isidentifier():
            raise KeyError(name)
        record = next(iter(value)) if isinstance(value, dict) and len(value) == 1 else None
        if record in RECORDS:
            setattr(estimator, name, RECORDS[record](**from_plain(value[record])))
        else:
            setattr(estimator, name, from_plain(value))
    from bough.tree import Tree

    setattr(estimator, "tree_" if isinstance(model, Tree) else "ensemble_", model)
    if model.classes is not None:
        estimator.classes_ = model.classes.copy()
    estimator._seen = None
    estimator._data_digest = found["data"]
