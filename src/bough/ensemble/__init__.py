"""Many trees that answer together: how they are grown."""
