"""Benchmarks: ours beside its peers in one run, as ratios. `python -m benchmarks --help`."""
