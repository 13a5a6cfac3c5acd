"""What a reader does with the page in a real browser: points, folds, searches, traces a row, saves."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from opened import BOXES, overlap
from pictured import SVG, model, parsed

from bough.data.examples import load
from bough.view.visible import visible

LEAVES = """() => [...document.querySelectorAll(".node.leaf.on")].map((g) => Number(g.dataset.n))"""


def faded(tab: Any, opacity: str) -> None:
    """The other nodes fade to this; to wait in the page itself needs what its content policy forbids."""
    found = None
    for _ in range(600):
        found = tab.page.evaluate("getComputedStyle(document.querySelector('.node:not(.on)')).opacity")
        if found == opacity:
            return
        tab.page.wait_for_timeout(100)
    raise AssertionError(f"opacity {found}, not {opacity}")


def test_pointing_shows_the_way_and_its_rule(opened: Any) -> None:
    tab = opened("depth 4")
    tree = model("depth 4").tree_
    leaf = max(tree.leaves(), key=lambda node: node.n_rows)
    before = tab.rule()
    tab.node(leaf.id).hover()
    on = tab.page.eval_on_selector_all(".node.on", "all => all.map(g => Number(g.dataset.n))")
    assert sorted(on) == sorted(tree.path(leaf.id))
    assert tab.rule().startswith("If sex = male and deck is missing and (age > 13 or missing): died")
    assert f"of {leaf.n_rows} rows" in tab.rule()
    faded(tab, "0.22")
    assert tab.page.locator(".rule").get_attribute("aria-live") == "polite"
    tab.page.mouse.move(2, 2)
    assert tab.rule() == before


def test_a_click_pins_and_inspects(opened: Any) -> None:
    tab = opened("depth 4")
    tree = model("depth 4").tree_
    tab.node(1).click(position={"x": 20, "y": 12})
    tab.page.mouse.move(2, 2)
    panel = tab.page.locator(".inspector")
    assert panel.is_visible()
    said = panel.inner_text()
    for part in ("Node 1", "deck ?", "sex: male", "577", "468 · 81%", str(float(f"{tree.gain[1]:.10g}"))):
        assert part in said
    faded(tab, "0.6")
    tab.node(1).click(position={"x": 20, "y": 12})
    assert not panel.is_visible()


def test_folding_and_unfolding(opened: Any) -> None:
    tab = opened("depth 4")
    tree = model("depth 4").tree_
    below = [n for n in range(tree.n_nodes) if n != 2 and 2 in tree.path(n)]
    tab.node(2).locator(".fold").click()
    assert set(tab.shown()) == set(range(tree.n_nodes)) - set(below)
    assert tab.node(2).get_attribute("aria-expanded") == "false"
    assert tab.node(2).locator(".more").inner_html() == f"+{sum(tree.node(n).is_leaf for n in below)} leaves"
    tab.node(2).locator(".fold").click()
    assert set(tab.shown()) == set(range(tree.n_nodes))
    tab.page.get_by_role("button", name="Fold everything", exact=True).click()
    assert set(tab.shown()) == {0, 1, 2}
    tab.page.get_by_role("button", name="Unfold everything").click()
    assert set(tab.shown()) == set(range(tree.n_nodes))


def test_what_was_folded_from_the_start_can_be_opened(opened: Any) -> None:
    tab = opened("depth 12")
    tree = model("depth 12").tree_
    tab.page.get_by_role("button", name="Unfold everything").click()
    assert sorted(tab.shown()) == list(range(tree.n_nodes))
    rows = tab.page.eval_on_selector_all(
        ".node.leaf:not(.gone)", "all => all.map(g => g.querySelectorAll('text')[1].textContent)"
    )
    assert sum(int(r.replace(",", "")) for r in rows) == 891
    boxes = tab.page.evaluate(BOXES)
    assert not [1 for i, one in enumerate(boxes) for other in boxes[:i] if overlap(one, other)]
    labels = tab.page.eval_on_selector_all(
        ".node", "all => Object.fromEntries(all.map(g => [g.dataset.n, g.getAttribute('aria-label')]))"
    )
    for node in tree.nodes():
        said = labels[str(node.id)]
        share = f" of {node.n_rows} row"
        assert share in said, (said, node.n_rows)
        assert str(node.prediction) in said


def test_the_keyboard_walks_folds_pins_and_searches(opened: Any) -> None:
    tab = opened("depth 4")
    tree = model("depth 4").tree_
    keys = tab.page.keyboard

    def at() -> int:
        return int(tab.page.evaluate("Number(document.activeElement.dataset.n ?? -1)"))

    for _ in range(30):
        keys.press("Tab")
        if at() >= 0:
            break
    assert at() == 0
    keys.press("ArrowRight")
    assert at() == 1
    keys.press("ArrowRight")
    assert at() == int(tree.first_child[1])
    keys.press("ArrowLeft")
    assert at() == 1
    keys.press("Shift+ArrowLeft")
    assert tab.node(1).get_attribute("aria-expanded") == "false"
    assert at() == 1
    keys.press("ArrowDown")
    assert at() == 2
    keys.press("ArrowUp")
    keys.press("ArrowRight")
    assert tab.node(1).get_attribute("aria-expanded") == "true"
    keys.press("End")
    assert at() == visible(tree).nodes[-1]
    keys.press("Home")
    assert at() == 0
    assert tab.rule().startswith("All rows: died, 62%")
    keys.press("Enter")
    assert "Node 0" in tab.page.locator(".inspector").inner_text()
    keys.press("Escape")
    assert tab.page.locator(".inspector").is_hidden()
    keys.press("/")
    assert tab.page.evaluate("document.activeElement.className") == "search"
    assert tab.page.locator('.node[tabindex="0"]').count() == 1


def test_search_counts_boxes_and_rows(opened: Any) -> None:
    tab = opened("depth 12")
    tree = model("depth 12").tree_
    box = tab.page.locator(".search")
    box.fill("DECK")
    n = sum(node.column == "deck" for node in tree.nodes())
    assert tab.page.locator(".found").inner_text().startswith(f"{n} boxes · ")
    assert tab.page.locator(".node.hit").count() >= 1
    box.fill("nothing like it")
    assert tab.page.locator(".found").inner_text() == "0 boxes · 0 of 891 rows"
    box.fill("female")
    assert tab.page.locator(".found").inner_text() == "1 box · 314 of 891 rows"
    box.press("Enter")
    assert tab.rule().startswith("If sex = female: survived")
    box.fill("")
    assert tab.page.locator(".node.hit").count() == 0


def test_filters_leave_what_is_asked_for(opened: Any) -> None:
    tab = opened("depth 4")
    tree = model("depth 4").tree_
    kept = [leaf for leaf in tree.leaves() if leaf.n_rows >= 50 and leaf.prediction == "survived"]
    tab.page.locator(".least").fill("50")
    tab.page.locator(".class").select_option("survived")
    rows = sum(leaf.n_rows for leaf in kept)
    assert tab.page.locator(".kept").inner_text() == f"{len(kept)} of 15 leaves · {rows} of 891 rows"
    out = tab.page.locator(".node.leaf.out").count()
    assert out == 15 - len(kept)
    tab.page.locator(".share").fill("95")
    assert tab.page.locator(".kept").inner_text().startswith("1 of 15 leaves · 84 of 891")


def test_zoom_and_the_small_map(opened: Any) -> None:
    tab = opened("depth 12")
    width = float(tab.page.locator("svg.tree").get_attribute("width"))
    tab.page.get_by_role("button", name="Zoom in").click()
    assert float(tab.page.locator("svg.tree").get_attribute("width")) == pytest.approx(1.25 * width)
    tab.page.get_by_role("button", name="Fit the tree").click()
    frame = tab.page.locator(".frame").bounding_box()
    assert float(tab.page.locator("svg.tree").get_attribute("width")) <= frame["width"]
    tab.page.get_by_role("button", name="Zoom to 100 %").click()
    assert float(tab.page.locator("svg.tree").get_attribute("width")) == width
    assert tab.page.locator(".map rect").count() == len(visible(model("depth 12").tree_).nodes) + 1
    before = tab.page.evaluate("document.querySelector('.frame').scrollLeft")
    tab.page.locator(".map").click(position={"x": 160, "y": 60})
    assert tab.page.evaluate("document.querySelector('.frame').scrollLeft") > before


@pytest.mark.parametrize(
    "name", ["depth 4", "depth 12", "multiway, missing", "own branch", "surrogates", "spread"]
)
def test_tracing_a_row_ends_where_the_model_ends(opened: Any, name: str) -> None:
    tab = opened(name)
    made = model(name)
    X, _ = load("titanic")
    tab.page.locator(".trace summary").click()
    form = tab.page.locator(".trace form")
    used = set(form.locator("label").evaluate_all("all => all.map(l => l.firstChild.textContent)"))
    for row in (0, 5, 61):
        form.locator("button[type=reset]").click()
        for column in used:
            value = X[column][row]
            field = form.locator("label", has_text=column).locator("input, select").first
            if value is None:
                continue
            if isinstance(value, str):
                field.select_option(value)
            else:
                field.fill(str(value))
        form.locator("button").first.click()
        tab.page.mouse.move(2, 2)  # the page may have scrolled a node under the pointer
        ends = sorted(tab.page.evaluate(LEAVES))
        _, nodes, _ = made.tree_.reach([{name: values[row] for name, values in X.items()}])
        assert ends == sorted(nodes.tolist())


def test_the_saved_picture_is_flat_and_as_it_stands(opened: Any) -> None:
    tab = opened("depth 12")
    tab.node(3).locator(".fold").click()
    tab.page.get_by_role("button", name="Unfold everything").click()
    with tab.page.expect_download() as started:
        tab.page.get_by_role("button", name="Save the picture").click()
    root = parsed(Path(started.value.path()).read_text(encoding="utf-8"))
    names = {name for element in root.iter() for name in element.attrib}
    assert not names & {"class", "style", "tabindex"}
    for element in root.iter():
        for paint in (element.get("fill", "none"), element.get("stroke", "none")):
            assert re.fullmatch(r"rgb\(\d+, \d+, \d+\)|#[0-9a-fA-F]{6}|none", paint)
    boxes = [e for e in root.iter(f"{SVG}rect") if e.get("height") == "24" and e.get("rx") == "5"]
    assert len(boxes) == model("depth 12").tree_.n_nodes
    assert all(e.get("fill") in ("rgb(255, 255, 255)", "#ffffff") for e in boxes)
