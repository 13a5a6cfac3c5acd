"""Every parameter of the boosting estimators, once: name, default, meaning."""

from __future__ import annotations

import dataclasses
from typing import Any

from bough.ensemble.boosting_settings import BoostingSettings
from bough.ensemble.losses import REGRESSION
from bough.estimators.parameters import Parameter

# The trees, in the order of the settings; the seed comes from random_state.
TREES = tuple(
    Parameter(f.name, f.default, f.metadata["doc"])
    for f in dataclasses.fields(BoostingSettings)
    if f.name != "seed"
)
OTHERS = (
    Parameter("loss", "log_loss", '"log_loss", or a function of your own, see docs', "classes"),
    Parameter(
        "loss", "squared_error", ", ".join(REGRESSION) + ", or a function of your own, see docs", "numbers"
    ),
    Parameter("quantile", 0.5, 'which quantile, with loss="quantile"', "numbers"),
    Parameter(
        "huber_delta",
        None,
        'with loss="huber": errors beyond it count by their size, not squared; None: nine in ten are nearer',
        "numbers",
    ),
    Parameter("tweedie_power", 1.5, 'between 1 and 2, with loss="tweedie"', "numbers"),
    Parameter("ndcg_at", 30, "pairs with a row in so many first places count; None: all pairs", "queries"),
    Parameter("class_weight", None, 'a dict of weights by class, "balanced", or None', "classes"),
    Parameter("init", None, "where the sums begin, one number for each output; None: the best constant"),
    Parameter("early_stopping", False, "stop when held-out rows are answered no better, and keep the best"),
    Parameter(
        "validation_fraction", 0.1, "share of the rows held out for it, unless fit is given X_val and y_val"
    ),
    Parameter("n_iter_no_change", 10, "rounds in a row without a lower loss that stop"),
    Parameter("tol", 1e-7, "a loss lower by less is not lower"),
    Parameter("time_limit", None, "seconds after which no round begins any more; None: no limit"),
    Parameter("warm_start", False, "fit goes on from the trees that are there, up to n_estimators rounds"),
    Parameter("verbose", False, "write a line on how far it is"),
    Parameter("callback", None, "called with a Progress after each round; what is true stops"),
    Parameter("random_state", None, "seed for drawn rows and columns and for held-out rows"),
    Parameter("n_jobs", None, "threads; the trees are the same for any number"),
)


def boosting_parameters(of: str) -> tuple[Parameter, ...]:
    """Those of classifiers ("classes"), regressors ("numbers") or rankers ("queries")."""
    return tuple(p for p in (*TREES, *OTHERS) if p.of in ("both", of))


def boosting_defaults(of: str) -> dict[str, Any]:
    return {p.name: p.default for p in boosting_parameters(of)}
