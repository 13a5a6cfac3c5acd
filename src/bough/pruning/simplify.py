"""Simplification: a subtree whose leaves all give the same answer becomes one leaf.

No prediction changes; class shares do.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.pruning.options import cost_matrix
from bough.pruning.risk import node_answers
from bough.pruning.sweeps import asking, subtree_sums
from bough.tree import Tree
from bough.tree.rebuild import rebuild

TIE = 1e-12  # of the range of all answers: numbers closer than this are equal


def simplify(tree: Tree, *, costs: Any = None) -> Tree:
    """Merges leaves of equal answer until none are siblings."""
    matrix = cost_matrix(tree, costs)
    if tree.classes is None:
        answers: NDArray[Any] = tree.value[:, 0]
        close = TIE * float(np.ptp(answers))
    else:
        answers, close = node_answers(tree, matrix), 0.0
    # A subtree gives one answer if each node in it answers as the node above it does.
    differs = np.abs(answers - answers[tree.parent]) > close
    below = subtree_sums(tree, differs) - differs
    return rebuild(tree, asking(tree) & (below == 0))
