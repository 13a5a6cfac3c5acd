"""One tree behind the scikit-learn API: DecisionTreeClassifier and DecisionTreeRegressor."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin

from bough.data.ingest import to_table
from bough.data.target import class_codes, number_target, weights
from bough.errors import BoughError
from bough.estimators.base import TreeEstimator, known_parameters_only
from bough.growing.settings import CLASS_CRITERIA, NUMBER_CRITERIA, check_name, is_finite_number

PARAMETERS = """
    Strings, categories, booleans, dates and missing values are taken as they are, from numpy, pandas, polars,
    pyarrow, dicts of lists or lists of dicts. `docs/semantics.md` defines what grows, to the last tie.

    criterion : {criteria}
    max_depth : most questions on the way to a leaf; None: no limit
    min_samples_split, min_samples_leaf : fewest rows of a node that is split, of a leaf; a float is a share
    min_weight_fraction_leaf : smallest share of all weight in a leaf
    max_features : columns drawn at each node: a number, a share, "sqrt", "log2"; None: all
    max_leaf_nodes : most leaves; growth is then best-first
    min_impurity_decrease : smallest gain of a split, relative to all weight{class_weight}
    categories : "subset" splits categories in two groups, "multiway" makes a branch for each
    ties : which column wins where gains are equal: "column" (the first), "alphabetical", "random"
    zero_gain_splits : split even where nothing is gained yet (exclusive-or needs it)
    max_bins : None is exact; an integer puts each numeric column into at most that many bins
    random_state : seed for max_features and random ties
    n_jobs : threads; the tree is the same for any number

    After fit: tree_ (a bough.Tree), n_features_in_, feature_names_in_, feature_importances_{after}.
"""


class DecisionTreeClassifier(ClassifierMixin, TreeEstimator):  # type: ignore[misc]  # scikit-learn has no types
    __doc__ = "A decision tree that answers with a class.\n" + PARAMETERS.format(
        criteria=", ".join(f'"{name}"' for name in CLASS_CRITERIA),
        class_weight='\n    class_weight : a dict of weights by class, "balanced", or None',
        after=", classes_",
    )

    @known_parameters_only
    def __init__(
        self,
        *,
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: int | float | str | None = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        class_weight: dict[Any, float] | str | None = None,
        categories: str = "subset",
        ties: str = "column",
        zero_gain_splits: bool = True,
        max_bins: int | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.class_weight = class_weight
        self.categories = categories
        self.ties = ties
        self.zero_gain_splits = zero_gain_splits
        self.max_bins = max_bins
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> DecisionTreeClassifier:
        check_name("criterion", self.criterion, CLASS_CRITERIA)
        self._check_target(y)
        table = to_table(X, owner=type(self).__name__)
        codes, classes = class_codes(y, table.n_rows, type(self).__name__)
        w = weights(sample_weight, table.n_rows)
        if self.class_weight is not None:
            by_class = self._class_weights(codes, classes, w)
            with np.errstate(over="ignore"):
                w = by_class if w is None else w * by_class
            self._check_products(w)
        self._grow(X, table, codes, classes, w)
        self.classes_ = classes
        return self

    def _class_weights(
        self, codes: NDArray[np.int32], classes: NDArray[Any], w: NDArray[np.float64] | None
    ) -> NDArray[np.float64]:
        """For each row the weight of its class; "balanced" counts a row of weight 2 like two rows."""
        weight = self.class_weight
        if isinstance(weight, dict):
            known = dict.fromkeys(classes.tolist())
            strange = [label for label in weight if label not in known]
            if strange:
                raise BoughError(
                    f"class_weight names the class {strange[0]!r}, which is not in y.",
                    code="parameter",
                    hint="classes: " + ", ".join(map(str, classes)),
                )
            for label, value in weight.items():
                if not is_finite_number(value) or value < 0:
                    raise BoughError(
                        f"class_weight gives the class {label!r} the weight {value!r}.",
                        code="parameter",
                        hint="Give each class a number of 0 or more; 0 leaves its rows out.",
                    )
            by_class = np.array([float(weight.get(label, 1.0)) for label in known])
        elif isinstance(weight, str) and weight == "balanced":
            share = np.bincount(codes, w, minlength=len(classes))
            there = share > 0
            by_class = np.divide(share.sum(), there.sum() * share, out=np.zeros(len(share)), where=there)
        else:
            raise BoughError(
                f"class_weight={weight!r} is not possible.",
                code="parameter",
                hint='class_weight is a dict of weights by class, "balanced" or None.',
            )
        return by_class[codes]

    @staticmethod
    def _check_products(w: NDArray[np.float64]) -> None:
        if not w.any():
            raise BoughError(
                "class_weight and sample_weight together leave no row with a weight above 0.",
                code="parameter",
                hint="Give at least one class of y a class_weight above 0.",
            )
        if np.isinf(w).any():
            raise BoughError(
                f"class_weight times sample_weight is too large in row {int(np.isinf(w).argmax())}.",
                code="parameter",
                hint="Divide all weights by the same number: only their ratios matter.",
            )

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The class shares in the leaf of each row, classes as in `classes_`."""
        asked = self._asked()
        return self.tree_.predict_proba(X, **asked)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


class DecisionTreeRegressor(RegressorMixin, TreeEstimator):  # type: ignore[misc]  # scikit-learn has no types
    __doc__ = "A decision tree that answers with a number, the mean of a leaf.\n" + PARAMETERS.format(
        criteria=", ".join(f'"{name}"' for name in NUMBER_CRITERIA), class_weight="", after=""
    )

    @known_parameters_only
    def __init__(
        self,
        *,
        criterion: str = "squared_error",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: int | float | str | None = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        categories: str = "subset",
        ties: str = "column",
        zero_gain_splits: bool = True,
        max_bins: int | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.categories = categories
        self.ties = ties
        self.zero_gain_splits = zero_gain_splits
        self.max_bins = max_bins
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> DecisionTreeRegressor:
        check_name("criterion", self.criterion, NUMBER_CRITERIA)
        self._check_target(y)
        table = to_table(X, owner=type(self).__name__)
        target = number_target(y, table.n_rows, type(self).__name__)
        self._grow(X, table, target, None, weights(sample_weight, table.n_rows))
        return self
