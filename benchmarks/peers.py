"""Peers whose API is not scikit-learn's, behind fit, predict and predict_proba: YDF, CatBoost and HistGB with
categories, models that were compiled for inference."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

MOST_CATEGORIES = 255  # of scikit-learn's histogram boosting


def categories_of(X: Any) -> list[str]:
    """Names of the columns with categories; none of an array."""
    return [] if isinstance(X, np.ndarray) else [n for n in X.columns if X[n].dtype == "category"]


class Ydf:
    """A learner of YDF by its name. The frame goes in as a dict of columns, categories as text."""

    def __init__(
        self,
        learner: str,
        numbers: bool = False,
        n_jobs: int = 1,
        random_state: int = 0,
        **options: Any,
    ) -> None:
        self.learner, self.numbers = learner, numbers
        self.options = options | {"num_threads": n_jobs, "random_seed": 1234 + random_state}

    def fit(self, X: Any, y: NDArray[Any]) -> Self:
        import ydf

        ydf.verbose(0)
        task = ydf.Task.REGRESSION if self.numbers else ydf.Task.CLASSIFICATION
        make = getattr(ydf, self.learner)
        self.model = make(label="the target", task=task, **self.options).train(
            self._columns(X) | {"the target": y}, verbose=0
        )
        if not self.numbers:
            names = self.model.label_classes()
            self.order = np.argsort([int(name) for name in names])
        return self

    def _columns(self, X: Any) -> dict[str, Any]:
        if isinstance(X, np.ndarray):
            return {f"x{i}": X[:, i] for i in range(X.shape[1])}
        text = categories_of(X)
        return {n: X[n].astype(str).to_numpy(object) if n in text else X[n].to_numpy() for n in X.columns}

    def predict_proba(self, X: Any) -> NDArray[Any]:
        found = self.model.predict(self._columns(X))
        if found.ndim == 1:
            found = np.column_stack([1.0 - found, found])
        return found[:, self.order]

    def predict(self, X: Any) -> NDArray[Any]:
        return self.model.predict(self._columns(X)) if self.numbers else self.predict_proba(X).argmax(axis=1)


class CatBoostCategories:
    """CatBoost's classifier, told which columns are categories; it wants them as text or whole numbers."""

    def __init__(self, **options: Any) -> None:
        from catboost import CatBoostClassifier

        self.model = CatBoostClassifier(**options)

    def _told(self, X: Any) -> Any:
        return X.assign(**{name: X[name].cat.codes for name in categories_of(X)})

    def fit(self, X: Any, y: NDArray[Any]) -> Self:
        self.model.fit(self._told(X), y, cat_features=categories_of(X))
        return self

    def predict_proba(self, X: Any) -> NDArray[Any]:
        return self.model.predict_proba(self._told(X))


class HistCategories:
    """scikit-learn's histogram boosting; columns of more levels than it takes go in as numbers."""

    def __init__(self, **options: Any) -> None:
        from sklearn.ensemble import HistGradientBoostingClassifier

        self.model = HistGradientBoostingClassifier(**options)

    def _told(self, X: Any) -> Any:
        wide = [n for n in categories_of(X) if len(X[n].cat.categories) > MOST_CATEGORIES]
        return X.assign(**{name: X[name].cat.codes for name in wide})

    def fit(self, X: Any, y: NDArray[Any]) -> Self:
        self.model.fit(self._told(X), y)
        return self

    def predict_proba(self, X: Any) -> NDArray[Any]:
        return self.model.predict_proba(self._told(X))


class Coded:
    """An estimator that knows no categories: it gets their numbers, in the order of the names."""

    def __init__(self, of: str, **params: Any) -> None:
        module, name = of.split(":")
        self.model = getattr(import_module(module), name)(**params)

    def _told(self, X: Any) -> Any:
        return X.assign(**{name: X[name].cat.codes for name in categories_of(X)}).to_numpy(np.float64)

    def fit(self, X: Any, y: NDArray[Any]) -> Self:
        self.model.fit(self._told(X), y)
        return self

    def predict_proba(self, X: Any) -> NDArray[Any]:
        return self.model.predict_proba(self._told(X))


class Onnx:
    """A model of another library, or ours, converted to ONNX and run by onnxruntime: single precision, as the
    converters write it, and ours in double."""

    def __init__(self, of: str, n_jobs: int = 1, **params: Any) -> None:
        self.of, self.threads, self.params = of, n_jobs, params

    def fit(self, X: NDArray[Any], y: NDArray[Any]) -> Self:
        import onnxruntime

        made = {"scikit-learn": self._sklearn, "lightgbm": self._lightgbm, "bough": self._ours}[self.of](X, y)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self.threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self.session = onnxruntime.InferenceSession(made, options, providers=["CPUExecutionProvider"])
        self.inputs = [one.name for one in self.session.get_inputs()]
        self.output = self.session.get_outputs()[1].name
        return self

    def _sklearn(self, X: NDArray[Any], y: NDArray[Any]) -> bytes:
        from skl2onnx import to_onnx
        from sklearn.ensemble import RandomForestClassifier

        model = RandomForestClassifier(**self.params).fit(X, y)
        made: bytes = to_onnx(model, X[:1].astype(np.float32), options={"zipmap": False}).SerializeToString()
        return made

    def _lightgbm(self, X: NDArray[Any], y: NDArray[Any]) -> bytes:
        import onnxmltools
        from lightgbm import LGBMClassifier
        from onnxmltools.convert.common.data_types import FloatTensorType

        model = LGBMClassifier(**self.params).fit(X, y)
        shape = [("x", FloatTensorType([None, X.shape[1]]))]
        made: bytes = onnxmltools.convert_lightgbm(
            model, initial_types=shape, zipmap=False
        ).SerializeToString()
        return made

    def _ours(self, X: NDArray[Any], y: NDArray[Any]) -> bytes:
        import bough

        params = dict(self.params)
        model = getattr(bough, params.pop("estimator"))(**params).fit(X, y)
        made: bytes = bough.export(model, "onnx", verify=False).content
        return made

    def predict_proba(self, X: NDArray[Any]) -> NDArray[Any]:
        if self.of == "bough":
            given = {name: X[:, i : i + 1] for i, name in enumerate(self.inputs)}
        else:
            given = {self.inputs[0]: X.astype(np.float32)}
        found: NDArray[Any] = self.session.run([self.output], given)[0]
        return found


class Treelite:
    """Boosting of LightGBM compiled to machine code by tl2cgen; a forest of scikit-learn by treelite's own
    walk, since no compiler takes a million nodes."""

    def __init__(self, of: str, n_jobs: int = 1, **params: Any) -> None:
        self.of, self.threads, self.params = of, n_jobs, params

    def fit(self, X: NDArray[Any], y: NDArray[Any]) -> Self:
        import treelite

        if self.of == "scikit-learn":
            from sklearn.ensemble import RandomForestClassifier

            self.model = treelite.sklearn.import_model(RandomForestClassifier(**self.params).fit(X, y))
            return self
        import tl2cgen
        from lightgbm import LGBMClassifier

        trained = LGBMClassifier(**self.params).fit(X, y)
        self.folder = TemporaryDirectory()  # gone with this object
        path = Path(self.folder.name) / "model.so"
        tl2cgen.export_lib(
            treelite.frontend.from_lightgbm(trained.booster_),
            toolchain="gcc",
            libpath=str(path),
        )
        self.compiled = tl2cgen.Predictor(str(path), nthread=self.threads)
        return self

    def predict_proba(self, X: NDArray[Any]) -> NDArray[Any]:
        import treelite

        if self.of == "scikit-learn":
            return treelite.gtil.predict(self.model, X, nthread=self.threads)[:, 0, :]
        import tl2cgen

        second = self.compiled.predict(tl2cgen.DMatrix(X)).reshape(-1)
        return np.column_stack([1.0 - second, second])
