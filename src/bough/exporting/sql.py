"""Export to SQL: one query of plain CASE; each test is of a branch that missing values do not take."""

from __future__ import annotations

from collections.abc import Callable

from bough.exporting.plan import ABOVE, AT_MOST, IN, Plan, PlannedTree, Test
from bough.exporting.sql_words import Dialect, dialect_of
from bough.tree.condition import SPREAD, STAY

TABLE = "{table}"  # what the user puts the name of a table for
STEP = 40  # trees in one sum: databases limit the depth of expressions
Say = Callable[[int], str]  # what a node answers, as an expression


def write(plan: Plan, dialect: str = "duckdb", table: str = TABLE) -> str:
    plan.check("SQL", median=False)
    return _Query(plan, dialect_of(dialect)).text(table)


class _Query:
    def __init__(self, plan: Plan, dialect: Dialect) -> None:
        self.plan, self.dialect = plan, dialect
        self.names = [dialect.name_of(f.name) for f in plan.fields]
        taken = {f.name.lower() for f in plan.fields}
        self.prediction = self._free("prediction", taken)
        self.shares = self._share_names(taken)
        self.sums = [self._free(f"bough_sum_{k}", taken) for k in range(plan.n_outputs)]

    def _free(self, name: str, taken: set[str]) -> str:
        while name in taken:
            name = f"bough_{name}"
        taken.add(name)
        return self.dialect.name_of(name) if name != "prediction" else name

    def _share_names(self, taken: set[str]) -> list[str]:
        """p_<class>, or numbers where the names of classes are no names of columns."""
        names = [f"p_{label}" for label in self.plan.classes or []]
        lower = {name.lower() for name in names}
        odd = (
            len(lower) < len(names)
            or lower & taken
            or any(len(n.encode("utf-8", "replace")) > 60 for n in names)
        )
        if odd or any(ord(c) < 32 or 0xD800 <= ord(c) < 0xE000 for name in names for c in name):
            return [self._free(f"p_{k}", taken) for k in range(len(names))]
        taken |= lower
        return [self.dialect.name_of(name) for name in names]

    def text(self, table: str) -> str:
        plan = self.plan
        if plan.combine == "tree" and not plan.spreads:
            return self._select("*", self._tree_columns(), table)
        if plan.combine == "tree":
            inner = self._select("*", [(self._plain(k), self.sums[k]) for k in range(plan.n_outputs)], table)
        else:
            inner = self._summed(table)
        return self._answered(inner)

    def _plain(self, k: int) -> str:
        planned = self.plan.trees[0]
        return self.expression(planned, 0, lambda node: self.dialect.number(planned.values(node)[k]))

    def _tree_columns(self) -> list[tuple[str, str]]:
        plan, planned = self.plan, self.plan.trees[0]
        if plan.classes is None:
            return [(self._plain(0), self.prediction)]
        labels = [self.dialect.label(label) for label in plan.classes]
        answer = self.expression(planned, 0, lambda node: labels[planned.answers[node]])
        return [(answer, self.prediction), *((self._plain(k), p) for k, p in enumerate(self.shares))]

    def _summed(self, table: str) -> str:
        """The sums over trees, some trees at a time, in their order."""
        plan, text = self.plan, table
        start = plan.base if plan.combine == "sum" else [0.0] * plan.n_outputs
        so_far = [self.dialect.number(value) for value in start]
        for step, first in enumerate(range(0, len(plan.trees), STEP)):
            columns = []
            for k in range(plan.n_outputs):
                parts = [
                    self._term(i, k)
                    for i in range(first, min(first + STEP, len(plan.trees)))
                    if plan.combine != "sum" or plan.output[i] == k
                ]
                name = self._step_name(k, step, first)
                columns.append((" +\n    ".join([so_far[k], *parts]), name))
                so_far[k] = name
            source = text if step == 0 else f"(\n{text}\n) AS bough_{step}"
            text = self._select("*", columns, source)
        return text

    def _step_name(self, k: int, step: int, first: int) -> str:
        last = first + STEP >= len(self.plan.trees)
        return self.sums[k] if last else f"bough_part_{k}_{step}"

    def _term(self, tree: int, k: int) -> str:
        plan, planned = self.plan, self.plan.trees[tree]
        place = 0 if plan.combine == "sum" else k
        said = self.expression(planned, 0, lambda node: self.dialect.number(plan.said(tree, node)[place]))
        return f"{self.dialect.number(plan.weights[tree])} * {said}"

    def _answered(self, inner: str) -> str:
        """From sums to shares and to the answer."""
        plan, number = self.plan, self.dialect.number
        if plan.classes is None:
            value = f"{self.sums[0]} / {number(plan.total)}" if plan.combine == "mean" else self.sums[0]
            if plan.link == "exp":
                value = f"EXP({value})"
            return self._select("*", [(value, self.prediction)], f"(\n{inner}\n) AS bough_trees")
        text = self._select("*", self._linked(), f"(\n{inner}\n) AS bough_trees")
        return self._select("*", [(self._decided(), self.prediction)], f"(\n{text}\n) AS bough_shares")

    def _linked(self) -> list[tuple[str, str]]:
        plan, number = self.plan, self.dialect.number
        if plan.link == "logistic":
            z = self.sums[0]
            # Some databases stop at numbers that are too small or too large for EXP.
            second = f"CASE WHEN {z} < -700 THEN {number(0.0)} WHEN {z} > 700 THEN {number(1.0)} "
            second += f"ELSE 1 / (1 + EXP(-{z})) END"
            return [(f"1 - ({second})", self.shares[0]), (second, self.shares[1])]
        if plan.link == "softmax":
            most = f"{self.dialect.largest}({', '.join(self.sums)})" if len(self.sums) > 1 else self.sums[0]
            powers = [
                f"CASE WHEN {z} - {most} < -700 THEN {number(0.0)} ELSE EXP({z} - {most}) END"
                for z in self.sums
            ]
            total = " + ".join(f"({power})" for power in powers)
            return [(f"({power}) / ({total})", p) for power, p in zip(powers, self.shares, strict=True)]
        return [(f"{z} / {number(plan.total)}", p) for z, p in zip(self.sums, self.shares, strict=True)]

    def _decided(self) -> str:
        """The first class with the largest share, or with the least expected cost."""
        plan = self.plan
        assert plan.classes is not None
        labels = [self.dialect.label(label) for label in plan.classes]
        if plan.costs is None:
            scores, sign = self.shares, ">="
        else:
            columns = zip(*plan.costs, strict=True)
            scores = [
                "("
                + " + ".join(
                    f"{p} * {self.dialect.number(c)}" for p, c in zip(self.shares, column, strict=True)
                )
                + ")"
                for column in columns
            ]
            sign = "<= 1.000000000001 *"
        cases = []
        for k, label in enumerate(labels[:-1]):
            tests = " AND ".join(f"{scores[k]} {sign} {other}" for j, other in enumerate(scores) if j != k)
            cases.append(f"WHEN {tests} THEN {label}")
        return f"CASE {' '.join(cases)} ELSE {labels[-1]} END" if cases else labels[0]

    def _select(self, first: str, columns: list[tuple[str, str]], source: str) -> str:
        listed = ",\n  ".join(f"{expression} AS {name}" for expression, name in columns)
        return f"SELECT {first},\n  {listed}\nFROM {source}"

    def expression(self, planned: PlannedTree, node: int, say: Say, depth: int = 1) -> str:
        if node not in planned.ways:
            return say(node)
        ways = planned.ways[node]
        pad = "\n" + "  " * (depth + 1)
        if ways.rest == SPREAD:
            return self._mixture(planned, node, say, depth)
        below = {
            to: self.expression(planned, planned.child(node, to), say, depth + 1)
            for to in {*(child for _, child in ways.tests), *({ways.rest} - {STAY})}
        }
        rest = say(node) if ways.rest == STAY else below[ways.rest]
        if not ways.tests:
            return rest
        if not ways.repeats:
            cases = [f"WHEN {self.test(test)} THEN {below[to]}" for test, to in ways.tests]
            return f"CASE {pad.join(cases)}{pad}ELSE {rest} END"
        # Surrogates: the branch is found first, so that no branch is written twice.
        tests = [f"WHEN {self.test(test)} THEN {to}" for test, to in ways.tests]
        chosen = f"CASE {' '.join(tests)} ELSE {ways.rest} END"
        cases = [f"WHEN {to} THEN {text}" for to, text in sorted(below.items()) if to != ways.rest]
        return f"CASE {chosen}{pad}{pad.join(cases)}{pad}ELSE {rest} END"

    def _mixture(self, planned: PlannedTree, node: int, say: Say, depth: int) -> str:
        """Each branch times its part of the row: 1 or 0 where the value is known."""
        ways, parts = planned.ways[node], []
        for child, share in enumerate(planned.shares(node)):
            tests = [f"WHEN {self.test(test)} THEN {1 if to == child else 0}" for test, to in ways.tests]
            known = any(to == child for _, to in ways.tests)
            if share == 0 and not known:
                continue
            part = f"CASE {' '.join(tests)} ELSE {self.dialect.number(share)} END"
            parts.append(f"({part}) * {self.expression(planned, planned.child(node, child), say, depth + 1)}")
        pad = "\n" + "  " * (depth + 1)
        return f"({f' +{pad}'.join(parts)})"

    def test(self, test: Test) -> str:
        name, field = self.names[test.column], self.plan.fields[test.column]
        if test.way in (AT_MOST, ABOVE):
            if field.kind != "datetime":
                sign = "<=" if test.way == AT_MOST else ">"
                return f"{name} {sign} {self.dialect.number(test.threshold)}"
            if self.dialect.moments_as_text:
                return (
                    f"{name} {'<' if test.way == AT_MOST else '>='} {self.dialect.time(test.threshold + 1)}"
                )
            return f"{name} {'<=' if test.way == AT_MOST else '>'} {self.dialect.time(test.threshold)}"
        if test.way != IN or (field.kind == "boolean" and len(test.members) == 2):
            return f"{name} IS NOT NULL"
        if field.kind == "boolean":
            return f"{name} = {'TRUE' if test.members[0] else 'FALSE'}"
        texts = [self.dialect.text(field.categories[c]) for c in test.members]
        exact = self.dialect.exact_text(name)
        return f"{exact} = {texts[0]}" if len(texts) == 1 else f"{exact} IN ({', '.join(texts)})"
