"""The verb `check`: what looks wrong in a table before a tree is grown from it."""

from __future__ import annotations

import json
from typing import Any

import click
import numpy as np

from bough.cli.common import ascii_signs, common_options, output_options, plainly
from bough.cli.problem import TASKS, Problem, make_problem
from bough.cli.source import column_list, read_source
from bough.data.objects import label
from bough.data.table import Column, Table
from bough.errors import BoughError
from bough.tree.text import shown_name, significant

MOST_SHOWN = 3  # values of a column


@click.command()
@click.argument("data")
@click.option("-t", "--target", metavar="COL", help="The column to predict; demo tables know theirs.")
@click.option("--task", type=click.Choice(TASKS), default="auto", show_default=True)
@click.option("--drop", multiple=True, metavar="COL", help="Columns to leave out: --drop a --drop b,c")
@click.option("--strict", is_flag=True, help="Exit with 4 if there is a warning.")
@output_options
@common_options
def check(data: str, target: str | None, task: str, drop: tuple[str, ...], **options: Any) -> None:
    """Look at the columns of DATA: types, empty cells, ids, leaks, duplicates.

    Without a target only the columns are looked at.
    """
    from bough.evaluation.checks import check_table

    source = read_source(data, drop)
    aim = target or source.target
    problem: Problem | None = None
    if aim is None:
        unwanted = column_list(source, drop)
        columns = tuple(c for c in source.table.columns if c.field.name not in unwanted)
        table = Table(columns, source.table.n_rows)
        findings = check_table(table)
    else:
        problem = make_problem(source, aim, task=task, drop=drop, drop_missing_target=True)
        table = problem.table
        findings = check_table(table, problem.y, problem.classes)
    if options["as_json"]:
        described = [_described(column) for column in table.columns]
        whole = {"data": source.name, "rows": table.n_rows, "target": aim, "columns": described}
        click.echo(json.dumps(whole | {"findings": [f.as_dict() for f in findings]}, allow_nan=False))
    else:
        text = "\n".join(_lines(source.name, table, problem, findings))
        click.echo(ascii_signs(text) if plainly() else text)
    warnings = [f for f in findings if f.level == "warning"]
    if options["strict"] and warnings:
        raise BoughError(
            f"{len(warnings)} warning{'' if len(warnings) == 1 else 's'} in {source.name}.",
            code="verify",
            hint="Mend the table, or leave columns out with --drop.",
        )


def _described(column: Column) -> dict[str, Any]:
    known = column.values[~np.isnan(column.values)]
    return {
        "name": column.field.name,
        "kind": column.field.kind,
        "empty": int(column.values.size - known.size),
        "different": len(np.unique(known)),
    }


def _lines(name: str, table: Table, problem: Problem | None, findings: list[Any]) -> list[str]:
    from bough.evaluation.words import aligned

    cells = [
        [shown_name(str(d["name"])), str(d["kind"]), f"{d['empty']:,}", f"{d['different']:,}", _values(c)]
        for c in table.columns
        for d in [_described(c)]
    ]
    head = ["column", "kind", "empty", "different", "values"]
    body = aligned(head[:4], [line[:4] for line in cells], left=2).split("\n")
    shown = [
        f"{line:<{max(map(len, body))}}  {values}"
        for line, values in zip(body, ["values", *(c[4] for c in cells)], strict=True)
    ]
    about = "" if problem is None else f", target {shown_name(problem.target)}"
    out = [f"{shown_name(name)}  {table.n_rows:,} rows, {len(table.columns)} columns{about}", ""]
    out += [line.rstrip() for line in shown]
    out += list(problem.notes) if problem is not None else []
    out.append("")
    for finding in findings:
        about = "" if finding.column is None else f"{shown_name(finding.column)}: "
        sign = "!" if finding.level == "warning" else "·"
        out.append(f"{sign} {about}{' '.join(finding.text.split())}")
        out.append(f"  {finding.hint}")
    return out if findings else [*out, "nothing looks wrong"]


def _values(column: Column) -> str:
    known = column.values[~np.isnan(column.values)]
    if not known.size:
        return ""
    if column.field.kind == "datetime":
        low, high = (str(np.datetime64(int(x), "us"))[:10] for x in (known.min(), known.max()))
        return f"{low} to {high}"
    if not column.field.categories:
        return f"{significant(float(known.min()), 4)} to {significant(float(known.max()), 4)}"
    codes, counts = np.unique(known.astype(np.int64), return_counts=True)
    order = np.argsort(-counts, kind="stable")[:MOST_SHOWN]
    listed = [f"{_short(column.field.categories[codes[i]])} {counts[i]:,}" for i in order]
    return ", ".join(listed) + (f" + {len(codes) - MOST_SHOWN:,} more" if len(codes) > MOST_SHOWN else "")


def _short(name: str) -> str:
    text = shown_name(label(name))
    return text if len(text) <= 20 else text[:19] + "…"
