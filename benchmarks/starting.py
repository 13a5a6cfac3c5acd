"""How long it takes to begin: imports, the first fit of a fresh process, and fits of small tables."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from benchmarks.contenders import Peer, boosting_peers, chosen, tree_peers
from benchmarks.data import BUNDLED
from benchmarks.rows import OURS, Options, Row, absent, compared
from benchmarks.run import Command, InWorker, measure

IMPORT, HELP = 0.3, 0.15  # seconds to reach
OVER_CHECKS = 0.001  # seconds that a small fit may take beyond scikit-learn's checks


def imports(name: str, options: Options) -> list[Row]:
    """Whole processes, from the start of the interpreter to its end.

    `import bough` loads nothing until it is used: the like of `import sklearn.tree` is the estimator's row.
    """
    python = sys.executable
    script = str(Path(python).parent / "bough")
    peer = "import sklearn.tree"
    contenders = {
        "import bough": Command((python, "-c", "import bough")),
        "bough's estimator": Command((python, "-c", "from bough import DecisionTreeClassifier")),
        "bough --help": Command((script, "--help")),
        peer: Command((python, "-c", peer)),
        "bare interpreter": Command((python, "-c", "pass")),
    }
    series = measure(contenders, max(options.repeats, 3 if options.quick else 5))
    rows = []
    limits = {
        "import bough": IMPORT,
        "bough's estimator": None,
        "bough --help": HELP,
        "bare interpreter": None,
    }
    for ours, limit in limits.items():
        row = compared(Row(name, ours, peer), series, ours, peer)
        row.value, row.unit, row.limit = row.ours_s, "s", limit
        rows.append(row.judge())
    return rows


def first_fit(name: str, options: Options) -> list[Row]:
    """A fresh process that imports a library and fits its tree or boosting to 150 rows, as a whole."""
    data = {"name": "tiny", "rows": 150, "columns": 4}
    trees = tree_peers("Classifier", {}, 1.0)[:1]
    boosted = [peer for peer in boosting_peers("Classifier", 10, None) if peer.name != "lightgbm-quantised"]
    rows = []
    for what, estimator, params, peers in (
        ("one tree", "bough:DecisionTreeClassifier", {"n_jobs": 1}, trees),
        (
            "boosting, 10 rounds",
            "bough:GradientBoostingClassifier",
            {"n_estimators": 10, "n_jobs": 1},
            boosted,
        ),
    ):
        asked = chosen(peers, options)
        contenders = {OURS: process(estimator, params, data)} | {
            peer.name: process(peer.estimator, peer.pinned(1), data) for peer in asked if peer.installed
        }
        series = measure(contenders, options.repeats)
        rows += [_started(name, f"{what}, 150 x 4", peer, series) for peer in asked]
    return rows


def process(estimator: str, params: dict[str, Any], data: dict[str, Any]) -> Command:
    given = json.dumps({"estimator": estimator, "params": params, "data": data})
    return Command((sys.executable, "-m", "benchmarks.worker", "first-fit", given))


def _started(name: str, what: str, peer: Peer, series: Any) -> Row:
    if not peer.installed:
        return absent(name, what, peer.name)
    return compared(Row(name, what, peer.name, limit=peer.target), series, OURS, peer.name)


def small_fit(name: str, options: Options) -> list[Row]:
    """A tree of 150 rows: over the cost of scikit-learn's checks alone, and against its tree; then of 1,000
    rows and of the tables that come with scikit-learn."""
    tiny = {"name": "tiny", "rows": 150, "columns": 4}
    calls = 300 if options.quick else 2000
    checks = "scikit-learn checks"
    probes = _pair("Classifier", tiny, calls) | {
        checks: InWorker("validation", {"data": tiny, "calls": calls})
    }
    series = measure(probes, options.repeats)
    over = compared(Row(name, "150 x 4, over the checks", checks), series, OURS, checks)
    if over.ours_s is not None and over.peer_s is not None:
        over.value = over.ours_s - over.peer_s
    over.unit, over.limit = "s", OVER_CHECKS
    rows = [over.judge(), compared(Row(name, "150 x 4", "scikit-learn"), series, OURS, "scikit-learn")]
    tables: dict[str, dict[str, Any]] = {"1,000 x 10": {"name": "two-classes", "rows": 1000, "columns": 10}}
    if not options.quick:
        tables |= {table: {"name": table} for table in BUNDLED}
    for what, data in tables.items():
        kind = "Regressor" if what == "diabetes" else "Classifier"
        series = measure(_pair(kind, data, max(calls // 20, 10)), options.repeats)
        rows.append(compared(Row(name, what, "scikit-learn", limit=1.0), series, OURS, "scikit-learn"))
    return rows


def _pair(kind: str, data: dict[str, Any], calls: int) -> dict[str, InWorker]:
    sides = {
        OURS: (f"bough:DecisionTree{kind}", {"n_jobs": 1}),
        "scikit-learn": (f"sklearn.tree:DecisionTree{kind}", {}),
    }
    return {
        side: InWorker(
            "repeated-fit",
            {"estimator": estimator, "params": params, "data": data, "calls": calls},
            seeded=True,
        )
        for side, (estimator, params) in sides.items()
    }
