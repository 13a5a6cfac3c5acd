"""A lesson as one HTML page: steps by anchors, formulas in MathML; a script only checks typed answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bough.explain.expressions import html_text
from bough.explain.lesson import TOLERANCE
from bough.explain.split_html import STYLE, node_body
from bough.explain.split_text import group_text
from bough.tree.text import box_text

if TYPE_CHECKING:
    from bough.explain.lesson import Lesson
    from bough.explain.numbers import NodeNumbers

PAGE = """
:root{color-scheme:light dark}
body{margin:0;background:#fff}
.page{display:grid;grid-template-columns:230px minmax(0,1fr);min-height:100vh}
nav{border-right:1px solid var(--line);padding:20px 14px}
nav h2{font-size:16px;margin:0 0 12px}
nav ol{margin:0;padding-left:28px}
nav li{padding:3px 0}
nav li::marker{font-weight:600}
nav a{display:block;color:inherit;text-decoration:none;padding:3px 6px;border-radius:6px}
nav a:hover,nav a:focus-visible{background:var(--soft)}
nav .quiet{font-size:14px;margin:14px 0}
nav label.switch{display:inline-block;border:1px solid var(--line);border-radius:6px;padding:6px 10px;
 cursor:pointer;font-size:14px}
main{padding:22px 26px;max-width:1020px}
main h1{font-size:22px;margin:0 0 16px}
section{display:none}
section:target{display:block}
body:not(:has(section:target)) section:first-of-type{display:block}
.turn{margin:18px 0 0;display:flex;gap:6px}
.turn a,button{border:1px solid var(--line);border-radius:6px;padding:5px 11px;color:inherit;background:none;
 text-decoration:none;font:inherit;font-size:14px;cursor:pointer}
.turn a:hover,button:hover{background:var(--soft)}
pre{overflow-x:auto;background:var(--soft);padding:10px 14px;border-radius:8px;font-size:13px;line-height:1.35}
.ask,.quiz-only{display:none}
body:has(#quiz:checked) .ask{display:block;margin:8px 0}
body:has(#quiz:checked) .quiz-only{display:block}
body:has(#quiz:checked) .a{filter:blur(7px);opacity:.45;cursor:help;user-select:none}
body:has(#quiz:checked) .a:focus,body:has(#quiz:checked) .a.shown{filter:none;opacity:1;user-select:auto}
body:has(#quiz:checked) summary .bar,body:has(#quiz:checked) .rank{display:none}
body:has(#quiz:checked) .columns{display:flex;flex-direction:column}
body:has(#quiz:checked) .columns>div{order:var(--place)}
body:has(#quiz:checked) details.copy{display:none}
.ask input{font:inherit;border:1px solid var(--quiet);border-radius:5px;padding:2px 6px;background:none;color:inherit}
.ask output.right{color:var(--good)}
.ask output.wrong{color:var(--bad)}
@media (prefers-color-scheme:dark){body{background:#14181c}}
@media (max-width:760px){.page{display:block}nav{border-right:0;border-bottom:1px solid var(--line)}}
@media print{nav,.turn,button,details.copy{display:none!important}.page{display:block}section{display:block!important}
 main{max-width:none;padding:0}body{background:#fff}section+section{break-before:page}@page{margin:16mm}}
"""

# Without it everything can be read; in quiz mode hidden answers show when they get the focus.
SCRIPT = """
document.querySelectorAll('.ask input').forEach(function(field){
  field.addEventListener('change',function(){
    var typed=parseFloat(field.value.replace(',','.').replace('\\u2212','-'));
    var truth=parseFloat(field.dataset.answer);
    var said=field.parentNode.querySelector('output');
    var right=Math.abs(typed-truth)<=TOLERANCE*Math.max(1,Math.abs(truth));
    said.textContent=field.value?(right?'\\u2713 right':'\\u2717 not yet'):'';
    said.className=right?'right':'wrong';
    if(right)field.closest('.qa').querySelector('.a').classList.add('shown');
  });
});
document.querySelectorAll('details.copy').forEach(function(box){
  var button=document.createElement('button');
  button.textContent='Copy';
  button.type='button';
  button.addEventListener('click',function(){
    var text=box.querySelector('pre');
    var range=document.createRange();range.selectNodeContents(text);
    var chosen=getSelection();chosen.removeAllRanges();chosen.addRange(range);
    try{document.execCommand('copy');button.textContent='Copied'}catch(e){}
  });
  box.appendChild(button);
});
"""


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
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="generator" content="bough"><title>{title}, step by step</title>
<style>{STYLE}{PAGE}{_here(count)}</style></head>
<body><div class="page bough-numbers">
<nav aria-label="Steps"><h2>Steps</h2><ol>{"".join(links)}</ol>
<p><a href="#tree">The tree and its leaves</a></p>
<p class="quiet">Table: {title}<br>Algorithm: {html_text(lesson.algorithm)}<br>Digits: {lesson.digits} · log base {base}</p>
<label class="switch"><input type="checkbox" id="quiz"{checked}> Quiz: hide answers</label>
<p class="quiet quiz-only">Type an answer; a click on a hidden one shows it.</p></nav>
<main>{"".join(sections)}</main></div>
<script>{SCRIPT.replace("TOLERANCE", repr(TOLERANCE))}</script></body></html>
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
        f"{_source('LaTeX', step.to_latex(lesson.digits, lesson.base))}{_source('CSV', step.to_csv())}"
        f'<p class="turn">{back}{ahead}</p></section>'
    )


def _source(name: str, text: str) -> str:
    return f'<details class="copy"><summary>{name}</summary><pre>{html_text_block(text)}</pre></details>'


def html_text_block(text: str) -> str:
    """Text of several lines."""
    return "\n".join(html_text(line) for line in text.split("\n"))


def _end(lesson: Lesson, count: int) -> str:
    rows = "".join(
        f"<tr><td><bdi>{html_text(leaf.place)}</bdi></td><td>{html_text(group_text(leaf, leaf.whole))}</td>"
        f'<td><bdi>{html_text(leaf.answer)}</bdi></td><td class="formula words">{html_text("; ".join(leaf.leaf))}</td></tr>'
        for leaf in lesson.leaves
    )
    back = f'<p class="turn"><a href="#step-{count}" rel="prev">◀ Back</a></p>' if count else ""
    return (
        f'<section id="tree"><h1>The tree and its leaves</h1><pre class="a" tabindex="0">'
        f"{html_text_block(box_text(lesson.tree))}</pre>"
        f'<div class="scroll"><table><tr><th>leaf</th><th>rows</th><th>answer</th><th class="formula">why it is '
        f"a leaf</th></tr>{rows}</table></div>{back}</section>"
    )
