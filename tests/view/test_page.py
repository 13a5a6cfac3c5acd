"""Tests of the page without a browser: one file, its policy, data, lists and rules; DOT and Mermaid."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest
from pictured import HOSTILE, model

from bough.estimators.seen import training_rows
from bough.view import tree_dot, tree_mermaid, tree_page
from bough.view.lists import nested_list
from bough.view.visible import visible

VOID = {"meta", "input", "br", "img", "link"}


class Reader(HTMLParser):
    """Tags, attributes and whether everything is closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.open: list[str] = []
        self.feed(page)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def page(name: str, **options: Any) -> str:
    made = model(name)
    return tree_page(made.tree_, training_rows(made), **options)


def data(text: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json">(.*?)</script>', text, re.S)
    assert found
    whole: dict[str, Any] = json.loads(found[1])
    return whole


@pytest.mark.parametrize(
    "name", ["small", "depth 4", "depth 12", "numbers", "multiway", "hostile", "one leaf"]
)
def test_a_page_is_one_sound_file(name: str) -> None:
    text = page(name, title=HOSTILE[0])
    read = Reader(text)
    assert read.tags.count("script") == 2
    names = {attribute for attribute, _ in read.attributes}
    assert not [n for n in names if n.startswith("on") or n in ("style", "src", "href")]
    outside = re.sub(r"<script.*?</script>|<style.*?</style>", "", text, flags=re.S)
    assert "://" not in outside.replace("http://www.w3.org/2000/svg", "")
    assert "\x1b" not in text


def test_the_policy_allows_its_own_style_and_script_only() -> None:
    text = page("small")
    policy = html.unescape(re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1])  # type: ignore[index]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    for tag in ("style", "script"):
        inside = re.search(rf"<{tag}>(.*?)</{tag}>", text, re.S)
        assert inside
        digest = base64.b64encode(hashlib.sha256(inside[1].encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy


@pytest.mark.parametrize("name", ["small", "depth 12", "numbers", "multiway, missing", "surrogates"])
def test_the_data_of_a_page_is_the_tree(name: str) -> None:
    tree = model(name).tree_
    found = data(page(name))["nodes"]
    for key, array in (
        ("feature", tree.feature),
        ("rows", tree.n_rows),
        ("first", tree.first_child),
        ("missing", tree.missing_child),
        ("gone", tree.n_missing),
    ):
        assert found[key] == array.tolist()
    thresholds = [np.inf if t is None else t for t in found["threshold"]]
    assert thresholds == tree.threshold.tolist()
    assert np.allclose(found["value"], tree.value)
    assert np.allclose(found["impurity"], tree.impurity, rtol=1e-9)


@pytest.mark.parametrize("name", ["depth 4", "three classes", "multiway", "numbers", "own branch"])
def test_rules_and_list_have_every_leaf(name: str) -> None:
    tree = model(name).tree_
    text = page(name)
    table = re.search(r"<table>.*?</table>", text, re.S)
    assert table
    rows = re.findall(r"<tr><td.*?</tr>", table[0])
    sizes = [int(re.findall(r">([\d,]+)</td></tr>", row)[0].replace(",", "")) for row in rows]
    assert sum(sizes) == tree.n_rows[0]
    assert len(rows) == sum(leaf.n_rows > 0 for leaf in tree.leaves())
    items = re.search(r'<details class="list">(.*?)</details>\s*<footer', text, re.S)
    assert items
    assert items[1].count("<li>") == tree.n_nodes


def test_ten_thousand_leaves_make_a_folded_page() -> None:
    tree = model("huge").tree_
    assert tree.n_leaves > 10_000
    text = page("huge")
    assert len(text) < 6_000_000
    shown = visible(tree)
    assert text.count('role="treeitem"') == len(shown.nodes) < 400
    assert sum(int(tree.n_rows[n]) for n in shown.nodes if n not in shown.open) == tree.n_rows[0]
    assert len(data(text)["later"]["nodes"]) == tree.n_nodes - len(shown.nodes)
    assert nested_list(tree).count("<li>") < 1100


def test_graphs_for_other_programs() -> None:
    tree = model("depth 4").tree_
    dot, mermaid = tree_dot(tree), tree_mermaid(tree)
    assert dot.count("->") == mermaid.count("-->") == tree.n_nodes - 1
    assert '"> 3.5 (+ 112 missing)"' in dot
    assert "891 rows" in mermaid
    assert tree_dot(tree, depth=1).count("->") == 2
    assert sorted(re.findall(r"n\d+ -> n\d+", dot)) == sorted(
        f"n{node.id} -> n{child.id}" for node in tree.nodes() for child in node.children
    )


def test_hostile_names_in_graphs() -> None:
    tree = model("hostile").tree_
    for line in tree_dot(tree).splitlines():
        # Outside of quotes nothing of a name is left.
        assert not re.sub(r'"(?:[^"\\]|\\.)*"', "", line).count('"')
    body = tree_mermaid(tree)
    assert "<script" not in body
    assert all(line.count('"') in (0, 2) for line in body.splitlines())
