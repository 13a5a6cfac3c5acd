"""The plain-Python reference (grower), its rounding guard (rounding) and random tables (strategies)."""
