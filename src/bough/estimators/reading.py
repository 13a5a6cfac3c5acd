"""What an estimator says of itself in words and numbers: rules, formulas, explanations."""

from __future__ import annotations


class Reading:
    """Mixed into every estimator; each method hands the fitted tree to `bough.explain`."""
