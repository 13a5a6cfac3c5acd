"""What all tests share: `tests` on the path, to import `reference` from; Ctrl-C; no time limits."""

import signal
import sys
from pathlib import Path

from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))

# A shell lets what it starts in the background ignore Ctrl-C, children inherit that, and the tests of Ctrl-C
# would wait for ever.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# How long one case takes says more about the machine than about the code.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
