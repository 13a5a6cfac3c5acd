"""Who is compared: each library's estimator for one tree, a forest and boosting of the same size."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from benchmarks.rows import Options

# What is installed for a peer, and under which name its version is known.
NEEDS = {
    "scikit-learn": ("sklearn",),
    "sklearnex": ("sklearnex",),
    "lightgbm": ("lightgbm",),
    "lightgbm-quantised": ("lightgbm",),
    "xgboost": ("xgboost",),
    "catboost": ("catboost",),
    "ydf": ("ydf",),
    "onnxruntime, scikit-learn's": ("onnxruntime", "skl2onnx"),
    "onnxruntime, LightGBM's": ("onnxruntime", "onnxmltools", "lightgbm"),
    "onnxruntime, ours": ("onnxruntime", "onnx"),
    "treelite, scikit-learn's": ("treelite",),
    "treelite, LightGBM's": ("treelite", "tl2cgen", "lightgbm"),
}
DISTRIBUTIONS = {"sklearn": "scikit-learn", "sklearnex": "scikit-learn-intelex"}
RATE = 0.1  # of learning, for all


@dataclass(frozen=True)
class Peer:
    """Another library's estimator for the same work, and the ratio to reach against it."""

    name: str  # a key of NEEDS
    estimator: str  # "module:Class"
    params: Mapping[str, Any]
    target: float | None = None
    threads: str | None = "n_jobs"  # the parameter; None: only the environment tells

    def pinned(self, threads: int) -> dict[str, Any]:
        return dict(self.params) | ({} if self.threads is None else {self.threads: threads})

    @property
    def installed(self) -> bool:
        return all(find_spec(module) is not None for module in NEEDS[self.name])


def shown_only(peers: list[Peer]) -> list[str]:
    """Those that we are held to no limit beside: one run tells how they stand."""
    return [peer.name for peer in peers if peer.target is None]


def distributions(name: str) -> list[str]:
    return [DISTRIBUTIONS.get(module, module) for module in NEEDS[name]]


def chosen(peers: list[Peer], options: Options) -> list[Peer]:
    """Those that were asked for; "onnxruntime" and "treelite" name all of their kind."""
    if options.peers is None:
        return peers
    return [p for p in peers if p.name in options.peers or p.name.split(",")[0] in options.peers]


def tree_peers(kind: str, params: Mapping[str, Any], target: float) -> list[Peer]:
    """One exact tree; YDF's is a forest of one tree on all rows and columns."""
    options = {
        "learner": "RandomForestLearner",
        "numbers": kind == "Regressor",
        "num_trees": 1,
        "bootstrap_training_dataset": False,
        "num_candidate_attributes": -1,
        "max_depth": params.get("max_depth", -2) + 1,  # counts the root; -1: no limit
        "min_examples": 1,
        "compute_oob_performances": False,
    }
    options |= {} if kind == "Regressor" else {"winner_take_all": False}
    return [
        Peer("scikit-learn", f"sklearn.tree:DecisionTree{kind}", params, target, None),
        Peer("ydf", "benchmarks.peers:Ydf", options),
    ]


def forest_peers(kind: str, params: Mapping[str, Any], *, sklearnex: float, sklearn: float) -> list[Peer]:
    """Random forests of full trees. For numbers all draw the same share of the columns."""
    options = {
        "learner": "RandomForestLearner",
        "numbers": kind == "Regressor",
        "num_trees": params["n_estimators"],
        "max_depth": -1,
        "min_examples": 1,
        "compute_oob_performances": False,
    }
    options |= {} if kind == "Regressor" else {"winner_take_all": False}
    if "max_features" in params:
        options["num_candidate_attributes_ratio"] = params["max_features"]
    name = f"RandomForest{kind}"
    return [
        Peer("sklearnex", f"sklearnex.ensemble:{name}", params, sklearnex),
        Peer("scikit-learn", f"sklearn.ensemble:{name}", params, sklearn),
        Peer("ydf", "benchmarks.peers:Ydf", options),
    ]


def boosting_peers(
    kind: str, rounds: int, target: float | None, *, leaves: int = 63, categories: bool = False
) -> list[Peer]:
    """Trees of as many leaves; CatBoost's are symmetric, of the depth that gives about as many."""
    light = {"n_estimators": rounds, "num_leaves": leaves, "learning_rate": RATE, "verbose": -1}
    extreme = {
        "n_estimators": rounds,
        "max_leaves": leaves,
        "max_depth": 0,
        "grow_policy": "lossguide",
        "learning_rate": RATE,
        "tree_method": "hist",
    } | ({"enable_categorical": True} if categories else {})
    cat = {
        "n_estimators": rounds,
        "max_depth": round(math.log2(leaves)),
        "learning_rate": RATE,
        "verbose": 0,
        "allow_writing_files": False,
    }
    hist = {
        "max_iter": rounds,
        "max_leaf_nodes": leaves,
        "learning_rate": RATE,
        "early_stopping": False,
    }
    ydf = {
        "learner": "GradientBoostedTreesLearner",
        "numbers": kind == "Regressor",
        "num_trees": rounds,
        "growing_strategy": "BEST_FIRST_GLOBAL",
        "max_num_nodes": 2 * leaves - 1,
        "max_depth": -1,
        "shrinkage": RATE,
        "validation_ratio": 0.0,
        "early_stopping": "NONE",
        "discretize_numerical_columns": True,
    }
    hist_name = (
        "benchmarks.peers:HistCategories" if categories else f"sklearn.ensemble:HistGradientBoosting{kind}"
    )
    cat_name = "benchmarks.peers:CatBoostCategories" if categories else f"catboost:CatBoost{kind}"
    return [
        Peer("lightgbm", f"lightgbm:LGBM{kind}", light, target),
        Peer("lightgbm-quantised", f"lightgbm:LGBM{kind}", light | {"use_quantized_grad": True}, target),
        Peer("xgboost", f"xgboost:XGB{kind}", extreme, target),
        Peer("catboost", cat_name, cat, target, "thread_count"),
        Peer("scikit-learn", hist_name, hist, target, None),
        Peer("ydf", "benchmarks.peers:Ydf", ydf),
    ]


def forest_servers(trees: int, target: float) -> list[Peer]:
    """Who answers with a forest of scikit-learn, besides the libraries that grow one."""
    params = {"n_estimators": trees}
    ours = {"of": "bough", "estimator": "RandomForestClassifier"} | params
    return [
        Peer("onnxruntime, scikit-learn's", "benchmarks.peers:Onnx", {"of": "scikit-learn"} | params, target),
        Peer("onnxruntime, ours", "benchmarks.peers:Onnx", ours, target),
        Peer(
            "treelite, scikit-learn's", "benchmarks.peers:Treelite", {"of": "scikit-learn"} | params, target
        ),
    ]


def boosting_servers(rounds: int, target: float) -> list[Peer]:
    light = {"of": "lightgbm", "n_estimators": rounds, "num_leaves": 63, "verbose": -1}
    ours = {
        "of": "bough",
        "estimator": "GradientBoostingClassifier",
        "n_estimators": rounds,
        "max_leaf_nodes": 63,
    }
    return [
        Peer("onnxruntime, LightGBM's", "benchmarks.peers:Onnx", light, target),
        Peer("onnxruntime, ours", "benchmarks.peers:Onnx", ours, target),
        Peer("treelite, LightGBM's", "benchmarks.peers:Treelite", light, target),
    ]
