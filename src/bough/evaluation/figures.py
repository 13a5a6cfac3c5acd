"""One figure of a model: its value, its interval, and what the baseline reaches."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

# What each figure is called, in the order in which they are shown.
NAMES = {
    "accuracy": "accuracy",
    "error": "error",
    "sensitivity": "sensitivity (recall)",
    "specificity": "specificity",
    "false_positive_rate": "false positive rate",
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
    "auc": "AUC",
    "average_precision": "average precision",
    "brier": "Brier score",
    "log_loss": "log loss",
    "cost": "cost per row",
    "rmse": "RMSE",
    "mae": "MAE",
    "r2": "R²",
    "ndcg": "NDCG",
    "ndcg_at_1": "NDCG@1",
    "ndcg_at_5": "NDCG@5",
    "ndcg_at_10": "NDCG@10",
}
SMALLER_IS_BETTER = {"error", "false_positive_rate", "brier", "log_loss", "cost", "rmse", "mae"}
IN_UNITS = {"rmse", "mae", "cost"}  # the others are shares or scores


@dataclass(frozen=True)
class Figure:
    """`low` and `high` bound the interval, NaN where there is none; `how` it was made."""

    name: str
    value: float
    low: float = math.nan
    high: float = math.nan
    baseline: float = math.nan
    how: str = ""

    def __float__(self) -> float:
        return self.value

    def as_dict(self) -> dict[str, Any]:
        """NaN becomes None, which JSON has."""
        numbers = {"value": self.value, "low": self.low, "high": self.high, "baseline": self.baseline}
        return {key: number if math.isfinite(number) else None for key, number in numbers.items()} | {
            "interval": self.how or None
        }
