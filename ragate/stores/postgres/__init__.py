"""Runs in a Postgres that several machines share; imported only where its URL is set."""

from pathlib import Path

from ragate.stores.local import LocalStore


def open_store(state: Path, url: str) -> LocalStore:
    """Return what reads stored runs.

    Args:
        url: Of the run store, "" for none.
    """
    if not url:
        return LocalStore(state)
    from ragate.stores.postgres.shared_store import SharedStore

    return SharedStore(state, url)


def reach_store(url: str) -> None:
    """See that the run store is there, before anything is paid for; "" is none.

    Raises:
        DatabaseError: it cannot be reached or used.
    """
    if url:
        from ragate.stores.postgres.connect import connect

        connect(url).close()
