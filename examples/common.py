"""What the examples share: two sizes, a place for the picture, and one look."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt

COLOURS = ["#1f6f8b", "#d1495b", "#edae49", "#66a182", "#5f4b8b", "#8d6a4f"]
GREY = "#8a8f98"


def run(example: Callable[[bool, Path], dict[str, Any]], script: str) -> None:
    """The command line of an example: what it measured is printed, the picture is written."""
    name = Path(script).stem
    parser = argparse.ArgumentParser(prog=name, description=(example.__doc__ or "").strip())
    parser.add_argument("--small", action="store_true", help="a few seconds instead of up to a minute")
    parser.add_argument("--picture", type=Path, default=Path(f"{name}.png"), help="where the picture goes")
    given = parser.parse_args()
    for what, value in example(given.small, given.picture).items():
        print(f"{what:<52}{value:.3f}" if isinstance(value, float) else f"{what:<52}{value}")
    print(f"picture: {given.picture}")


def figure(width: float, height: float, *grid: int, **more: Any) -> tuple[Any, Any]:
    plt.rcParams.update(
        {
            "font.size": 9,
            "axes.titlesize": 10,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.prop_cycle": mpl.cycler(color=COLOURS),
            "legend.frameon": False,
        }
    )
    return plt.subplots(*grid, figsize=(width, height), layout="constrained", **more)


def save(fig: Any, picture: Path) -> None:
    fig.savefig(picture, dpi=150)
    plt.close(fig)
