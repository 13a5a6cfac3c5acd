"""The command `python -m benchmarks`: runs the tasks, prints and keeps the table; exit code 1 on failure."""

from __future__ import annotations

import argparse
import json
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.contenders import NEEDS
from benchmarks.fits import EVERY
from benchmarks.quality import contests
from benchmarks.report import as_json, facts, markdown
from benchmarks.rows import Options, Row
from benchmarks.run import ROOT
from benchmarks.table import TASKS

RESULTS = ROOT / "benchmarks" / "results"


def arguments(argv: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Ours beside its peers, as ratios."
    )
    names = [task.name for task in TASKS]
    peers = sorted({name.split(",")[0] for name in NEEDS})
    parser.add_argument(
        "--task", action="append", choices=names, help="only this task; repeatable; default: all"
    )
    parser.add_argument("--peer", action="append", choices=peers, help="only this peer; repeatable")
    parser.add_argument(
        "--data",
        action="append",
        choices=sorted({one.data["name"] for one in (*EVERY, *contests(quick=False))}),
        help="of the tasks that compare fits or their quality, only this table; repeatable",
    )
    parser.add_argument("--repeats", type=int, help="rounds of each comparison; default 3, with --quick 1")
    parser.add_argument(
        "--enough",
        type=float,
        default=60.0,
        metavar="SECONDS",
        help="a side whose runs have taken so long is not run again; default 60",
    )
    parser.add_argument(
        "--threads",
        type=int,
        nargs="+",
        help="numbers of threads to compare with; default 1 2, with --quick 1",
    )
    parser.add_argument(
        "--quick", action="store_true", help="small sizes, under five minutes, limits mostly not judged"
    )
    parser.add_argument("--json", type=Path, help="where the JSON goes; default: benchmarks/results/")
    given = parser.parse_args(argv)
    if given.repeats is not None and given.repeats < 1:
        parser.error("--repeats must be at least 1")
    if given.threads is not None and min(given.threads) < 1:
        parser.error("--threads must be at least 1")
    return given


def main() -> int:
    given = arguments()
    options = Options(
        given.repeats or (1 if given.quick else 3),
        given.quick,
        tuple(given.threads or ((1,) if given.quick else (1, 2))),
        None if given.peer is None else tuple(given.peer),
        None if given.data is None else tuple(given.data),
        given.enough,
    )
    chosen = [
        t for t in TASKS if (t.in_quick or not given.quick if given.task is None else t.name in given.task)
    ]
    known = facts(list(dict.fromkeys(name for task in chosen for name in task.libraries)), options)
    RESULTS.mkdir(exist_ok=True)
    stem = datetime.now(UTC).strftime("%Y%m%d-%H%M%S") + ("-quick" if options.quick else "")
    rows: list[Row] = []
    began = time.monotonic()
    for i, task in enumerate(chosen, 1):
        minutes = (time.monotonic() - began) / 60
        print(f"{task.name} ({i} of {len(chosen)}, after {minutes:.1f} min)", file=sys.stderr, flush=True)
        rows += task.run(task.name, options)
        # After each task, so that a run of hours that is stopped keeps what it has.
        text = markdown(known, rows)
        (RESULTS / f"{stem}.md").write_text(text, encoding="utf-8")
        target = given.json or RESULTS / f"{stem}.json"
        target.write_text(json.dumps(as_json(known, rows), indent=1) + "\n", encoding="utf-8")
    print(text)
    return 1 if any(row.problems for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
