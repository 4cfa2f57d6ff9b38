"""What known answers are made of: five topics, each with a right answer and a made-up one."""

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ragate.errors import ConfigError
from ragate.support.strict_json import read_lines

FOLDER = Path(__file__).parent


class Topic(NamedTuple):
    """What five kinds of answers are made of."""

    topic: str
    query: str
    contexts: tuple[str, ...]
    right: str
    made_up: str
    refusal: str
    reference: str


class KnownCalls(NamedTuple):
    """A question that a tool is called for: the right arguments, and two calls to be judged.

    Attributes:
        same: Means what `right` means, and is not written as it.
        other: Means something else.
    """

    tool: str
    query: str
    right: dict[str, str]
    same: dict[str, str]
    other: dict[str, str]


@cache
def known_calls() -> tuple[KnownCalls, ...]:
    """Return the calls, as many as there are dresses."""
    rows: list[Any] = [row for _, row in read_lines(FOLDER / "calls.jsonl", error=ConfigError)]
    return tuple(KnownCalls(**row) for row in rows)


@cache
def topics() -> tuple[Topic, ...]:
    """Return the topics, as many as there are dresses."""
    rows: list[Any] = [row for _, row in read_lines(FOLDER / "topics.jsonl", error=ConfigError)]
    return tuple(Topic(**{**row, "contexts": tuple(row["contexts"])}) for row in rows)
