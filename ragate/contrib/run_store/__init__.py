"""Runs of all machines in one Postgres, behind the folders of each.

Read `shared_store.py` for what is read of it, `sender.py` for what is sent and when, and
`interrupted.py` for a run that goes on elsewhere. The table and its history are in `connect.py`,
and `migrations.py` is how a history is applied.
"""

from typing import Any

from ragate.extension import Extension, Hook, store_at

_STORE = "ragate.contrib.run_store.shared_store:open_shared"


def _is_on(plan: Any) -> bool:
    return store_at(plan.operations.runs_url) == (EXTENSION, _STORE)


EXTENSION = Extension(
    "run_store",
    commands={
        "db migrate": (
            "ragate.contrib.run_store.command:command",
            "Bring the schema of the run store up to date.",
        ),
    },
    hooks=(
        Hook(  # what the store lacks it only says; another process at the same run ends this one
            "run store",
            "ragate.contrib.run_store.held_run:Send",
            on=_is_on,
            guards=True,
        ),
    ),
    # Its own schemes by name: whoever else brings them is refused, and takes no runs silently.
    stores=dict.fromkeys(("", "postgresql", "postgres"), _STORE),
    variables={
        "RAGATE_RUNS_URL": "a Postgres that keeps [runs of all machines](workers.md); not from "
        "`.env`",
    },
    words={"--redis-url": "the variable `RAGATE_RUNS_URL`, a Postgres"},
)
