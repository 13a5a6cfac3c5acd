"""R6: one digest for 1, 2, 4, 8 threads x numpy, pandas, polars x processes, on 20 drawn tables x 5 families.

Other forms, layouts and settings of single trees are in tests/estimators/test_same_tree.py. More tables:
BOUGH_TABLES=200."""

from __future__ import annotations

import os

import numpy as np
import polars as pl
import pytest
from running import MODELS, drawn, program

TABLES = int(os.environ.get("BOUGH_TABLES", "20"))


def forms(frame):
    yield "pandas", frame
    yield (
        "polars",
        pl.DataFrame({name: frame[name].where(frame[name].notna(), None).tolist() for name in frame}),
    )
    yield "dict", {name: frame[name].where(frame[name].notna(), None).tolist() for name in frame}


def digests(name, seed):
    frame, y = drawn(seed)
    for jobs in (1, 2, 4, 8):
        yield MODELS[name](random_state=3, n_jobs=jobs).fit(frame, y)
    for _, form in forms(frame):
        yield MODELS[name](random_state=3, n_jobs=2).fit(form, y)


@pytest.mark.parametrize("name", MODELS)
def test_threads_and_frames_change_nothing(name):
    for seed in range(TABLES):
        models = list(digests(name, seed))
        assert len({model.digest() for model in models}) == 1, seed
        frame, _ = drawn(seed)
        answers = {model.predict_proba(frame).tobytes() for model in models}
        assert len(answers) == 1, seed


@pytest.mark.parametrize("name", MODELS)
def test_arrays_are_frames_without_names(name):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(80, 4)).round(1)
    X[rng.random(X.shape) < 0.1] = np.nan
    y = np.digitize(np.nan_to_num(X[:, 0]) + rng.normal(0, 0.3, 80), [-0.5, 0.5])
    names = [f"x{i}" for i in range(4)]
    forms = [X, np.asfortranarray(X), X.tolist(), pl.DataFrame(X, schema=names).fill_nan(None)]
    made = {MODELS[name](random_state=0, n_jobs=jobs).fit(f, y).digest() for f in forms for jobs in (1, 4)}
    assert len(made) == 1


def test_every_process_gives_the_same():
    code = f"""
        import sys
        sys.path[:0] = [{os.path.dirname(__file__)!r}, {os.path.dirname(os.path.dirname(__file__))!r}]
        from running import MODELS, drawn
        for name, make in MODELS.items():
            frame, y = drawn(4)
            print(make(random_state=3, n_jobs=int(sys.argv[1])).fit(frame, y).digest())
    """
    runs = {program(code, jobs, PYTHONHASHSEED=seed) for jobs, seed in ((1, "0"), (2, "1"), (4, "77"))}
    assert len(runs) == 1
    assert len(runs.pop().split()) == len(MODELS)
