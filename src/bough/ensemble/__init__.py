"""Many trees: how they are grown together, and what only they can tell."""
