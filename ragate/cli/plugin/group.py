"""``ragate plugin``. Each subcommand is loaded when it runs."""

import click

from ragate.cli.group import LazyGroup

# Name -> (module, one line for the list of commands).
TOOLS: dict[str, tuple[str, str]] = {
    "new": ("new", "Write a metric, judge or system of your own, with its test."),
    "check": ("check", "Say whether a plugin's file keeps to its contract."),
}


@click.group("plugin", cls=LazyGroup, table=TOOLS, package="ragate.cli.plugin")
def command() -> None:
    """A metric, judge or system of your own in one file; docs/plugins.md."""
