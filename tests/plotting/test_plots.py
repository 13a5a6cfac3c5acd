"""Tests of the plots: what is drawn is read back from matplotlib's artists."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

import bough
from bough.data.examples import load
from bough.pruning import path


@pytest.fixture(autouse=True)
def _without_a_screen() -> Iterator[None]:
    mpl.use("Agg")
    from matplotlib import pyplot

    yield
    pyplot.close("all")


def titanic() -> bough.DecisionTreeClassifier:
    return bough.DecisionTreeClassifier(max_leaf_nodes=7).fit(*load("titanic"))


def rendered(ax: Any) -> Any:
    ax.figure.canvas.draw()
    return ax


def test_a_tree_has_a_box_for_each_node_and_a_label_for_each_edge() -> None:
    tree = titanic().tree_
    ax = rendered(bough.plot_tree(titanic()))
    texts = [t.get_text() for t in ax.texts]
    assert len(texts) == 2 * tree.n_nodes - 1
    boxes = [t for t in texts if t.endswith("rows")]
    counts = [int(t.split("\n")[1].split()[0]) for t in boxes if "?" not in t]
    assert sum(counts) == 891
    assert "sex?\n891 rows" in texts
    assert "died 88%\n457 rows" in texts
    assert any(t.startswith("> 3.5\n+ 112 missing") for t in texts)


def test_boxes_of_a_tree_do_not_overlap() -> None:
    ax = rendered(bough.plot_tree(titanic()))
    frames = [t.get_window_extent() for t in ax.texts if t.get_text().endswith("rows")]
    for i, one in enumerate(frames):
        assert not any(one.overlaps(other) for other in frames[i + 1 :])


def test_a_part_of_a_tree_numbers_and_many_branches() -> None:
    columns, y = load("titanic")
    deep = bough.DecisionTreeClassifier().fit(columns, y)
    with pytest.raises(bough.BoughError, match="too many for a plot"):
        bough.plot_tree(deep)
    ax = rendered(bough.plot_tree(deep.tree_, max_depth=1))
    assert sum(" …" in t.get_text() for t in ax.texts) == 2
    regression = bough.DecisionTreeRegressor(max_depth=1).fit({"x": [1.0, 2.0, 3.0]}, [10.0, 10.0, 40.0])
    assert "40\n1 rows" in [t.get_text() for t in bough.plot_tree(regression).texts]
    outlook = bough.plot_tree(bough.ID3Classifier().fit(*load("tennis")))
    assert {"Sunny", "Overcast", "Rain"} <= {t.get_text() for t in outlook.texts}
    with pytest.raises(bough.BoughError, match="has none"):
        bough.plot_tree(LogisticRegression())


def test_hostile_names_are_text() -> None:
    columns = {"$\\frac{1}": [1.0, 2.0] * 20, "b": [1.0] * 40}
    model = bough.DecisionTreeClassifier().fit(columns, ["$x", "y_{"] * 20)
    rendered(bough.plot_tree(model))
    rendered(bough.plot_regions(bough.DecisionTreeClassifier(), columns, ["$x", "y_{"] * 20)[0])


@pytest.mark.parametrize("form", ["array", "pandas", "polars", "dict"])
def test_regions_are_the_models_answers(form: str) -> None:
    random = np.random.default_rng(0)
    points = random.normal(size=(80, 2))
    y = np.where(points[:, 0] > 0.2, "in", "out")
    columns = {"a": points[:, 0], "b": points[:, 1]}
    X = {"array": points, "pandas": pd.DataFrame(columns), "polars": pl.DataFrame(columns), "dict": columns}[
        form
    ]
    model = bough.DecisionTreeClassifier().fit(X, y)
    others = (
        {} if form in ("dict", "polars") else {"k-NN": KNeighborsClassifier(3), "line": LogisticRegression()}
    )
    axes = bough.plot_regions({"tree": model, **others}, X, y, resolution=50)
    assert [ax.get_title() for ax in axes] == ["tree", *others]
    rendered(axes[0])
    mesh = axes[0].collections[0]
    colours = mesh.get_array().reshape(50, 50)
    low, high = points.min(axis=0), points.max(axis=0)
    xs = np.linspace(low[0] - 0.05 * (high - low)[0], high[0] + 0.05 * (high - low)[0], 50)
    expected = np.where(xs > model.tree_.threshold[0], 0, 1)
    np.testing.assert_array_equal(colours, np.tile(expected, (50, 1)))
    drawn = sum(len(c.get_offsets()) for c in axes[0].collections[1:])
    assert drawn == 80
    assert not hasattr(others.get("line"), "coef_")


def test_regions_need_two_numeric_columns() -> None:
    columns, y = load("titanic")
    with pytest.raises(bough.BoughError, match="two numeric columns"):
        bough.plot_regions(bough.DecisionTreeClassifier(), columns, y)


def test_impurities() -> None:
    ax = rendered(bough.plot_impurity())
    lines = {line.get_label(): dict(zip(*line.get_data(), strict=True)) for line in ax.lines}
    assert lines["entropy H(p)"][0.5] == 1
    assert lines["Gini"][0.5] == 0.5
    assert lines["error rate"][0.25] == pytest.approx(0.25)
    assert lines["entropy H(p)"][0.25] == pytest.approx(0.811278, abs=5e-7)  # W24
    scaled = bough.plot_impurity(["gini", "error"], scaled=True)
    assert [max(line.get_ydata()) for line in scaled.lines] == [1, 1]
    assert len(bough.plot_impurity("entropy").lines) == 1
    with pytest.raises(bough.BoughError, match="Did you mean"):
        bough.plot_impurity(["entrop"])


def test_the_pruning_path() -> None:
    model = bough.DecisionTreeClassifier(max_depth=4).fit(*load("titanic"))
    ax = rendered(bough.plot_pruning_path(model))
    found = path(model.tree_)
    np.testing.assert_allclose(ax.lines[0].get_xdata(), found.ccp_alphas)
    np.testing.assert_allclose(ax.lines[0].get_ydata(), found.impurities)
    np.testing.assert_array_equal(ax.right_ax.lines[0].get_ydata(), found.n_leaves)


def test_curves() -> None:
    columns, y = load("titanic")
    curve = bough.complexity_curve(bough.DecisionTreeClassifier(), columns, y, values=[2, 8, 64], cv=3)
    ax = rendered(bough.plot_curve(curve))
    held_out = next(line for line in ax.lines if line.get_label() == "rows held out")
    np.testing.assert_allclose(held_out.get_ydata(), curve["held_out_error"])
    assert ax.get_xlabel() == "max_leaf_nodes"
    assert [t.get_text() for t in ax.get_xticklabels()] == ["2", "8", "64"]
    named = bough.complexity_curve(
        bough.DecisionTreeClassifier(max_depth=2),
        columns,
        y,
        parameter="criterion",
        values=["gini", "entropy"],
        cv=3,
    )
    assert [t.get_text() for t in rendered(bough.plot_curve(named)).get_xticklabels()] == ["gini", "entropy"]


def test_roc_precision_recall_and_calibration_are_those_of_the_evaluation() -> None:
    columns, y = load("titanic")
    models = {
        "seven": bough.DecisionTreeClassifier(max_leaf_nodes=7),
        "stump": bough.DecisionStumpClassifier(),
    }
    both = bough.compare(models, columns, y, cv=3, bootstrap=20)
    found = both.evaluations["seven"]
    ax = rendered(bough.plot_roc(both))
    curve = next(line for line in ax.lines if line.get_label().startswith("seven"))
    np.testing.assert_allclose(curve.get_xdata(), found.roc().false_positive_rate)
    assert curve.get_label() == f"seven: AUC {found['auc'].value:.3f}"
    ax = rendered(bough.plot_precision_recall(found))
    np.testing.assert_allclose(ax.lines[0].get_ydata(), found.precision_recall().precision)
    ax = rendered(bough.plot_calibration({"seven": found}))
    points = ax.containers[0].lines[0]
    np.testing.assert_allclose(points.get_ydata(), found.calibration().observed)
    with pytest.raises(bough.BoughError, match="evaluations of classifiers"):
        bough.plot_roc(models)


def test_axes_that_are_given_are_used() -> None:
    from matplotlib import pyplot

    _, ax = pyplot.subplots()
    assert bough.plot_impurity(ax=ax) is ax
    assert bough.plot_tree(titanic(), ax=ax) is ax


def test_without_matplotlib_the_error_says_how_to_get_it() -> None:
    code = (
        "import sys; sys.modules['matplotlib'] = None; import bough\n"
        "try: bough.plot_impurity()\n"
        "except bough.BoughError as e: print(e.code, e.hint)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout == 'extra Install it:  pip install "bough[plot]"\n'


def test_nothing_else_loads_matplotlib() -> None:
    names = "bough, bough.reporting, bough.estimators, bough.cli.fit_output"
    code = f"import sys, {names}; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout == "False\n"
