"""A line about what takes long, so that nobody takes it for hanging."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

AFTER_S = 10.0


@contextmanager
def told_if_slow(
    say: Callable[[str], None], what: str, *, after_s: float = AFTER_S
) -> Iterator[None]:
    """Say once, `after_s` seconds from now, that `what` is still going on.

    A thread tells, since an import holds the event loop.
    """
    timer = threading.Timer(after_s, say, [f"{what}: {after_s:g} s so far, still waiting"])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
