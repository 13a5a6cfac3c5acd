"""The fresh process of one measurement: takes a probe's name and JSON arguments, prints one line of JSON."""

from __future__ import annotations

import ctypes
import gc
import hashlib
import importlib
import json
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import golden
from benchmarks.data import Data, make

WARM_UP_ROWS = 200


def build(estimator: str, params: dict[str, Any]) -> Any:
    """An estimator from "module:Class"."""
    module, name = estimator.split(":")
    return getattr(importlib.import_module(module), name)(**params)


def quality(truth: NDArray[Any], model: Any, X: Any, metric: str) -> float:
    """What the model is worth on these rows."""
    if metric == "accuracy":
        return float(np.mean(truth == np.ravel(model.predict(X))))
    if metric == "rmse":
        return float(np.sqrt(np.mean((truth - np.ravel(model.predict(X))) ** 2)))
    from sklearn.metrics import log_loss, mean_poisson_deviance, roc_auc_score

    if metric == "deviance":
        return float(mean_poisson_deviance(truth, model.predict(X)))
    share = model.predict_proba(X)
    if metric == "auc":
        return float(roc_auc_score(truth, share[:, 1]))
    return float(log_loss(truth, share, labels=np.arange(share.shape[1])))


def core_build() -> str | None:
    """Which compiled core ran, so that a rebuild in the middle of a run is seen."""
    core = sys.modules.get("bough._core")
    return None if core is None else hashlib.sha256(Path(str(core.__file__)).read_bytes()).hexdigest()[:12]


def warmed(estimator: str, params: dict[str, Any], d: Data) -> None:
    """A small fit that pays for late imports, on both sides; it has a row of each class."""
    rows = np.arange(min(WARM_UP_ROWS, len(d.y)))
    if d.y.dtype.kind == "i":
        rows = np.unique(np.concatenate([rows, np.unique(d.y, return_index=True)[1]]))
    X = d.X[rows] if isinstance(d.X, np.ndarray) else d.X.iloc[rows]
    build(estimator, params).fit(X, d.y[rows])


def fit(estimator: str, params: dict[str, Any], data: dict[str, Any], metric: str | None) -> dict[str, Any]:
    """One fit from the user's arrays on."""
    d = make(**data)
    warmed(estimator, params, d)
    model = build(estimator, params)
    gc.collect()
    cpu, wall = time.process_time(), time.perf_counter()
    model.fit(d.X, d.y)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    answer: dict[str, Any] = {"seconds": wall, "cpu": cpu}
    if metric is not None:
        answer["quality"] = quality(d.y_test, model, d.X_test, metric)
    if metric in ("auc", "accuracy") and hasattr(model, "predict_proba"):
        answer["log_loss"] = quality(d.y_test, model, d.X_test, "log_loss")
    if hasattr(model, "digest"):
        answer["digest"] = model.digest()
    return answer


def fastest_call(prepare: Callable[[], Callable[[], object]], calls: int) -> dict[str, Any]:
    """The minimum over many calls; what `prepare` does is not timed."""
    best, least = float("inf"), float("inf")
    for _ in range(calls):
        call = prepare()
        cpu, start = time.process_time(), time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
        least = min(least, time.process_time() - cpu)
    return {"seconds": best, "cpu": least}


def repeated_fit(estimator: str, params: dict[str, Any], data: dict[str, Any], calls: int) -> dict[str, Any]:
    """A small fit, over and over, each with a new estimator."""
    d = make(**data)

    def prepare() -> Callable[[], object]:
        model = build(estimator, params)
        return lambda: model.fit(d.X, d.y)

    return fastest_call(prepare, calls)


def first_fit(estimator: str, params: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """One fit; what counts is how long the whole process takes, which is measured from outside."""
    d = make(**data)
    build(estimator, params).fit(d.X, d.y)
    return {}


def predict(estimator: str, params: dict[str, Any], data: dict[str, Any], calls: int) -> dict[str, Any]:
    """The class shares of all test rows, in one call; the digest is of the answers."""
    d = make(**data)
    model = build(estimator, params).fit(d.X, d.y)
    found = fastest_call(lambda: lambda: model.predict_proba(d.X_test), calls)
    digest = hashlib.sha256(np.ascontiguousarray(model.predict_proba(d.X_test)).tobytes()).hexdigest()
    return found | {"quality": quality(d.y_test, model, d.X_test, "auc"), "digest": digest}


def one_row(estimator: str, params: dict[str, Any], data: dict[str, Any], calls: int) -> dict[str, Any]:
    """The class shares of one row, in one call from Python."""
    d = make(**data)
    model = build(estimator, params).fit(d.X, d.y)
    row = d.X_test[:1].copy()
    model.predict_proba(row)
    return fastest_call(lambda: lambda: model.predict_proba(row), calls)


def contributions(estimator: str, params: dict[str, Any], data: dict[str, Any], calls: int) -> dict[str, Any]:
    """Shapley values of all test rows, by the library's own walk."""
    d = make(**data)
    model = build(estimator, params).fit(d.X, d.y)
    if hasattr(model, "shap_values"):
        return fastest_call(lambda: lambda: model.shap_values(d.X_test), calls)
    if hasattr(model, "get_booster"):
        from xgboost import DMatrix

        booster = model.get_booster()
        return fastest_call(lambda: lambda: booster.predict(DMatrix(d.X_test), pred_contribs=True), calls)
    return fastest_call(lambda: lambda: model.predict(d.X_test, pred_contrib=True), calls)


def memory(estimator: str, params: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """The peak of the process during a fit over what it held before, in MB in the place of seconds."""
    d = make(**data)
    warmed(estimator, params, d)
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # what the rows were made with is free, and a fit would take it first
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # forgets the peak so far
    before = status_mb("VmRSS")
    cpu = time.process_time()
    build(estimator, params).fit(d.X, d.y)
    return {"seconds": status_mb("VmHWM") - before, "cpu": time.process_time() - cpu}


def status_mb(name: str) -> float:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(f"{name}:"))


def validation(data: dict[str, Any], calls: int) -> dict[str, Any]:
    """What scikit-learn's own checks of X and y cost, before anything is learnt."""
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_X_y

    d = make(**data)

    def checks() -> None:
        _, y = check_X_y(d.X, d.y)
        check_classification_targets(y)
        np.unique(y)

    return fastest_call(lambda: checks, calls)


def prune(data: dict[str, Any], max_leaf_nodes: int, method: str, options: dict[str, Any]) -> dict[str, Any]:
    """One pruning of a grown tree by a method that needs no rows; by cost-complexity after the whole path, at
    an alpha from its middle. The quality is the number of leaves before."""
    from bough import DecisionTreeClassifier
    from bough import prune as pruned
    from bough.pruning import path

    d = make(**data)
    params = {"max_leaf_nodes": max_leaf_nodes, "n_jobs": -1}
    small = DecisionTreeClassifier().fit(d.X[:WARM_UP_ROWS], d.y[:WARM_UP_ROWS]).tree_
    pruned(small, method, **options)
    tree = DecisionTreeClassifier(**params).fit(d.X, d.y).tree_
    gc.collect()
    cpu, wall = time.process_time(), time.perf_counter()
    if method == "cost_complexity":
        alphas = path(tree).ccp_alphas
        options = {"ccp_alpha": alphas[len(alphas) // 2]}
    result = pruned(tree, method, **options)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return {"seconds": wall, "cpu": cpu, "quality": tree.n_leaves, "digest": result.digest()}


def published(measured: Callable[..., float], **given: Any) -> dict[str, Any]:
    """A figure of golden.py; its time does not matter."""
    return {"seconds": 0.0, "cpu": 0.0, "quality": measured(**given)}


PROBES: dict[str, Callable[..., dict[str, Any]]] = {
    "fit": fit,
    "first-fit": first_fit,
    "repeated-fit": repeated_fit,
    "predict": predict,
    "one-row": one_row,
    "contributions": contributions,
    "memory": memory,
    "validation": validation,
    "prune": prune,
    "folds": partial(published, golden.pooled_accuracy),
    "out-of-bag": partial(published, golden.out_of_bag_accuracy),
}


def main() -> None:
    answer = PROBES[sys.argv[1]](**json.loads(sys.argv[2]))
    print(json.dumps(answer | {"core": core_build()}))


if __name__ == "__main__":
    main()
