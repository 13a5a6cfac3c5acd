"""What other libraries call our parameters and the arguments of fit, and what stands for them here."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from bough.errors import BoughError, BoughTypeError, did_you_mean

F = TypeVar("F", bound=Callable[..., Any])

# The same thing by another name.
NAMES = {
    "n_estimators": "max_iter iterations num_iterations num_boost_round num_round n_iter num_trees ntree",
    "learning_rate": "eta shrinkage",
    "max_leaf_nodes": "num_leaves max_leaves",
    "max_depth": "depth maxdepth",
    "min_samples_leaf": "min_child_samples min_data_in_leaf minbucket nodesize",
    "min_samples_split": "minsplit",
    "min_impurity_decrease": "min_split_gain min_gain_to_split min_split_loss gamma",
    "min_sum_hessian": "min_child_weight min_sum_hessian_in_leaf",
    "l1_regularization": "reg_alpha lambda_l1 alpha",
    "l2_regularization": "reg_lambda lambda_l2 l2_leaf_reg lambda",
    "subsample": "bagging_fraction",
    "colsample_bytree": "feature_fraction rsm",
    "max_features": "mtry colsample_bynode feature_fraction_bynode",
    "max_samples": "sampsize bagging_fraction subsample",
    "bootstrap": "replace",
    "max_bins": "max_bin border_count",
    "ccp_alpha": "cp",
    "class_weight": "class_weights",
    "estimator": "base_estimator",
    "loss": "objective loss_function",
    "monotonic_cst": "monotone_constraints",
    "interaction_cst": "interaction_constraints",
    "init": "base_score boost_from_average init_score base_margin baseline",
    "n_iter_no_change": "early_stopping_rounds early_stopping_round od_wait",
    "patience": "early_stopping_rounds n_iter_no_change",
    "oob_patience": "early_stopping_rounds n_iter_no_change early_stopping patience",
    "validation_fraction": "validation_split",
    "callback": "callbacks monitor",
    "verbose": "verbosity verbose_eval verbose_eval_period logging_level",
    "random_state": "seed random_seed",
    "n_jobs": "nthread num_threads thread_count",
    "ndcg_at": "lambdarank_truncation_level ndcg_at_k",
    "warm_start": "xgb_model init_model",
    "sample_weight": "weight weights sample_weights",
    "X_val": "eval_set eval_sets valid_sets evals validation_data",
    "sample_weight_val": "sample_weight_eval_set eval_sample_weight",
    "qid": "group_id query_id",
    "group_val": "eval_group",
    "qid_val": "eval_qid",
}
# What has to be known besides the name.
MORE = {
    "X_val": "fit(X, y, X_val=…, y_val=…): one set of rows, its columns and its target.",
    "n_iter_no_change": "It stops where early_stopping=True.",
    "patience": "It stops where early_stopping=True.",
    "oob_patience": "Rows outside of the bags decide, so none have to be given.",
    "callback": "One function; it gets the progress, and what it returns stops the fit if it is true.",
    "warm_start": "fit goes on from the trees that the model has.",
    "init": "It is one number for each output, the same for all rows.",
}
# Rows of: names that the model must have (parameters, methods), what is said, and of which
# names of others; the first row that fits. So no answer names what the model at hand has not.
Answer = tuple[str, str, str]
# What is there, but is not given in the same way.
OTHERWISE: tuple[Answer, ...] = (
    (
        "quantile huber_delta l1_regularization",
        'As in scikit-learn it is "quantile" for that loss; for Huber\'s it is "huber_delta", an error and '
        'no share of them. As in XGBoost it is "l1_regularization".',
        "alpha",
    ),
    ("class_weight", 'Give class_weight={class: weight} or "balanced".', "scale_pos_weight"),
    ("class_weight", 'Give class_weight="balanced".', "is_unbalance auto_class_weights"),
    ("verbose", "It is silent unless verbose=1.", "silent"),
    (
        "oob_score",
        "Rows outside of the bags judge it, so none have to be given: oob_score=True.",
        "eval_set eval_sets valid_sets evals validation_data X_val y_val validation_fraction "
        "validation_split",
    ),
    ("learn estimators", "The weights are learned, as learn= says; weights_ has them after fit.", "weights"),
)
# What needs no name here.
NOT_NEEDED: tuple[Answer, ...] = (
    (
        "",
        "text and categories are taken as they are; in a numpy array of numbers there are none, so give a "
        "frame or a dict with such columns as text",
        "cat_features categorical_feature categorical_features enable_categorical",
    ),
    ("", "names of columns come with the frame or the dict", "feature_name feature_names"),
    (
        "n_iter_no_change",
        "bough.evaluate has many figures; boosting watches its loss, and stops by it",
        "eval_metric metric custom_metric",
    ),
    ("", "bough.evaluate has many figures", "eval_metric metric custom_metric"),
    ("n_iter_no_change early_stopping", "early_stopping=True keeps the best rounds", "use_best_model"),
    (
        "symmetric max_leaf_nodes",
        "max_leaf_nodes=None grows level by level, symmetric=True one question for each level",
        "grow_policy",
    ),
    ("symmetric", "boosted trees always grow on bins", "tree_method"),
    ("predict_proba", "classes may be text or any numbers", "use_label_encoder num_class"),
)
# What others call what is known after a fit of many trees.
ATTRIBUTES: tuple[Answer, ...] = (
    (
        "",
        "ensemble_.trees, or model[0] for one of them",
        "estimators_ trees_ tree_ get_n_leaves get_depth booster_ get_booster",
    ),
    (
        "n_iter_no_change",
        "n_estimators_, the rounds that are kept",
        "best_iteration best_iteration_ n_iter_ tree_count_",
    ),
    ("", "model[0].decision_path(X), tree by tree", "decision_path"),
    ("", "len(model), the trees that it has", "n_iter_ tree_count_ n_estimators_"),
    (
        "n_iter_no_change",
        "validation_loss_ and train_loss_, after 0, 1, 2 … rounds",
        "evals_result evals_result_ best_score_ validation_score_ train_score_ get_evals_result",
    ),
    (
        "oob_score",
        "oob_score=True before the fit, and then oob_score_, oob_interval_ and oob_curve_",
        "oob_score_ oob_interval_ oob_curve_ oob_decision_function_ oob_prediction_ evals_result "
        "evals_result_ best_score_ validation_score_ train_score_ get_evals_result",
    ),
    (
        "",
        "importances(), by rows not fitted on; feature_importances_ has the shares of the gain",
        "get_score get_feature_importance feature_importance plot_importance",
    ),
    ("", "shap_values(X), or explain(row) for one", "get_shap_values pred_contribs contributions"),
    ("", "save(path), and bough.load(path)", "save_model load_model dump_model"),
)


def unknown_attribute(estimator: Any, name: str) -> AttributeError:
    """An AttributeError, as hasattr wants it, that says where the thing is."""
    found = _answer(ATTRIBUTES, estimator, name)
    here = f". Here: {found}." if found else ""
    text = f"{type(estimator).__name__!r} object has no attribute {name!r}{here}"
    return AttributeError(text, name=name, obj=estimator)


def unknown_parameter(estimator: Any, name: str, names: list[str]) -> BoughError:
    """Of the constructor or of set_params."""
    asked = inspect.signature(type(estimator).fit).parameters if hasattr(estimator, "fit") else {}
    here = _named(name, names)
    argument = name if name in asked else _named(name, list(asked))
    if otherwise := _answer(OTHERWISE, estimator, name):
        meant = f" {otherwise}"
    elif here is None and argument is not None:
        meant = f' It is an argument of fit, "{argument}".{_more(argument)}'
    elif here:
        meant = f' It is called "{here}" here.{_more(here)}'
    else:
        meant = _not_needed(estimator, name) or did_you_mean(name, names)
    return BoughTypeError(
        f'{type(estimator).__name__} has no parameter "{name}".{meant}',
        code="parameter",
        hint="parameters: " + ", ".join(names),
    )


def unknown_argument(estimator: Any, name: str, arguments: list[str]) -> BoughError:
    """Of fit."""
    own, parameters = type(estimator).__name__, list(estimator.get_params(deep=False))
    if otherwise := "" if name in parameters else _answer(OTHERWISE, estimator, name):
        meant = f" {otherwise}"
    elif here := _named(name, arguments):
        meant = f' It is called "{here}" here.{_more(here)}'
    elif name in parameters or (here := _named(name, parameters)):
        right = name if name in parameters else here
        meant = f" Here it is a parameter of the model: {own}({right}=…).{_more(str(right))}"
    else:
        meant = _not_needed(estimator, name) or did_you_mean(name, arguments)
    return BoughTypeError(
        f'fit of {own} has no argument "{name}".{meant}',
        code="parameter",
        hint=f"arguments: {', '.join(arguments)}; parameters are given to {own}(…).",
    )


def own_arguments(fit: F) -> F:
    """A decorator of fit: an argument that it has not is answered with the one that is meant."""
    known = [name for name in inspect.signature(fit).parameters if name != "self"]

    @functools.wraps(fit)
    def checked(self: Any, *args: Any, **kwargs: Any) -> Any:
        for name in kwargs:
            if name not in known:
                raise unknown_argument(self, name, known)
        return fit(self, *args, **kwargs)

    return checked  # type: ignore[return-value]  # called as F is


def _named(name: str, names: list[str]) -> str | None:
    return next((own for own, others in NAMES.items() if own in names and name in others.split()), None)


def _more(here: str) -> str:
    return f" {MORE[here]}" if here in MORE else ""


def _not_needed(estimator: Any, name: str) -> str:
    found = _answer(NOT_NEEDED, estimator, name)
    return f" None is needed: {found}." if found else ""


def _answer(answers: tuple[Answer, ...], estimator: Any, name: str) -> str:
    """Of the class: the model may not have its parameters yet, and asking it for one that is not there would
    come here again."""
    rows = [(needs, said) for needs, said, others in answers if name in others.split()]
    if not rows:
        return ""
    kind = type(estimator)
    has = {*kind._get_param_names(), *dir(kind)}
    return next((said for needs, said in rows if has.issuperset(needs.split())), "")
