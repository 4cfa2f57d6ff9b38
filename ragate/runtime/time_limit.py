"""The policy's cap on time, for what is no run of its own."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from ragate.errors import BudgetError


@asynccontextmanager
async def within(minutes: float, *, remedy: str) -> AsyncIterator[asyncio.Timeout]:
    """End what is inside when `minutes` have passed.

    Args:
        remedy: What to do then.

    Raises:
        BudgetError: they have.
    """
    try:
        async with asyncio.timeout(minutes * 60) as limit:
            yield limit
    except TimeoutError as error:
        raise BudgetError(
            f"[policy] max_minutes = {minutes:g} is reached; the run stops here", remedy=remedy
        ) from error
