"""What carries calls of tools out, where the policy names it.

A call of an output comes in, and its result or its error goes out, beside the right ones. Read
`executor.py`, which takes these helpers from here.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from ragate.errors import ProviderError, RagateError
from ragate.files.strict_json import loads
from ragate.models import CallResult

DEEPEST = 32  # arrays and objects; an outputs file, which may nest twice as deep, wraps them


@contextmanager
def of_execution(kinds: tuple[type[RagateError], ...]) -> Iterator[None]:
    """Let errors name ``[policy.execution]`` where they would name ``[system]``."""
    try:
        yield
    except kinds as error:
        message = error.message.replace("[system]", "[policy.execution]")
        raise type(error)(message, remedy=error.remedy) from error


def storable(text: str) -> CallResult:
    """Return the value of one JSON text, or why a run cannot hold it.

    A run holds finite numbers, whole characters, and no more than `DEEPEST` levels.
    """
    try:
        value = loads(text, where="its result", error=ProviderError, max_depth=DEEPEST)
    except ProviderError as error:
        return CallResult(error=str(error))
    return CallResult(value=value)
