"""Tasks that end together, whose failure is told as itself: a group's own words help nobody."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from ragate.errors import RagateError


@asynccontextmanager
async def task_group() -> AsyncIterator[asyncio.TaskGroup]:
    """Yield a task group; the first failure in it is raised, without the group around it."""
    try:
        async with asyncio.TaskGroup() as group:
            yield group
    except BaseExceptionGroup as errors:
        error = first_error(errors)
        raise error from error.__cause__


def first_error(error: BaseException) -> BaseException:
    """Return the error that groups hold: the first with a remedy, else the first of all."""
    if not isinstance(error, BaseExceptionGroup):
        return error
    found = [first_error(one) for one in error.exceptions]
    return next((one for one in found if isinstance(one, RagateError)), found[0])
