"""The plain-Python CART against the figures that rpart printed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import pytest
from reference.cart import LEFT, RIGHT, Cart, Node, nodes, pruning_sequence, reach
from reference.surrogates import Split

from golden.rpart_cases import NAMES, OTHER_SPLIT, ROUNDED, Run, load, printed_splits


@dataclass(frozen=True)
class Case:
    run: Run
    cart: Cart
    root: Node

    @property
    def nodes(self) -> list[Node]:
        return list(nodes(self.root))


@cache
def case_of(name: str, usesurrogate: int = 2) -> Case:
    run = load(name)
    control = replace(run.problem.control, usesurrogate=usesurrogate)
    cart = Cart(replace(run.problem, control=control))
    return Case(run, cart, cart.grow())


@pytest.fixture(params=NAMES)
def case(request: pytest.FixtureRequest) -> Case:
    return case_of(request.param)


def close(expected: Any) -> Any:
    return pytest.approx(expected, rel=1e-12, abs=1e-12)


def floats(numbers: Any) -> list[float]:
    return [float(x) for x in numbers]


def test_frame(case: Case) -> None:
    frame, grown = case.run.figures["frame"], case.nodes
    assert [n.number for n in grown] == frame["node"]
    assert [len(n.rows) for n in grown] == frame["n"]
    assert floats(n.weight for n in grown) == close(frame["wt"])
    assert floats(n.risk for n in grown) == close(frame["dev"])
    assert floats(n.complexity for n in grown) == close(frame["complexity"])
    assert [max(0, len(n.splits) - 1) for n in grown] == frame["ncompete"]
    if case.cart.k:
        assert [n.answer + 1 for n in grown] == frame["yval"]
        printed = [row[1:-1] for row in case.run.figures["yval2"]]
        assert [floats([*n.classes, *n.shares]) for n in grown] == [close(row) for row in printed]
    else:
        assert floats(n.answer for n in grown) == close(frame["yval"])


def parts_alike(case: Case, node: Node, mine: Split, printed: Split) -> bool:
    """The same rows on the same sides, whether or not a cut of levels lies halfway between present ones."""
    values = case.cart.problem.columns[mine.column].values
    return mine.column == printed.column and all(
        mine.side(values[i]) == printed.side(values[i]) for i in node.rows
    )


def improvement_of(case: Case, node: Node, split: Split) -> Any:
    values = case.cart.problem.columns[split.column].values
    left, right = (
        case.cart.group(i for i in node.rows if split.side(values[i]) == side) for side in (LEFT, RIGHT)
    )
    return case.cart.improvement(left, right, node.risk)


def same(case: Case, node: Node, mine: Split, printed: Split) -> None:
    assert parts_alike(case, node, mine, printed)
    assert mine.sides == printed.sides
    assert mine.count == printed.count
    assert floats([mine.improve, mine.adjusted]) == close([printed.improve, printed.adjusted])
    if case.run.problem.columns[mine.column].name not in case.run.figures["xlevels"]:
        assert mine.cut == pytest.approx(printed.cut, rel=1e-14, nan_ok=True)


def test_splits_competitors_and_surrogates(case: Case) -> None:
    printed = printed_splits(case.run)
    for node, n_surrogates in zip(case.nodes, case.run.figures["frame"]["nsurrogate"], strict=True):
        primary, printed = printed[: len(node.splits)], printed[len(node.splits) :]
        surrogates, printed = printed[:n_surrogates], printed[n_surrogates:]
        for mine, other in zip(node.splits, primary, strict=True):
            if node.number in ROUNDED.get(case.run.name, ()):
                assert improvement_of(case, node, other) == mine.improve
                assert other.improve == close(float(mine.improve))
            else:
                same(case, node, mine, other)
        if (case.run.name, node.number) != OTHER_SPLIT:
            assert len(node.surrogates) == n_surrogates
            for mine, other in zip(node.surrogates, surrogates, strict=True):
                same(case, node, mine, other)
    assert printed == []


def test_pruning(case: Case) -> None:
    table, cp = case.run.figures["cptable"], case.run.figures["control"]["cp"]
    sequence = pruning_sequence(case.root, cp)
    assert floats(row[0] for row in sequence) == close(table["CP"])
    assert [row[1] for row in sequence] == table["nsplit"]
    assert floats(row[2] for row in sequence) == close(table["rel error"])
    for row, pruned in zip(sequence, case.run.figures["pruned_at_cp"], strict=True):
        assert float(row[0]) == close(pruned["cp"])
        assert [n.number for n in nodes(case.root, row[0])] == pruned["nodes"]


def rows_compared(case: Case, n: int) -> list[int]:
    lost = [node.rows for node in case.nodes if (case.run.name, node.number) == OTHER_SPLIT]
    return [i for i in range(n) if not any(i in rows for rows in lost)]


def answers(case: Case, columns: list[Any], usesurrogate: int, rows: list[int]) -> list[list[float]]:
    reached = (reach(case.root, [c.values[i] for c in columns], usesurrogate) for i in rows)
    return [floats(n.shares or [n.answer]) for n in reached]


def test_training_rows(case: Case) -> None:
    printed = case.run.figures["train_pred"]
    columns = case.cart.problem.columns
    rows = rows_compared(case, len(printed["index"]))
    expected = [close(printed["values"][printed["index"][i]]) for i in rows]
    assert answers(case, columns, 2, rows) == expected
    for i, position in zip(case.cart.rows, case.run.figures["where"], strict=True):
        if i in rows:
            assert reach(case.root, [c.values[i] for c in columns]) is case.nodes[position - 1]


@pytest.mark.parametrize("usesurrogate", [0, 1, 2])
@pytest.mark.parametrize("name", [name for name in NAMES if "newdata" in load(name).figures])
def test_rows_with_missing_values(name: str, usesurrogate: int) -> None:
    case = case_of(name, usesurrogate)
    columns = case.run.columns_of(case.run.figures["newdata"])
    printed = case.run.figures[f"newdata_pred_usesurrogate{usesurrogate}"]
    expected = [close(printed["values"][k]) for k in printed["index"]]
    assert answers(case, columns, usesurrogate, list(range(len(expected)))) == expected
