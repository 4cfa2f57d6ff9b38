"""Names of tools as providers respell them."""

import re
from collections.abc import Collection, Sequence

from ragate.models import ToolCall

_NOT_TAKEN = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST = 64  # characters; OpenAI and Anthropic take no more


def as_named(calls: Sequence[ToolCall], names: Collection[str]) -> tuple[ToolCall, ...]:
    """Return the calls by the names that the golden set has: ``math_sum`` is ``math.sum``.

    A name that is one of them stays, and so does one that could be two of them.
    """
    return tuple(_as_named(call, names) for call in calls)


def _as_named(call: ToolCall, names: Collection[str]) -> ToolCall:
    if call.name in names:
        return call
    meant = [name for name in names if respelt(name) == call.name]
    return call.amended(name=meant[0]) if len(meant) == 1 else call


def respelt(name: str) -> str:
    """Return a name in the characters and the length that providers take."""
    return _NOT_TAKEN.sub("_", name)[:_LONGEST]
