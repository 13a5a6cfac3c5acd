"""Data of any kind to one typed table; the demo tables are in `examples`."""
