"""Did a stream come, and come to its end?"""

from ragate.systems._output import OutputError
from ragate.systems.http.streams.events import EventStream
from ragate.systems.http.streams.settings import Streaming


def check_complete(stream: EventStream, keys: Streaming, kind: str) -> None:
    """Check that a stream came, and came to its end.

    Args:
        kind: The reply's content type.

    Raises:
        OutputError: there was no event, or not the one that ends it.
    """
    if not stream.events:
        raise OutputError(
            f"the service sent no event (content type {kind or 'none'}): does the request ask for "
            f"a stream, and is it one of [system.stream] format = {keys.format!r}?"
        )
    if keys.end and not stream.ended_by:
        raise OutputError(
            f"the stream broke off after {len(stream.events):,} events, without "
            f"{' or '.join(keys.end)} ([system.stream] end)"
        )


def unfinished(stream: EventStream, limit_s: float) -> str:
    """Return what is told of a stream that did not end in time, with the remedy."""
    if not stream.events:
        return f"sent nothing of its stream within {limit_s:.3g} s: see RAGATE_TIMEOUT_S"
    return (
        f"still streams after {limit_s:.3g} s and {len(stream.events):,} events: name what ends "
        "its stream in [system.stream] end, or raise RAGATE_TIMEOUT_S"
    )
