"""The result as text: facts of the machine, a Markdown table, and JSON with every single figure."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks.rows import Options, Row

HEADINGS = (
    "task",
    "work",
    "ours",
    "peer",
    "peer's",
    "value",
    "by processor time",
    "limit",
    "quality ours / peer",
    "spread",
    "verdict",
)


def facts(libraries: Sequence[str], options: Options) -> dict[str, Any]:
    """What the figures depend on; no paths, no names of hosts or people."""
    versions = {"python": platform.python_version()}
    for library in (*libraries, "numpy"):
        try:
            versions[library] = version(library)
        except PackageNotFoundError:
            versions[library] = "not installed"
    return {
        "cpu": cpu_model(),
        "cores": len(os.sched_getaffinity(0)),
        "load_at_start": round(os.getloadavg()[0], 2),
        "system": f"{platform.system()} {platform.machine()}",
        "versions": versions,
        "repeats": options.repeats,
        "enough": options.enough,
        "quick": options.quick,
    }


def cpu_model() -> str:
    source = Path("/proc/cpuinfo")
    lines = source.read_text(encoding="utf-8").splitlines() if source.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown"


def markdown(known: dict[str, Any], rows: Sequence[Row]) -> str:
    lines = [
        "# Benchmarks",
        "",
        f"{known['cpu']}, {known['cores']} cores, {known['system']}, load {known['load_at_start']}; "
        + ", ".join(f"{name} {number}" for name, number in known["versions"].items())
        + ".",
        f"Minimum of {known['repeats']} repeats (import: at least {3 if known['quick'] else 5}, growth: at "
        f"most 3; fewer of sides that had taken {known['enough']:g} s, and then as few of the other), in "
        "turn, each in a fresh process, 1 thread unless said. Values are ours / peer, or a time; in the "
        "tasks quality, folds and out-of-bag, by how much ours is worse (below 0: better). "
        "Spread: slowest / fastest repeat, of the side that varied more.",
    ]
    if known["quick"]:
        lines.append(
            "**Quick run: small sizes, whose limits and margins are shown, not judged (verdict `shown`).**"
        )
    lines += ["", "| " + " | ".join(HEADINGS) + " |", "|" + "---|" * len(HEADINGS)]
    lines += ["| " + " | ".join(cells(row)) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def cells(row: Row) -> list[str]:
    value, limit = (FORMS[row.unit](x) for x in (row.value, row.limit))
    side = SIDES[row.measured]
    spread = "" if row.spread is None else f"{row.spread:.2f}"
    return [
        row.task,
        row.what,
        side(row.ours_s),
        row.peer,
        side(row.peer_s),
        value,
        "" if row.cpu is None else f"{row.cpu:.3f}",
        limit,
        row.quality,
        spread,
        verdict(row),
    ]


def verdict(row: Row) -> str:
    if row.absent:
        return "absent: not installed"
    word = "shown" if row.limit is None or not row.judged else "ok"
    if row.problems:
        word = "**FAILED**: " + "; ".join(row.problems)
    return "; ".join([word, *row.notes])


def seconds(value: float | None) -> str:
    if value is None:
        return "-"
    if abs(value) < 1e-4:
        return f"{value * 1e6:.2f} µs"
    if abs(value) < 0.01:
        return f"{value * 1e3:.3f} ms"
    return f"{value:.3f} s"


def megabytes(value: float | None) -> str:
    return "-" if value is None else f"{value:.0f} MB"


def per_cent(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f} %"


def number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def difference(value: float | None) -> str:
    return "-" if value is None else f"{value:+.4f}"


def points(value: float | None) -> str:
    return "-" if value is None else f"{value:+.1f}"


FORMS = {"points": points, "s": seconds, "ratio": number, "worse by": difference}
SIDES = {"s": seconds, "MB": megabytes, "%": per_cent}


def as_json(known: dict[str, Any], rows: Sequence[Row]) -> dict[str, Any]:
    return {
        "facts": known,
        "failed": any(row.problems for row in rows),
        "rows": [asdict(row) for row in rows],
    }
