"""Rows that were left out are answered as well as by the programs that the presets follow."""

from __future__ import annotations

import numpy as np
import pytest

from golden.accuracy import MODELS, PROGRAMS, accuracy

PRESETS = [name for name, (program, _) in MODELS.items() if program]


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_as_good_as_its_original(name: str) -> None:
    """The standard error of the mean over these tables is about 0.8."""
    program = PROGRAMS[str(MODELS[name][0])]
    assert accuracy(name, range(1)).mean() > np.mean(program) - 0.8


def test_pruned_by_cross_validation_is_as_good_as_the_best_program() -> None:
    best = max(np.mean(PROGRAMS[name]) for name in ("J48", "C5.0", "rpart"))
    assert accuracy("pruned by cross-validation", range(3)).mean() >= best
