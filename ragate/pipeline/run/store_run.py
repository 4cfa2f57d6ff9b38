"""A run that ended, kept here and sent to the run store."""

from ragate.models import Report, Run
from ragate.runtime.operations import Operations
from ragate.stores.local import LocalStore
from ragate.stores.postgres.open_store import sent_at_the_end


def store_run(operations: Operations, run: Run, report: Report | None = None) -> None:
    """Keep a run with its scores in the state folder, and in the run store where there is one.

    Args:
        report: None of the recording of a baseline.

    Raises:
        StorageError: it cannot be written here; that the store lacks it is only said.
    """
    folder = LocalStore(operations.state).save(run, report)
    sent_at_the_end(operations.runs_url, folder, operations.say)
