"""Trees to draw, of every kind, and a reader of what a picture says."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import bough
from bough.data.examples import load

SVG = "{http://www.w3.org/2000/svg}"

HOSTILE = [
    "</script><script>window.hit=1</script>",
    '" onload="window.hit=1" x=\'',
    "<img src=x onerror=window.hit=1>",
    "\u202eright to left\u202c שלום",
    "🌳 emoji 👩‍🔬",
    "long " * 40,
    "=1+1",
    "@media{*{color:red}}",
    "]]>--><!--",
    "&lt;&amp;amp;",
    "new\nline\ttab\x00\x1b[31m",
    "${window.hit=1}",
]


def regression() -> tuple[dict[str, list[Any]], list[float]]:
    X, _ = load("titanic")
    fares = [f or 0.0 for f in X["fare"]]
    return {name: values for name, values in X.items() if name != "fare"}, fares


@cache
def model(name: str) -> Any:
    """Fitted models by name."""
    tree, numbers = bough.DecisionTreeClassifier, bough.DecisionTreeRegressor
    titanic, penguins, tennis = load("titanic"), load("penguins"), load("tennis")
    rng = np.random.default_rng(5)
    points = rng.normal(size=(1500, 5))
    many = np.digitize(points[:, 0] + points[:, 1], np.linspace(-2, 2, 19))
    made = {
        "small": lambda: tree(max_leaf_nodes=6).fit(*titanic),
        "depth 4": lambda: tree(max_depth=4, min_samples_leaf=5).fit(*titanic),
        "depth 8": lambda: tree(max_depth=8, min_samples_leaf=5).fit(*titanic),
        "depth 12": lambda: tree(max_depth=12).fit(*titanic),
        "three classes": lambda: tree(max_depth=4).fit(*penguins),
        "twenty classes": lambda: tree(max_depth=4).fit(points, many),
        "twenty classes, deep": lambda: tree(max_depth=8).fit(points, many),
        "numbers, small": lambda: numbers(max_leaf_nodes=7).fit(*regression()),
        "numbers": lambda: numbers(max_depth=4, min_samples_leaf=5).fit(*regression()),
        "numbers, deep": lambda: numbers(max_depth=12).fit(*regression()),
        "multiway": lambda: bough.ID3Classifier().fit(*tennis),
        "multiway, missing": lambda: tree(categories="multiway", max_depth=5).fit(*titanic),
        "own branch": lambda: bough.ID3Classifier(max_depth=3).fit(*titanic),
        "spread": lambda: bough.C45Classifier(max_depth=4).fit(*titanic),
        "surrogates": lambda: bough.CARTClassifier(pruning=None, max_depth=4).fit(*titanic),
        "stop": lambda: tree(missing="stop", max_depth=3).fit(*titanic),
        "one leaf": lambda: tree(max_depth=0).fit(*titanic),
        "hostile": hostile,
        "huge": lambda: tree().fit(rng.normal(size=(37_000, 4)), rng.integers(0, 2, 37_000)),
    }
    return made[name]()


def hostile() -> Any:
    """Names that no program should trip over, in columns, categories and classes."""
    rng = np.random.default_rng(1)
    codes = rng.integers(0, len(HOSTILE), 600)
    X: dict[str, list[Any]] = {name: rng.normal(size=600).tolist() for name in HOSTILE[:-1]}
    X[HOSTILE[-1]] = [HOSTILE[c] for c in codes]
    first = np.array(X[HOSTILE[0]])
    y = [HOSTILE[int(c % 3 + 3 * (v > 0))] for c, v in zip(codes, first, strict=True)]
    return bough.DecisionTreeClassifier(max_depth=5, categories="multiway").fit(X, y)


@dataclass
class Card:
    """What a card in a flat SVG says."""

    sentence: str
    texts: list[str]
    opacity: str | None


def parsed(svg: str) -> ET.Element:
    return ET.fromstring(svg)


def text_of(element: ET.Element) -> str:
    title = element.find(f"{SVG}title")
    whole = "".join(element.itertext())
    return whole.removeprefix("".join(title.itertext())) if title is not None else whole


def cards(svg: str) -> list[Card]:
    """Cards have a title of their own; nodes come each before those below it."""
    found = []
    for group in parsed(svg).iter(f"{SVG}g"):
        title = group.find(f"{SVG}title")
        if title is not None:
            texts = [text_of(t) for t in group.findall(f"{SVG}text")]
            found.append(Card(title.text or "", texts, group.get("opacity")))
    return found


def edge_labels(svg: str) -> list[list[str]]:
    """The texts on each edge: the pill comes after the answer."""
    found = []
    for group in parsed(svg).iter(f"{SVG}g"):
        inner = group.find(f"{SVG}g")
        if inner is not None and group.find(f"{SVG}path") is not None and inner.get("transform"):
            found.append([text_of(t) for t in inner.findall(f"{SVG}text")])
    return found


def whole(text: str) -> int:
    return int(re.sub(r"[^\d]", "", text))
