"""The verb `completion`: the lines that let a shell complete verbs and flags."""

from __future__ import annotations

import click

from bough.cli.common import common_options

# Where each shell reads them; shown in the help.
SHELLS = {
    "bash": "bough completion bash > ~/.local/share/bash-completion/completions/bough",
    "zsh": "bough completion zsh > ~/.zfunc/_bough   (with fpath+=~/.zfunc before compinit)",
    "fish": "bough completion fish > ~/.config/fish/completions/bough.fish",
}


@click.command(epilog="\b\n" + "\n".join(SHELLS.values()))
@click.argument("shell", type=click.Choice(list(SHELLS)))
@common_options
@click.pass_context
def completion(ctx: click.Context, /, shell: str) -> None:
    """Print what makes SHELL complete verbs and flags of bough with the tab key."""
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(ctx.find_root().command, {}, "bough", "_BOUGH_COMPLETE").source())
