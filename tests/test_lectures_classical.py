"""Figures of the lectures that belong to whole classical trees: W2, W5, W6, W11 to W13, W19, W25."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix, f1_score, precision_score, recall_score, roc_auc_score

import bough
from bough import _core
from bough.data.examples import demo_table, load
from bough.data.table import Table
from bough.growing import Settings, grow
from bough.pruning import path, split_tests, strengths

C_SECTION = """\
[833+,167-] .83+ .17-
Fetal_Presentation = 1: [822+,116-] .88+ .12-
| Previous_Csection = 0: [767+,81-] .90+ .10-
| | Primiparous = 0: [399+,13-] .97+ .03-
| | Primiparous = 1: [368+,68-] .84+ .16-
| | | Fetal_Distress = 0: [334+,47-] .88+ .12-
| | | | Birth_Weight < 3349: [201+,10.6-] .95+ .05-
| | | | Birth_Weight >= 3349: [133+,36.4-] .78+ .22-
| | | Fetal_Distress = 1: [34+,21-] .62+ .38-
| Previous_Csection = 1: [55+,35-] .61+ .39-
Fetal_Presentation = 2: [3+,29-] .11+ .89-
Fetal_Presentation = 3: [8+,22-] .27+ .73-"""


def example(name: str, target: str) -> tuple[Table, np.ndarray, np.ndarray]:
    """A shipped table with the categories in their declared order."""
    whole = demo_table(name)
    columns = tuple(c for c in whole.columns if c.field.name != target)
    answer = next(c for c in whole.columns if c.field.name == target)
    return (
        Table(columns, whole.n_rows),
        answer.values.astype(np.int32),
        np.array(answer.field.categories, object),
    )


def csection() -> bough.DecisionTreeClassifier:
    model = bough.DecisionTreeClassifier(
        criterion="entropy", categories="multiway", missing="fractional", probabilities="half"
    )
    return model.fit(*load("csection"))


def test_w11_the_block_character_by_character() -> None:
    assert csection().tree_.to_text("counts", positive="Natural") == C_SECTION


def test_w12_the_row_without_a_birth_weight_is_spread() -> None:
    tree = csection().tree_
    nodes = [node for node in tree.nodes() if node.column == "Birth_Weight"]
    assert len(nodes) == 1
    light, heavy = nodes[0].children
    np.testing.assert_allclose(light.value, [10 + 211 / 380, 201], rtol=1e-12)
    np.testing.assert_allclose(heavy.value, [36 + 169 / 380, 133], rtol=1e-12)


def test_w13_as_a_classifier() -> None:
    columns, y = load("csection")
    model = csection()
    found, truth = model.predict(columns), np.array(y)
    (tp, fn), (fp, tn) = confusion_matrix(truth, found, labels=["C-section", "Natural"])
    assert (tp, fp, fn, tn) == (51, 11, 116, 822)
    assert precision_score(truth, found, pos_label="C-section") == pytest.approx(0.822581, abs=1e-6)
    assert recall_score(truth, found, pos_label="C-section") == pytest.approx(0.305389, abs=1e-6)
    assert f1_score(truth, found, pos_label="C-section") == pytest.approx(0.445415, abs=1e-6)
    score = model.predict_proba(columns)[:, 0]
    assert roc_auc_score(truth == "C-section", score) == pytest.approx(0.848185, abs=1e-3)


@pytest.mark.parametrize(
    ("ties", "asked"),
    [("column", ["Patrons", "Hungry", "Type", "Fri"]), ("alphabetical", ["Patrons", "Est", "Bar"])],
)
def test_w6_the_whole_id3_tree(ties: str, asked: list[str]) -> None:
    table, y, classes = example("restaurant", "WillWait")
    settings = Settings(criterion="entropy", categories="multiway", ties=ties, zero_gain_splits=False)
    tree = grow(table, y, classes, None, settings)
    questions = [node.column for node in tree.nodes() if node.column]
    assert len(questions) == 4
    assert list(dict.fromkeys(questions))[: len(asked)] == asked
    assert sum(leaf.n_rows > 0 for leaf in tree.leaves()) == 7


def test_w2_gain_ratio_of_patrons() -> None:
    table, y, classes = example("restaurant", "WillWait")
    settings = Settings(criterion="entropy", categories="multiway", choice="gain_ratio", max_depth=1)
    root = grow(table, y, classes, None, settings).root
    assert root.column == "Patrons"
    assert root.gain == pytest.approx(0.540852, abs=1e-6)


def test_w19_weakest_links_of_the_tennis_tree() -> None:
    table, y, classes = example("tennis", "play")
    tree = grow(table, y, classes, None, Settings(criterion="gini", categories="multiway"))
    assert [node.column for node in tree.nodes() if node.column] == ["Outlook", "Humidity", "Wind"]
    alphas = strengths(tree, measure="error") * 14
    assert alphas[0] == pytest.approx(1.25)
    gini = strengths(tree, measure="impurity")
    assert gini[0] == pytest.approx(0.114796, abs=1e-6)
    assert gini[0] * 14 == pytest.approx(1.607143, abs=1e-6)
    # The root goes first, so the path has one step.
    assert path(tree, measure="error").n_leaves.tolist()[-1] == 1


def test_w25_chi_square_stops_the_tennis_tree() -> None:
    table, y, classes = example("tennis", "play")
    grown = grow(table, y, classes, None, Settings(criterion="entropy", categories="multiway"))
    tests = split_tests(grown)
    assert tests.statistic[0] == pytest.approx(3.5467, abs=1e-4)
    assert tests.p_value[0] == pytest.approx(0.1698, abs=1e-4)
    settings = Settings(criterion="entropy", categories="multiway", significance_level=0.05)
    assert grow(table, y, classes, None, settings).n_nodes == 1
    assert (
        grow(table, y, classes, None, Settings(**{**vars(settings), "significance_level": 0.2})).n_leaves == 5
    )
    assert _core.chi_square_survival(3.546666666666667, 2) == pytest.approx(0.1698, abs=1e-4)
