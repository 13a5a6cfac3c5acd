"""How an estimator shows itself: pictures, pages, and what a notebook prints."""

from __future__ import annotations

import inspect
import sys
import tempfile
import webbrowser
from pathlib import Path
from typing import Any

from sklearn.utils import estimator_html_repr

from bough.errors import BoughError
from bough.estimators.reading import one_tree
from bough.estimators.seen import Seen, kept_rows, rows_of
from bough.store.files import write_atomically
from bough.tree import Tree


class Frame:
    """A page that a notebook shows as the result of a cell."""

    def __init__(self, page: str) -> None:
        self.page = page

    def _repr_html_(self) -> str:
        from bough.view.notebook import framed

        return framed(self.page)


class Showing:
    """Mixed into every estimator; each method hands the fitted tree to `bough.view`. Small trees get
    histograms of the training rows: those that the model keeps, or X= and y= of a loaded model."""

    tree_: Tree

    def to_svg(self, path: Any = None, *, X: Any = None, y: Any = None, **options: Any) -> str | None:
        """The picture as an SVG file, or as text without a path. Options as for `bough.view.tree_svg`:
        detail, direction, theme, positive, node, depth, row (whose way is to be seen), test=(X, y)."""
        from bough.view import tree_svg

        tree, rows = self._drawn(X, y, options)
        return _written(path, tree_svg(tree, rows, **self._tested(options)))

    def to_html(self, path: Any = None, *, X: Any = None, y: Any = None, **options: Any) -> str | None:
        """A page with the tree to fold, search and trace, as one file, or as text without a path. Options:
        title, detail, positive, node, depth, row, test."""
        from bough.view import tree_page

        tree, rows = self._drawn(X, y, options)
        return _written(path, tree_page(tree, rows, **self._tested(options)))

    def to_png(self, path: Any = None, *, X: Any = None, y: Any = None, **options: Any) -> bytes | None:
        """The picture as a PNG file, or as bytes without a path, at twice its size; options of `to_svg`."""
        from bough.view import png_of, tree_svg

        tree, rows = self._drawn(X, y, options)
        picture = png_of(tree_svg(tree, rows, **self._tested(options)))
        if path is None:
            return picture
        write_atomically(path, picture)
        return None

    def show(self, *, X: Any = None, y: Any = None, **options: Any) -> Frame | Path:
        """The page in a new tab of the browser (the file is returned), or inside a notebook."""
        page = self.to_html(X=X, y=y, **options)
        assert page is not None
        if _in_notebook():
            return Frame(page)
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", prefix="bough-", suffix=".html", delete=False
        ) as file:
            file.write(page)
        webbrowser.open(Path(file.name).as_uri())
        return Path(file.name)

    def _repr_html_(self) -> str:
        from bough.view import notebook_html

        if not hasattr(self, "tree_"):
            return str(estimator_html_repr(self))
        return notebook_html(self.tree_, kept_rows(self), self._changed())

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        text = str(self.tree_) if hasattr(self, "tree_") else repr(self)
        return {"text/plain": text, "text/html": self._repr_html_()}

    def _drawn(self, X: Any, y: Any, options: dict[str, Any]) -> tuple[Tree, Seen | None]:
        """The tree of the pictures, and its training rows."""
        return one_tree(self), rows_of(self, X, y)

    def _tested(self, options: dict[str, Any]) -> dict[str, Any]:
        """`test=(X, y)`: rows that the model did not see, on which each leaf says how it does."""
        if options.get("test") is None:
            return options
        try:
            X, y = options["test"]
        except (TypeError, ValueError):
            raise BoughError(
                "test is not a pair of columns and target.", code="parameter", hint="Give test=(X, y)."
            ) from None
        return options | {"test": rows_of(self, X, y)}

    def _changed(self) -> dict[str, Any]:
        """Parameters that differ from their defaults."""
        usual = inspect.signature(type(self).__init__).parameters
        given = self.get_params(deep=False)  # type: ignore[attr-defined]  # scikit-learn's
        return {name: value for name, value in given.items() if repr(value) != repr(usual[name].default)}


def _written(path: Any, text: str) -> str | None:
    if path is None:
        return text
    write_atomically(path, text.encode())
    return None


def _in_notebook() -> bool:
    """A kernel shows what a cell returns; a terminal does not, with IPython in it or without."""
    if "IPython" not in sys.modules:
        return False
    shell = sys.modules["IPython"].get_ipython()
    return shell is not None and hasattr(shell, "kernel")
