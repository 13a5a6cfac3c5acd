"""How many times as long a test may wait: 1, or what scripts/sanitize.sh says of a core with sanitizers."""

import os

SLOWER = float(os.environ.get("BOUGH_SLOWER", "1"))
