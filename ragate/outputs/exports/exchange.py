"""One question with what came back, as another tool recorded it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_LONGEST = 1e15

Scalar = str | int | float | bool | None


def seconds(value: Any, *, of: float = 1.0) -> float | None:
    """Return a duration in seconds, None where it is none.

    Args:
        of: How many of its units are a second: 1000 for milliseconds.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value / of if 0 <= value < _LONGEST else None


@dataclass(frozen=True)
class Passage:
    """A retrieved passage; without a document id its text is its identity."""

    text: str = ""
    doc_id: str = ""
    score: float | None = None


@dataclass(frozen=True)
class Exchange:
    """A question, the answer and the passages that it was given with.

    Attributes:
        place: Where it stands, for messages.
        id: The sample's own id, "" where the tool has none of the user's.
        answer: None where none was recorded.
        passages: Best first; None where no retrieval was recorded.
        references: Right answers, where the tool knows them.
        error: Why the system failed, "" where it did not.
        latency_s: Seconds.
        turns: What was said before the question: role and text of each turn.
        metadata: What else is worth keeping, such as the trace's id.
    """

    place: str
    query: str
    id: str = ""
    answer: str | None = None
    passages: tuple[Passage, ...] | None = None
    references: tuple[str, ...] = ()
    error: str = ""
    latency_s: float | None = None
    turns: tuple[tuple[str, str], ...] = ()
    metadata: Mapping[str, Scalar] = field(default_factory=dict)
