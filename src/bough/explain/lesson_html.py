"""A lesson as one HTML page: steps by anchors, formulas in MathML; a script only checks typed answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bough.explain.expressions import html_text
from bough.explain.lesson import TOLERANCE
from bough.explain.split_html import node_body, static
from bough.explain.split_text import group_text
from bough.tree.text import box_text

if TYPE_CHECKING:
    from bough.explain.lesson import Lesson
    from bough.explain.numbers import NodeNumbers


MOST_CSV = 20_000  # characters in a step


def lesson_html(lesson: Lesson, quiz: bool) -> str:
    count = len(lesson.steps)
    sections = [_step(lesson, step, number, count, quiz) for number, step in enumerate(lesson.steps, 1)]
    sections.append(_end(lesson, count))
    links = [
        f'<li><a href="#step-{i}">{html_text(_short(step))}</a></li>'
        for i, step in enumerate(lesson.steps, 1)
    ]
    checked = " checked" if quiz else ""
    base = {2.718281828459045: "e"}.get(lesson.base, f"{lesson.base:g}")
    title = html_text(lesson.title)
    about = f"Table: {title}<br>Algorithm: {html_text(lesson.algorithm)}<br>Digits: {lesson.digits}"
    style = static("numbers.css") + static("lesson.css")
    script = static("lesson.js").replace("TOLERANCE", repr(TOLERANCE))
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="generator" content="bough"><title>{title}, step by step</title>
<style>{style}{_here(count)}</style></head>
<body><div class="page bough-numbers">
<nav aria-label="Steps"><h2>Steps</h2><ol>{"".join(links)}</ol>
<p><a href="#tree">The tree and its leaves</a></p>
<p class="quiet">{about} · log base {base}</p>
<label class="switch"><input type="checkbox" id="quiz"{checked}> Quiz: hide answers</label>
<p class="quiet quiz-only">Type an answer; a click on a hidden one shows it.</p></nav>
<main>{"".join(sections)}</main></div>
<script>{script}</script></body></html>
"""


def _here(count: int) -> str:
    """The step that is open is marked in the list."""
    first = 'body:not(:has(section:target)) nav a[href="#step-1"]'
    steps = [f'body:has(#step-{i}:target) nav a[href="#step-{i}"]' for i in range(1, count + 1)]
    chosen = ",".join([first, *steps, 'body:has(#tree:target) nav a[href="#tree"]'])
    return f"{chosen}{{background:var(--soft);font-weight:600}}"


def _short(step: NodeNumbers) -> str:
    where = step.path[-1] if step.path else "Root"
    return f"{where} · {step.whole.n:,} row{'' if step.whole.n == 1 else 's'}"


def _step(lesson: Lesson, step: NodeNumbers, number: int, count: int, quiz: bool) -> str:
    where = "which question first?" if not step.path else html_text(step.place)
    back = f'<a href="#step-{number - 1}" rel="prev">◀ Back</a>' if number > 1 else ""
    ahead = (
        f'<a href="#step-{number + 1}" rel="next">Next ▶</a>'
        if number < count
        else '<a href="#tree">The tree ▶</a>'
    )
    body = node_body(step, lesson.digits, lesson.base, not quiz)
    return (
        f'<section id="step-{number}"><h1>Step {number} of {count} — {where}</h1>{body}'
        f"{_source('LaTeX', step.to_latex(lesson.digits, lesson.base))}{_csv(step)}"
        f'<p class="turn">{back}{ahead}</p></section>'
    )


def _csv(step: NodeNumbers) -> str:
    """Left out where it would be most of the page."""
    text = step.to_csv()
    return _source("CSV", text) if len(text) <= MOST_CSV else ""


def _source(name: str, text: str) -> str:
    return f'<details class="copy"><summary>{name}</summary><pre>{html_text_block(text)}</pre></details>'


def html_text_block(text: str) -> str:
    """Text of several lines."""
    return "\n".join(html_text(line) for line in text.split("\n"))


def _end(lesson: Lesson, count: int) -> str:
    rows = "".join(
        f"<tr><td><bdi>{html_text(leaf.place)}</bdi></td><td>{html_text(group_text(leaf, leaf.whole))}</td>"
        f"<td><bdi>{html_text(leaf.answer)}</bdi></td>"
        f'<td class="formula words">{html_text("; ".join(leaf.leaf))}</td></tr>'
        for leaf in lesson.leaves
    )
    back = f'<p class="turn"><a href="#step-{count}" rel="prev">◀ Back</a></p>' if count else ""
    return (
        f'<section id="tree"><h1>The tree and its leaves</h1><pre class="a" tabindex="0">'
        f"{html_text_block(box_text(lesson.tree))}</pre>"
        f'<div class="scroll"><table><tr><th>leaf</th><th>rows</th><th>answer</th>'
        f'<th class="formula">why it is a leaf</th></tr>{rows}</table></div>{back}</section>'
    )
