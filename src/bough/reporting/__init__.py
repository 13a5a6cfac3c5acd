"""The report of a tree as one HTML file."""

from bough.reporting.report import report

__all__ = ["report"]
