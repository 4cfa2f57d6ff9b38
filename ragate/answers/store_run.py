"""A run that ended, kept here and sent to the run store."""

from pathlib import Path

from ragate.models import Report, Run
from ragate.resources.operations import Operations
from ragate.stores.local import LocalStore


def store_run(operations: Operations, run: Run, report: Report | None = None) -> None:
    """Keep a run with its scores in the state folder, and in the run store where there is one.

    Args:
        report: None of the recording of a baseline.

    Raises:
        StorageError: it cannot be written here; that the store lacks it is only said.
    """
    send_run(operations, LocalStore(operations.state).save(run, report))


def send_run(operations: Operations, folder: Path) -> None:
    """Send a run that ended to the run store, and what it lacks of earlier ones."""
    url, say = operations.runs_url, operations.say
    if url:
        from ragate.stores.postgres.sender import send, send_late

        if send(url, folder, say):
            send_late(url, folder.parent, say)
