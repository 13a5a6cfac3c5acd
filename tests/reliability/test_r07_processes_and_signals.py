"""R7: fork, spawn, threads, Ctrl-C for forests, boosting, AdaBoost: 0 hangs, stops within 1 s, same models.

Single trees are in tests/estimators/test_threads_and_signals.py. Long: `make soak`."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest
from running import program
from slower import SLOWER
from test_r05_save_is_atomic import FOLDER, faults


def test_ctrl_c_at_random_moments_of_a_fit():
    seen = faults("interrupt", 10)
    assert not set(seen) - {"stopped", "finished", "kept trees", "fits again"}
    assert seen["fits again"] == 4
    assert seen["stopped"] + seen["kept trees"] > 5


def test_forks_while_other_threads_fit_and_predict():
    assert faults("processes", 12) == {"same": 12}


def test_forks_during_a_first_answer():
    """What the answering thread makes first, the child makes by itself: it has no such thread to wait for."""
    code = """
        import os, pickle, signal, threading, time
        import numpy as np, bough

        rng = np.random.default_rng(0)
        X = rng.normal(size=(20_000, 10))
        y = (X[:, 0] + rng.normal(size=20_000) > 0) * 1
        forest = bough.RandomForestClassifier(n_estimators=20, random_state=0).fit(X, y)
        saved = pickle.dumps(forest)
        for k in range(12):
            large = pickle.loads(saved)
            small = bough.RandomForestClassifier(n_estimators=3, random_state=0).fit(X[:300], y[:300])
            answers = threading.Thread(target=large.predict_proba, args=(X[:1],))
            answers.start()
            time.sleep(0.002 * k)
            child = os.fork()
            if child == 0:
                signal.alarm(60)  # a child that hangs ends with it
                small.predict_proba(X[:10])
                large.predict_proba(X[:10])
                os._exit(0)
            answers.join()
            print(os.waitpid(child, 0)[1])
    """
    assert program(code).split() == ["0"] * 12


def test_ctrl_c_during_a_large_prediction():
    code = """
        import os, signal, threading, time
        import numpy as np, bough

        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(20_000, 10)), rng.integers(0, 9, 20_000)
        forest = bough.RandomForestClassifier(n_estimators=40, random_state=0).fit(X, y)
        whole = forest.predict_proba(X)
        many = np.tile(X, (100, 1))
        began = time.process_time()
        parts = forest.predict_proba(many)
        took = time.process_time() - began
        print(all((parts[k : k + 20_000] == whole).all() for k in range(0, len(many), 20_000)))
        threading.Timer(took / 10, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        began = time.process_time()
        try:
            forest.predict_proba(many)
        except KeyboardInterrupt:
            print("stopped", time.process_time() - began < 0.7 * took)
    """
    assert program(code).split() == ["True", "stopped", "True"]


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
