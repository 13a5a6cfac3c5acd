"""A tree step by step: the numbers of every question in the order in which they are asked, and its leaves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bough.errors import BoughError
from bough.explain.numbers import NodeNumbers
from bough.explain.splits import Grown, explain_split
from bough.explain.why import unit
from bough.explain.words import check_form
from bough.tree.text import box_text
from bough.tree.tree import Tree

MOST_STEPS = 60  # questions of a lesson, the first ones; a page of more is not read
TOLERANCE = 1e-3  # of an answer in a quiz, absolute or relative


@dataclass(frozen=True)
class Question:
    """Something to find out. `value`: the number, or None where the answer is a word."""

    text: str
    answer: str
    value: float | None = None

    def right(self, typed: str) -> bool:
        """Whether this answers it; numbers to the tolerance."""
        given = typed.strip().replace(",", ".").replace("−", "-")
        if self.value is None:
            return given.casefold() == self.answer.strip().replace(",", ".").casefold()
        try:
            number = float(given)
        except ValueError:
            return False
        return abs(number - self.value) <= TOLERANCE * max(1.0, abs(self.value))


@dataclass(frozen=True)
class Lesson:
    """`title`: of the table; `algorithm`: what grew the tree, in words."""

    title: str
    algorithm: str
    tree: Tree
    steps: tuple[NodeNumbers, ...]
    leaves: tuple[NodeNumbers, ...]
    digits: int = 4
    base: float = 2

    def step(self, number: int) -> NodeNumbers:
        if not 1 <= number <= len(self.steps):
            raise BoughError(
                f"there is no step {number}: the lesson has {len(self.steps)}.",
                code="parameter",
                hint=f"Steps are numbered from 1 to {len(self.steps)}."
                if self.steps
                else "The tree asks nothing.",
            )
        return self.steps[number - 1]

    def step_text(self, number: int, width: int | None = None, cuts: bool = False) -> str:
        body = self.step(number).to_text(self.digits, self.base, width, cuts)
        return f"Step {number} of {len(self.steps)} — {body}"

    def to_text(self, width: int | None = None, cuts: bool = False) -> str:
        """All steps, why each leaf is one, and the tree."""
        parts = [self.step_text(number, width, cuts) for number in range(1, len(self.steps) + 1)]
        reasons = [f"{leaf.place} → {leaf.answer}: {'; '.join(leaf.leaf)}" for leaf in self.leaves]
        return "\n\n\n".join([*parts, "\n".join(["Leaves", *reasons]), box_text(self.tree)])

    def to_latex(self) -> str:
        return "\n".join(step.to_latex(self.digits, self.base) for step in self.steps or self.leaves)

    def to_markdown(self) -> str:
        shown = [
            f"### Step {number} of {len(self.steps)}\n\n{step.to_markdown(self.digits, self.base)}"
            for number, step in enumerate(self.steps, 1)
        ]
        return "\n".join([*shown, self.tree.to_text("markdown") + "\n"])

    def to_csv(self) -> str:
        parts = [step.to_csv() for step in self.steps or self.leaves]
        return parts[0] + "".join(part.split("\n", 1)[1] for part in parts[1:])

    def to_html(self, quiz: bool = False) -> str:
        """One page: steps with Back and Next, formulas in MathML; `quiz`: answers are hidden at first."""
        from bough.explain.lesson_html import lesson_html

        return lesson_html(self, quiz)

    def quiz(self, number: int) -> list[Question]:
        """What can be asked about a step: the impurity, every gain, and which column is taken."""
        step = self.step(number)
        per = unit(step, self.base)
        questions = []
        if step.criterion != "chi_square":
            name = {"entropy": "the entropy", "gini": "the Gini impurity", "error": "the error rate"}
            what = name.get(step.criterion, "the impurity")
            questions.append(
                _number(f"What is {what} of these rows?", step.whole.impurity / per, self.digits)
            )
        for c in sorted(step.candidates, key=lambda c: c.column):  # the order of gains would tell the winner
            if c.possible:
                questions.append(_number(f"Gain({c.column})", c.gain / per, self.digits))
        winner = step.winner
        if winner is not None:
            questions.append(Question("Which column is asked?", winner.column))
        return questions


def _number(text: str, value: float, digits: int) -> Question:
    return Question(text, f"{value:.{digits}f}", value)


def lesson(tree: Tree, grown: Grown, title: str, algorithm: str, digits: int = 4, base: float = 2) -> Lesson:
    """The lesson of a grown tree, breadth-first."""
    check_form(digits, base)
    filled = np.flatnonzero(tree.n_rows > 0).tolist()
    asking = [node for node in filled if tree.feature[node] >= 0][:MOST_STEPS]
    ends = [node for node in filled if tree.feature[node] < 0][:MOST_STEPS]
    steps = tuple(explain_split(tree, node, grown) for node in asking)
    leaves = tuple(explain_split(tree, node, grown) for node in ends)
    return Lesson(title, algorithm, tree, steps, leaves, digits, base)
