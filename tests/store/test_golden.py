"""Model files of all formats so far are read, and answer as they did when they were written."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bough
from bough.store import read

FILES = Path(__file__).parent / "files"
GOLDEN = sorted(FILES.glob("*/*.bough"))


def table(rows):
    data = pd.DataFrame(rows)
    data["joined"] = pd.to_datetime(data["joined"])
    return data


def test_there_are_golden_files():
    assert len(GOLDEN) >= 20


@pytest.mark.parametrize("path", GOLDEN, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_answers_are_those_of_the_day_it_was_written(path):
    expected = json.loads((path.parent / "expected.json").read_text(encoding="utf-8"))
    wanted = expected["models"][path.stem]
    model = read(path)
    data = table(expected["whole" if path.stem == "error" else "rows"])
    assert model.digest() == wanted["digest"]
    found = np.asarray(model.predict(data)).tolist()
    if model.classes is None:
        assert [float(v).hex() for v in found] == wanted["predict"]
    else:
        assert found == wanted["predict"]
        shares = [[float(p).hex() for p in row] for row in model.predict_proba(data)]
        if getattr(model, "link", "identity") == "identity":
            assert shares == wanted["predict_proba"]
        else:  # exp() may differ in the last bit between systems
            given = [[float.fromhex(p) for p in row] for row in wanted["predict_proba"]]
            assert np.allclose(model.predict_proba(data), given, rtol=1e-14)
    loaded = bough.load(path)
    assert np.asarray(loaded.predict(data)).tolist() == found
