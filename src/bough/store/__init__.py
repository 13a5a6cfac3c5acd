"""Model files: one safe file for any model, and the same as readable JSON."""

from bough.store.json_text import from_json, to_json
from bough.store.model import read, save

__all__ = ["from_json", "read", "save", "to_json"]
