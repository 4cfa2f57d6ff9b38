"""Several variants of the system asked side by side: models, prompts, settings.

`matrix.py` makes the variants of `--set`, `asking.py` asks them in turns, `verdicts.py` holds each
against the first, `told.py` writes the table, and `command.py` is `ragate try`.
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
)
