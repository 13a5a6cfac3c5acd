"""What `bough fit` prints: the header, the tree, the scores, warnings; or all of it as one JSON object."""

from __future__ import annotations

import json
import math
import shlex
from typing import TYPE_CHECKING, Any, TextIO

import click
import numpy as np

from bough.cli.common import command_line
from bough.data.objects import label
from bough.evaluation.checks import check_table
from bough.evaluation.sizes import LADDER
from bough.tree.text import ascii_text, box_text, display_width, padded, printable, shown_name, significant

if TYPE_CHECKING:
    from bough.cli.fit import Asked
    from bough.cli.fitted import Fitted
    from bough.tree import Node

MOST_CLASSES = 6  # named in the header
SIGNS = "├└│─≤→⚠…±·²"


def cannot_draw(stream: TextIO) -> bool:
    """Whether the stream's encoding lacks the signs of the drawing."""
    try:
        SIGNS.encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return True
    return False


def as_text(fit: Fitted, asked: Asked, *, plain: bool) -> str:
    tree = box_text(fit.tree, plain=plain)
    if asked.quiet:
        return tree
    write = ascii_text if plain else str
    return "\n".join([*map(write, _header(fit)), "", tree, "", *map(write, _verdict(fit, asked))])


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
        return f"numbers from {low} to {high}, mean {mean}"
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
    """How the size came about, and how good the tree is."""
    leaves = "1 leaf" if fit.tree.n_leaves == 1 else f"{fit.tree.n_leaves:,} leaves"
    if not fit.folds:
        rare = "2 rows" if fit.problem.classes is None else "2 rows of each of two classes"
        return [f"{leaves}; not scored: cross-validation needs at least {rare}"]
    by = f"{fit.folds}-fold cross-validation"
    if fit.chosen.leaves is not None:
        lines = [f"{leaves}, chosen by {by} (1-SE rule)"]
    elif asked.max_leaves is None and asked.max_depth is None:
        few = f"{fit.problem.table.n_rows} rows are too few to choose a size"
        lines = [f"{leaves}, grown in full: {few}; scores from {by}"]
    else:
        lines = [f"{leaves}, size as asked for; scores from {by}"]
    if fit.folds < asked.folds:
        who = "there are" if fit.problem.classes is None else "a class has"
        lines.append(f"{fit.folds} folds instead of {asked.folds}, because {who} only {fit.folds} rows")
    lines.append("   ".join(_figures(fit)))
    if LADDER[-1] in (fit.chosen.leaves, fit.best.leaves):
        lines.append(f"No larger size was tried; to try one:  --max-leaves {2 * LADDER[-1]}")
    if fit.best.leaves != fit.chosen.leaves:
        lines.append(f"A tree of {fit.best.leaves} leaves scores {_compared(fit)}.")
    if fit.tree.n_leaves == 1 and fit.chosen.leaves is not None:
        lines.append("No larger tree scores clearly better. To see one all the same:  --max-leaves 4")
    return lines


def _figures(fit: Fitted) -> list[str]:
    found = fit.scores
    if "rmse" in found:
        error = significant(found["rmse_error"], 2)
        return [
            f"RMSE {significant(found['rmse'], 4)} ± {error}",
            f"always the mean {significant(found['rmse_of_mean'], 4)}",
            f"R² {found['r2']:.3f}",
        ]
    root = fit.tree.root
    figures = [
        f"accuracy {found['accuracy']:.1%} ± {100 * found['accuracy_error']:.1f}",
        f'always "{shown_name(label(root.prediction))}" {found["largest_class"]:.1%}',
    ]
    names = {"auc": "AUC", "brier": "Brier"}
    return figures + [f"{names[key]} {found[key]:.3f}" for key in names if key in found]


def _compared(fit: Fitted) -> str:
    texts = [
        f"RMSE {significant(-s.mean, 4)}" if fit.problem.classes is None else f"{s.mean:.1%}"
        for s in (fit.best, fit.chosen)
    ]
    return f"the same ({texts[0]})" if texts[0] == texts[1] else texts[0]


def warnings_of(fit: Fitted, ctx: click.Context) -> list[str]:
    """Columns that are not what they seem, and splits that ask whether a column is known rather than for
    its value; one for each column."""
    found: dict[str, str] = {}
    problem = fit.problem
    for finding in check_table(problem.table, problem.y, problem.classes, problem.weights):
        if finding.column is not None and finding.code in ("mixed", "id", "leak"):
            name, command = shown_name(finding.column), _without(ctx, finding.column)
            found.setdefault(finding.column, f"! {name}: {finding.text}\n  Try:  {command}")
    for node in fit.tree.nodes():
        if node.column is not None and 2 * node.n_missing > node.n_rows and node.column not in found:
            name = shown_name(node.column)
            found[node.column] = (
                f"! {name}: {node.n_missing:,} of the {node.n_rows:,} rows at this split are empty. "
                f"The split mostly asks\n"
                f'  "is {name} known?". Try:  {_without(ctx, node.column)}'
            )
    return list(found.values())


def _without(ctx: click.Context, column: str) -> str:
    """The command as it was given, with one column less."""
    return printable(f"{command_line(ctx)} --drop {shlex.quote(column)}")


def as_json(fit: Fitted, warnings: list[str]) -> str:
    problem = fit.problem
    classes = problem.classes
    sizes = [{"leaves": s.leaves, "score": s.mean, "error": s.error} for s in fit.tried]
    whole = {
        "data": problem.source,
        "rows": problem.table.n_rows,
        "columns": list(problem.table.names),
        "target": problem.target,
        "task": "reg" if classes is None else "class",
        "classes": None if classes is None else _plainly(classes),
        "class_rows": None if classes is None else np.bincount(problem.y).tolist(),
        "leaves": fit.tree.n_leaves,
        "depth": fit.tree.max_depth,
        "folds": fit.folds,
        "scores": fit.scores,
        "sizes": sizes if fit.tried and fit.chosen.leaves is not None else [],
        "digest": fit.tree.digest(),
        "nodes": [_node(node) for node in fit.tree.nodes()],
        "notes": list(problem.notes),
        "warnings": warnings,
    }
    return json.dumps(whole, allow_nan=False)


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
