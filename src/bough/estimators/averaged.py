"""The models that an average is given: names and models, or an error that says what is wrong with them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from sklearn.base import is_classifier, is_regressor

from bough.errors import BoughError, BoughTypeError
from bough.estimators.elsewhere import unknown_parameter

FORM = 'estimators is a list of names and models: [("tree", DecisionTreeClassifier()), …].'
NAMES = 'Give each a name of its own: [("small", …), ("large", …)].'


def clear_constructor(init: Callable[..., None]) -> Callable[..., None]:
    """The same constructor; what it is not given, or does not know, is an error that tells what it takes."""
    known = [name for name in inspect.signature(init).parameters if name != "self"]

    @functools.wraps(init)  # scikit-learn reads the parameters of what is wrapped
    def __init__(self: Any, *given: Any, **named: Any) -> None:
        for name in named:
            if name not in known:
                raise unknown_parameter(self, name, known)
        owner = type(self).__name__
        if len(given) > 1:
            raise BoughTypeError(
                f"{owner} takes all but the estimators by name, and was given {given[1]!r:.40}.",
                code="parameter",
                hint=f"{owner}(estimators, {known[1]}={given[1]!r:.40}), if that is what it is.",
            )
        if not given and "estimators" not in named:
            raise BoughTypeError(f"{owner} is given no models to average.", code="parameter", hint=FORM)
        if given and "estimators" in named:
            raise BoughTypeError(f"{owner} is given the estimators twice.", code="parameter", hint=FORM)
        init(self, *given, **named)

    return __init__


def is_well_formed(estimators: Any) -> bool:
    """Whether these are pairs of a name and a model, right ones or not."""
    return isinstance(estimators, list | tuple) and all(
        isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], str) and is_model(pair[1])
        for pair in estimators
    )


def is_model(model: Any) -> bool:
    return hasattr(model, "fit") and hasattr(model, "get_params") and not isinstance(model, type)


def named_members(owner: Any) -> list[tuple[str, Any]]:
    """The names and models of an average that is to be fitted."""
    given = owner.estimators
    if not isinstance(given, list | tuple):
        raise _refused(f"estimators is {given!r:.60}, which is no list.")
    if not given:
        raise _refused("estimators is empty: there is nothing to average.")
    for place, pair in enumerate(given):
        _check_pair(place, pair)
    names = [name for name, _ in given]
    for name in names:
        if names.count(name) > 1:
            raise _refused(f'{names.count(name)} of the estimators are named "{name}".', NAMES)
        if "__" in name:
            raise _refused(f'the name "{name}" holds "__", which leads to the parameters of a model.', NAMES)
        if name in owner._get_param_names():
            what = f'the name "{name}" is that of a parameter of {type(owner).__name__}.'
            raise _refused(what, NAMES)
    return list(given)


def _check_pair(place: int, pair: Any) -> None:
    where = f"estimators[{place}]"
    if is_model(pair):
        raise _refused(f"{where}, a {type(pair).__name__}, has no name.")
    if not isinstance(pair, tuple) or len(pair) != 2:
        raise _refused(f"{where} is {pair!r:.60}, no pair of a name and a model.")
    name, model = pair
    if not isinstance(name, str):
        raise _refused(f"the name of {where} is {name!r:.40}, which is no text.")
    if isinstance(model, type):
        raise _refused(f'"{name}" is a class, not a model.', f"Make one of it:  {model.__name__}()")
    if not is_model(model):
        what = f'"{name}" is {model!r:.60}, which is no model: it cannot be fitted.'
        raise _refused(what, "Give a model of bough or scikit-learn in its place, or leave it out.")


def check_kind(owner: Any, name: str, model: Any, *, classes: bool) -> None:
    """An error unless the model answers as the average does."""
    try:
        fits = is_classifier(model) if classes else is_regressor(model)
    except AttributeError:  # it tells nothing of itself
        fits = False
    what = f'"{name}", a {type(model).__name__},'
    if not fits:
        raise _refused(
            f"{what} is no {'classifier' if classes else 'regressor'}.",
            f"{type(owner).__name__} averages {'class shares' if classes else 'numbers'}.",
        )
    if classes and not hasattr(model, "predict_proba"):
        raise _refused(
            f"{what} gives no class shares: it has no predict_proba.",
            "Put it into sklearn.calibration.CalibratedClassifierCV, or leave it out.",
        )


def _refused(what: str, hint: str = FORM) -> BoughError:
    return BoughError(what, code="parameter", hint=hint)
