"""From a table and a target to a tree: settings and the call of the core."""

from bough.growing.grow import grow
from bough.growing.settings import Settings
from bough.growing.threads import thread_count

__all__ = ["Settings", "grow", "thread_count"]
