"""Threads, forks, spawned processes and Ctrl-C: nothing hangs or differs, and a stop is heard at once."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from slower import SLOWER

from bough import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(20_000, 8))
X[RNG.random(X.shape) < 0.05] = np.nan
SIGNAL = np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1]) * (RNG.random(20_000) < 0.5)
CLASSES = np.digitize(SIGNAL, [-1, 0, 1])


def run(code, *arguments):
    """Runs Python code in a process of its own and gives back what it prints; a hang is a failure."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(code), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=600 * SLOWER,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.split()


# ---- threads ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", [1, 2, 4])
def test_fits_in_several_threads_at_once_are_the_fits_one_by_one(jobs):
    def digest(depth):
        return DecisionTreeClassifier(n_jobs=jobs, max_depth=depth).fit(X, CLASSES).digest()

    depths = [3, 8, None] * 4
    expected = [digest(depth) for depth in depths[:3]] * 4
    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(digest, depths, timeout=600 * SLOWER)) == expected


def test_fits_and_predictions_of_several_threads_mix():
    fitted = DecisionTreeRegressor(n_jobs=2).fit(X, SIGNAL)
    expected = fitted.predict(X).tolist(), fitted.digest()

    def work(i):
        if i % 2:
            return fitted.predict(X).tolist() == expected[0]
        return DecisionTreeRegressor(n_jobs=2).fit(X, SIGNAL).digest() == expected[1]

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, range(8), timeout=600 * SLOWER)) == [True] * 8


def test_forests_and_boosting_of_several_threads_mix():
    makes = [
        lambda: RandomForestClassifier(n_estimators=6, n_jobs=2, random_state=0),
        lambda: ExtraTreesClassifier(n_estimators=6, n_jobs=2, random_state=0),
        lambda: RandomForestRegressor(n_estimators=4, n_jobs=2, random_state=0),
        lambda: GradientBoostingClassifier(n_estimators=6, n_jobs=2),
    ]
    rows, target = X[:3000], (CLASSES[:3000] > 1).astype(int)
    models = [make().fit(rows, target) for make in makes]
    wanted = [model.predict(rows) for model in models]

    def same(number):
        kind = number % len(makes)
        other = makes[kind]().fit(rows, target)
        return all(np.array_equal(model.predict(rows), wanted[kind]) for model in (other, models[kind]))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(same, range(16)))


def test_other_threads_go_on_while_one_fits():
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.wait(0.002):
            ticks.append(1)

    other = threading.Thread(target=tick)
    other.start()
    before = len(ticks)
    big = np.random.default_rng(1).random((60_000, 10))
    DecisionTreeClassifier().fit(big, (big.sum(axis=1) * 7).astype(int) % 2)
    during = len(ticks) - before
    stop.set()
    other.join()
    assert during > 10


@pytest.mark.parametrize("jobs", [-1, -2, 3, 16, 64, 1000])
def test_all_cores_and_more_threads_than_cores(jobs):
    expected = DecisionTreeClassifier().fit(X, CLASSES).digest()
    model = DecisionTreeClassifier(n_jobs=jobs).fit(X, CLASSES)
    assert model.digest() == expected
    assert model.score(X, CLASSES) == 1.0


def test_more_threads_than_rows_and_columns():
    assert DecisionTreeClassifier(n_jobs=50).fit([[1], [2]], [0, 1]).predict([[1], [2]]).tolist() == [0, 1]


# ---- processes -------------------------------------------------------------------------------------------

PARENT = """
    import multiprocessing, os, sys, warnings
    import numpy as np
    from bough.data.ingest import to_table
    from bough.growing import Settings, grow  # not the estimators: scikit-learn takes a second to import
    warnings.simplefilter("ignore", DeprecationWarning)  # Python's own about fork in a process with threads

    X = np.random.default_rng(0).random((20000, 6))
    y = ((X.sum(axis=1) * 5).astype(int) % 3).astype(np.int32)

    def digest(jobs):
        table = to_table(X)
        tree = grow(
            table=table, target=y, classes=np.arange(3), weights=None, settings=Settings(), threads=jobs
        )
        return tree.digest()
"""


def program(rest):
    return textwrap.dedent(PARENT) + textwrap.dedent(rest)


def test_a_forked_child_fits_after_its_parent_did():
    out = run(
        program(
            """
            expected = digest(2)
            for jobs in (1, 2, 4):
                read, write = os.pipe()
                child = os.fork()
                if child == 0:
                    os.write(write, digest(jobs).encode())
                    os._exit(0)
                assert os.waitpid(child, 0)[1] == 0
                print(os.read(read, 64).decode() == expected)
                print(digest(2) == expected)  # and the parent goes on
            """
        )
    )
    assert out == ["True"] * 6


def test_children_of_children_fit_too():
    out = run(
        program(
            """
            expected = digest(2)
            child = os.fork()
            if child == 0:
                first = digest(2) == expected
                grandchild = os.fork()
                if grandchild == 0:
                    os._exit(0 if digest(2) == expected else 3)
                os._exit(0 if first and os.waitpid(grandchild, 0)[1] == 0 and digest(4) == expected else 4)
            print(os.waitpid(child, 0)[1])
            """
        )
    )
    assert out == ["0"]


def test_a_fork_while_another_thread_fits_leaves_a_child_that_fits():
    out = run(
        program(
            """
            import threading, time
            expected = digest(2)
            stop = threading.Event()
            def busy():
                while not stop.is_set():
                    digest(2)
            other = threading.Thread(target=busy)
            other.start()
            for _ in range(5):
                time.sleep(0.02)
                child = os.fork()
                if child == 0:
                    os._exit(0 if digest(2) == expected else 3)
                print(os.waitpid(child, 0)[1])
            stop.set()
            other.join()
            """
        )
    )
    assert out == ["0"] * 5


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_worker_processes_fit_after_their_parent_did(method, tmp_path):
    # Spawned workers import the main module, so it has to be a file.
    script = tmp_path / "program.py"
    script.write_text(
        program(
            """
            if __name__ == "__main__":
                expected = digest(2)
                with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
                    made = pool.map_async(digest, [1, 2, 4, 2]).get(timeout=float(sys.argv[2]))
                    print(made == [expected] * 4)
            """
        )
    )
    done = subprocess.run(
        [sys.executable, str(script), method, str(500 * SLOWER)],
        capture_output=True,
        text=True,
        timeout=600 * SLOWER,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.split() == ["True"]


def test_a_process_ends_at_once_while_the_helpers_wait():
    out = run(
        program(
            """
            digest(8)
            print("done")
            """
        )
    )
    assert out == ["done"]


# ---- Ctrl-C ----------------------------------------------------------------------------------------------

INTERRUPTED = """
    import os, signal, sys, threading, time
    import numpy as np
    from bough.data.ingest import to_table
    from bough.growing import Settings, grow  # not the estimators: scikit-learn takes a second to import

    def fit(X, y, jobs, **settings):
        classes = None if y.dtype.kind == "f" else np.arange(y.max() + 1)
        target = y if classes is None else y.astype(np.int32)
        made = Settings(criterion="squared_error" if classes is None else "gini", **settings)
        table = to_table(X)
        return grow(table=table, target=target, classes=classes, weights=None, settings=made, threads=jobs)

    def press(after, pressed):
        time.sleep(after)
        pressed.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    def interrupted(after, work, *arguments, **settings):
        # Prints the seconds of processor time from the key to the exception: a machine that is busy otherwise
        # makes it wait, not work. One that is so fast that all is done is stopped earlier.
        for _ in range(8):
            pressed, finished = [], False
            presser = threading.Thread(target=press, args=(after, pressed), daemon=True)
            presser.start()
            try:
                work(*arguments, **settings)
                finished = True
                time.sleep(600)  # until the key is pressed
            except KeyboardInterrupt:
                if not finished:
                    print("stopped", round(time.process_time() - pressed[0], 3))
                    break
            after /= 2
        else:
            print("finished-before-it-was-stopped", 0)
        presser.join()

    def again(jobs):
        A = np.random.default_rng(9).random((5000, 4))
        b = (A[:, 0] * 9).astype(int) % 2
        tree = fit(A, b, jobs)
        print((tree.answers[tree.apply(to_table(A), jobs)] == b).all())

    rng = np.random.default_rng(0)
"""


def check_stopped(code, rounds):
    out = run(textwrap.dedent(INTERRUPTED) + textwrap.dedent(code))
    assert len(out) == 3 * rounds
    assert out[::3] == ["stopped"] * rounds
    assert out[2::3] == ["True"] * rounds
    assert max(map(float, out[1::3])) < 2.0 * SLOWER  # a second of each of two threads


def test_ctrl_c_stops_the_growth():
    code = """
        X = np.asfortranarray(rng.random((400_000, 30))); y = rng.integers(0, 3, 400_000)
        for jobs in (1, 2):
            interrupted(0.8, fit, X, y, jobs)
            again(jobs)
    """
    check_stopped(code, 2)


def test_ctrl_c_stops_a_chain_that_grows_deeper_and_deeper():
    code = """
        X = np.arange(100_000.0).reshape(-1, 1); y = np.arange(100_000) % 2
        for jobs in (1, 2):
            interrupted(0.5, fit, X, y, jobs)
            again(jobs)
    """
    check_stopped(code, 2)


def test_ctrl_c_stops_best_first_growth_of_a_regressor():
    code = """
        X = np.asfortranarray(rng.random((300_000, 4))); y = rng.random(300_000)
        for jobs in (1, 2):
            interrupted(0.5, fit, X, y, jobs, max_leaf_nodes=300_000)
            again(jobs)
    """
    check_stopped(code, 2)


def test_ctrl_c_stops_the_sorting_of_large_columns():
    code = """
        X = np.asfortranarray(rng.random((2_000_000, 16))); y = rng.integers(0, 2, 2_000_000)
        for jobs in (1, 2):
            interrupted(0.2, fit, X, y, jobs, max_depth=2)
            again(jobs)
    """
    check_stopped(code, 2)


def test_ctrl_c_is_heard_while_the_calling_thread_waits_for_a_helper():
    # Two subtrees are handed out: a small one, taken by the calling thread, and a chain that takes seconds.
    code = """
        n, jobs = 400_000, 2
        block = n // (8 * jobs) - 1
        part, x = np.arange(n) // block, np.arange(n) % block
        y = part % 2 + 2
        y[part == 1] = 4 + x[part == 1] // 500 % 2
        y[part == 5] = x[part == 5] % 2
        X = np.asfortranarray(np.stack([part, x], axis=1).astype(float))
        interrupted(0.5, fit, X, y, jobs)
        again(jobs)
    """
    check_stopped(code, 1)


def test_ctrl_c_at_any_moment_is_a_keyboard_interrupt_and_nothing_else():
    code = """
        import collections
        X = np.asfortranarray(rng.random((60_000, 2))); y = rng.integers(0, 3, 60_000)
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        for jobs, rounds in ((1, 5), (2, 80), (4, 10)):
            whole = 60.0
            for _ in range(3):  # the shortest: a pause of the machine in one would let the others finish
                start = time.perf_counter()
                expected = fit(X, y, jobs).digest()
                whole = min(whole, time.perf_counter() - start)
            seen = collections.Counter()
            for _ in range(rounds):
                try:
                    signal.setitimer(signal.ITIMER_REAL, whole * rng.uniform(0.2, 0.7))
                    tree = fit(X, y, jobs)
                    signal.setitimer(signal.ITIMER_REAL, 0)
                    seen["finished" if tree.digest() == expected else "wrong"] += 1
                except KeyboardInterrupt:
                    seen["stopped"] += 1
                except BaseException as error:
                    seen[type(error).__name__] += 1
            signal.setitimer(signal.ITIMER_REAL, 0)
            print(seen["stopped"] > 0, fit(X, y, jobs).digest() == expected, *sorted(seen))
    """
    out = run(textwrap.dedent(INTERRUPTED) + textwrap.dedent(code))
    assert set(out) <= {"True", "stopped", "finished"}
    assert out.count("True") == 6


def test_a_stopped_fit_leaves_a_fitted_estimator_as_it_was():
    code = """
        from bough import DecisionTreeClassifier
        X = np.asfortranarray(rng.random((400_000, 30))); y = rng.integers(0, 3, 400_000)
        model = DecisionTreeClassifier(n_jobs=2).fit(X[:1000, :3], y[:1000] * 5)
        before = model.digest(), model.classes_.tolist(), model.n_features_in_
        interrupted(0.8, model.fit, X, y)
        print((model.digest(), model.classes_.tolist(), model.n_features_in_) == before)
    """
    check_stopped(code, 1)
