"""The result: a tree, or trees that answer together; arrays, conditions, text, digest."""

from bough.tree.ensemble import Ensemble
from bough.tree.node import Node
from bough.tree.tree import Tree

__all__ = ["Ensemble", "Node", "Tree"]
