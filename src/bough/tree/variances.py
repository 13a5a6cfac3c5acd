"""Whether the impurity of a tree of numbers is their variance, so that its root is a standard deviation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bough.tree.condition import STAY

if TYPE_CHECKING:
    from bough.tree.tree import Tree


def has_variances(tree: Tree) -> bool:
    """A node's variance is what its children have inside and between them; the Poisson deviance, a criterion
    of your own and the gains of boosting are not."""
    if tree.classes is not None:
        return False
    whole = (tree.feature >= 0) & (tree.missing_child != STAY)
    means = tree.value[:, 0]
    with np.errstate(over="ignore", invalid="ignore"):  # beyond float64 they are no variances
        squares = tree.weight * tree.impurity
        parts = squares + tree.weight * (means - means[np.maximum(tree.parent, 0)]) ** 2
        found = np.bincount(tree.parent[1:], parts[1:], tree.n_nodes)
        same = np.allclose(found[whole], squares[whole], rtol=1e-6, atol=1e-9 * squares[0])
    return bool(same and np.isfinite(squares).all())
