"""Tests of the page in a real browser: Chromium of the system, driven by Playwright, without a network."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pictured import HOSTILE, SVG, model, parsed

from bough.data.examples import load
from bough.estimators.seen import training_rows
from bough.view import tree_page, tree_svg
from bough.view.visible import visible

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: apt-get install chromium")

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
SIDES = """(e) => {
  const r = e.getBoundingClientRect();
  return [r.left, r.top, r.right, r.bottom, e.textContent];
}"""
BOXES = """() => {
  const shown = ".node:not(.gone) .box, .edge:not(.gone) > g, .node:not(.gone) .more";
  return [...document.querySelectorAll(shown)].map((e) => {
    const r = e.getBoundingClientRect();
    return [r.left, r.top, r.right, r.bottom, e.textContent || e.parentNode.textContent];
  }).filter((r) => r[2] > r[0]);
}"""
INSIDE = f"""() => [...document.querySelectorAll(".node:not(.gone)")].map((g) => {{
  const side = {SIDES}, texts = [...g.querySelectorAll("text:not(.more)")].filter((t) => t.textContent);
  return [side(g.querySelector(".box")), texts.map(side)];
}})"""
LEAVES = """() => [...document.querySelectorAll(".node.leaf.on")].map((g) => Number(g.dataset.n))"""
TEXTS = f"""() => [...document.querySelectorAll("text")].filter((e) => e.textContent).map({SIDES})"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


class Opened:
    """A page from a file; every request that would leave the machine is noted and refused."""

    def __init__(
        self, browser: Any, folder: Path, text: str, name: str = "tree.html", **options: Any
    ) -> None:
        self.context = browser.new_context(viewport={"width": 1500, "height": 950}, **options)
        self.asked: list[str] = []
        self.errors: list[str] = []
        self.context.route("**/*", self._route)
        self.context.set_default_timeout(120_000)
        self.page = self.context.new_page()
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda said: self.errors.append(said.text) if said.type == "error" else None)
        file = folder / name
        file.write_text(text, encoding="utf-8")
        self.page.goto(file.as_uri())

    def _route(self, route: Any) -> None:
        if route.request.url.startswith("file:"):
            route.continue_()
        else:
            self.asked.append(route.request.url)
            route.abort()

    def node(self, number: int) -> Any:
        return self.page.locator(f'.node[data-n="{number}"]')

    def rule(self) -> str:
        return str(self.page.locator(".rule").inner_text())

    def shown(self) -> list[int]:
        found = self.page.eval_on_selector_all(".node:not(.gone)", "all => all.map(g => Number(g.dataset.n))")
        return [int(n) for n in found]


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Any]:
    made: list[Opened] = []

    def start(name: str, **options: Any) -> Opened:
        fitted = model(name)
        made.append(Opened(browser, tmp_path, tree_page(fitted.tree_, training_rows(fitted)), **options))
        return made[-1]

    yield start
    for one in made:
        one.context.close()
        assert not one.asked
        assert not one.errors


def overlap(one: list[Any], other: list[Any], slack: float = 0.5) -> bool:
    return bool(
        one[0] < other[2] - slack
        and other[0] < one[2] - slack
        and one[1] < other[3] - slack
        and other[1] < one[3] - slack
    )


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
