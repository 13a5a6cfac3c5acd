"""R's random numbers (since R 3.6), as far as rpart needs them to deal rows to folds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


class RRandom:
    """set.seed(seed) with the Mersenne twister and sampling by rejection."""

    def __init__(self, seed: int) -> None:
        state = []
        for number in range(50 + 625):
            seed = (69069 * seed + 1) % 2**32
            if number > 50:  # the first of the 625 is where the twister stands, which is set anew
                state.append(seed)
        self.twister = np.random.RandomState()
        self.twister.set_state(("MT19937", np.array(state, dtype=np.uint32), 624))

    def below(self, n: int) -> int:
        bits = math.ceil(math.log2(n))
        while True:
            value = 0
            for _ in range(0, bits + 1, 16):
                unit = int(self.twister.randint(0, 2**32, dtype=np.uint32)) * 2.0**-32
                value = 65536 * value + int(unit * 65536)
            value %= 2**bits
            if value < n:
                return value

    def shuffled(self, values: list[Any]) -> list[Any]:
        """sample(values)"""
        left, drawn = list(values), []
        while left:
            place = self.below(len(left))
            drawn.append(left[place])
            left[place] = left[-1]
            left.pop()
        return drawn


def rpart_folds(n_rows: int, seed: int = 1, folds: int = 10) -> list[tuple[Any, Any]]:
    """The rows to grow on and the rows left out, as rpart deals them after set.seed(seed)."""
    group = np.array(RRandom(seed).shuffled([i % folds for i in range(n_rows)]))
    return [(np.flatnonzero(group != f), np.flatnonzero(group == f)) for f in range(folds)]
