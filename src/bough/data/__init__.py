"""Data of any kind to one typed table."""
