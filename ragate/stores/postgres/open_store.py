"""Where runs are read: the state folder, and the run store behind it where its URL is set."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
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


def sent_as_it_comes(
    url: str, folder: Path, say: Callable[[str], None]
) -> AbstractContextManager[None]:
    """Send what a run writes into its folder to the store, if there is one; see `sending`."""
    if not url:
        return nullcontext()
    from ragate.stores.postgres.sender import sending

    return sending(url, folder, say)


def sent_at_the_end(url: str, folder: Path, say: Callable[[str], None]) -> None:
    """Send the rest of a run that ended to the store, if there is one; see `send_end`."""
    if url:
        from ragate.stores.postgres.sender import send_end

        send_end(url, folder, say)
