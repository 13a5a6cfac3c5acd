"""The verb `doctor`: versions, extras, the machine, and whether a tree grows."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import platform
import sys
from typing import Any

import click

from bough.cli.common import common_options, output_options, plainly
from bough.errors import BoughError

# Package and what it is for; those that every installation has come first.
NEEDED = {
    "numpy": "arrays",
    "scikit-learn": "estimators, scores",
    "narwhals": "frames of any library",
    "duckdb": "reading files",
    "click": "this command",
    "rich": "progress bars",
}
EXTRAS = {
    "pandas": "frames",
    "polars": "frames",
    "pyarrow": "Arrow and Feather files",
    "matplotlib": "plots",
    "resvg_py": "PNG pictures",
    "onnx": "export to ONNX",
    "onnxruntime": "checks of ONNX exports",
    "XlsxWriter": "export to spreadsheets",
}


@click.command()
@output_options
@common_options
def doctor(as_json: bool, plain: bool, quiet: bool, verbose: bool) -> None:
    """Say what is installed, and grow a tree to see whether it works."""
    found = examined()
    if as_json:
        click.echo(json.dumps(found))
    else:
        good, bad, none = ("ok", "--", "no") if plainly() else ("✓", "–", "✗")
        lines = [f"bough     {found['bough']}", f"python    {found['python']}   {found['platform']}"]
        lines += [f"cores     {found['cores']}   terminal {found['encoding']}"]
        for kind, sign in (("needed", none), ("extras", bad)):
            lines.append(kind)
            for name, about in found[kind].items():
                version = about["version"]
                first = f"  {good if version else sign:2} {name:<13}"
                lines.append(f"{first} {version or 'not installed':<14} {about['for']}")
        lines.append(f"a tree grows as it should: {'yes' if found['grows'] else 'NO'}")
        click.echo("\n".join(lines))
    if not found["healthy"]:
        raise BoughError(
            "something that bough needs is missing or does not work.",
            code="check",
            hint="Install it again:  pip install --force-reinstall bough",
        )


def examined() -> dict[str, Any]:
    """What there is, in the types of JSON."""
    needed, extras = (
        {name: {"version": _version(name), "for": text} for name, text in names.items()}
        for names in (NEEDED, EXTRAS)
    )
    grows = _grows()
    return {
        "bough": _version("bough"),
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
        "encoding": sys.stdout.encoding,
        "needed": needed,
        "extras": extras,
        "grows": grows,
        "healthy": grows and all(about["version"] for about in needed.values()),
    }


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _grows() -> bool:
    """Quinlan's table: Outlook is asked first, and five leaves answer all 14 rows."""
    try:
        from bough import ID3Classifier
        from bough.data.examples import load

        x, y = load("tennis")
        model = ID3Classifier().fit(x, y)
        return bool(model.get_n_leaves() == 5 and (model.predict(x) == y).all())
    except Exception:
        return False
