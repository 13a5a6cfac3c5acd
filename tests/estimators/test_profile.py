"""BOUGH_PROFILE=1: one line for each fit and prediction, and nothing without it."""

import os
import re
import subprocess
import sys

import pytest

CODE = """
import numpy as np, bough
X = np.random.default_rng(0).normal(size=(6000, 4))  # 2,048 rows of a tree need no partition
y = (X[:, 0] > 0).astype(int)
for model in (
    bough.GradientBoostingClassifier(n_estimators=3),
    bough.RandomForestClassifier(n_estimators=3),
    bough.DecisionTreeRegressor(),
):
    model.fit(X, y).predict(X)
"""


def lines(profile):
    env = {**os.environ, "BOUGH_PROFILE": profile}
    run = subprocess.run([sys.executable, "-c", CODE], env=env, capture_output=True, text=True, check=True)
    assert run.stdout == ""
    return run.stderr.splitlines()


def test_each_fit_and_prediction_tells_its_stages():
    told = lines("1")
    assert [line.split()[1] for line in told] == ["fit", "prediction"] * 3
    for line in told:
        shares = [float(s) for s in re.findall(r"(\d+) %", line)]
        assert 97 <= sum(shares) <= 103
    stages = [set(re.findall(r"[:,] ([a-z ]+) \d+ %", line)) for line in told]
    assert {"ingest", "binning", "gradients", "histograms", "scans", "partition", "leaf values"} <= stages[0]
    assert {"ingest", "binning", "bags", "search", "partition"} <= stages[2]
    assert {"ingest", "binning", "search", "partition"} <= stages[4]
    for asked in stages[1::2]:  # a matrix of numbers may have no ingest to speak of
        assert "prediction" in asked
        assert asked <= {"ingest", "prediction"}


@pytest.mark.parametrize("profile", ["", "0"])
def test_otherwise_nothing_is_written(profile):
    assert lines(profile) == []
