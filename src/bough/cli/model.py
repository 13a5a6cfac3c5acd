"""MODEL or DATA on the command line, opened in one way: a model file, or a table to grow a model from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bough.cli.fit_options import Asked
from bough.data.kinds import FORMATS, not_found
from bough.errors import BoughError, did_you_mean

if TYPE_CHECKING:
    from bough.cli.average import Average
    from bough.cli.problem import Problem
    from bough.tree import Ensemble, Tree

_START = 200  # bytes of a JSON file that tell whether it is a model


@dataclass(frozen=True)
class Loaded:
    """A model and what travelled with it; of a table also the rows."""

    name: str  # as messages call it
    model: Tree | Ensemble | Average
    about: dict[str, Any]
    problem: Problem | None = None
    fitted: Any = None  # the estimator, if it was grown here

    @property
    def facts(self) -> dict[str, Any]:
        """What the fit said of itself."""
        found = self.about.get("fit")
        return found if isinstance(found, dict) else {}

    @property
    def target(self) -> str | None:
        if self.problem is not None:
            return self.problem.target
        found = self.facts.get("target")
        return found if isinstance(found, str) else None

    def tree(self, number: int | None = None) -> Tree:
        """The one tree, or of many the one with this number; an error where there is none."""
        from bough.cli.average import Average
        from bough.tree import Tree

        if isinstance(self.model, Average):
            raise self.model.no_tree(self.name)
        count = 1 if isinstance(self.model, Tree) else len(self.model)
        if number is None and not isinstance(self.model, Tree):
            raise BoughError(
                f"{self.name} holds {count:,} trees, and this is about one.",
                code="model",
                hint=f"Name it, from --tree 0 to --tree {count - 1}",
            )
        if number is not None and number >= count:
            holds = "one tree" if count == 1 else f"{count:,} trees"
            raise BoughError(
                f"there is no tree {number}: {self.name} holds {holds}.",
                code="parameter",
                hint=f"Trees are counted from 0 to {count - 1}.",
            )
        return self.model if isinstance(self.model, Tree) else self.model[number or 0]

    @property
    def estimator(self) -> Any:
        """The estimator; scikit-learn is loaded for it."""
        if self.fitted is not None:
            return self.fitted
        from bough.cli.average import Average
        from bough.estimators.saving import restored

        assert not isinstance(self.model, Average)  # which comes with its estimator
        return restored(self.model, self.about)


def is_model(path: str) -> bool:
    """Whether this names a model file rather than a table."""
    place = Path(path).expanduser()
    if place.suffix.lower() == ".bough":
        return True
    if place.suffix.lower() != ".json" or not place.is_file():
        return False
    with place.open("rb") as file:
        return b'"format": "bough' in file.read(_START)


def load_model(path: str) -> Loaded:
    """From a model file, without scikit-learn and without running anything that the file names."""
    from bough.store.json_text import from_json_all
    from bough.store.model import SeveralModels, read_all

    place = Path(path).expanduser()
    if not place.is_file():
        raise not_found(place)
    if not is_model(path):
        kind = FORMATS.get(place.suffix.lower())
        what = f"a table ({kind})" if kind else "no model file"
        raise BoughError(
            f"{place.name} is {what}, and a model is needed here.",
            code="file",
            hint=f"Make one:  bough fit {place.name} -t COL" if kind else "Model files end in .bough",
        )
    try:
        readable = place.suffix.lower() == ".json"
        model, about = from_json_all(place.read_bytes()) if readable else read_all(place)
    except SeveralModels:
        return _average(place)
    except BoughError as error:
        text = error.message.replace("this is", f"{place.name} is", 1).replace("the file", place.name, 1)
        raise BoughError(text, code=error.code, hint=error.hint) from None
    return Loaded(place.name, model, about)


def _average(place: Path) -> Loaded:
    from bough.cli.average import Average
    from bough.estimators.saving import load

    average = Average(load(place))
    return Loaded(place.name, average, {}, None, average.estimator)


def open_model(data: str, asked: Asked) -> Loaded:
    """The model of a file, or one grown from a table as `fit` does it."""
    if is_model(data):
        return load_model(data)
    from bough.cli.fitted import fitted

    problem = asked.problem(data)
    result = fitted(problem, asked)
    return Loaded(problem.source, result.tree, {}, problem, result.model)


def told_by(loaded: Loaded, asked: Asked) -> Asked:
    """What was asked for, and beside it what the model file tells of its fit."""
    facts = loaded.facts
    query = facts.get("qid")
    return replace(
        asked,
        target=asked.target or loaded.target,
        qid=asked.qid or (query if isinstance(query, str) and asked.group is None else None),
        types=asked.types or tuple(map(str, facts.get("types", ()))),
        bins=asked.bins or tuple(map(str, facts.get("bins", ()))),
        task="reg" if loaded.model.classes is None else "class",
    )


def rows_for(loaded: Loaded, data: str, asked: Asked, *, matched: bool = True) -> Problem:
    """Rows of a table with the target that the model answers for, read as when the model was fitted;
    `matched`: with the model's columns only."""
    from bough.cli.matching import Counts, match

    told = told_by(loaded, asked)
    problem = told.problem(data)
    named = (("-t", told.target), ("--weights", told.weights), ("--group", told.group), ("--qid", told.qid))
    apart = {column: option for option, column in named if column is not None}
    matching = match(loaded.model, list(problem.table.names), problem.source, apart=apart)
    return replace(problem, table=matching.table(problem.table, Counts())[0]) if matched else problem


def rows_to_judge_by(loaded: Loaded, data: str | None, asked: Asked) -> Problem:
    """As rows_for; an error that says how to give them if they are not named."""
    if data is None:
        made_from = loaded.facts.get("data")
        raise BoughError(
            f"{loaded.name} is a model; by which rows is it to be judged?",
            code="parameter",
            hint=f"Name a table after it:  {loaded.name} {made_from or 'DATA.csv'}",
        )
    return rows_for(loaded, data, asked)


def leaf_count(model: Tree | Ensemble | Average) -> int:
    """Of all trees together."""
    from bough.cli.average import Average
    from bough.tree import Tree

    if isinstance(model, Average):
        return sum(map(leaf_count, model.models()))
    return model.n_leaves if isinstance(model, Tree) else sum(tree.n_leaves for tree in model)


def no_such(name: str, names: Any, where: str) -> BoughError:
    return BoughError(
        f'{where} has no column "{name}".{did_you_mean(name, names)}',
        code="column",
        hint=f"columns: {', '.join(list(names)[:8])} ({len(names)})",
    )
