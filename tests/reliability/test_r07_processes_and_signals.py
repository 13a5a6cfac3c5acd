"""R7: fork, spawn, threads, Ctrl-C for forests, boosting, AdaBoost: 0 hangs, stops within 1 s, same models.

Single trees are in tests/estimators/test_threads_and_signals.py. Long: `make soak`."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest
from slower import SLOWER
from test_r05_save_is_atomic import FOLDER, faults


def test_ctrl_c_at_random_moments_of_a_fit():
    seen = faults("interrupt", 10)
    assert not set(seen) - {"stopped", "finished", "kept trees", "fits again"}
    assert seen["fits again"] == 4
    assert seen["stopped"] + seen["kept trees"] > 5


def test_forks_while_other_threads_fit_and_predict():
    assert faults("processes", 12) == {"same": 12}


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_worker_processes_give_the_same_models(method, tmp_path):
    script = tmp_path / "program.py"  # workers import the main module, so it has to be a file
    script.write_text(
        textwrap.dedent(
            f"""
            import multiprocessing, sys
            sys.path.insert(0, {FOLDER!r})
            import faults

            def digest(name):
                return faults.MODELS[name](n_jobs=2).fit(faults.X, faults.Y).digest()

            if __name__ == "__main__":
                names = list(faults.MODELS)
                expected = list(map(digest, names))
                with multiprocessing.get_context({method!r}).Pool(2) as pool:
                    print(pool.map_async(digest, names).get(timeout={200 * SLOWER}) == expected)
            """
        )
    )
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=300 * SLOWER, check=False
    )
    assert done.stdout.split() == ["True"], done.stderr[-2000:]
