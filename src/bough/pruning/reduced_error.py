"""Reduced-error pruning: rows that the tree has not seen decide.

From the bottom up, a question becomes a leaf if the held-out rows that come to it then make no more
errors (cost no more; for numbers: are no further off, in squares). No other pruning of the tree makes
fewer, and of those that make as few, none is smaller.
"""

from __future__ import annotations

from typing import Any

from bough.pruning.evidence import Evidence, rested
from bough.pruning.options import cost_matrix
from bough.pruning.sweeps import cheapest
from bough.tree import Tree
from bough.tree.rebuild import rebuild

TIE = 1e-12  # of what the root alone costs


def reduced_error(tree: Tree, rows: Evidence, *, costs: Any = None) -> Tree:
    """The smallest pruning with the fewest errors on held-out rows."""
    risk = rested(tree, rows, cost_matrix(tree, costs)).risk
    return rebuild(tree, cheapest(tree, risk.as_leaf, risk.staying, TIE * float(risk.as_leaf[0])))
