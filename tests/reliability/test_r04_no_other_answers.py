"""R4: a model file that was changed, its checksum not repaired: 0 of 3,000 load, so 0 answer differently."""

from __future__ import annotations

import mutate
import numpy as np
import pytest

from bough import BoughError
from bough.store.model import loads


def test_no_changed_file_loads():
    rng = np.random.default_rng(7)
    originals = list(mutate.files().values())
    tried = 0
    while tried < 3000:
        original = originals[tried % len(originals)]
        data = mutate.changed(original, rng)
        if data == original:
            continue
        tried += 1
        with pytest.raises(BoughError) as error:
            loads(memoryview(data))
        assert error.value.code in ("file", "model")
