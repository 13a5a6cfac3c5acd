"""The report of a model: one HTML file with what it says, how good it is and what to check."""

from __future__ import annotations

import dataclasses
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from bough.data.ingest import to_table
from bough.data.target import weights as checked_weights
from bough.ensemble.ranking import Queries
from bough.errors import BoughError
from bough.evaluation.rank_figures import query_numbers
from bough.reporting import many_parts as many
from bough.reporting.closing import every_number, reproduce
from bough.reporting.columns_part import columns, missing, stability
from bough.reporting.doubts import doubts_of, doubts_of_many
from bough.reporting.facts import Asked, Facts, ManyFacts, TreeFacts, gather
from bough.reporting.markup import section, tag
from bough.reporting.opening import LOOKED, PARTS, check, header, summary
from bough.reporting.quality import quality, size_box
from bough.reporting.rows_part import rows_explained
from bough.reporting.rules_part import rules
from bough.store.files import write_atomically
from bough.tree import Ensemble, Tree
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
    test: tuple[Any, ...] | None = None,
    title: str = "",
    source: str = "",
    target: str = "",
    command: str = "",
    positive: Any = None,
    costs: Any = None,
    cv: Any = 10,
    groups: Any = None,
    group: Any = None,
    qid: Any = None,
    bootstrap: int = 100,
    random_state: int = 0,
    tree: int = 0,
) -> str:
    """Writes a report of a fitted tree, forest or boosted trees as one HTML file, and returns its text.

    The file needs no network and can be read without scripts; printed, it is A4 landscape.

    Parameters
    ----------
    model : a fitted estimator of bough; copies of it are fitted in folds and samples
    X, y : what it was fitted on
    path : the file; None: only the text is returned
    sample_weight : what it was fitted with
    test : X and y of rows that were held back; their figures stand beside the cross-validated ones
    title, source, target : the heading, where the data is from, and what the target is called
    command : what makes the report again, for its last part; None given: Python code is shown
    positive, costs, cv, groups, random_state : as in bough.evaluate
    group, qid : of a ranker, the queries that it was fitted with; `test` then is X, y and qid
    bootstrap : samples that tell how stable the first splits of a single tree are
    tree : of many trees, the number of the one that is drawn
    """
    learned = _learned(model, tree)
    _check_test(model, test)
    table = to_table(X, fields=learned.fields, owner="the report")
    queries = _queries(model, table.n_rows, group, qid, groups)
    weights = (
        checked_weights(sample_weight, table.n_rows)
        if queries is None
        else queries.row_weights(sample_weight)
    )
    name = target or str(getattr(y, "name", None) or "target")
    asked = Asked(
        title,
        source,
        name,
        command,
        positive,
        costs,
        cv,
        groups,
        bootstrap,
        random_state,
        test,
        tree,
        None if queries is None else queries.number,
    )
    if weights is not None and not weights.all():
        kept = np.flatnonzero(weights > 0)
        table, weights, y = table.take(kept), weights[kept], np.asarray(y)[kept]
        groups, numbers = (None if a is None else np.asarray(a)[kept] for a in (groups, asked.queries))
        asked = dataclasses.replace(asked, groups=groups, queries=numbers)
    facts = gather(model, table, y, weights, asked)
    text = many_page(facts) if isinstance(facts, ManyFacts) else report_page(facts)
    if path is not None:
        write_atomically(path, text.encode())
    return text


def _learned(model: Any, tree: int) -> Tree | Ensemble:
    """What the report is about, or an error that says why there is none."""
    found: Tree | Ensemble | None = getattr(model, "tree_", None) or getattr(model, "ensemble_", None)
    name = type(model).__name__
    if found is None:
        known = hasattr(model, "predicts")
        raise BoughError(
            f"a report is about fitted trees, and {name} has none.",
            code="model",
            hint="Fit it first." if known else "Use bough.evaluate for other models.",
        )
    count = len(found) if isinstance(found, Ensemble) else 1
    if not isinstance(tree, int) or not 0 <= tree < count:
        raise BoughError(
            f"tree={tree!r} is not possible.",
            code="parameter",
            hint=f"tree is a number from 0 to {count - 1}.",
        )
    return found


def _check_test(model: Any, test: Any) -> None:
    """Rows that were held back: X and y, of a ranker also their queries."""
    names = ("X", "y", "qid") if model.predicts == "queries" else ("X", "y")
    if test is not None and (not isinstance(test, tuple | list) or len(test) != len(names)):
        what = f"{len(test)} items" if isinstance(test, tuple | list) else f"a {type(test).__name__}"
        form = f"test=({', '.join(names)})"
        raise BoughError(
            f"test is {what}, and of {type(model).__name__} it is {form}.",
            code="parameter",
            hint=f"Give rows that were held back: {form}, and of a ranker test=(X, y, qid)."
            if len(names) == 2
            else f"Give the query of each row that was held back, too: {form}.",
        )


def _queries(model: Any, n_rows: int, group: Any, qid: Any, groups: Any) -> Queries | None:
    """Of the rows that a ranker puts in order."""
    ranks = model.predicts == "queries"
    if query_numbers(n_rows, group, qid, groups) is None:
        return None  # of a ranker, the evaluation asks for them
    if not ranks:
        raise BoughError(
            f"group and qid are the queries of a ranker, and {type(model).__name__} ranks no rows.",
            code="parameter",
            hint="To keep rows together in folds:  groups=",
        )
    return Queries.of(n_rows, group, qid)


def many_page(facts: ManyFacts) -> str:
    """The parts of many trees."""
    parts = [
        many.summary(facts),
        check(doubts_of_many(facts), many.LOOKED),
        many.parameters(facts),
        quality(facts, *many.curves(facts)),
        many.columns_and_shap(facts),
        "" if facts.ranks else rows_explained(facts),
        many.one_tree(facts),
        many.missing(facts),
        reproduce(facts),
    ]
    named = {part: text for part, text in many.PARTS.items() if part != "rows" or not facts.ranks}
    return _page(facts, header(facts, named) + tag("main", *parts))


def report_page(facts: TreeFacts) -> str:
    """The parts of one tree."""
    rows = facts.problem if facts.problem.weights is None else None
    positive = (
        facts.asked.positive if facts.classes is not None and facts.classes.positive is not None else None
    )
    # Cards, so that the whole tree is seen at once; the picture itself chooses for larger trees.
    detail = "card" if facts.tree.n_leaves <= LEVELS["card"] else None
    picture = make_picture(facts.tree, rows, live=True, positive=positive, detail=detail)
    parts = [
        summary(facts),
        check(doubts_of(facts), LOOKED),
        section("tree", "Tree", tree_section(picture)),
        rules(facts),
        quality(facts, *size_box(facts)),
        columns(facts),
        missing(facts),
        stability(facts),
        every_number(facts),
        reproduce(facts),
    ]
    return _page(facts, header(facts, PARTS) + tag("main", *parts))


def _page(facts: Facts, body: str) -> str:
    title = facts.asked.title or f"{facts.asked.target}: {facts.heading}"
    n_classes = 0 if facts.learned.classes is None else len(facts.learned.classes)
    return page(
        title, body, n_classes=n_classes, more_css=_static("report.css"), more_script=_static("report.js")
    )


@cache
def _static(name: str) -> str:
    return (files("bough.reporting") / name).read_text(encoding="utf-8")
