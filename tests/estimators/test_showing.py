"""Tests of how estimators show themselves: files, notebooks, the browser."""

from __future__ import annotations

import base64
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace

import pytest
from pictured import model, parsed, regression
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from bough import BoughError, DecisionTreeClassifier, DecisionTreeRegressor
from bough.data.examples import load
from bough.estimators import showing
from bough.view import png


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}


def test_files_hold_what_is_returned(tmp_path: Path) -> None:
    made = model("small")
    assert made.to_svg(tmp_path / "t.svg") is None
    assert (tmp_path / "t.svg").read_text(encoding="utf-8") == made.to_svg()
    assert made.to_html(str(tmp_path / "t.html"), title="Who survived?") is None
    assert "<h1>Who survived?</h1>" in (tmp_path / "t.html").read_text(encoding="utf-8")
    pytest.importorskip("resvg_py", reason="the extra bough[png] is not installed")
    assert made.to_png(tmp_path / "t.png") is None
    assert (tmp_path / "t.png").read_bytes() == made.to_png()


def test_png_without_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(BoughError, match=re.escape('pip install "bough[png]"')) as found:
        png.png_of("<svg/>")
    assert found.value.code == "extra"


def test_models_that_are_not_fitted_have_no_picture() -> None:
    for method in ("to_svg", "to_html", "to_png", "show"):
        with pytest.raises(NotFittedError):
            getattr(DecisionTreeClassifier(), method)()


def test_rows_that_are_given_make_histograms() -> None:
    X, y = load("titanic")
    made = DecisionTreeClassifier(max_leaf_nodes=6).fit(X, y)
    full = made.to_svg()
    made._seen = None
    assert len(made.to_svg()) < len(full)
    assert made.to_svg(X=X, y=y) == full
    with pytest.raises(BoughError, match="both X and y"):
        made.to_svg(X=X)
    numbers = DecisionTreeRegressor(max_leaf_nodes=5).fit(*regression())
    full = numbers.to_svg()
    numbers._seen = None
    assert numbers.to_svg(X=regression()[0], y=regression()[1]) == full


@pytest.mark.parametrize(
    "name",
    ["small", "depth 4", "depth 8", "depth 12", "twenty classes", "numbers", "hostile", "huge", "one leaf"],
)
def test_a_notebook_gets_an_image_and_no_script(name: str) -> None:
    bundle = model(name)._repr_mimebundle_()
    text, html = bundle["text/plain"], bundle["text/html"]
    assert text == str(model(name).tree_)
    assert html == model(name)._repr_html_()
    assert len(html.encode()) <= 60_000
    assert re.match(r'<img src="data:image/svg\+xml;base64,[\w+/=]+" alt="Decision tree with [^"]*">', html)
    svg = base64.b64decode(html.split("base64,")[1].split('"')[0]).decode()
    parsed(svg)
    read = Tags()
    read.feed(html)
    assert read.tags <= {"img", "details", "summary", "table", "thead", "tr", "th", "td", "b", "p"}
    assert read.attributes <= {"src", "alt", "class"}
    assert "<summary>Parameters</summary>" in html
    if name == "depth 4":
        assert "<td>max_depth</td><td>4</td>" in html
        assert "<td>criterion</td>" not in html


def test_a_question_with_very_many_answers_still_fits() -> None:
    X = {"who": [f"a person with the number {i % 600}" for i in range(1200)]}
    made = DecisionTreeClassifier(categories="multiway").fit(X, [i % 2 for i in range(1200)])
    assert len(made._repr_html_().encode()) <= 60_000


def test_models_that_are_not_fitted_look_as_usual() -> None:
    bundle = DecisionTreeClassifier(max_depth=3)._repr_mimebundle_()
    assert bundle["text/plain"] == "DecisionTreeClassifier(max_depth=3)"
    assert "max_depth" in bundle["text/html"]


def test_show_opens_the_page(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    opened: list[str] = []
    monkeypatch.setattr(showing.webbrowser, "open", opened.append)
    monkeypatch.setattr(showing.tempfile, "tempdir", str(tmp_path))
    path = model("small").show(title="A tree")
    assert opened == [path.as_uri()]
    assert "<h1>A tree</h1>" in path.read_text(encoding="utf-8")


def test_show_in_a_notebook_is_a_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    frame = model("hostile").show()
    html = frame._repr_html_()
    assert re.fullmatch(r'<iframe srcdoc="[^"<>]*" sandbox="allow-scripts[^"]*"[^<>]*></iframe>', html)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: None))
    assert not showing._in_notebook()


def test_showing_changes_nothing() -> None:
    made = DecisionTreeClassifier(max_depth=2).fit(*load("titanic"))
    digest = made.digest()
    made.to_html()
    made._repr_html_()
    assert made.digest() == digest
    assert clone(made).get_params() == made.get_params()
