"""A run whose questions other machines ask, with Procrastinate on a Postgres that all reach.

A run becomes jobs of blocks of samples, and a result is a line of its outputs file. Read
`submit.py` for the side of the run, `local.py` for workers on its machine, `work.py` for the side
of a worker, `block.py` for what they say to one another, and `queue.py` for where it lies. Workers
are trusted as the job that submits.
"""

from ragate.extension import Extension, Option

EXTENSION = Extension(
    "workers",
    extra="workers",
    commands={
        "worker": (
            "ragate.contrib.workers.command:command",
            "Ask the questions of runs that other machines submit.",
        ),
    },
    options=(
        Option(
            "--workers",
            "Let `ragate worker` processes ask the questions.",
            "ragate.contrib.workers.submit:opens",
            commands=("check", "baseline update"),
            if_valued="`--local-workers N` starts N on this machine",
        ),
        Option(
            "--local-workers",
            "Start N `ragate worker` processes here for the run.",
            "ragate.contrib.workers.local:opens",
            commands=("check", "baseline update"),
            takes="N",
        ),
    ),
    variables={
        "RAGATE_QUEUE_URL": "the Postgres in which `--workers` and [`ragate worker`](workers.md) "
        "meet",
    },
    words={"--distributed": "`--workers`, or `--local-workers N`"},
)
