"""What all tests share: `tests` on the path, for `reference`; Ctrl-C; no time limits; one seed; browsers."""

import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))

# A shell lets what it starts in the background ignore Ctrl-C, children inherit that, and the tests of Ctrl-C
# would wait for ever.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# How long one case takes says more about the machine than about the code.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


# Models without a `random_state` draw from NumPy's own generator: the same draws in every run, whatever came
# before.
@pytest.hookimpl(tryfirst=True)
def pytest_fixture_setup() -> None:
    np.random.seed(0)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call() -> None:
    np.random.seed(0)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("no Chromium: apt-get install chromium")
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield started
        started.close()
