"""The command `python -m benchmarks`: runs the tasks, prints and keeps the table; exit code 1 on failure."""

from __future__ import annotations

import argparse
import json
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.contenders import NEEDS
from benchmarks.fits import EVERY
from benchmarks.quality import contests
from benchmarks.report import as_json, facts, markdown
from benchmarks.rows import Options, Row, Task
from benchmarks.run import ROOT
from benchmarks.table import TASKS

RESULTS = ROOT / "benchmarks" / "results"


def arguments(argv: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Ours beside its peers, as ratios."
    )
    names = [task.name for task in TASKS]
    speed = "all but " + ", ".join(task.name for task in TASKS if not task.by_default)
    peers = sorted({name.split(",")[0] for name in NEEDS})
    parser.add_argument(
        "--task", action="append", choices=names, help=f"only this task; repeatable; default: {speed}"
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
        default=20.0,
        metavar="SECONDS",
        help="a side whose runs have taken so long is not run again; default 20",
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
    if not given.enough > 0:
        parser.error("--enough must be more than 0 seconds")
    if given.json is not None and (given.json.is_dir() or not given.json.parent.is_dir()):
        parser.error(f"--json {given.json} is not a file in a folder that is there")
    return given


def main(argv: list[str] | None = None) -> int:
    given = arguments(argv)
    options = Options(
        given.repeats or (1 if given.quick else 3),
        given.quick,
        tuple(given.threads or ((1,) if given.quick else (1, 2))),
        None if given.peer is None else tuple(given.peer),
        None if given.data is None else tuple(given.data),
        given.enough,
    )
    chosen = [t for t in TASKS if (t.by_default if given.task is None else t.name in given.task)]
    known = facts(list(dict.fromkeys(name for task in chosen for name in task.libraries)), options)
    RESULTS.mkdir(exist_ok=True)
    stem = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f") + ("-quick" if options.quick else "")
    target = given.json or RESULTS / f"{stem}.json"
    rows: list[Row] = []
    try:
        run(chosen, options, known, rows, RESULTS / f"{stem}.md", target)
    except KeyboardInterrupt:
        kept = f" Those that were finished are in {target}." if rows else ""
        print(f"\nStopped before all tasks were done.{kept}", file=sys.stderr)
        return 130
    unseen = [name for name in given.peer or () if not any(row.peer.startswith(name) for row in rows)]
    if unseen:
        print(f"No comparison with {', '.join(unseen)} in these tasks and tables.", file=sys.stderr)
    if not rows:
        print("Nothing was compared: try other --task, --data or --peer.", file=sys.stderr)
        return 2
    print(markdown(known, rows))
    return 1 if any(row.problems for row in rows) else 0


def run(
    chosen: list[Task], options: Options, known: dict[str, Any], rows: list[Row], text: Path, target: Path
) -> None:
    """Adds the rows of the tasks, and writes all that there are after each task: a run of hours that is
    stopped keeps what it has."""
    began = time.monotonic()
    for i, task in enumerate(chosen, 1):
        minutes = (time.monotonic() - began) / 60
        print(f"{task.name} ({i} of {len(chosen)}, after {minutes:.1f} min)", file=sys.stderr, flush=True)
        rows += task.run(task.name, options)
        if rows:
            text.write_text(markdown(known, rows), encoding="utf-8")
            target.write_text(json.dumps(as_json(known, rows), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
