"""How an estimator shows itself: pictures, pages, and what a notebook prints."""

from __future__ import annotations


class Showing:
    """Mixed into every estimator; each method hands the fitted tree to `bough.view`."""
