"""The keys of a reply that comes in events."""

from typing import Literal

from pydantic import Field

from ragate.models import Frozen


class Streaming(Frozen):
    """``[system.stream]``: a reply that comes in events.

    Attributes:
        format: How events are told apart: server-sent events, JSON lines, or none at all; "" where
            the reply comes in one piece.
        answer_events: Kinds of events whose text counts; none given, all count.
        end: What ends the stream, and has to: data, a kind of event, or a pointer to a true.
        idle_timeout_s: Seconds without anything after the first part.
    """

    format: Literal["", "sse", "ndjson", "text"] = ""
    answer_events: tuple[str, ...] = ()
    end: tuple[str, ...] = ()
    idle_timeout_s: float = Field(default=30.0, gt=0)
