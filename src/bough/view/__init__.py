"""Pictures of a tree: SVG, PNG, a page, DOT and Mermaid; all take a `Tree`, none an estimator."""

from bough.view.dot import tree_dot, tree_mermaid
from bough.view.html import tree_page
from bough.view.notebook import notebook_html
from bough.view.png import png_of
from bough.view.svg import tree_svg

__all__ = ["notebook_html", "png_of", "tree_dot", "tree_mermaid", "tree_page", "tree_svg"]
