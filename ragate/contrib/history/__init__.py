"""How the main branch moved, from the baselines that its commits hold.

A repository goes in, a `History` comes out. Read `read_history.py` for what it holds and what is
said of it, `means.py` for how fast many versions of a baseline are read, `show_history.py` for
text, JSON and Markdown, `history_page.py` for the page, and `night.py` for the scheduled run of
main: its history, its badge, and the alert of `[policy] alert_env`.
"""

from ragate.extension import Extension

EXTENSION = Extension(
    "history",
    commands={
        "history": (
            "ragate.contrib.history.command:command",
            "Show how the metrics of the baseline moved, from git.",
        ),
    },
    after_step=("ragate.contrib.history.night:after_night",),
)
