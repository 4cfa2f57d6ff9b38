"""``ragate dataset``: check, grow and mend a golden set. Each subcommand is loaded when it runs."""

import click

from ragate.cli.group import LazyGroup

# Name -> (module, one line for the list of commands).
TOOLS: dict[str, tuple[str, str]] = {
    "validate": ("validate", "Say what is wrong or doubtful in a golden set."),
    "import": ("importing", "Bring in the golden set of another tool."),
    "coverage": ("coverage", "Say which documents no question expects."),
    "suggest": ("suggest", "Propose expected documents for a person to accept."),
    "relink": ("relink", "Propose where lost expected documents went."),
    "evidence": ("evidence", "Record the passages that answers rest on."),
    "references": ("references", "Draft reference answers with a chat model."),
    "generate": ("generate", "Draft questions from the documents with a chat model."),
    "vary": ("vary", "Draft variants of questions: worded, typed, arranged otherwise."),
    "accept": ("suggest:accept_command", "Let drafts count, or remove them."),
    "diff": ("diff", "Compare two golden sets, sample by sample."),
    "sample": ("sample", "Take N samples, each tag in proportion."),
}


@click.group("dataset", cls=LazyGroup, table=TOOLS, package="ragate.cli.dataset")
def command() -> None:
    """Check, grow and mend a golden set; docs/growing.md.

    Proposals and drafts never count before a person has accepted them. Only JSON Lines files are
    changed, one line at a time.
    """
