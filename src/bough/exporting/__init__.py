"""Models in other languages, each run and compared with the model before it is handed over."""

from bough.exporting.export import Export, export
from bough.exporting.formats import FORMATS, Format

__all__ = ["FORMATS", "Export", "Format", "export"]
