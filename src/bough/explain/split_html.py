"""The numbers of a node as HTML: formulas in MathML, columns to unfold, a curve of gains; needs no script."""

from __future__ import annotations

import math
from importlib.resources import files

from bough.explain import formulas
from bough.explain.expressions import Row, html_text, math_block, math_inline, row
from bough.explain.numbers import MEASURES, Candidate, Cut, Group, NodeNumbers
from bough.explain.split_text import estimate_text, group_text
from bough.explain.why import unit, why_text
from bough.explain.words import amount, fixed, padded_number
from bough.tree.text import shown_name, significant

MOST_ROWS = 200  # cut points in a table; the curve has all of them


def static(name: str) -> str:
    """A file that pages take in whole."""
    return (files("bough") / "explain" / "static" / name).read_text(encoding="utf-8")


def node_html(numbers: NodeNumbers, digits: int = 4, base: float = 2) -> str:
    """The part with its own style, for a notebook or a page."""
    style, body = static("numbers.css"), node_body(numbers, digits, base)
    return f'<style>{style}</style><div class="bough-numbers">{body}</div>'


def node_body(numbers: NodeNumbers, digits: int, base: float, opened: bool = True) -> str:
    """`opened`: the column that is asked is unfolded."""
    name = MEASURES[numbers.criterion][1]
    parts = [f"<p>{html_text(_rows(numbers))}</p>"]
    formula = formulas.impurity(numbers.whole, numbers.criterion, digits, base)
    if formula is not None:
        parts.append(_answer(f"{MEASURES[numbers.criterion][0]} of all rows", math_block(formula),
                             numbers.whole.impurity / unit(numbers, base)))  # fmt: skip
    possible = [c for c in numbers.candidates if c.possible]
    if possible:
        parts.append(f"<p>{html_text(_asked(numbers, name))}</p>")
    widest = max((c.gain for c in possible), default=0.0)
    columns = [_column(numbers, c, i, widest, digits, base, opened) for i, c in enumerate(possible, 1)]
    places = {name: place for place, name in enumerate(sorted(c.column for c in possible))}
    parts += ['<div class="columns">']
    parts += [
        f'<div style="--place:{places[c.column]}">{text}</div>'
        for c, text in zip(possible, columns, strict=True)
    ]
    parts += ["</div>"]
    parts += [
        f'<p class="quiet">{html_text(c.column)}: {html_text(c.why_not)}</p>'
        for c in numbers.candidates
        if not c.possible and possible
    ]
    parts.append(
        f'<p class="why"><span class="a" tabindex="0">{html_text(why_text(numbers, digits, base))}</span></p>'
    )
    if numbers.pruning.leaves > 1:
        parts.append(_pruning(numbers, digits))
    parts += [f'<p class="quiet">{html_text(note)}</p>' for note in numbers.notes]
    return "\n".join(parts)


def _rows(numbers: NodeNumbers) -> str:
    text = group_text(numbers, numbers.whole)
    return text[0].upper() + text[1:] + "."


def _asked(numbers: NodeNumbers, name: str) -> str:
    if numbers.choice == "significance":
        return "Test every column; keep the one that chance explains least."
    if numbers.choice == "gain_ratio":
        return "Try every column; keep the largest gain ratio among those of average gain or more."
    return f"Try every column; keep the one that removes most {name}."


def _answer(question: str, shown: str, value: float) -> str:
    """Something to be found: hidden in quiz mode, with a field to type the answer."""
    field = (
        f'<label class="ask">{html_text(question)} = <input inputmode="decimal" size="8" '
        f'data-answer="{value!r}"> <output></output></label>'
    )
    return f'<div class="qa">{field}<div class="a" tabindex="0">{shown}</div></div>'


def _column(
    numbers: NodeNumbers, c: Candidate, rank: int, widest: float, digits: int, base: float, opened: bool
) -> str:
    per = unit(numbers, base)
    wide = round(160 * c.gain / widest) if widest > 0 else 0
    gain, info, ratio = (fixed(x, digits) for x in (c.gain / per, c.split_information, c.gain_ratio))
    p = (
        f" · p {c.p_value:.4g}"
        if numbers.choice == "significance" or numbers.criterion == "chi_square"
        else ""
    )
    mark = ' <span class="mark">← <strong>chosen</strong></span>' if c.chosen else " (tie)" if c.tied else ""
    ratios = f"split info {info} · gain ratio {ratio}" if numbers.classes else ""
    figures = (
        f'<strong>gain {gain}</strong> <span class="quiet">{ratios}{p}</span>'
        f'<span class="bar" style="width:{wide}px"></span>{mark}'
    )
    head = f'<strong><span class="rank">{rank}. </span><bdi>{html_text(c.column)}</bdi></strong> '
    inner = [_branches(numbers, c, digits, base)]
    bits = c.split_information
    asked: list[tuple[str, Row | None, float]] = [
        ("Gain", formulas.gain(numbers, c, digits, base), c.gain / per)
    ]
    if numbers.classes:  # the gain of numbers is in other units than bits
        asked += [
            ("SplitInfo", formulas.split_information(c, numbers.whole.weight, digits), bits),
            ("GainRatio", formulas.ratio(numbers, c, digits), (c.gain - c.penalty) / (bits or 1.0)),
        ]
    for what, formula, value in asked:
        if formula is not None:
            inner.append(_answer(f"{what}({c.column})", math_block(formula), value))
    inner.append(_others(c, digits))
    if c.missing:
        inner.append(f"<p>{c.n_missing:,} rows have no value: {html_text(c.missing)}.</p>")
    if c.cuts:
        inner.append(_cuts(numbers, c, digits, per))
    state = " open" if c.chosen and opened else ""
    body = "".join(inner)
    line = f'<summary>{head}<span class="a">{figures}</span></summary>'
    return f'<details class="column"{state}>{line}{body}</details>'


def _others(c: Candidate, digits: int) -> str:
    shown = {
        "information gain": c.information_gain,
        "Gini gain": c.gini_gain,
        "error gain": c.error_gain,
        "χ²" if c.information_gain is not None else "test of the means": c.statistic,
        "df": c.df,
    }
    texts = [f"{name} {fixed(value, digits)}" for name, value in shown.items() if value is not None]
    texts.append(f"p {c.p_value:.4g}")
    return f'<p class="quiet a" tabindex="0">{" · ".join(texts)}</p>'


def _branches(numbers: NodeNumbers, c: Candidate, digits: int, base: float) -> str:
    per, (letter, name) = unit(numbers, base), MEASURES[numbers.criterion]
    measured = numbers.criterion not in ("chi_square", "custom")
    names = (c.column, *(numbers.classes or ("mean",)), "rows")
    heads = [f'<th title="{html_text(x)}"><bdi>{html_text(shown_name(x))}</bdi></th>' for x in names]
    if measured:
        heads.append(f'<th class="formula">{name} of this branch</th><th>{letter}</th>')
    rows = []
    for b in c.branches:
        counts = [amount(x) for x in b.counts] or ["–" if b.mean is None else significant(b.mean, 5)]
        cells = [f"<td><bdi>{html_text(b.label)}</bdi></td>", *(f"<td>{x}</td>" for x in (*counts, str(b.n)))]
        if measured:
            value = padded_number(b.impurity / per, digits)
            cells.append(f'<td class="formula">{_formula(numbers, b, digits, base)}</td>')
            cells.append(f'<td><span class="a" tabindex="0">{value}</span></td>')
        rows.append(f"<tr>{''.join(cells)}</tr>")
    return f'<div class="scroll"><table><tr>{"".join(heads)}</tr>{"".join(rows)}</table></div>'


def _formula(numbers: NodeNumbers, b: Group, digits: int, base: float) -> str:
    if not b.n:
        return "no rows"
    if numbers.criterion == "entropy":
        part: Row | None = formulas.branch_entropy(b.counts, base)
    else:
        part = formulas.impurity(b, numbers.criterion, digits, base)
        part = None if part is None else row(*part.parts[2:-2])
    return "" if part is None else math_inline(part)


def _cuts(numbers: NodeNumbers, c: Candidate, digits: int, per: float) -> str:
    best = max((cut.gain for cut in c.cuts if cut.valid), default=math.nan)
    rows = []
    for cut in c.cuts[:MOST_ROWS]:
        kind = "few" if not cut.valid else "best" if cut.gain >= best - 1e-12 else ""
        sides = " | ".join("/".join(map(amount, side)) for side in (cut.left, cut.right))
        more = f", missing {cut.missing}" if cut.missing else ""
        rows.append(
            f'<tr class="{kind}"><td>≤ {html_text(cut.text)}{more}</td><td>{sides}</td>'
            f'<td><span class="a" tabindex="0">{padded_number(cut.gain / per, digits)}</span></td></tr>'
        )
    rest = f"<p>… and {c.n_cuts - MOST_ROWS:,} more.</p>" if c.n_cuts > MOST_ROWS else ""
    names = "/".join(numbers.classes) or "weight"
    count = "1 cut point" if c.n_cuts == 1 else f"All {c.n_cuts:,} cut points"
    table = (
        f'<div class="scroll"><table><tr><th>cut</th><th><bdi>{html_text(names)}</bdi> left | right</th>'
        f"<th>gain</th></tr>{''.join(rows)}</table></div>"
    )
    return f"<details><summary>{count}</summary>{table}{rest}</details>{curve(c.cuts, per)}"


def curve(cuts: tuple[Cut, ...], per: float = 1.0) -> str:
    """The gain against the cut, as a small drawing; the best possible one has a dot."""
    possible = [cut for cut in cuts if math.isfinite(cut.gain) and math.isfinite(cut.threshold)]
    if len(possible) < 3:
        return ""
    width, height, left, low = 420, 110, 10, 82
    first, last = possible[0].threshold, possible[-1].threshold
    top = max(cut.gain for cut in possible)
    span = last / 2 - first / 2 or 1.0  # of halves: the distance of two numbers may be beyond float64

    def x(cut: Cut) -> float:
        return left + (width - 2 * left) * min(max((cut.threshold / 2 - first / 2) / span, 0.0), 1.0)

    def y(cut: Cut) -> float:
        return low - (low - 18) * cut.gain / top if top > 0 else low

    line = " ".join(f"{x(cut):.1f},{y(cut):.1f}" for cut in possible)
    best = max((cut for cut in possible if cut.valid), key=lambda cut: cut.gain, default=None)
    dot = ""
    if best is not None:
        anchor = "start" if x(best) < width / 3 else "end" if x(best) > 2 * width / 3 else "middle"
        dot = (
            f'<circle cx="{x(best):.1f}" cy="{y(best):.1f}" r="4" fill="currentColor"/>'
            f'<text x="{x(best):.1f}" y="12" text-anchor="{anchor}" font-size="12" fill="currentColor">'
            f"≤ {html_text(best.text)}</text>"
        )
    axis = f'<line x1="{left}" y1="{low}" x2="{width - left}" y2="{low}" stroke="currentColor" opacity=".4"/>'
    ends = "".join(
        f'<text x="{place}" y="{low + 16}" text-anchor="{anchor}" font-size="12" fill="currentColor" '
        f'opacity=".8">{html_text(cut.text)}</text>'
        for place, anchor, cut in ((left, "start", possible[0]), (width - left, "end", possible[-1]))
    )
    return (
        f'<svg class="a" viewBox="0 0 {width} {height}" width="{width}" role="img" '
        f'aria-label="Gain against the cut"><polyline points="{line}" fill="none" '
        f'stroke="var(--bar,#004c80)" stroke-width="1.5"/>{axis}{ends}{dot}</svg>'
    )


def _pruning(numbers: NodeNumbers, digits: int) -> str:
    parts = []
    total = numbers.pruning.weight
    for cost in numbers.pruning.costs:
        formula = formulas.alpha(numbers, cost, digits)
        if formula is not None and cost.alpha is not None:
            rows = fixed(cost.alpha * total, digits)
            said = f"Cost-complexity by {cost.measure} (α × {amount(total)} = {rows}):"
            parts.append(f"<p>{said}</p>{math_block(formula)}")
    e = numbers.pruning.estimate
    if e is not None:
        parts.append(f"<p>{html_text(estimate_text(e, digits))}.</p>")
    return f'<details class="column"><summary>Would pruning keep it?</summary>{"".join(parts)}</details>'
