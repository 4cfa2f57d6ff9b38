"""A run that was interrupted on another machine goes on here, by way of the run store."""

from ragate.config import Config
from ragate.errors import UsageError
from ragate.runtime.operations import Operations
from ragate.stores.begun_run import BegunRun, find_interrupted
from ragate.stores.local import LocalStore
from ragate.stores.postgres.schema import is_run_id
from ragate.support import git


def bring_interrupted(config: Config, operations: Operations, name: str, *, command: str) -> str:
    """Fetch an interrupted run that only the store has; return the id of the one that is meant.

    Args:
        name: As of ``--resume``: an id, or ``latest``: the newest here, or else the newest of this
            commit in the store.

    Raises:
        UsageError: there is none, or it ended or went on elsewhere, or another role wrote it.
    """
    from ragate.stores.postgres.interrupted import bring, find_stored

    store, url = LocalStore(operations.state), operations.runs_url
    if name == "latest":
        try:
            name = find_interrupted(store, name, gate=config.gate, command=command).run_id
        except UsageError:
            commit = git.head_commit(config.root)

            def fits(run: BegunRun) -> bool:
                state = run.state
                return (state.gate, state.command, state.commit) == (config.gate, command, commit)

            name = find_stored(url, store, fits)
            if not name:
                raise
    if is_run_id(name):
        bring(url, store, name)
    return name
