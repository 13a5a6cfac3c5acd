"""The text forms "weka" and "markdown": J48's own print of irises, groups, missing values, numbers."""

from __future__ import annotations

from sklearn.datasets import load_iris

import bough
from bough.data.examples import load

# Printed by J48 of Weka 3.9.7.
IRIS = """\
petalwidth <= 0.6: Iris-setosa (50.0)
petalwidth > 0.6
|   petalwidth <= 1.7
|   |   petallength <= 4.9: Iris-versicolor (48.0/1.0)
|   |   petallength > 4.9
|   |   |   petalwidth <= 1.5: Iris-virginica (3.0)
|   |   |   petalwidth > 1.5: Iris-versicolor (3.0/1.0)
|   petalwidth > 1.7: Iris-virginica (46.0/1.0)

Number of Leaves  : \t5

Size of the tree : \t9"""

MARKDOWN = """\
sex? (891 rows)

- **male:** deck? (577 rows)
  - **A, B, C, D, E, F:** → died 58% (106 rows)
  - **missing:** age? (471 rows)
    - **≤ 3.5:** → survived 64% (14 rows)
    - **\\> 3.5, or missing (112):** → died 88% (457 rows)
- **female:** pclass? (314 rows)
  - **≤ 2.5:** → survived 95% (170 rows)
  - **\\> 2.5:** fare? (144 rows)
    - **≤ 23.35:** → survived 59% (117 rows)
    - **\\> 23.35:** → died 89% (27 rows)"""


def test_irises_as_j48_prints_them() -> None:
    data = load_iris()
    names = ["sepallength", "sepalwidth", "petallength", "petalwidth"]
    columns = {name: data.data[:, i] for i, name in enumerate(names)}
    target = [f"Iris-{data.target_names[i]}" for i in data.target]
    assert bough.C45Classifier().fit(columns, target).tree_.to_text("weka") == IRIS


def test_parts_of_rows_groups_and_missing_in_wekas_form() -> None:
    titanic = bough.DecisionTreeClassifier(max_leaf_nodes=6).fit(*load("titanic")).tree_.to_text("weka")
    assert "|   deck in {A, B, C, D, E, F}: died (106.0/45.0)" in titanic
    assert "|   deck = ?" in titanic
    tree = bough.C45Classifier().fit(*load("titanic")).tree_
    leaf = max(tree.leaves(), key=lambda leaf: leaf.weight)
    weight, wrong = leaf.weight, leaf.weight - leaf.value.max()
    assert weight % 1 > 0.1  # rows of unknown age are there in part
    assert f"age > 9: died ({weight:.2f}/{wrong:.2f})" in tree.to_text("weka")


def test_numbers_in_wekas_form() -> None:
    tree = bough.DecisionTreeRegressor().fit({"x": [1, 2, 3, 4]}, [1.0, 1.0, 5.0, 5.0]).tree_
    assert tree.to_text("weka").splitlines()[:2] == ["x <= 2.5: 1 (2/0)", "x > 2.5: 5 (2/0)"]


def test_a_single_leaf() -> None:
    tree = bough.DecisionTreeClassifier(max_depth=0).fit(*load("tennis")).tree_
    assert tree.to_text("weka").splitlines()[0] == ": Yes (14.0/5.0)"
    assert tree.to_text("markdown") == "→ Yes 64% (14 rows)"


def test_titanic_in_markdown() -> None:
    assert (
        bough.DecisionTreeClassifier(max_leaf_nodes=6).fit(*load("titanic")).tree_.to_text("markdown")
        == MARKDOWN
    )


def test_a_deviation_is_shown_where_the_impurity_is_a_variance() -> None:
    rows, y = [[float(i)] for i in range(8)], [1.0, 2.0, 1.0, 2.0, 7.0, 9.0, 7.0, 9.0]
    tree = bough.DecisionTreeRegressor(max_depth=1).fit(rows, y).tree_
    assert "→ 1.5 ± 0.5" in str(tree)
    assert "→ 1.5 ± 0.5" in tree.to_text("markdown")
    others = [
        bough.DecisionTreeRegressor(max_depth=1, criterion="poisson").fit(rows, y).tree_,
        bough.GradientBoostingRegressor(n_estimators=1, max_depth=1, min_samples_leaf=1).fit(rows, y)[0],
    ]
    for other in others:
        assert other.n_leaves == 2
        assert "±" not in str(other) + other.to_text("markdown")
