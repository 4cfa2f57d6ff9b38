"""Errors of what systems share, told of the table that an executor reads."""

from collections.abc import Iterator
from contextlib import contextmanager

from ragate.errors import RagateError


@contextmanager
def of_execution(kinds: tuple[type[RagateError], ...]) -> Iterator[None]:
    """Let errors name ``[policy.execution]`` where they would name ``[system]``."""
    try:
        yield
    except kinds as error:
        message = error.message.replace("[system]", "[policy.execution]")
        remedy = error.remedy if "http_hosts" not in error.remedy else ""
        raise type(error)(message, remedy=remedy) from error
