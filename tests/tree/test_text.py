"""Tests of bough.tree.text: golden trees, alignment, hostile and wide names, limits."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bough import DecisionTreeClassifier, DecisionTreeRegressor, Tree
from bough.data.examples import load
from bough.data.table import Field
from bough.tree.text import (
    DEEPEST,
    MOST_LINES,
    ascii_text,
    box_text,
    display_width,
    printable,
    shown_name,
    significant,
)

TITANIC = """\
sex?                                              891
├─ male    deck?                                  577
│  ├─ A, B, C, D, E, F            → died     58%  106
│  └─ missing  age?                               471
│     ├─ ≤ 3.5                    → survived 64%   14  ⚠ few
│     └─ > 3.5, or missing (112)  → died     88%  457
└─ female  pclass?                                314
   ├─ ≤ 2.5                       → survived 95%  170
   └─ > 2.5  fare?                                144
      ├─ ≤ 23.35                  → survived 59%  117
      └─ > 23.35                  → died     89%   27"""

TITANIC_PLAIN = """\
sex?                                                  891
|-- male    deck?                                     577
|   |-- A, B, C, D, E, F             -> died     58%  106
|   `-- missing  age?                                 471
|       |-- <= 3.5                   -> survived 64%   14  ! few
|       `-- > 3.5, or missing (112)  -> died     88%  457
`-- female  pclass?                                   314
    |-- <= 2.5                       -> survived 95%  170
    `-- > 2.5  fare?                                  144
        |-- <= 23.35                 -> survived 59%  117
        `-- > 23.35                  -> died     89%   27"""

# The tree of the lecture: Quinlan's, after "Induction of Decision Trees".
TENNIS = """\
Outlook?                  14
├─ Overcast   → Yes 100%   4
├─ Rain   Wind?            5
│  ├─ Strong  → No  100%   2
│  └─ Weak    → Yes 100%   3
└─ Sunny  Humidity?        5
   ├─ High    → No  100%   3
   └─ Normal  → Yes 100%   2"""

FARE = """\
pclass?                       891
├─ ≤ 1.5  parch?              216
│  ├─ ≤ 0.5  →  68.64 ± 67.4  163
│  └─ > 0.5  → 131.87 ± 89     53
└─ > 1.5     →  15.58 ± 12.6  675"""


@pytest.fixture(scope="module")
def titanic() -> Tree:
    columns, target = load("titanic")
    return DecisionTreeClassifier(max_leaf_nodes=6).fit(columns, target).tree_


def test_titanic_with_six_leaves(titanic: Tree) -> None:
    assert str(titanic) == TITANIC
    assert box_text(titanic) == TITANIC


def test_titanic_in_ascii(titanic: Tree) -> None:
    assert box_text(titanic, plain=True) == TITANIC_PLAIN
    assert box_text(titanic, plain=True).isascii()


def test_tennis_with_a_branch_for_each_category() -> None:
    tree = DecisionTreeClassifier(criterion="entropy", categories="multiway").fit(*load("tennis")).tree_
    assert str(tree) == TENNIS


def test_numbers_have_mean_and_deviation_with_the_points_under_each_other() -> None:
    columns, _ = load("titanic")
    fare = columns.pop("fare")
    tree = DecisionTreeRegressor(max_leaf_nodes=3).fit(columns, fare).tree_
    assert str(tree) == FARE
    leaf = next(tree.leaves())
    rows = [f for f, c in zip(fare, columns["pclass"], strict=True) if c > 1.5]
    assert leaf.prediction == pytest.approx(np.mean(rows))
    assert np.sqrt(leaf.impurity) == pytest.approx(np.std(rows))  # the 12.6 of the picture


def test_one_row_has_no_deviation() -> None:
    tree = DecisionTreeRegressor().fit({"x": [1, 2, 3, 4]}, [1.5, 1.5, 1000.25, -2]).tree_
    assert str(tree).splitlines() == [
        "x?                         4",
        "├─ ≤ 2.5     →    1.5 ± 0  2",
        "└─ > 2.5  x?               2",
        "   ├─ ≤ 3.5  → 1000.2      1",
        "   └─ > 3.5  →   -2        1",
    ]


def test_ordinal_and_datetime_thresholds_are_words() -> None:
    sizes = pd.Categorical(["S", "M", "L", "XL"] * 5, categories=["S", "M", "L", "XL"], ordered=True)
    days = pd.to_datetime(["2020-01-01", "2020-01-03"] * 10)
    target = ["no", "no", "yes", "yes"] * 5
    tree = DecisionTreeClassifier().fit(pd.DataFrame({"size": sizes}), target).tree_
    assert str(tree).splitlines()[1:] == ["├─ ≤ M  → no  100%  10", "└─ > M  → yes 100%  10"]
    tree = DecisionTreeClassifier().fit(pd.DataFrame({"day": days}), ["no", "yes"] * 10).tree_
    assert str(tree).splitlines() == [
        "day?                         20",
        "├─ ≤ 2020-01-02  → no  100%  10",
        "└─ > 2020-01-02  → yes 100%  10",
    ]


def test_single_leaf_is_one_line() -> None:
    assert str(DecisionTreeClassifier().fit({"x": [1, 1]}, ["a", "a"]).tree_) == "→ a 100%  2"


def test_all_but_one_row_is_not_all() -> None:
    tree = DecisionTreeClassifier(max_depth=0).fit({"x": range(1000)}, ["a"] * 999 + ["b"]).tree_
    assert str(tree) == "→ a 99%  1,000"


def test_few_is_marked_in_tables_of_a_hundred_rows_or_more() -> None:
    small = DecisionTreeClassifier().fit({"x": range(99)}, ["a"] * 3 + ["b"] * 96).tree_
    large = DecisionTreeClassifier().fit({"x": range(100)}, ["a"] * 3 + ["b"] * 97).tree_
    assert "few" not in str(small)
    assert str(large).splitlines()[1].endswith("  3  ⚠ few")
    assert "few" not in str(large).splitlines()[2]


def test_many_categories_are_counted() -> None:
    names = [f"category {i:02}" for i in range(20)]
    tree = DecisionTreeClassifier().fit({"c": names * 2}, ["no", "yes"] * 20).tree_
    assert "├─ category 00, category 02 + 8 more  → no" in str(tree)


def test_categories_that_read_like_something_else_are_in_quotes() -> None:
    columns = {"c": ["missing", "a, b", "", "c"] * 5, "d": [None, "x"] * 10}
    text = str(
        DecisionTreeClassifier(categories="multiway").fit({"c": columns["c"]}, ["p", "q", "r", "s"] * 5).tree_
    )
    assert [line.split("→")[0].strip() for line in text.splitlines()[1:]] == [
        '├─ ""',
        '├─ "a, b"',
        "├─ c",
        '└─ "missing"',
    ]
    text = str(DecisionTreeClassifier().fit({"d": columns["d"]}, ["p", "q"] * 10).tree_)
    assert [line.split()[1] for line in text.splitlines()[1:]] == ["x", "missing"]


def test_hostile_names_stay_on_their_line() -> None:
    bad = "red\x1b[31m\x07\r\nnext\u2028\u202eline\ud800"
    tree = DecisionTreeClassifier().fit({bad: [bad, "ok"] * 3}, [bad, "fine"] * 3).tree_
    lines = str(tree).splitlines()
    assert len(lines) == 3
    assert all(line.isprintable() for line in lines)
    assert r"red\x1b[31m\x07\r\nnext\u2028\u202eline\ud800?" in lines[0]
    assert r"→ red\x1b[31m" in str(tree)
    str(tree).encode("utf-8")


def test_long_names_end() -> None:
    assert len(shown_name("x" * 10_000)) == 60
    assert shown_name("  ") == '"  "'


def test_wide_letters_are_two_columns() -> None:
    assert [display_width(t) for t in ("abc", "日本", "e\u0301", "ﬀ", "ｆ")] == [3, 4, 1, 1, 2]
    tree = DecisionTreeClassifier().fit({"国": ["日本", "x"] * 3}, ["はい", "n"] * 3).tree_
    lines = str(tree).splitlines()
    assert len({display_width(line) for line in lines}) == 1
    assert lines[1:] == ["├─ x     → n    100%  3", "└─ 日本  → はい 100%  3"]


def test_in_ascii_other_letters_are_escapes() -> None:
    assert ascii_text("Größe ≤ 3 → x") == r"Gr\xf6\xdfe <= 3 -> x"


def test_joiners_and_spaces_are_harmless() -> None:
    assert printable("می\u200cخواهم a\u00a0b") == "می\u200cخواهم a\u00a0b"


@pytest.mark.parametrize(
    ("x", "digits", "text"),
    [
        (0.0, 5, "0"),
        (-0.0, 5, "0"),
        (12.0, 5, "12"),
        (-3706.1644, 5, "-3706.2"),
        (99999.7, 5, "100000"),
        (123456789.4, 5, "123456789"),
        (0.000123456, 3, "0.000123"),
        (1.5e-9, 3, "1.50e-09"),
        (2e20, 4, "2.000e+20"),
        (float("inf"), 4, "inf"),
    ],
)
def test_significant_digits(x: float, digits: int, text: str) -> None:
    assert significant(x, digits) == text


def test_at_most_a_thousand_lines() -> None:
    rng = np.random.default_rng(0)
    tree = DecisionTreeClassifier().fit(rng.normal(size=(5000, 2)), rng.integers(0, 2, 5000)).tree_
    assert tree.n_nodes > MOST_LINES
    lines = str(tree).splitlines()
    assert len(lines) == MOST_LINES + 1
    assert lines[-1] == f"… and {tree.n_nodes - MOST_LINES:,} more nodes"


def _chain(depth: int) -> Tree:
    """x ≤ 0? x ≤ 1? x ≤ 2? …: node 2k asks, its children are the leaf 2k + 1 and node 2k + 2."""
    n = 2 * depth + 1
    asks = np.zeros(n, dtype=bool)
    asks[0:-1:2] = True
    rows = np.ones(n, dtype=np.int64)
    rows[0::2] = np.arange(depth + 1, 0, -1)
    none = np.zeros(0, dtype=np.int32)
    return Tree(
        fields=(Field("x", "numeric"),),
        classes=None,
        feature=np.where(asks, 0, -1).astype(np.int32),
        kind=np.zeros(n, dtype=np.uint8),
        threshold=np.where(asks, np.arange(n) // 2, 0).astype(np.float64),
        first_child=np.where(asks, np.arange(n) + 1, 0),
        n_children=np.where(asks, 2, 0).astype(np.int32),
        missing_child=np.where(asks, 0, -1).astype(np.int32),
        n_rows=rows,
        n_missing=np.zeros(n, dtype=np.int64),
        weight=rows.astype(np.float64),
        impurity=np.zeros(n),
        gain=np.zeros(n),
        value=np.arange(n, dtype=np.float64)[:, None],
        category_start=np.zeros(n + 1, dtype=np.int64),
        category=none,
        category_child=none,
    )


def test_a_chain_of_2000_questions_is_folded() -> None:
    tree = _chain(2000)
    assert tree.max_depth == 2000
    lines = str(tree).splitlines()
    assert len(lines) == 2 * DEEPEST + 2
    assert "x? …" in lines[-2]
    assert lines[-1] == f"… and {tree.n_nodes - 2 * DEEPEST - 1:,} more nodes"


def test_a_chain_that_fits_is_whole() -> None:
    lines = str(_chain(DEEPEST)).splitlines()
    assert len(lines) == 2 * DEEPEST + 1
    assert "…" not in lines[-1]
