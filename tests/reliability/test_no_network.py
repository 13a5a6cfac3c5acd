"""No network at run time: no socket is asked for, all works without one, and pages name no other place."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from running import program

CODE = """
    import sys, warnings
    from pathlib import Path
    asked = []
    sys.addaudithook(lambda event, arguments: asked.append(event) if event.startswith("socket.") else None)
    import numpy as np, bough
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    X = {"x": rng.normal(size=80), "colour": rng.choice(["red", "blue"], 80)}
    y = np.where(X["x"] > 0, "yes", "no")
    folder = Path(sys.argv[1])
    for number, model in enumerate([
        bough.DecisionTreeClassifier(max_depth=3), bough.RandomForestClassifier(n_estimators=3),
        bough.GradientBoostingClassifier(n_estimators=3), bough.AdaBoostClassifier(n_estimators=3),
    ]):
        model.fit(X, y).save(folder / "m.bough")
        bough.load(folder / "m.bough").predict(X)
        bough.report(model, X, y, path=folder / f"report{number}.html")
        if number == 0:
            (folder / "tree.html").write_text(model.to_html(), encoding="utf-8")
            (folder / "tree.svg").write_text(model.to_svg(), encoding="utf-8")
            model.to_png()
            for form in ("python", "c", "sql", "js", "json", "onnx"):
                bough.export(model, form, folder / f"m.{form}", verify=False)
    bough.evaluate(bough.DecisionTreeClassifier(), X, y)
    from bough.cli.main import cli
    cli(["fit", "demo:titanic", "-t", "survived", "-o", str(folder / "t.bough")], standalone_mode=False)
    print(sorted(set(asked) - {"socket.__new__", "socket.gethostname"}), len(list(folder.iterdir())))
"""
# What stands in pages as the name of a language, not as a place to ask.
NAMES = ("http://www.w3.org/2000/svg", "http://www.w3.org/1999/xhtml", "http://www.w3.org/1999/xlink")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    return folder, program(CODE, folder)


def test_nothing_asks_for_a_socket(made):
    assert made[1].splitlines()[-1].startswith("[] ")


def test_pages_and_pictures_name_no_other_place(made):
    pages = [p for p in made[0].iterdir() if p.suffix in (".html", ".svg")]
    assert len(pages) == 6
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert set(re.findall(r"(?:https?:)?//[\w.-]+\.[a-z]+[\w./-]*", text)) <= set(NAMES), page.name
        assert not re.search(r"<(link|iframe|object|embed|base)\b|@import|url\((?!#|data:)", text), page.name


def test_all_of_it_works_where_there_is_no_network(tmp_path):
    if subprocess.run(["unshare", "-rn", "true"], capture_output=True, check=False).returncode:
        pytest.skip("this system lets nobody leave the network")
    import textwrap

    done = subprocess.run(
        ["unshare", "-rn", sys.executable, "-c", textwrap.dedent(CODE), str(tmp_path)],
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.splitlines()[-1].startswith("[] ")
