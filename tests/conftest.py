"""What all tests share: `tests` on the path, so that `reference` can be imported."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
