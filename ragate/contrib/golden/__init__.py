"""Growing and mending golden sets: imports, drafts, suggestions, coverage, lost documents.

A golden set goes in, with the corpus where its texts are known; proposals or drafts come out, and
what a person accepted is written. Read `suggest.py` and `drafting.py`; each other module is the
work of the command of its name.
"""

from ragate.extension import Extension

_COMMANDS = "ragate.contrib.golden.commands"

EXTENSION = Extension(
    "golden",
    commands={
        "dataset import": (
            f"{_COMMANDS}.importing:command",
            "Bring in the golden set of another tool.",
        ),
        "dataset fetch": (
            f"{_COMMANDS}.fetch:command",
            "Fetch a data set of BEIR by its name.",
        ),
        "dataset coverage": (
            f"{_COMMANDS}.coverage:command",
            "Say which documents no question expects.",
        ),
        "dataset suggest": (
            f"{_COMMANDS}.suggest:command",
            "Propose expected documents for a person to accept.",
        ),
        "dataset relink": (
            f"{_COMMANDS}.relink:command",
            "Propose where lost expected documents went.",
        ),
        "dataset references": (
            f"{_COMMANDS}.references:command",
            "Draft reference answers with a chat model.",
        ),
        "dataset generate": (
            f"{_COMMANDS}.generate:command",
            "Draft questions from the documents with a chat model.",
        ),
        "dataset accept": (
            f"{_COMMANDS}.suggest:accept_command",
            "Let drafts count, or remove them.",
        ),
    },
)
