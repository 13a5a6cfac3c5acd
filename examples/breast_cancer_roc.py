"""ROC curves of classifiers of breast cancer (569 tumours), by rows that each model has not seen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from common import GREY, figure, run, save
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import precision_recall_curve, roc_auc_score, roc_curve
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bough import AdaBoostClassifier, C45Classifier, CARTClassifier, RandomForestClassifier

FEW_MISSED = 0.98  # the recall that a screening wants


def example(small: bool, picture: Path) -> dict[str, Any]:
    """ROC, area under it, and the price of a high recall."""
    folds, trees = (3, 15) if small else (10, 200)
    models = {
        "CART": CARTClassifier(pruning_folds=3 if small else 10),
        "C4.5": C45Classifier(),
        "AdaBoost, stumps": AdaBoostClassifier(n_estimators=trees),
        "random forest": RandomForestClassifier(n_estimators=trees, random_state=0),
        "logistic regression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
    }
    X, y = load_breast_cancer(return_X_y=True)
    malignant = (y == 0).astype(int)
    cv = StratifiedKFold(folds, shuffle=True, random_state=0)
    fig, axes = figure(10, 4.4, 1, 2)
    told = {}
    for name, model in models.items():
        risk = cross_val_predict(model, X, malignant, cv=cv, method="predict_proba")[:, 1]
        area = float(roc_auc_score(malignant, risk))
        alarm, found, _ = roc_curve(malignant, risk)
        precision, recall, _ = precision_recall_curve(malignant, risk)
        at = int(np.argmax(found >= FEW_MISSED))
        told |= {f"{name}: area": area, f"{name}: false alarms at 98 % found": float(alarm[at])}
        axes[0].plot(alarm, found, label=f"{name}  {area:.3f}")
        axes[1].plot(recall, precision, label=name)
    axes[0].plot([0, 1], [0, 1], color=GREY, ls=":", lw=1)
    axes[0].text(0.55, 0.5, "guessing", color=GREY, rotation=38)
    axes[0].axhline(FEW_MISSED, color=GREY, lw=0.6)
    axes[0].set(title="ROC", xlabel="false alarms among the benign", ylabel="found among the malignant")
    axes[0].legend(title="area under the curve", loc="lower right")
    axes[1].set(
        title="precision and recall",
        xlabel="recall",
        ylabel="precision",
        xlim=(0.7, 1.005),
        ylim=(0.7, 1.005),
    )
    save(fig, picture)
    return told


if __name__ == "__main__":
    run(example, __file__)
