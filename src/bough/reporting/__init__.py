"""The report of a tree as one HTML file."""

from bough.reporting.page import report

__all__ = ["report"]
