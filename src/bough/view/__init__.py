"""Pictures of a tree: SVG, PNG, a page, DOT and Mermaid; all take a `Tree`, none an estimator."""

from bough.view.html import tree_page
from bough.view.svg import tree_svg

__all__ = ["tree_page", "tree_svg"]
