"""How an estimator leaves the process: model files and exports."""

from __future__ import annotations


class Saving:
    """Mixed into every estimator; hands the fitted model to `bough.store` or `bough.exporting`."""
