"""The tree as a result: arrays, conditions, text, digest."""

from bough.tree.node import Node
from bough.tree.tree import Tree

__all__ = ["Node", "Tree"]
