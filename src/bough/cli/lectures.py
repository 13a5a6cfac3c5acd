"""The verb `lectures`: all figures of the lectures, recomputed."""

from __future__ import annotations

import click

from bough.cli.common import common_options
from bough.errors import BoughError


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of text.")
@common_options
def lectures(as_json: bool) -> None:
    """Recompute every figure of five lectures (W1 to W26) and print it next to the lecture's.

    Exit code 4 if a figure is not reached. Slips of the lectures are listed at the end.
    """
    from bough.explain.lectures import SLIPS, works, works_text

    done = works()
    if as_json:
        import json

        figures = [
            {"work": w.name, "source": w.source, "what": f.what, "lecture": f.printed, "found": f.shown}
            for w in done
            for f in w.figures
        ]
        click.echo(json.dumps({"figures": figures, "slips": SLIPS}, ensure_ascii=False, indent=1))
    else:
        click.echo(works_text(done))
    missed = [f"{work.name} ({f.what})" for work in done for f in work.figures if not f.reached]
    if missed:
        raise BoughError(
            f"{len(missed)} figures are not reached: {', '.join(missed[:5])}{', …' * (len(missed) > 5)}.",
            code="verify",
            hint="This is a bug in bough.",
        )
