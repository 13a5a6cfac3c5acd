"""The export to SQL in a real PostgreSQL server, which the test starts and stops."""

import csv
import glob
import io
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import every_model
import numpy as np
import pytest

import bough
from bough.exporting.fuzz import fuzz
from bough.exporting.plan import Plan
from bough.exporting.sql import write
from bough.exporting.sql_run import ROWS, cells, columns_of
from bough.exporting.verify import Said, differences

MODELS = every_model.estimators() | every_model.ensembles()


def program(name):
    found = sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"))
    return found[-1] if found else shutil.which(name)


@pytest.fixture(scope="module")
def server():
    """A function that runs SQL and gives rows back; the server listens on a socket in its own folder."""
    if not all(program(name) for name in ("initdb", "pg_ctl", "psql")):
        pytest.skip("PostgreSQL is not installed")
    as_other = []
    folder = Path(tempfile.mkdtemp(prefix="bough-pg-"))
    if os.geteuid() == 0:  # the server refuses to run as root
        if not shutil.which("runuser"):
            pytest.skip("PostgreSQL does not run as root, and there is no runuser")
        try:
            shutil.chown(folder, "postgres")
        except LookupError:
            pytest.skip("there is no user postgres")
        as_other = ["runuser", "-u", "postgres", "--"]
    data = str(folder / "data")

    def call(*command, **more):
        return subprocess.run(
            [*as_other, *command], check=True, capture_output=True, text=True, cwd=folder, timeout=120, **more
        )

    try:
        call(program("initdb"), "-D", data, "-A", "trust", "-U", "bough", "-E", "UTF8", "--no-sync")
        options = f"-k {folder} -c listen_addresses='' -c fsync=off"
        start = [program("pg_ctl"), "-D", data, "-w", "-o", options, "-l", str(folder / "log"), "start"]
        call(*start)
        psql = [
            program("psql"),
            "-h",
            str(folder),
            "-U",
            "bough",
            "-d",
            "postgres",
            "-qX",
            "-v",
            "ON_ERROR_STOP=1",
        ]
        yield lambda text: call(*psql, input=text).stdout
        call(program("pg_ctl"), "-D", data, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def cell(value):
    if value is None:
        return "\\N"
    text = repr(value) if isinstance(value, float) else str(value)
    return '"' + text.replace('"', '""') + '"'


def run(server, query, plan, rows):
    lines = "\n".join(",".join(map(cell, row)) for row in cells(plan, rows))
    out = server(
        f"CREATE TEMP TABLE {ROWS} ({columns_of(plan, 'postgres')});\n"
        f"COPY {ROWS} FROM STDIN WITH (FORMAT csv, NULL '\\N');\n{lines}\n\\.\n"
        f"COPY (SELECT * FROM ({query}) AS q ORDER BY bough_row) TO STDOUT WITH (FORMAT csv);\n"
    )
    found = list(csv.reader(io.StringIO(out, newline="")))
    if plan.classes is None:
        return Said(np.array([float(row[-1]) for row in found]))
    number = {str(label): k for k, label in enumerate(plan.classes)}
    count, own = len(plan.classes), 1 + len(plan.fields)
    together = plan.combine != "tree" or plan.spreads
    answers = [number[row[-1] if together else row[own]] for row in found]
    shares = [[float(v) for v in (row[-1 - count : -1] if together else row[own + 1 :])] for row in found]
    return Said(np.array(answers), np.array(shares))


@pytest.mark.parametrize("name", [name for name in MODELS if name != "median"])
def test_postgres_answers_as_the_model(server, name):
    model = MODELS[name]
    plan = Plan(getattr(model, "tree_", model))
    rows = fuzz(plan, 400, seed=1)
    wrong, texts = differences(plan, rows.table, run(server, write(plan, "postgres", ROWS), plan, rows))
    assert not wrong.size, texts


def test_postgres_with_hostile_names(server):
    from exporting.test_hostile import NAMES, hostile_model

    names = [n for n in NAMES if len(n) < 60]
    plan = Plan(hostile_model(names).tree_)
    rows = fuzz(plan, 300)
    wrong, texts = differences(plan, rows.table, run(server, write(plan, "postgres", ROWS), plan, rows))
    assert not wrong.size, texts
    assert (
        bough.export(plan.model, "sql", dialect="postgres").report
        == "not verified: no postgres server at hand"
    )


def test_a_fault_is_seen(server):
    plan = Plan(MODELS["subset"].tree_)
    rows = fuzz(plan, 400, seed=1)
    query = write(plan, "postgres", ROWS).replace("<=", "<")
    assert differences(plan, rows.table, run(server, query, plan, rows))[0].size
