"""What a model said: as it is quoted in a report, and noted while it is asked."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from ragate.guards.escape import one_line

_QUOTED = 80  # characters of a reply that are shown
_HEARD: ContextVar[list[str] | None] = ContextVar("ragate-heard", default=None)


def quoted(text: str) -> str:
    """Return how a reply begins, in backticks and on one line."""
    shown = one_line(text, _QUOTED).replace("`", "'")
    return f"`{shown}`" if shown else "an empty reply"


@contextmanager
def overheard() -> Iterator[list[str]]:
    """Yield a list of what a model says to the judge that is asked inside."""
    replies: list[str] = []
    token = _HEARD.set(replies)
    try:
        yield replies
    finally:
        _HEARD.reset(token)


def heard(reply: str) -> None:
    """Note a reply, where somebody listens."""
    replies = _HEARD.get()
    if replies is not None:
        replies.append(reply)
