"""The report in a real browser: no network, scripts off, dark, narrow, on paper; nothing hostile runs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bough
from bough.data.examples import load
from reporting.test_report import HOSTILE, mass

TEXT_SIZES = """() => {
  const out = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const owner = walk.currentNode.parentElement;
    if (!walk.currentNode.textContent.trim() || owner.closest("script, style, title, desc")) continue;
    out.push([parseFloat(getComputedStyle(owner).fontSize), walk.currentNode.textContent.slice(0, 40)]);
  }
  return out;
}"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("reports")
    X, y = load("titanic")
    made: dict[str, tuple[Any, Any, Any, str]] = {
        "titanic": (bough.DecisionTreeClassifier(max_leaf_nodes=7), X, y, "survived"),
        "penguins": (bough.DecisionTreeClassifier(max_leaf_nodes=5), *load("penguins"), "species"),
        "mass": (bough.DecisionTreeRegressor(max_leaf_nodes=6), *mass(), "body_mass_g"),
        "hostile": (bough.DecisionTreeClassifier(max_leaf_nodes=8), *_hostile(), HOSTILE[0]),
    }
    for name, (model, rows, target, title) in made.items():
        bough.report(
            model.fit(rows, target), rows, target, folder / f"{name}.html", target=title, bootstrap=20
        )
    return {name: folder / f"{name}.html" for name in made}


def _hostile() -> tuple[Any, Any]:
    random = np.random.default_rng(0)
    columns: dict[str, Any] = {name: random.normal(size=120) for name in HOSTILE[:5]}
    columns["names"] = [HOSTILE[i % len(HOSTILE)] for i in range(120)]
    return columns, [HOSTILE[int(x > 0) + 1] for x in columns[HOSTILE[0]]]


class Opened:
    """A page with its messages and the requests that it made."""

    def __init__(self, browser: Any, path: Path, **options: Any) -> None:
        self.context = browser.new_context(viewport={"width": 1360, "height": 900}, **options)
        self.page = self.context.new_page()
        self.messages: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.messages.append(message.text))
        self.page.on("pageerror", lambda error: self.messages.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.context.set_offline(True)
        self.page.goto(path.as_uri())

    def __enter__(self) -> Opened:
        return self

    def __exit__(self, *_: object) -> None:
        self.context.close()


@pytest.mark.parametrize("name", ["titanic", "penguins", "mass", "hostile"])
def test_it_needs_no_network_and_makes_no_noise(browser: Any, files: dict[str, Path], name: str) -> None:
    with Opened(browser, files[name]) as opened:
        assert opened.requests == [files[name].as_uri()]
        assert opened.messages == []
        assert opened.page.evaluate("typeof window.hurt") == "undefined"
        wide = opened.page.evaluate("document.documentElement.scrollWidth")
        assert wide <= 1360


@pytest.mark.parametrize("name", ["titanic", "penguins", "mass", "hostile"])
@pytest.mark.parametrize("scripts", [True, False])
def test_no_text_is_below_eleven_pixels(
    browser: Any, files: dict[str, Path], name: str, scripts: bool
) -> None:
    with Opened(browser, files[name], java_script_enabled=scripts) as opened:
        sizes = opened.page.evaluate(TEXT_SIZES)
        assert len(sizes) > 200
        assert min(sizes)[0] >= 11, min(sizes)


def test_without_scripts_everything_is_there(browser: Any, files: dict[str, Path]) -> None:
    with Opened(browser, files["titanic"], java_script_enabled=False) as opened:
        page = opened.page
        assert page.locator("section.part").count() == 10
        for name in ("summary", "check", "tree", "rules", "quality", "columns", "missing", "stability"):
            assert page.locator(f"#{name} h2").is_visible()
        leaves = page.locator("svg.tree .node.leaf").all_text_contents()
        counts = [int(re.search(r"of (\d+) ·", text).group(1)) for text in leaves]  # type: ignore[union-attr]
        assert sum(counts) == 891
        assert not page.locator(".tools").first.is_visible()
        page.locator("details.node-numbers summary").nth(1).click()
        assert page.locator("details.node-numbers table").nth(1).is_visible()


def test_pointing_at_a_leaf_says_its_rule(browser: Any, files: dict[str, Path]) -> None:
    with Opened(browser, files["titanic"]) as opened:
        opened.page.locator("svg.tree .node.leaf").first.hover()
        assert "sex = " in opened.page.locator(".rule").inner_text()


@pytest.mark.parametrize("name", ["titanic", "penguins", "mass"])
def test_dark(browser: Any, files: dict[str, Path], name: str) -> None:
    with Opened(browser, files[name], color_scheme="dark") as opened:
        colour = "e => getComputedStyle(e).{}"
        paper = opened.page.locator("body").evaluate(colour.format("backgroundColor"))
        ink = opened.page.locator("svg.chart text").first.evaluate(colour.format("fill"))
        assert _light(paper) < 0.1
        assert _light(ink) > 0.6
        texts = opened.page.locator("svg.chart text").evaluate_all(f"all => all.map({colour.format('fill')})")
        assert min(map(_light, texts)) > 0.4


def _light(colour: str) -> float:
    return sum(map(int, re.findall(r"\d+", colour)[:3])) / (3 * 255)


@pytest.mark.parametrize("name", ["titanic", "mass", "hostile"])
def test_a_narrow_screen_scrolls_only_up_and_down(browser: Any, files: dict[str, Path], name: str) -> None:
    with Opened(browser, files[name]) as opened:
        opened.page.set_viewport_size({"width": 420, "height": 800})
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= 420


def test_on_paper_it_is_a4_landscape(browser: Any, files: dict[str, Path]) -> None:
    with Opened(browser, files["titanic"]) as opened:
        pdf = opened.page.pdf(prefer_css_page_size=True)
        boxes = re.findall(rb"/MediaBox\s*\[\s*0 0 ([\d.]+) ([\d.]+)\s*\]", pdf)
        assert 2 <= len(boxes) <= 8
        for wide, high in boxes:
            assert (float(wide), float(high)) == pytest.approx((842, 595), abs=1.5)
        opened.page.emulate_media(media="print")
        opened.page.set_viewport_size({"width": 1032, "height": 700})  # 297 mm less the margins
        for name in ("nav", ".tools", ".rule", ".trace"):
            assert not opened.page.locator(name).first.is_visible()
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= 1032
        fill = opened.page.locator("svg.meter .f-k1").first.evaluate("e => getComputedStyle(e).fill")
        assert "bough-h1" in fill  # hatched
        avoid = opened.page.locator("tr").first.evaluate("e => getComputedStyle(e).breakInside")
        assert avoid == "avoid"


def test_charts_draw_the_numbers_of_the_evaluation(browser: Any, files: dict[str, Path]) -> None:
    X, y = load("titanic")
    found = bough.evaluate(bough.DecisionTreeClassifier(max_leaf_nodes=7), X, y)
    with Opened(browser, files["titanic"]) as opened:
        chart = opened.page.locator("svg.chart", has_text="AUC")
        paths = chart.locator("path").evaluate_all("all => all.map(e => e.getAttribute('d'))")
        longest = max(paths, key=len)
        points = np.array([list(map(float, pair.split())) for pair in longest[1:].split("L")])
        box = [float(x) for x in chart.get_attribute("viewBox").split()]
        # From pixels back to shares, by the frame of the chart.
        x = (points[:, 0] - 52) / (box[2] - 14 - 52)
        curve = found.roc()
        np.testing.assert_allclose(x, curve.false_positive_rate, atol=1e-3)
        assert f"AUC {found['auc'].value:.3f}" in chart.text_content()


def test_a_rule_that_is_pointed_at_is_shown_in_the_tree(browser: Any, files: dict[str, Path]) -> None:
    with Opened(browser, files["titanic"]) as opened:
        row = opened.page.locator("#rules tr[data-node]").nth(2)
        row.hover()
        marked = opened.page.locator("svg.tree .node.leaf.on")
        assert marked.count() == 1
        assert marked.get_attribute("data-n") == row.get_attribute("data-node")
        opened.page.locator(f'svg.tree .node[data-n="{row.get_attribute("data-node")}"]').hover()
        assert "on" in (row.get_attribute("class") or "")
