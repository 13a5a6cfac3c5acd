"""What `bough fit` prints: the header, the tree, the scores, warnings; or all of it as one JSON object."""

from __future__ import annotations

import json
import math
import shlex
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from bough.cli.column_types import parsed_types
from bough.cli.common import command_line, prose_width, terminal_width
from bough.data.objects import label
from bough.evaluation.checks import Finding, check_table
from bough.evaluation.figures import NAMES
from bough.evaluation.sizes import LADDER, SizeScore
from bough.tree import Ensemble, Tree
from bough.tree.ensemble_text import column_lines, size_text
from bough.tree.text import (
    ascii_text,
    box_text,
    display_width,
    folded,
    padded,
    printable,
    shown_name,
    significant,
)

if TYPE_CHECKING:
    from bough.cli.fit_options import Asked
    from bough.cli.fitted import Fitted
    from bough.tree import Node

MOST_CLASSES = 6  # named in the header
KNOWN_ERROR = ("cv", "oob")  # scores with a standard error: over folds, over rows
SCORED = {"cv": "cross-validation", "oob": "out of bag", "holdout": "rows held out"}
MOST_LOOKED_AT = 100_000  # rows that warnings come from


def as_text(fit: Fitted, asked: Asked, tested: Any, *, plain: bool, quiet: bool) -> str:
    tree = box_text(fit.tree, plain=plain) if isinstance(fit.tree, Tree) else _columns(fit)
    if quiet:
        return tree
    write = ascii_text if plain else str
    said = [*_verdict(fit, asked), *([] if tested is None else _test_lines(tested))]
    head, verdict = (
        [write(part) for line in lines for part in folded(line, prose_width())]
        for lines in (_header(fit), said)
    )
    return "\n".join([*head, "", write(tree), "", *verdict])


def _columns(fit: Fitted) -> str:
    """What matters most to many trees, which stands where one tree would be drawn."""
    from bough.estimators.many import quick_importances

    found = quick_importances(fit.model, fit.groups)
    return "\n".join(column_lines(list(found.names), found.values.tolist(), found.method, terminal_width()))


def _header(fit: Fitted) -> list[str]:
    problem = fit.problem
    table = problem.table
    empty = sum(int(np.isnan(column.values).sum()) for column in table.columns)
    counts = [_counted(table.n_rows, "row"), _counted(len(table.columns), "column")]
    source = shown_name(problem.source)
    width = max(display_width(source), len("target"))
    return [
        f"{padded(source, width)}  {' · '.join([*counts, _counted(empty, 'empty cell')])}",
        f"{padded('target', width)}  {shown_name(problem.target)}: {_outcomes(fit)}",
        *problem.notes,
    ]


def _counted(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}" if n else f"no {what}s"


def _outcomes(fit: Fitted) -> str:
    problem = fit.problem
    if problem.classes is None:
        low, mean, high = (significant(float(f(problem.y)), 4) for f in (np.min, np.mean, np.max))
        queries = (
            f", in {problem.n_queries:,} quer{'y' if problem.n_queries == 1 else 'ies'}"
            if problem.ranks
            else ""
        )
        return f"numbers from {low} to {high}, mean {mean}{queries}"
    sizes = np.bincount(problem.y).tolist()
    named = [f"{_class_name(label(c))} {n:,}" for c, n in zip(problem.classes, sizes, strict=True)]
    if len(named) > MOST_CLASSES:
        return f"{', '.join(named[:MOST_CLASSES])} + {len(named) - MOST_CLASSES:,} more classes"
    return ", ".join(named)


def _class_name(name: str) -> str:
    """In quotes where it could be taken for a count."""
    text = shown_name(name)
    return text if text[0].isalpha() else f'"{text}"'


def _verdict(fit: Fitted, asked: Asked) -> list[str]:
    """How the size came about, and how good the model is."""
    if isinstance(fit.tree, Ensemble):
        size = size_text(fit.tree)
    else:
        size = "1 leaf" if fit.tree.n_leaves == 1 else f"{fit.tree.n_leaves:,} leaves"
    if fit.scores is None:
        return [f"{size}; not scored: {_why_not(fit)}", *_learned(fit)]
    by = f"{fit.folds}-fold cross-validation" if fit.how == "cv" else _unseen(fit)
    lines = _size_lines(fit, asked, size, by)
    if fit.how == "cv" and fit.folds < asked.folds and not fit.interrupted:
        lines.append(f"{fit.folds} folds instead of {asked.folds}, because {_too_few(fit)}")
    lines.append("   ".join(_figures(fit)))
    if fit.chosen is None:
        return lines if fit.how == "oob" else [*lines, *_learned(fit)]
    if LADDER[-1] in (fit.chosen.leaves, fit.best.leaves):
        lines.append(f"No larger size was tried; to try one:  --max-leaves {2 * LADDER[-1]}")
    if fit.best.leaves != fit.chosen.leaves:
        lines.append(f"A tree of {fit.best.leaves} leaves scores {_compared(fit, fit.chosen)}.")
    if fit.chosen.leaves is not None and isinstance(fit.tree, Tree) and fit.tree.n_leaves == 1:
        lines.append("No larger tree scores clearly better. To see one all the same:  --max-leaves 4")
    return lines


def _unseen(fit: Fitted) -> str:
    """Which rows have judged what. Groups stay together, so that the share may be another than a quarter."""
    assert fit.judged is not None
    if fit.how == "oob":
        return "out-of-bag answers, each row by the trees that have not seen it"
    held, rows = len(fit.judged), fit.problem.table.n_rows
    share = "a quarter" if round(100 * held / rows) == 25 else f"{held / rows:.0%}, {held:,} of {rows:,}"
    copy = " from a copy of it" if isinstance(fit.tree, Ensemble) else ""
    return f"rows held out{copy} ({share})"


def _learned(fit: Fitted) -> list[str]:
    """What the fit of many trees has recorded of itself, at its end."""
    from bough.ensemble.learning import learning_of

    found = learning_of(fit.model) if isinstance(fit.tree, Ensemble) else None
    return [] if found is None else [found.text]


def _why_not(fit: Fitted) -> str:
    if fit.interrupted:
        return "interrupted"
    if fit.how == "none":
        return "--choose none"
    if fit.problem.ranks:
        return "cross-validation needs at least 2 queries"
    rare = "2 rows" if fit.problem.classes is None else "2 rows of each of two classes"
    return f"cross-validation needs at least {rare}{'' if fit.problem.groups is None else ' and 2 groups'}"


def _too_few(fit: Fitted) -> str:
    if fit.problem.groups is not None:
        return f"there are only {fit.folds} {'queries' if fit.problem.ranks else 'groups'}"
    return f"{'there are' if fit.problem.classes is None else 'a class has'} only {fit.folds} rows"


def _size_lines(fit: Fitted, asked: Asked, size: str, by: str) -> list[str]:
    if isinstance(fit.tree, Ensemble):
        kind = {"forest": "a random forest", "boost": "boosted"}[asked.model]
        return [f"{size}, {kind}, on {fit.problem.table.n_rows:,} rows", f"scores from {by}:"]
    return [_size_line(fit, asked, size, by)]


def _size_line(fit: Fitted, asked: Asked, size: str, by: str) -> str:
    if fit.interrupted:
        by = f"{fit.folds} of {asked.folds} folds, interrupted"
    if fit.chosen is not None and fit.chosen.leaves is not None:
        rule = "1-SE rule" if asked.rule == "1se" and fit.how == "cv" else "the best"
        return f"{size}, chosen by {by} ({rule})"
    if asked.algo is not None:
        return f"{size}, grown as {asked.algo} does; scores from {by}"
    if asked.max_leaves is None and asked.max_depth is None:
        few = f"{fit.problem.table.n_rows} rows are too few to choose a size"
        return f"{size}, grown in full: {few}; scores from {by}"
    return f"{size}, size as asked for; scores from {by}"


def _test_lines(tested: Any) -> list[str]:
    """The figures on rows kept apart, with their intervals."""
    first = ("ndcg", "ndcg_at_5", "rmse", "r2", "accuracy", "auc", "brier")
    parts = []
    for name in first:
        if name in tested:
            figure = tested[name]
            share = name == "accuracy"
            text = f"{figure.value:.1%}" if share else significant(figure.value, 4)
            low, high = (f"{100 * x:.1f}" if share else significant(x, 3) for x in (figure.low, figure.high))
            known = math.isfinite(figure.low)
            parts.append(
                f"{NAMES[name].lower() if share else NAMES[name]} {text}"
                + (f" ({low}–{high})" if known else "")
            )
    return [f"on {tested.n_rows:,} rows kept apart: {'   '.join(parts)}"]


def _error(fit: Fitted, name: str) -> str:
    """The standard error, where there is one: shares in points."""
    error = (fit.scores or {}).get(name)
    if error is None or not (fit.how in KNOWN_ERROR or isinstance(fit.tree, Ensemble)):
        return ""
    return f" ± {100 * error:.1f}" if name == "accuracy_error" else f" ± {significant(error, 2)}"


def _figures(fit: Fitted) -> list[str]:
    found = fit.scores or {}
    if "ndcg" in found:
        return [
            f"NDCG {found['ndcg']:.3f}{_error(fit, 'ndcg_error')}",
            f"{fit.baseline} {found['ndcg_of_any_order']:.3f}",
            *(f"{NAMES[name]} {found[name]:.3f}" for name in ("ndcg_at_1", "ndcg_at_5", "ndcg_at_10")),
        ]
    if "rmse" in found:
        return [
            f"RMSE {significant(found['rmse'], 4)}{_error(fit, 'rmse_error')}",
            f"{fit.baseline} {significant(found['rmse_of_mean'], 4)}",
            *([f"R² {found['r2']:.3f}"] if "r2" in found else []),
        ]
    figures = [
        f"accuracy {found['accuracy']:.1%}{_error(fit, 'accuracy_error')}",
        f"{fit.baseline} {found['largest_class']:.1%}",
    ]
    if "cost" in found:
        figures.insert(0, f"cost {significant(found['cost'], 3)} a row")
    names = {"auc": "AUC", "brier": "Brier"}
    return figures + [f"{names[key]} {found[key]:.3f}" for key in names if key in found]


def _compared(fit: Fitted, chosen: SizeScore) -> str:
    def text(score: SizeScore) -> str:
        if fit.problem.classes is None:
            return f"RMSE {significant(-score.mean, 4)}"
        costly = "cost" in (fit.scores or {})
        return f"cost {significant(-score.mean, 3)} a row" if costly else f"{score.mean:.1%}"

    texts = [text(fit.best), text(chosen)]
    return f"the same ({texts[0]})" if texts[0] == texts[1] else texts[0]


def warnings_of(fit: Fitted, ctx: click.Context) -> list[str]:
    """Columns that are not what they seem, and splits that ask whether a column is known rather than for
    its value; one for each column. A line each for what is wrong, as long as it is, and for what to do."""
    found: dict[str, str] = {}
    problem, types = fit.problem, parsed_types(ctx.params["types"])
    looked_at = ""
    if problem.table.n_rows > MOST_LOOKED_AT:
        # All rows of a large table would take longer than the tree.
        rows = np.linspace(0, problem.table.n_rows - 1, MOST_LOOKED_AT).astype(np.intp)
        problem, looked_at = problem.take(rows), f" ({MOST_LOOKED_AT:,} rows looked at)"
    for finding in check_table(problem.table, problem.y, problem.classes, problem.weights):
        if finding.column is not None and finding.code in ("comma", "mixed", "id", "leak"):
            asked = finding.code in ("comma", "mixed") and types.get(finding.column) == "category"
            if not asked:
                said = f"! {shown_name(finding.column)}: {finding.text}{looked_at}"
                found.setdefault(finding.column, f"{said}\n  {_mended(ctx, finding)}")
    for node in fit.tree.nodes() if isinstance(fit.tree, Tree) else ():
        if node.column is not None and 2 * node.n_missing > node.n_rows and node.column not in found:
            name = shown_name(node.column)
            found[node.column] = (
                f"! {name}: {node.n_missing:,} of the {node.n_rows:,} rows at this split are empty. "
                f"The split mostly asks whether {name} is known.\n  Try:  {_without(ctx, node.column)}"
            )
    return _no_split(fit, ctx) + list(found.values())


def _no_split(fit: Fitted, ctx: click.Context) -> list[str]:
    """Said where all of many trees are single leaves: the model answers every row alike."""
    if isinstance(fit.tree, Tree) or any(tree.n_leaves > 1 for tree in fit.tree.trees):
        return []
    from bough.estimators.many import NO_SPLIT, too_few_to_split

    few = too_few_to_split(fit.model, fit.problem.table.n_rows)
    told = f" {few}\n  Try:  {printable(command_line(ctx))} --min-leaf 1" if few else ""
    return [f"! {NO_SPLIT}{told}"]


def _mended(ctx: click.Context, finding: Finding) -> str:
    """What to do about it: a command where there is one."""
    assert finding.column is not None
    if finding.code == "comma":
        return finding.hint
    if finding.code != "mixed":
        return f"Try:  {_without(ctx, finding.column)}"
    if "," in finding.column or "=" in finding.column:  # which --types takes for signs of its own
        return finding.hint
    return printable(f"Try:  {command_line(ctx)} --types {shlex.quote(f'{finding.column}=number')}")


def _without(ctx: click.Context, column: str) -> str:
    """The command as it was given, with one column less."""
    return printable(f"{command_line(ctx)} --drop {shlex.quote(column)}")


def as_json(fit: Fitted, warnings: list[str], tested: Any, saved: list[str]) -> str:
    problem = fit.problem
    classes = problem.classes
    sizes = [{"leaves": s.leaves, "score": s.mean, "error": s.error} for s in fit.tried]
    whole = {
        "data": problem.source,
        "rows": problem.table.n_rows,
        "columns": list(problem.table.names),
        "target": problem.target,
        "task": "rank" if problem.ranks else "reg" if classes is None else "class",
        "classes": None if classes is None else _plainly(classes),
        "class_rows": None if classes is None else np.bincount(problem.y).tolist(),
        **_shape(fit.tree),
        **(_many(fit) if isinstance(fit.tree, Ensemble) else {}),
        "folds": fit.folds,
        "scored_by": SCORED.get(fit.how) if fit.scores else None,
        "scores": fit.scores or {},
        "sizes": sizes if fit.chosen is not None and fit.chosen.leaves is not None else [],
        "test": None if tested is None else tested.to_dict(),
        "digest": fit.tree.digest(),
        "notes": list(problem.notes),
        "warnings": warnings,
        "saved": saved,
        "interrupted": fit.interrupted,
    }
    return json.dumps(whole, allow_nan=False)


def _many(fit: Fitted) -> dict[str, Any]:
    """What matters most to many trees, and how they learned."""
    from bough.ensemble.learning import learning_of
    from bough.estimators.many import quick_importances

    found, learning = quick_importances(fit.model, fit.groups), learning_of(fit.model)
    lines = () if learning is None else learning.lines
    low, high = getattr(fit.model, "oob_interval_", (math.nan, math.nan))
    score = getattr(fit.model, "oob_score_", math.nan)  # also NaN where every tree has seen every row
    return {
        "out_of_bag": {"score": score, "low": low, "high": high} if math.isfinite(score) else None,
        "importance": found.method,
        "importances": dict(zip(found.names, found.values.tolist(), strict=True)),
        "curve": [{"name": line.name, "x": line.x.tolist(), "y": _known(line.y)} for line in lines],
    }


def _known(values: Any) -> list[float | None]:
    """JSON has no NaN: the first trees may have seen every row."""
    return [value if math.isfinite(value) else None for value in values.tolist()]


def _shape(model: Tree | Ensemble) -> dict[str, Any]:
    if isinstance(model, Ensemble):
        return {"trees": len(model), "leaves": sum(tree.n_leaves for tree in model)}
    nodes = [_node(node) for node in model.nodes()]
    return {"leaves": model.n_leaves, "depth": model.max_depth, "nodes": nodes}


def _plainly(values: Any) -> Any:
    """numpy's values as Python's."""
    return values.tolist() if hasattr(values, "tolist") else values


def _node(node: Node) -> dict[str, Any]:
    """The answer, and of a question its branches in the order of the children."""
    found: dict[str, Any] = {"id": node.id, "rows": node.n_rows, "answer": _plainly(node.prediction)}
    if node.tree.classes is not None:
        found["class_weights"] = node.value.tolist()
        found["share"] = node.share
    if node.column is not None:
        found |= {
            "column": node.column,
            "kind": node.kind,
            "threshold": node.threshold
            if node.kind == "threshold" and math.isfinite(node.threshold)
            else None,
            "branches": node.branches,
            "categories": node.categories,
            "children": [child.id for child in node.children],
            "missing_rows": node.n_missing,
            "missing_child": node.children[node.missing_child].id,
        }
    return found
