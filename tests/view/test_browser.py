"""How the page looks in a real browser: nothing overlaps, on paper, in the dark, without scripts."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from opened import BOXES, SIDES, Opened, overlap
from pictured import HOSTILE, model

from bough.estimators.seen import training_rows
from bough.view import tree_page, tree_svg
from bough.view.visible import visible

KINDS = [
    "small",
    "depth 4",
    "depth 8",
    "depth 12",
    "three classes",
    "twenty classes",
    "twenty classes, deep",
    "numbers, small",
    "numbers",
    "numbers, deep",
    "multiway",
    "multiway, missing",
    "spread",
    "surrogates",
    "stop",
    "one leaf",
    "hostile",
]
INSIDE = f"""() => [...document.querySelectorAll(".node:not(.gone)")].map((g) => {{
  const side = {SIDES}, texts = [...g.querySelectorAll("text:not(.more)")].filter((t) => t.textContent);
  return [side(g.querySelector(".box")), texts.map(side)];
}})"""
TEXTS = f"""() => [...document.querySelectorAll("text")].filter((e) => e.textContent).map({SIDES})"""


@pytest.mark.parametrize("name", KINDS)
def test_nothing_overlaps_and_nothing_is_small(opened: Any, name: str) -> None:
    tab = opened(name)
    boxes = tab.page.evaluate(BOXES)
    assert len(boxes) >= 2 * len(visible(model(name).tree_).nodes) - 1
    for i, one in enumerate(boxes):
        for other in boxes[:i]:
            assert not overlap(one, other), (one, other)
    for box, texts in tab.page.evaluate(INSIDE):
        for i, text in enumerate(texts):
            assert text[0] >= box[0], text
            assert text[2] <= box[2] + 0.5, text
            assert not any(overlap(text, other, 1.5) for other in texts[:i]), texts
    sizes = tab.page.evaluate(
        """() => [...document.querySelectorAll("body *")].filter((e) => e.textContent.trim() &&
        e.getClientRects().length && !["SCRIPT", "STYLE", "defs"].includes(e.tagName))
        .map((e) => [parseFloat(getComputedStyle(e).fontSize), e.textContent.slice(0, 40)])"""
    )
    assert min(sizes)[0] >= 11, min(sizes)
    # One user unit is one pixel at first, so the sizes above are those on the screen.
    assert tab.page.evaluate("document.querySelector('svg.tree').getScreenCTM().a") == 1


@pytest.mark.parametrize("name", ["depth 4", "depth 12", "numbers", "multiway"])
def test_the_script_lays_out_as_the_file_does(browser: Any, tmp_path: Path, name: str) -> None:
    fitted = model(name)
    text = tree_page(fitted.tree_, training_rows(fitted))
    written = re.findall(r'class="node [^>]* transform="([^"]*)"', text)
    tab = Opened(browser, tmp_path, text)
    placed = tab.page.locator(".node").evaluate_all("all => all.map(g => g.getAttribute('transform'))")
    tab.context.close()

    def numbers(transform: str) -> list[float]:
        return [float(x) for x in transform.removeprefix("translate(").removesuffix(")").split()]

    assert len(placed) == len(written) > 5
    for one, other in zip(placed, written, strict=True):
        assert numbers(one) == pytest.approx(numbers(other), abs=0.02)


def test_leaves_in_the_page_add_up(opened: Any) -> None:
    tab = opened("depth 4")
    texts = tab.page.locator(".node.leaf text:last-of-type").all_text_contents()
    rows = [int(t.split(" of ")[1].split(" ")[0].replace(",", "")) for t in texts]
    assert sum(rows) == 891


def test_dark_screens(opened: Any) -> None:
    tab = opened("small", color_scheme="dark")
    fill = "getComputedStyle(document.querySelector('.node.leaf .f-k1')).fill"
    assert tab.page.evaluate(fill) == "rgb(224, 108, 31)"
    assert tab.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 23, 27)"
    assert (
        tab.page.evaluate("getComputedStyle(document.querySelector('.node text')).fill")
        == "rgb(236, 239, 242)"
    )


def test_printing(opened: Any) -> None:
    tab = opened("depth 4")
    tab.page.emulate_media(media="print")
    assert tab.page.locator(".tools").first.is_hidden()
    assert "bough-h1" in tab.page.evaluate(
        "getComputedStyle(document.querySelector('.node.leaf .f-k1')).fill"
    )
    wide = tab.page.evaluate("document.querySelector('svg.tree').getBoundingClientRect().width")
    assert wide <= 1500
    pdf = tab.page.pdf(prefer_css_page_size=True)
    assert pdf[:4] == b"%PDF"
    assert b"/MediaBox [0 0 841" in pdf or b"/MediaBox [0 0 842" in pdf  # A4, on its side


def test_reduced_colours_are_hatched(opened: Any) -> None:
    tab = opened("small", forced_colors="active")
    assert "bough-h1" in tab.page.evaluate(
        "getComputedStyle(document.querySelector('.node.leaf .f-k1')).fill"
    )


def test_without_scripts_everything_is_there(opened: Any) -> None:
    tab = opened("depth 4", java_script_enabled=False)
    assert tab.page.locator(".node").count() == model("depth 4").tree_.n_nodes
    assert tab.page.locator(".tools").first.is_hidden()
    assert tab.page.locator(".trace").is_hidden()
    assert tab.page.locator(".node .fold").first.is_hidden()
    tab.page.get_by_text("The tree as a list").click()
    assert tab.page.locator(".list li").count() == model("depth 4").tree_.n_nodes
    assert tab.page.locator(".list").get_by_text("391 of 441 rows").is_visible()


def test_the_accessibility_tree(opened: Any) -> None:
    tab = opened("depth 4")
    tree = model("depth 4").tree_
    items = tab.page.get_by_role("treeitem")
    assert tab.page.get_by_role("tree").count() == 1
    assert items.count() == tree.n_nodes
    session = tab.context.new_cdp_session(tab.page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    found = [n for n in nodes if n.get("role", {}).get("value") == "treeitem" and not n["ignored"]]
    assert len(found) == tree.n_nodes
    for n in found:
        said = {p["name"]: p["value"].get("value") for p in n["properties"]}
        assert n["name"]["value"].startswith(("If ", "All rows: "))
        assert 1 <= said["level"] <= 5
    open_ones = [n for n in found if any(p["name"] == "expanded" for p in n["properties"])]
    assert len(open_ones) == tree.n_nodes - tree.n_leaves
    unnamed = tab.page.evaluate(
        """() => [...document.querySelectorAll("input, select, button, summary")].filter((e) =>
        !e.ariaLabel && !e.closest("label") && !e.textContent.trim()).map((e) => e.outerHTML)"""
    )
    assert unnamed == []


def test_hostile_names_do_nothing(opened: Any) -> None:
    tab = opened("hostile")
    tab.page.get_by_role("button", name="Unfold everything").click()
    tab.node(0).click(position={"x": 20, "y": 12})
    tab.page.locator(".search").fill("script")
    tab.page.locator(".trace summary").click()
    tab.page.locator(".trace button").first.click()
    assert tab.page.evaluate("window.hit") is None
    assert tab.page.locator("img").count() == 0
    assert tab.page.locator("script").count() == 2
    assert HOSTILE[0] in tab.page.locator(".list").text_content()


def test_ten_thousand_leaves_can_be_used(opened: Any) -> None:
    tab = opened("huge")
    tree = model("huge").tree_
    shown = visible(tree)
    assert tab.shown() == shown.nodes
    first = shown.folded[0]
    tab.node(first).locator(".fold").dispatch_event("click")
    assert set(tab.shown()) == set(shown.nodes) | {child.id for child in tree.node(first).children}
    tab.page.locator(".search").fill("x1")
    asked = sum(node.column == "x1" for node in tree.nodes())
    assert tab.page.locator(".found").inner_text().startswith(f"{asked:,} boxes")


def test_flat_pictures_overlap_nothing_in_the_browser(browser: Any, tmp_path: Path) -> None:
    made = model("small")
    for direction in ("LR", "TB"):
        svg = tree_svg(made.tree_, training_rows(made), direction=direction)
        tab = Opened(browser, tmp_path, svg, name=f"{direction}.svg")
        boxes = tab.page.evaluate(TEXTS)
        clashes = [
            (one[4], other[4])
            for i, one in enumerate(boxes)
            for other in boxes[:i]
            if overlap(one, other, 1.5)
        ]
        assert not clashes
        assert not tab.asked
        tab.context.close()
