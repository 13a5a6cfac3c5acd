"""Where `fit` puts its files: the model, and the report beside it."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bough.cli.fit_options import Asked
from bough.cli.source import DEMO
from bough.errors import BoughError

STDOUT = "-"
MODEL, REPORT = ".bough", ".report.html"
_ENDINGS = (".csv", ".tsv", ".txt", ".parquet", ".pq", ".json", ".jsonl", ".ndjson", ".db", ".sqlite", ".gz")


@dataclass(frozen=True)
class Places:
    """Names of files; None: not written."""

    model: str | None
    report: str | None


def places(data: str, out: str | None, report: bool | None) -> Places:
    """A file's model stands in the current folder under the file's name. What is no file (demo:NAME, stdin)
    leaves nothing behind unless --out or --report says so."""
    if out is not None and out != STDOUT and Path(out).suffix.lower() not in (MODEL, ".json"):
        better = Path(out).with_suffix(MODEL) if Path(out).name else Path(out) / f"model{MODEL}"
        raise BoughError(
            f'a model file ends in {MODEL}, or in .json to be read by people: not "{Path(out).name or out}".',
            code="parameter",
            hint=f"-o {better}",
        )
    own = data != STDOUT and not data.startswith(DEMO)
    base = _stem(out if out not in (None, STDOUT) else data.removeprefix(DEMO), out not in (None, STDOUT))
    model = out or (f"{base}{MODEL}" if own else None)
    wanted = report if report is not None else own and out != STDOUT
    return Places(model, f"{base}{REPORT}" if wanted else None)


def _stem(name: str | None, given: bool) -> str:
    """The name without its endings; beside a model that was named, else in the current folder."""
    path = Path("stdin" if name in (None, STDOUT) else str(name))
    short = path.name
    while Path(short).suffix.lower() in (*_ENDINGS, MODEL):
        short = short[: -len(Path(short).suffix)]
    return str(path.with_name(short)) if given else short


def save_model(estimator: Any, place: str, facts: dict[str, Any]) -> None:
    """`facts`: what the file says of how the model came about."""
    from bough.estimators.saving import about, model_of
    from bough.store import to_json
    from bough.store.files import write_atomically
    from bough.store.model import dumps

    model, told = model_of(estimator), about(estimator) | {"fit": facts}
    readable = place.lower().endswith(".json")
    data = to_json(model, told).encode() if readable else dumps(model, told)
    if place == STDOUT:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    else:
        write_atomically(place, data)


def facts_of(problem: Any, asked: Asked, scores: dict[str, float] | None) -> dict[str, Any]:
    """What a model file remembers of its fit, so that other verbs need not be told again."""
    return {
        "data": problem.source,
        "target": problem.target,
        "rows": int(problem.table.n_rows),
        "types": list(asked.types),
        "bins": list(asked.bins),
        "qid": asked.qid,
        "positive": asked.positive,
        "seed": asked.seed,
        "scores": scores,
    }
