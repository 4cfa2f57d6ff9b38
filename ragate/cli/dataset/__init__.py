"""``ragate dataset``: check, grow and mend a golden set. Each subcommand is loaded when it runs."""

import click

from ragate.cli.group import LazyGroup

# Name -> (module, one line for the list of commands).
TOOLS: dict[str, tuple[str, str]] = {
    "validate": ("validate", "Say what is wrong or doubtful in a golden set."),
    "diff": ("diff", "Compare two golden sets, sample by sample."),
    "sample": ("sample", "Take N samples, each tag in proportion."),
}


@click.group("dataset", cls=LazyGroup, table=TOOLS, package="ragate.cli.dataset", words="dataset")
def command() -> None:
    """Check, grow and mend a golden set; docs/growing.md.

    Proposals and drafts never count before a person has accepted them. Only JSON Lines files are
    changed, one line at a time.
    """
