"""Data of any kind to one typed table; the demo tables are in `examples`."""

from bough.data import examples

__all__ = ["examples"]
