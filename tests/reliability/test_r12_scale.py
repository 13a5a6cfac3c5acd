"""R12: deep, wide, many-leaved: done or a clear error, no recursion; memory limits: MemoryError, no crash.

Here a chain of 10,000, 2^14 leaves, 20,000 categories, 3,000 columns; `make soak` takes 100,000, 2^20,
100,000 and 10,000."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest
import scale
from running import program
from slower import SLOWER

TREES = {"chain": scale.chain(10_000), "leaves": scale.full(14)}
ROWS = {"chain": scale.np.arange(0.0, 10_000, 97), "leaves": scale.np.arange(0.0, 2**14, 97)}
EXPECTED = {"chain": 2 * ROWS["chain"] + 1, "leaves": ROWS["leaves"]}


@pytest.mark.parametrize("name", TREES)
def test_large_trees_go_through_everything(name):
    for step, what in scale.steps(TREES[name], ROWS[name][:, None], EXPECTED[name]).items():
        assert scale.did(what) == "done", step


@pytest.mark.parametrize("name", TREES)
def test_a_page_of_a_large_tree_looks_at_all_nodes_once(name, monkeypatch):
    """Not for every box that it draws, which took half a millisecond a box with 16,384 leaves."""
    asked = []
    monkeypatch.setattr("bough.tree.tree.has_variances", lambda tree: bool(asked.append(tree)))
    tree = scale.chain(3_000) if name == "chain" else scale.full(12)
    assert scale.did(lambda: scale.LARGE["page"](tree)) == "done"
    assert len(asked) == 1


@pytest.mark.parametrize("form", ["sql", "onnx", "pmml"])
def test_an_export_that_cannot_hold_the_depth_says_so(form):
    assert scale.did(lambda: scale.bough.export(TREES["chain"], form, verify=False)) == "error[model]"


def test_many_categories_and_many_columns():
    assert scale.many_categories(20_000)
    assert scale.many_columns(3_000)


LIMITED = """
    import resource, sys
    import numpy as np, bough, bough.estimators
    models = [
        bough.DecisionTreeClassifier(n_jobs=1),
        bough.RandomForestClassifier(n_estimators=5, n_jobs=1),
        bough.GradientBoostingClassifier(n_estimators=5, n_jobs=1),
        bough.AdaBoostClassifier(n_estimators=5, n_jobs=1),
    ]
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60_000, 10)); y = rng.integers(0, 3, 60_000)
    for model in models:
        model.fit(X[:100], y[:100])  # everything is imported
    own = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    for more in (1, 3, 6, 10, 15, 25, 40, 80, 400):
        resource.setrlimit(resource.RLIMIT_AS, (own + more * 2**20, resource.RLIM_INFINITY))
        for model in models:
            try:
                model.fit(X, y).predict(X[:1000])
                print("fits")
            except MemoryError:
                print("MemoryError")
            except BaseException as error:
                print(type(error).__name__, repr(error)[:200].replace(" ", "_"))
"""


def test_a_memory_limit_is_a_memory_error():
    out = program(LIMITED, timeout=300).split()
    assert set(out) == {"fits", "MemoryError"}, set(out)
    assert len(out) == 36
    assert out[-4:] == ["fits"] * 4


BYTES = """
    import resource
    import numpy as np, bough, bough.estimators
    resource.setrlimit(resource.RLIMIT_AS, (4 * 2**30, resource.RLIM_INFINITY))
    X = np.broadcast_to(np.uint8(1), (20_000_000, 110))  # takes no memory itself
    y = np.zeros(len(X), np.int8)
    kinds = bough.DecisionTreeClassifier, bough.RandomForestClassifier, bough.GradientBoostingClassifier
    for kind in kinds:
        try:
            kind().fit(X, y)
        except MemoryError as error:
            print(error)
"""


def test_bytes_of_2_to_the_31_cells_say_what_they_need():
    """A matrix becomes float64, so that eight times its memory is asked for, at once and with its shape."""
    out = program(BYTES).splitlines()
    assert len(out) == 3
    assert all("16.4 GiB" in line and "(20000000, 110)" in line for line in out)


# The limit counts from the start of a program.
CALL = "import os, sys; os.execv(sys.argv[1], [sys.argv[1], '-c', sys.argv[2]])"
THREADS = """
    import os, resource
    import numpy as np, bough, bough.estimators
    X = np.random.default_rng(0).normal(size=(5_000, 8)); y = (X[:, 0] * X[:, 1] > 0).astype(int)
    makes = (bough.DecisionTreeClassifier,
             lambda n_jobs: bough.GradientBoostingClassifier(n_estimators=5, n_jobs=n_jobs),
             lambda n_jobs: bough.RandomForestClassifier(n_estimators=4, random_state=0, n_jobs=n_jobs))
    expected = [make(n_jobs=1).fit(X, y).digest() for make in makes]
    own = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (own + 2**29, resource.RLIM_INFINITY))
    threads = len(os.listdir("/proc/self/task"))
    print([make(n_jobs=4).fit(X, y).digest() for make in makes] == expected)
    print(len(os.listdir("/proc/self/task")) == threads)
"""


def test_without_the_threads_that_it_asks_for_a_fit_goes_on():
    """The stack of a thread would take 1 GB, and there are 512 MB."""
    code = f"import resource; resource.setrlimit(resource.RLIMIT_STACK, (2**30, 2**30)); {CALL}"
    done = subprocess.run(
        [sys.executable, "-c", code, sys.executable, textwrap.dedent(THREADS)],
        capture_output=True,
        text=True,
        timeout=300 * SLOWER,
        check=False,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    assert done.stdout.split() == ["True", "True"], done.stderr[-2000:]
