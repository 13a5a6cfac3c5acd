"""The report of a tree: one HTML file with what it says, how good it is and what to check."""

from __future__ import annotations

import dataclasses
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from bough.data.ingest import to_table
from bough.data.target import weights as checked_weights
from bough.errors import BoughError
from bough.reporting.closing import every_number, reproduce
from bough.reporting.columns_part import columns, missing, stability
from bough.reporting.doubts import doubts_of
from bough.reporting.facts import Asked, Facts, gather
from bough.reporting.markup import section, tag
from bough.reporting.opening import check, header, summary
from bough.reporting.quality import quality
from bough.reporting.rules_part import rules
from bough.view.html import page, tree_section
from bough.view.picture import make_picture
from bough.view.visible import LEVELS


def report(
    model: Any,
    X: Any,
    y: Any,
    path: Any = None,
    *,
    sample_weight: Any = None,
    test: tuple[Any, Any] | None = None,
    title: str = "",
    source: str = "",
    target: str = "",
    command: str = "",
    positive: Any = None,
    costs: Any = None,
    cv: Any = 10,
    groups: Any = None,
    bootstrap: int = 100,
    random_state: int = 0,
) -> str:
    """Writes a report of a fitted tree as one HTML file, and returns its text.

    The file needs no network and can be read without scripts; printed, it is A4 landscape.

    Parameters
    ----------
    model : a fitted tree estimator of bough; copies of it are fitted in folds and samples
    X, y : what it was fitted on
    path : the file; None: only the text is returned
    sample_weight : what it was fitted with
    test : X and y of rows that were held back; their figures stand beside the cross-validated ones
    title, source, target : the heading, where the data is from, and what the target is called
    command : what makes the report again, for its last part; None given: Python code is shown
    positive, costs, cv, groups, random_state : as in bough.evaluate
    bootstrap : samples that tell how stable the first splits are
    """
    if not hasattr(model, "tree_"):
        fitted = hasattr(model, "fit") and not hasattr(model, "ensemble_")
        raise BoughError(
            f"a report is about one fitted tree, and {type(model).__name__} has none.",
            code="model",
            hint="Fit it first." if fitted else "Use bough.evaluate for other models.",
        )
    table = to_table(X, fields=model.tree_.fields, owner="the report")
    weights = checked_weights(sample_weight, table.n_rows)
    name = target or str(getattr(y, "name", None) or "target")
    asked = Asked(title, source, name, command, positive, costs, cv, groups, bootstrap, random_state, test)
    if weights is not None and not weights.all():
        kept = np.flatnonzero(weights > 0)
        table, weights, y = table.take(kept), weights[kept], np.asarray(y)[kept]
        asked = dataclasses.replace(asked, groups=None if groups is None else np.asarray(groups)[kept])
    text = report_page(gather(model, table, y, weights, asked))
    if path is not None:
        Path(path).write_text(text, encoding="utf-8")
    return text


def report_page(facts: Facts) -> str:
    """All parts in their order."""
    rows = facts.problem if facts.problem.weights is None else None
    positive = (
        facts.asked.positive if facts.classes is not None and facts.classes.positive is not None else None
    )
    # Cards, so that the whole tree is seen at once; the picture itself chooses for larger trees.
    detail = "card" if facts.tree.n_leaves <= LEVELS["card"] else None
    picture = make_picture(facts.tree, rows, live=True, positive=positive, detail=detail)
    doubts = doubts_of(facts)
    parts = [
        summary(facts),
        check(facts, doubts),
        section("tree", "Tree", tree_section(picture)),
        rules(facts),
        quality(facts),
        columns(facts),
        missing(facts),
        stability(facts),
        every_number(facts),
        reproduce(facts),
    ]
    body = header(facts) + tag("main", *parts)
    title = facts.asked.title or f"{facts.asked.target}: a tree with {facts.tree.n_leaves} leaves"
    n_classes = 0 if facts.tree.classes is None else len(facts.tree.classes)
    return page(
        title, body, n_classes=n_classes, more_css=_static("report.css"), more_script=_static("report.js")
    )


@cache
def _static(name: str) -> str:
    return (files("bough.reporting") / name).read_text(encoding="utf-8")
