"""Text, LaTeX, HTML, Markdown and CSV say the same numbers, and no name can do harm in any of them."""

from __future__ import annotations

import csv
import html
import io
import re
from html.parser import HTMLParser

import pytest

import bough
from bough.data.examples import load
from bough.explain import Lesson, NodeNumbers

TENNIS = ("0.9403", "0.2467", "0.1518", "0.0481", "0.0292", "1.5774", "0.9852", "1.5567", "0.1564", "0.0488")


@pytest.fixture(scope="module")
def tennis() -> bough.ID3Classifier:
    return bough.ID3Classifier(classes=["Yes", "No"]).fit(*load("tennis"))


@pytest.fixture(scope="module")
def root(tennis: bough.ID3Classifier) -> NodeNumbers:
    return tennis.explain_split(0)


def visible(page: str) -> str:
    """What a reader sees of a page, formulas included."""
    return html.unescape(re.sub(r"<[^>]+>", " ", re.sub(r"(?s)<(style|script).*?</\1>", "", page)))


@pytest.mark.parametrize("form", ["to_text", "to_latex", "to_html", "to_markdown"])
def test_the_figures_of_tennis_are_in_every_form(root: NodeNumbers, form: str) -> None:
    text = getattr(root, form)()
    shown = visible(text) if form == "to_html" else text
    for figure in TENNIS:
        assert figure in shown, (form, figure)


def test_the_text_is_that_of_the_lecture(tennis: bough.ID3Classifier) -> None:
    lines = tennis.lesson("demo:tennis").step_text(1).splitlines()
    assert lines[:4] == [
        "Step 1 of 3 — root, 14 rows (9 Yes, 5 No)",
        "H = −(9/14)·log2(9/14) − (5/14)·log2(5/14) = 0.9403",
        "",
        "column       gain    split info  ratio   branches (Yes/No → H)",
    ]
    assert lines[4] == (
        "Outlook      0.2467  1.5774      0.1564  "
        "Overcast 4/0 → 0 · Rain 3/2 → 0.9710 · Sunny 2/3 → 0.9710   ← chosen"
    )
    gain = "Gain(Outlook) = 0.9403 − (4/14·0 + 5/14·0.9710 + 5/14·0.9710) = 0.9403 − 0.6935 = 0.2467"
    assert gain in lines


def test_latex_and_mathml_have_the_fractions(root: NodeNumbers) -> None:
    assert r"\frac{9}{14} \cdot \log_{2} \frac{9}{14}" in root.to_latex()
    assert root.to_latex().count("{") == root.to_latex().count("}")
    page = root.to_html()
    assert "<mfrac><mn>9</mn><mn>14</mn></mfrac>" in page
    assert "<script" not in page


def test_csv_has_all_digits(root: NodeNumbers) -> None:
    rows = list(csv.DictReader(io.StringIO(root.to_csv())))
    gains = {row["column"]: float(row["gain"]) for row in rows if row["what"] == "column"}
    assert gains == {c.column: c.gain for c in root.candidates}
    counts = [(row["label"], row["Yes"], row["No"]) for row in rows if row["what"] == "branch"]
    assert counts[:3] == [("Overcast", "4", "0"), ("Rain", "3", "2"), ("Sunny", "2", "3")]


def test_another_base_and_other_digits(root: NodeNumbers) -> None:
    import math

    nats = root.to_text(digits=6, base=math.e)
    assert "ln(9/14)" in nats
    assert "0.651757" in nats  # 0.940286 ln 2
    assert "0.156428" in nats  # the ratio is the same in every base
    assert "log10" in root.to_latex(base=10).replace("\\log_{10}", "log10")


def test_a_narrow_terminal_gets_lines_for_branches(root: NodeNumbers) -> None:
    lines = root.to_text(width=60).splitlines()
    table = lines[lines.index("") : lines.index("", 4)]
    assert "    Sunny 2/3 → 0.9710" in table
    assert max(map(len, table)) <= 60


def test_the_lesson_has_steps_leaves_and_the_tree(tennis: bough.ID3Classifier) -> None:
    lesson = tennis.lesson("demo:tennis")
    assert [step.chosen for step in lesson.steps] == ["Outlook", "Wind", "Humidity"]
    assert len(lesson.leaves) == 5
    page = lesson.to_html()
    assert page.count("<section") == 4
    for number in (1, 2, 3):
        assert f'href="#step-{number}"' in page
    assert "http" not in re.sub(r"http://www.w3.org/[^\"]*", "", page)
    with pytest.raises(bough.BoughError, match="no step 4: the lesson has 3"):
        lesson.step(4)
    assert lesson.to_csv().count("node,column,what") == 1
    assert lesson.to_markdown().count("### Step") == 3


def test_quiz_answers(tennis: bough.ID3Classifier) -> None:
    questions = tennis.lesson("t").quiz(1)
    assert [q.text for q in questions][1:] == [
        "Gain(Humidity)",
        "Gain(Outlook)",
        "Gain(Temperature)",
        "Gain(Wind)",
        "Which column is asked?",
    ]
    entropy, *_, which = questions
    assert entropy.right("0.94")
    assert entropy.right("0,9403")
    assert not entropy.right("0.93")
    assert not entropy.right("Outlook")
    assert which.right(" outlook ")
    assert not which.right("Wind")


HOSTILE = {
    "script": "</script><script>alert(1)</script>",
    "quotes": "\"'`\\ onload=alert(1)",
    "right to left": "\u202e\u05d0\u05d1\u05d2",
    "emoji": "🌳🔥",
    "long": "x" * 200,
    "formula": "=cmd|' /C calc'!A0",
    "markdown": "a|b*c_d[e](f) <b>",
    "latex": "\\input{/etc/passwd} $x^2$ 50% #1 ~ {a}",
    "lines": "two\nlines\t\x1b[31m",
}


class Tags(HTMLParser):
    """The tags of a page and the attributes that could run something."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.handlers: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.handlers += [name for name, _ in attrs if name.startswith("on")]


def hostile(name: str) -> Lesson:
    """A table in which the columns, categories and classes are such names."""
    column = {f"{name}1": [f"{name} a", f"{name} b"] * 6, f"{name}2": [*range(12)]}
    target = [f"{name} yes", f"{name} no", f"{name} yes"] * 4
    return bough.ID3Classifier().fit(column, target).lesson(name)


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_hostile_names_do_no_harm(name: str) -> None:
    lesson = hostile(name)
    usual = Tags()
    usual.feed(hostile("plain").to_html())
    found = Tags()
    found.feed(lesson.to_html())
    assert found.handlers == []
    assert found.tags.count("script") == usual.tags.count("script") == 1
    assert set(found.tags) == set(usual.tags)
    assert "\u202e" not in lesson.to_html()

    for line in lesson.to_markdown().splitlines():
        if line.startswith("|"):
            assert len(re.findall(r"(?<!\\)\|", line)) == 8, line
        assert not re.search(r"(?<!\\)<", line), line
    for row in csv.reader(io.StringIO(lesson.to_csv())):
        assert not any(cell.startswith(("=", "+", "@", "\t")) for cell in row)
        assert not any(cell.startswith("-") and not cell[1:2].isdigit() for cell in row)
    latex = lesson.to_latex()
    assert "\\input" not in latex
    assert not re.search(r"(?<!\\)[%#]", latex)
    assert latex.count("$") % 2 == 0
    assert "\x1b" not in lesson.to_text()
    assert "\n" not in str(lesson.steps[0].place)


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_hostile_names_in_rules_paths_and_text_forms(name: str) -> None:
    column = {f"{name}1": [f"{name} a", f"{name} b"] * 6, f"{name}2": [*range(12)]}
    target = [f"{name} yes", f"{name} no", f"{name} yes"] * 4
    model = bough.DecisionTreeClassifier(max_leaf_nodes=3).fit(column, target)
    assert str(model.rules()).count("\n") == 2
    assert str(model.dnf(f"{name} yes")).count("\n") == 0
    assert "\x1b" not in str(model.explain({f"{name}1": f"{name} a"}))
    weka = model.tree_.to_text("weka")
    assert len(weka.splitlines()) == model.tree_.n_nodes - 1 + 4
    marked = model.tree_.to_text("markdown")
    assert not re.search(r"(?<!\\)<", marked)
    assert len(marked.splitlines()) == 2 + model.tree_.n_nodes - 1
