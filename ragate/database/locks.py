"""File locks that the kernel drops when their holder dies, however it dies."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ragate.errors import DatabaseError

WAIT_S = 120.0
POLL_S = 0.02


def try_lock(path: Path, *, shared: bool = False) -> int | None:
    """Return a descriptor that holds the lock on `path`, or None where another one holds it.

    Locks of two descriptors exclude each other in one process as they do between two.
    """
    import fcntl

    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


@contextmanager
def exclusive(path: Path, *, wait_s: float = WAIT_S) -> Iterator[None]:
    """Hold the lock on `path`; polls, so that Ctrl-C is heard while it waits.

    Raises:
        DatabaseError: another process held it for `wait_s` seconds.
    """
    deadline = time.monotonic() + wait_s
    while (descriptor := try_lock(path)) is None:
        if time.monotonic() > deadline:
            raise DatabaseError(
                f"another process has been starting or stopping the embedded Postgres for "
                f"{wait_s:.0f} s (it holds {path})",
                remedy="wait for it or end it, then run the command again",
            )
        time.sleep(POLL_S)
    try:
        yield
    finally:
        os.close(descriptor)
