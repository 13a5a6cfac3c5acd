"""Tests of pictures: their numbers are the tree's, they are flat and legible, every kind of tree has one."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest
from pictured import HOSTILE, SVG, cards, edge_labels, model, parsed, regression, text_of, whole
from scipy.stats import binomtest

from bough import BoughError, DecisionTreeClassifier
from bough.data.examples import load
from bough.estimators.seen import training_rows
from bough.view import png_of, tree_page, tree_svg
from bough.view.colours import theme_of
from bough.view.picture import make_picture
from bough.view.visible import visible

KINDS = [
    "small",
    "depth 4",
    "depth 8",
    "depth 12",
    "three classes",
    "twenty classes",
    "numbers, small",
    "numbers",
    "numbers, deep",
    "multiway",
    "multiway, missing",
    "own branch",
    "spread",
    "surrogates",
    "stop",
    "one leaf",
    "hostile",
]
CLASSES = ["small", "depth 4", "three classes", "twenty classes", "multiway", "own branch", "surrogates"]


def drawn(name: str, **options: Any) -> str:
    made = model(name)
    return tree_svg(made.tree_, training_rows(made), **options)


def shown_leaves(name: str, **options: Any) -> list[tuple[Any, list[str]]]:
    """Leaves of the tree and the texts of their cards."""
    tree = model(name).tree_
    nodes = visible(tree).nodes
    said = cards(drawn(name, **options))
    assert len(said) == len(nodes)
    return [(tree.node(n), c.texts) for n, c in zip(nodes, said, strict=True) if tree.node(n).is_leaf]


@pytest.mark.parametrize("name", CLASSES)
def test_counts_of_leaves_add_up_to_all_rows(name: str) -> None:
    sizes = []
    for leaf, texts in shown_leaves(name, detail="card"):
        last = texts[-1].removeprefix("⚠ ")
        if leaf.n_rows:
            sizes.append(whole(last.split(" of ")[1].split(" ·")[0]))
    assert sum(sizes) == model(name).tree_.n_rows[0]


@pytest.mark.parametrize("name", ["depth 8", "depth 12", "numbers, deep", "multiway, missing"])
def test_counts_of_visible_nodes_add_up_where_some_are_folded(name: str) -> None:
    tree = model(name).tree_
    shown = visible(tree)
    ends = [c.texts for n, c in zip(shown.nodes, cards(drawn(name)), strict=True) if n not in shown.open]
    assert sum(whole(texts[1]) for texts in ends) == tree.n_rows[0]
    hidden = sum(whole(texts[2]) for texts in ends if len(texts) > 2)
    assert shown.n_leaves - len(shown.folded) + hidden == tree.n_leaves


@pytest.mark.parametrize("name", CLASSES)
def test_leaves_say_the_answer_its_share_and_the_interval(name: str) -> None:
    made = model(name)
    for leaf, texts in shown_leaves(name, detail="card"):
        if not leaf.n_rows:
            continue
        hits, n = round(leaf.value.max()), leaf.n_rows
        low, high = binomtest(hits, n).proportion_ci(method="wilson")
        assert texts[0] == str(leaf.prediction)
        assert texts[1] == (f"{hits / n:.0%}" if hits == n else f"{min(hits / n, 0.99):.0%}")
        few = n < 20 and made.tree_.n_rows[0] >= 100
        between = f"{100 * low:.0f}–{'100' if hits == n else f'{100 * min(high, 0.99):.0f}'}%"
        assert texts[-1] == f"{'⚠ ' if few else ''}{hits} of {n} · {between}"


@pytest.mark.parametrize("detail", ["card", "histogram"])
def test_questions_say_column_gain_size_and_impurity(detail: str) -> None:
    made = model("depth 4")
    nodes = visible(made.tree_).nodes
    for number, card in zip(nodes, cards(drawn("depth 4", detail=detail)), strict=True):
        node = made.tree_.node(number)
        if node.is_leaf:
            continue
        assert card.texts[0] == f"{node.column}?"
        assert card.texts[1] == f"gain {node.gain:.3f}"
        assert f"n {node.n_rows}" in card.texts[2]
        assert card.texts[3] == f"G {node.impurity:.3f}"


def test_numbers_have_mean_and_deviation_of_their_rows() -> None:
    made = model("numbers")
    rows = training_rows(made)
    ends = made.tree_.apply(rows.table)
    for leaf, texts in shown_leaves("numbers"):
        values = rows.target[ends == leaf.id]
        assert float(texts[0]) == pytest.approx(values.mean(), rel=1e-3)
        assert float(texts[1].removeprefix("± ")) == pytest.approx(values.std(), rel=1e-3, abs=1e-3)
        assert whole(texts[2].split("·")[0]) == len(values)


@pytest.mark.parametrize("name", ["depth 4", "small", "multiway, missing", "three classes"])
def test_edges_say_answers_and_where_missing_rows_go(name: str) -> None:
    tree = model(name).tree_
    shown = visible(tree)
    labels = dict(zip(shown.nodes[1:], edge_labels(drawn(name, detail="card")), strict=True))
    for n in shown.open:
        node = tree.node(n)
        for c, child in enumerate(node.children):
            texts = labels[child.id]
            pill = [t for t in texts if t.endswith(" missing")]
            takes = node.n_missing and c == node.missing_child and node.branches[c] != "missing"
            assert pill == ([f"+ {node.n_missing} missing"] if takes else [])
            if node.kind == "threshold" and math.isfinite(node.threshold):
                assert texts[0][:2] == ("≤ " if c == 0 else "> ")
                assert float(texts[0][2:]) == pytest.approx(node.threshold, rel=1e-3)
    assert all(isinstance(texts[0], str) for texts in labels.values())


def test_missing_rows_by_every_rule() -> None:
    spread = model("spread").tree_
    shown = visible(spread)
    labels = dict(zip(shown.nodes[1:], edge_labels(drawn("spread", detail="card")), strict=True))
    for n in shown.open:
        node = spread.node(n)
        if node.n_missing and node.missing_child == -2:
            parts = [float(t[2:].split()[0]) for c in node.children for t in labels[c.id] if "missing" in t]
            assert sum(parts) == pytest.approx(node.n_missing, abs=0.06 * len(parts))
    assert any("by surrogate" in t for texts in edge_labels(drawn("surrogates")) for t in texts)
    assert any("stay" in t for card in cards(drawn("stop", detail="card")) for t in card.texts)


def test_edges_are_as_thick_as_rows_go_that_way() -> None:
    tree = model("depth 4").tree_
    thick = [float(p.get("stroke-width") or 0) for p in parsed(drawn("depth 4")).iter(f"{SVG}path")]
    for node in tree.nodes():
        if node.id:
            assert round(1.25 + 7 * math.sqrt(node.n_rows / 891), 2) in thick


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pictures_are_flat(name: str, theme: str) -> None:
    svg = drawn(name, theme=theme)
    root = parsed(svg)
    assert root[0].tag == f"{SVG}title"
    assert root[1].tag == f"{SVG}desc"
    # Text may say anything; markup must not.
    markup = re.sub(r">[^<]*<", "><", svg)
    for never in ("var(", "@media", "<style", "class=", "url(", "<script", "href", "style=", "onload"):
        assert never not in re.sub(r'"[^"]*"', '""', markup), never
    for element in root.iter():
        assert float(element.get("font-size", 11)) >= 11
        for name_ in ("fill", "stroke"):
            assert re.fullmatch(r"#[0-9a-fA-F]{6}|none", element.get(name_, "none"))


@pytest.mark.parametrize("name", ["small", "numbers, small", "hostile", "depth 12"])
def test_resvg_draws_them_at_twice_their_size(name: str) -> None:
    pytest.importorskip("resvg_py", reason="the extra bough[png] is not installed")
    svg = drawn(name)
    png = png_of(svg)
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    size = [int.from_bytes(png[i : i + 4], "big") for i in (16, 20)]
    assert size == [2 * int(parsed(svg).get(side)) for side in ("width", "height")]


def test_detail_follows_the_number_of_leaves() -> None:
    found = {}
    for leaves in (2, 8, 9, 20, 21, 64, 65):
        X = np.arange(200.0)[:, None]
        made = DecisionTreeClassifier(max_leaf_nodes=leaves).fit(X, np.arange(200) % 2)
        assert made.tree_.n_leaves == leaves
        picture = make_picture(made.tree_, training_rows(made))
        found[leaves] = (picture.detail, picture.shown.whole)
    assert found == {
        2: ("histogram", True),
        8: ("histogram", True),
        9: ("card", True),
        20: ("card", True),
        21: ("compact", True),
        64: ("compact", True),
        65: ("compact", False),
    }
    without = make_picture(model("small").tree_)
    assert without.detail == "card"


def test_large_trees_are_folded_where_few_rows_go_or_far_down() -> None:
    tree = model("depth 12").tree_
    shown = visible(tree)
    for n in shown.nodes:
        if tree.n_children[n]:
            few = tree.n_rows[n] < 0.02 * 891 and n > 0
            assert (n in shown.open) == (not few and tree.depth[n] < 7)
    assert all(n in shown.folded for n in shown.nodes if tree.n_children[n] and n not in shown.open)


def test_a_row_has_its_way_dark_and_the_rest_faint() -> None:
    made = model("depth 4")
    row = {name: [values[0]] for name, values in load("titanic")[0].items()}
    way = set(made.tree_.path(int(made.apply(row)[0])))
    svg = drawn("depth 4", row=row)
    for n, card in zip(visible(made.tree_).nodes, cards(svg), strict=True):
        assert card.opacity == (None if n in way else "0.22")


def test_columns_that_a_row_does_not_name_are_missing() -> None:
    made = model("depth 4")
    told = made.explain({"sex": "female"})
    nodes = zip(visible(made.tree_).nodes, cards(drawn("depth 4", row={"sex": "female"})), strict=True)
    dark = [n for n, card in nodes if card.opacity is None]
    assert dark == [0, 2, *dark[2:]]
    assert len(dark) == len(told.steps) + 1
    with pytest.raises(BoughError, match='no column "sexx"'):
        drawn("depth 4", row={"sexx": "male"})


def test_top_to_bottom_is_for_small_trees() -> None:
    svg = drawn("small", direction="TB")
    width, height = (float(parsed(svg).get(side) or 0) for side in ("width", "height"))
    assert width > height
    with pytest.raises(BoughError, match="at most 8 leaves, and there are 15"):
        drawn("depth 4", direction="TB")


def test_the_positive_class_is_orange() -> None:
    tree = model("small").tree_
    orange, blue = "#E07000", "#004C80"

    def legend(**options: Any) -> list[str | None]:
        rects = [r.get("fill") for r in parsed(tree_svg(tree, **options)).findall(f"{SVG}rect")]
        return rects[1:3]

    assert legend() == [blue, orange]
    assert legend(positive="died") == [orange, blue]
    with pytest.raises(BoughError, match="not one of two classes"):
        tree_svg(tree, positive="drowned")


def test_more_than_six_classes_share_a_grey() -> None:
    svg = drawn("twenty classes")
    fills = {e.get("fill") for e in parsed(svg).iter(f"{SVG}rect")}
    theme = theme_of("light", 20)
    assert theme["other"] in fills
    assert {theme[f"k{slot}"] for slot in range(5)} <= fills
    assert theme["k5"] not in fills
    assert "15 other classes" in [text_of(t) for t in parsed(svg).iter(f"{SVG}text")]


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("name", ["light", "dark"])
@pytest.mark.parametrize("n_classes", [2, 6])
def test_colours_stand_out(name: str, n_classes: int) -> None:
    theme = theme_of(name, n_classes)
    for slot in range(n_classes):
        assert contrast(theme[f"k{slot}"], theme["card"]) >= 3
    assert contrast(theme["value"], theme["card"]) >= 3
    assert contrast(theme["other"], theme["card"]) >= 3
    for text in ("ink", "soft"):
        assert contrast(theme[text], theme["card"]) >= 4.5
        assert contrast(theme[text], theme["paper"]) >= 4.5


def test_two_classes_differ_in_grey_too() -> None:
    theme = theme_of("light", 2)
    assert contrast(theme["k0"], theme["k1"]) >= 2.7


@pytest.mark.parametrize("detail", ["histogram", "card", "compact"])
def test_hostile_names_stay_text(detail: str) -> None:
    svg = drawn("hostile", detail=detail, most=30)
    root = parsed(svg)
    tags = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert tags <= {"svg", "g", "title", "desc", "rect", "path", "text", "tspan"}
    assert not [a for e in root.iter() for a in e.attrib if a.startswith("on")]
    assert "\x1b" not in svg
    assert "\u202e" not in svg
    said = "".join(root.itertext())
    assert HOSTILE[0][:20] in said  # as text, escaped in the markup
    for text in root.iter(f"{SVG}text"):
        assert len(text_of(text)) <= 80


def test_wrong_options_are_answered() -> None:
    tree = model("small").tree_
    for options, message in (
        ({"detail": "cart"}, 'Did you mean "card"'),
        ({"theme": "blue"}, "theme is one of light, dark"),
        ({"direction": "RL"}, "left to right"),
        ({"node": 99}, "Nodes are 0 to 10"),
        ({"depth": -1}, "depth is 0 or more"),
        ({"dept": 1}, 'Did you mean "depth"'),
    ):
        with pytest.raises(BoughError, match=re.escape(message)):
            tree_svg(tree, **options)
    with pytest.raises(BoughError, match='no option "direction" here'):
        tree_page(tree, direction="TB")


@pytest.mark.parametrize("name", ["small", "depth 4"])
def test_leaves_say_how_they_do_on_other_rows(name: str) -> None:
    X, y = load("titanic")
    early = {column: values[:300] for column, values in X.items()}
    made = model(name)
    ends, answers = made.apply(early), made.predict(early)
    said = cards(made.to_svg(test=(early, y[:300])))
    for n, card in zip(visible(made.tree_).nodes, said, strict=True):
        here = ends == n
        if made.tree_.node(n).is_leaf and here.any():
            right = (answers[here] == np.array(y[:300])[here]).mean()
            assert [t for t in card.texts if t.endswith(f" · test {right:.0%}")]
    numbers = model("numbers, small")
    fares = np.array(regression()[1])
    rows = cards(numbers.to_svg(test=regression()))
    for n, card in zip(visible(numbers.tree_).nodes, rows, strict=True):
        if numbers.tree_.node(n).is_leaf:
            mean = fares[numbers.apply(regression()[0]) == n].mean()
            told = next(text for text in card.texts if " test " in text)
            assert float(told.split(" test ")[1]) == pytest.approx(mean, rel=1e-3)
    with pytest.raises(BoughError, match=re.escape("test=(X, y)")):
        made.to_svg(test=3)


def test_long_lists_of_categories_are_shortened() -> None:
    from bough.view.words import _listed

    assert _listed(["A", "B", "D", "E", "F"], 7) == "A, B, D, E, F"
    assert _listed(["Biscoe", "Dream", "Torgersen"], 3) == "Biscoe, Dream +1"
    assert _listed([f"c{i}" for i in range(12)], 37) == "12 of 37"
    assert _listed([], 3) == "missing"


def test_a_part_of_the_tree() -> None:
    tree = model("depth 4").tree_
    below = visible(tree, root=2, depth=1)
    assert below.nodes == [2, *[child.id for child in tree.node(2).children]]
    said = cards(drawn("depth 4", node=2, depth=1))
    assert [whole(c.texts[2].split("·")[0]) for c in said] == [tree.n_rows[n] for n in below.nodes]
    assert len(visible(tree, depth=0).nodes) == 1
    assert visible(model("depth 12").tree_, most=10).n_leaves <= 10
