"""C-section risk: the tree of a lecture's 1000 births, what it finds, and the risk of each group."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from common import COLOURS, GREY, figure, run, save
from sklearn.metrics import confusion_matrix, roc_auc_score, roc_curve
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from bough import C45Classifier, DecisionTreeClassifier, RandomForestClassifier
from bough.data.examples import demo_table, load
from bough.data.table import Table

TARGET = "Outcome"


def births() -> tuple[Table, np.ndarray]:
    """The rows, and whether each was a C-section."""
    whole = demo_table("csection")
    columns = tuple(c for c in whole.columns if c.field.name != TARGET)
    answer = next(c for c in whole.columns if c.field.name == TARGET)
    names = np.array(answer.field.categories, dtype=object)
    return Table(columns, whole.n_rows), names[answer.values.astype(int)]


def groups(tree: Any) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Each leaf in words, its C-sections and its births."""
    names, cases, sizes = [], [], []
    for leaf in tree.leaves():
        words = []
        path = [tree.node(number) for number in tree.path(leaf.id)]
        for node, child in pairwise(path):
            branch = node.branches[[c.id for c in node.children].index(child.id)]
            words.append(f"{node.column.replace('_', ' ')} {branch}")
        names.append(",  ".join(words[-2:]) if len(words) > 2 else ",  ".join(words))
        cases.append(leaf.value[list(tree.classes).index("C-section")])
        sizes.append(leaf.weight)
    return names, np.array(cases), np.array(sizes)


def example(small: bool, picture: Path) -> dict[str, Any]:
    """The lecture's tree, its confusion matrix, ROC curves, and the risk in each leaf."""
    X, y = births()
    tree = DecisionTreeClassifier(
        criterion="entropy", categories="multiway", missing="fractional", probabilities="half"
    ).fit(X, y)
    print(tree.tree_.to_text("counts", positive="Natural"))
    (tp, fn), (fp, tn) = confusion_matrix(y, tree.predict(X), labels=["C-section", "Natural"])
    truth = y == "C-section"
    place = list(tree.classes_).index("C-section")
    told: dict[str, Any] = {
        "found": int(tp),
        "missed": int(fn),
        "false alarms": int(fp),
        "rightly natural": int(tn),
    }
    told["area on the same births"] = float(roc_auc_score(truth, tree.predict_proba(X)[:, place]))
    fig, (left, right) = figure(11, 4.2, 1, 2, width_ratios=[1, 1.5])
    models = {
        "the lecture's tree": tree,
        "C4.5, pruned": C45Classifier(probabilities="laplace"),
        "random forest": RandomForestClassifier(
            n_estimators=10 if small else 200, min_samples_leaf=10, random_state=0
        ),
    }
    folds = StratifiedKFold(3 if small else 10, shuffle=True, random_state=0)
    columns, _ = load("csection")
    rows = np.column_stack([np.array(values, dtype=object) for values in columns.values()])
    for name, model in models.items():
        risk = cross_val_predict(model, rows, y, cv=folds, method="predict_proba")[:, place]
        alarm, found, _ = roc_curve(truth, risk)
        told[f"{name}: area on other births"] = float(roc_auc_score(truth, risk))
        left.plot(alarm, found, label=f"{name}  {told[f'{name}: area on other births']:.3f}")
    left.plot([0, 1], [0, 1], color=GREY, ls=":", lw=1)
    left.set(title="ROC, by births not learned from", xlabel="false alarms", ylabel="C-sections found")
    left.legend(title="area", loc="lower right")
    names, cases, sizes = groups(tree.tree_)
    order = np.argsort(cases / sizes)
    share = (cases[order] + 0.5) / (sizes[order] + 1)
    error = 1.96 * np.sqrt(share * (1 - share) / (sizes[order] + 1))
    error = np.minimum(error, np.minimum(share, 1 - share))
    right.barh(range(len(order)), share, xerr=error, color=COLOURS[1], ecolor=GREY, height=0.6)
    right.set_yticks(range(len(order)), [names[i] for i in order])
    for at, i in enumerate(order):
        right.text(1.25, at, f"{sizes[i]:.0f} births", va="center", ha="right", color=GREY)
    right.set(
        title="risk in each leaf, with its 95 % interval",
        xlabel="share of C-sections",
        xlim=(0, 1.25),
        xticks=[0, 0.25, 0.5, 0.75, 1],
    )
    save(fig, picture)
    return told


if __name__ == "__main__":
    run(example, __file__)
