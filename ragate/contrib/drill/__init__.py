"""Can this gate fail? Stored outputs are broken on purpose, and the gate has to see it.

`breaks.py` is what is broken and how little of it is caught, `stored_outputs.py` reads what is
broken and keeps the proof that reports tell of, and `command.py` is `ragate drill`.
"""

from ragate.extension import Extension

EXTENSION = Extension(
    "drill",
    commands={
        "drill": (
            "ragate.contrib.drill.command:command",
            "Plant breaks in stored outputs and show which of them the gate catches.",
        ),
    },
)
