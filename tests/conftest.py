"""What all tests share: `tests` on the path, to import `reference` from; no time limits in Hypothesis."""

import sys
from pathlib import Path

from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))

# How long one case takes says more about the machine than about the code.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
