"""Figures of the lectures that belong to whole trees: W6, W11 to W13, W16, W18 to W20, W23."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from bough import information as info
from bough.data.examples import load
from bough.explain.dnf import formula
from bough.explain.lectures import Figure, Work, data, stump_gain, tree_of
from bough.growing import Settings, grow
from bough.pruning import strengths
from bough.tree.rules import Rules
from bough.tree.tree import Tree

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


def tests_and_leaves(tree: Tree) -> tuple[int, int]:
    """Leaves without rows do not count."""
    return int((tree.feature >= 0).sum()), int(((tree.feature < 0) & (tree.n_rows > 0)).sum())


def asked(tree: Tree) -> str:
    return ", ".join(node.column for node in tree.nodes() if node.column)


def w6() -> Work:
    figures = []
    for ties, printed in (
        ("column", "Patrons, Hungry, Type, Fri"),
        ("alphabetical", "Patrons, Est, Bar, Bar"),
    ):
        tree = tree_of("restaurant", ties=ties, zero_gain_splits=False)
        tests, leaves = tests_and_leaves(tree)
        figures += [
            Figure(f"asked, ties by {ties}", printed, asked(tree)),
            Figure(f"tests, ties by {ties}", "4", tests),
            Figure(f"leaves, ties by {ties}", "7", leaves),
        ]
    tree = tree_of("restaurant", zero_gain_splits=False)
    kinds = next(node for node in tree.nodes() if node.column == "Type")
    french = next(c for c, b in zip(kinds.children, kinds.branches, strict=True) if b == "French")
    counts = " and ".join(f"{x:g}" for x in kinds.value)
    figures += [Figure("rows of Type = French", "0", french.n_rows), Figure("above it", "2 and 2", counts)]
    return Work("W6", "Restaurant, the whole ID3 tree", "USC", tuple(figures))


@cache
def csection() -> Tree:
    table, y, classes = data("csection")
    settings = Settings(criterion="entropy", categories="multiway", missing="fractional")
    return grow(table, y, classes, None, settings, rules=Rules(estimate="half"))


def w11() -> Work:
    block = csection().to_text("counts", positive="Natural")
    return Work("W11", "C-section, 1000 women", "CMU", (Figure("the tree", C_SECTION, block),))


def w12() -> Work:
    node = next(node for node in csection().nodes() if node.column == "Birth_Weight")
    below, above = (float(child.value[0]) for child in node.children)
    figures = (
        Figure("below 3349: 10 + 211/380", f"{10 + 211 / 380:.6f}", below),
        Figure("from 3349: 36 + 169/380", f"{36 + 169 / 380:.6f}", above),
        Figure("below, as printed", "10.6", below),
        Figure("from, as printed", "36.4", above),
    )
    return Work("W12", "C-section, the row without a birth weight is spread", "CMU", figures)


def w13() -> Work:
    tree = csection()
    table, y, classes = data("csection")
    positive = classes.tolist().index("C-section")
    says, is_so = tree.predict(table) == "C-section", y == positive
    tp, fp = int((says & is_so).sum()), int((says & ~is_so).sum())
    fn, tn = int((~says & is_so).sum()), int((~says & ~is_so).sum())
    precision, recall = tp / (tp + fp), tp / (tp + fn)
    figures = (
        Figure("TP", "51", tp),
        Figure("FP", "11", fp),
        Figure("FN", "116", fn),
        Figure("TN", "822", tn),
        Figure("precision", "0.822581", precision),
        Figure("recall", "0.305389", recall),
        Figure("F1", "0.445415", 2 * precision * recall / (precision + recall)),
        Figure("accuracy", "0.873", (tp + tn) / len(y)),
        Figure("FPR", "0.013205", fp / (fp + tn)),
        Figure("AUC of the printed counts", "0.848185", _area(tree, positive)),
    )
    return Work("W13", "C-section, the tree as a classifier", "CMU", figures)


def _area(tree: Tree, positive: int) -> float:
    """The area under the ROC curve from the counts of the leaves, to a tenth as the lecture prints them."""
    leaves = tree.feature < 0
    counts, shares = np.round(tree.value[leaves], 1), tree.shares[leaves][:, positive]
    good, bad = counts[:, positive], counts[:, 1 - positive]
    below = [bad[shares < s].sum() + bad[shares == s].sum() / 2 for s in shares]
    return float(good @ np.array(below) / good.sum() / bad.sum())


def w16() -> Work:
    tree = tree_of("tennis")
    tests, leaves = tests_and_leaves(tree)
    printed = "Yes = (Sunny and Normal) or Overcast or (Rain and Weak)"
    figures = (
        Figure("tests", "3", tests),
        Figure("leaves", "5", leaves),
        Figure("rule", printed, formula(tree, "Yes").text(named=False)),
    )
    return Work("W16", "Play tennis, the tree", "Leite", figures)


def w18() -> Work:
    tree = tree_of("iris7")
    width = tree_of("iris7", only="Petal Width", max_depth=1)
    lengths = data("iris7")[0].columns[0]
    figures = (
        Figure("H", "1.448816", tree.impurity[0]),
        Figure("Gini", "0.612245", info.gini(tree.value[0])),
        Figure("error rate, 4/7", f"{4 / 7:.6f}", info.error_rate(tree.value[0])),
        Figure("best cut of petal length", "2.4", tree.threshold[0]),
        Figure("its gain", "0.985228", tree.gain[0]),
        Figure("best cut of petal width", "0.6", width.threshold[0]),
        Figure("its gain, a tie", "0.985228", width.gain[0]),
        Figure("thresholds of sepal length", "5", len(np.unique(lengths.values)) - 1),
    )
    return Work("W18", "Seven irises", "CMU", figures)


def w19() -> Work:
    tree = tree_of("tennis", criterion="gini")
    errors, gini = strengths(tree, measure="error") * 14, strengths(tree, measure="impurity")
    below = [int(node.id) for node in tree.nodes() if not node.is_leaf and node.id > 0]
    figures = [Figure("alpha of the root, errors", "1.25", errors[0])]
    figures += [Figure(f"alpha of {tree.node(i).column}, errors", "2.0", errors[i]) for i in below]
    figures += [
        Figure("alpha of the root, Gini x N", "1.607143", gini[0] * 14),
        Figure("divided by 14", "0.114796", gini[0]),
        Figure("alpha below, Gini x N", "2.4", gini[below[0]] * 14),
        Figure("divided by 14 (below)", "0.171429", gini[below[0]]),
    ]
    return Work("W19", "Cost-complexity of the tennis tree", "Leite", tuple(figures))


def w20() -> Work:
    greedy = tree_of("poll2", criterion="error", ties="alphabetical", zero_gain_splits=True)
    tests, leaves = tests_and_leaves(greedy)
    guests = tests_and_leaves(tree_of("restaurant", zero_gain_splits=False))[1]
    figures = (
        Figure("greedy: first asked", "A", greedy.root.column),
        Figure("greedy: tests", "5", tests),
        Figure("greedy: leaves", "6", leaves),
        Figure("smallest with B first: leaves", "4", fewest_leaves("poll2", "B")),
        Figure("smallest: leaves", "4", fewest_leaves("poll2")),
        Figure("restaurant, greedy: leaves", "7", guests),
        Figure("restaurant, smallest: leaves", "6", fewest_leaves("restaurant")),
    )
    return Work("W20", "Poll 2: greedy is not smallest", "CMU", figures)


def fewest_leaves(name: str, first: str | None = None) -> int:
    """Of the smallest tree without errors, over all trees (with this first test)."""
    columns, target = load(name)

    @cache
    def search(rows: frozenset[int], only: str | None) -> float:
        if len({target[i] for i in rows}) == 1:
            return 1
        best = math.inf
        for column in [only] if only else columns:
            values = columns[column]
            parts = [frozenset(i for i in rows if values[i] == v) for v in {values[i] for i in rows}]
            if len(parts) > 1:
                best = min(best, sum(search(part, None) for part in parts))
        return best

    return int(search(frozenset(range(len(target))), first))


def w23() -> Work:
    gains = {"Position": "0.419973", "Distress": "0.170951", "Previous": "0.019973"}
    tree = tree_of("births")
    tests, leaves = tests_and_leaves(tree)
    figures = [Figure("H", "0.970951", tree.impurity[0])]
    figures += [Figure(f"gain of {c}", text, stump_gain("births", c)) for c, text in gains.items()]
    figures += [Figure("tests", "3", tests), Figure("leaves", "5", leaves)]
    return Work("W23", "Five births", "CMU", tuple(figures))


TREES = (w6, w11, w12, w13, w16, w18, w19, w20, w23)
