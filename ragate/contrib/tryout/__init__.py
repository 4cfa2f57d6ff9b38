"""Several variants of the system asked side by side: models, prompts, settings.

`matrix.py` makes the variants of `--set` and of the tables `[variants.<name>]`, `asking.py` asks
them in turns, `going_on.py` takes up a trial that was interrupted, `indexes.py` drops what it made
in the database, `verdicts.py` holds each against the first, `told.py` writes the table, and
`command.py` is `ragate try`.
"""

from ragate.extension import Extension

EXTENSION = Extension(
    "tryout",
    commands={
        "try": (
            "ragate.contrib.tryout.command:command",
            "Ask variants of the system side by side, and compare them.",
        ),
    },
    tables={"variants": "ragate.contrib.tryout.matrix:Variants"},
)
