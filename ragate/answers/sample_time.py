"""The time of one sample: so much for the system itself, and so much for its model providers."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from ragate.clients.provider_clock import SAMPLE_CLOCK, WORKER_CLOCK, ProviderClock
from ragate.errors import BudgetError, RagateError
from ragate.models import SystemOutput, failed_output

_COARSEST = 0.02  # of the limit: how late the end of a sample with changing waits may be noticed


class SampleTimeError(RagateError):
    """A sample ran out of time.

    Attributes:
        kind: Whose time it was: ``system``, or ``provider``.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind

    @property
    def output(self) -> SystemOutput:
        """The sample's output: a failure of the system, or unscored."""
        return failed_output(self.kind, str(self))


@asynccontextmanager
async def sample_time(limit_s: float) -> AsyncIterator[None]:
    """End what is inside when the system, or its providers, took `limit_s` seconds each.

    What throttles or hangs is a provider, and no change of the system: the two are counted apart.
    The time that a worker takes to start, or is another sample's, has limits of its own.
    A block inside another of the same task shares its count of the provider's time.

    Raises:
        SampleTimeError: the time is up; also where what is inside would not be cancelled.
    """
    loop = asyncio.get_running_loop()
    outer = SAMPLE_CLOCK.get()
    clock = outer or ProviderClock(loop.time)
    workers = WORKER_CLOCK.get() or ProviderClock(loop.time)
    start, before, idle_before = loop.time(), clock.waited_s(), workers.waited_s()
    handle: asyncio.TimerHandle | None = None

    def spent() -> tuple[float, float]:
        waited = clock.waited_s() - before
        return loop.time() - start - waited - (workers.waited_s() - idle_before), waited

    def look() -> None:
        nonlocal handle
        left = limit_s - max(spent())
        if left <= 0.0:
            timeout.reschedule(loop.time())
            return
        handle = loop.call_later(max(left, _COARSEST * limit_s), look)

    tokens = SAMPLE_CLOCK.set(clock), WORKER_CLOCK.set(workers)
    timeout = asyncio.timeout(None)
    try:
        async with timeout:
            handle = loop.call_later(limit_s, look)
            yield
    except Exception as error:
        if isinstance(error, RagateError) or not timeout.expired():
            raise
        raise _time_is_up(limit_s, *spent()) from error
    finally:
        SAMPLE_CLOCK.reset(tokens[0])
        WORKER_CLOCK.reset(tokens[1])
        if handle is not None:
            handle.cancel()
    if timeout.expired():
        raise _time_is_up(limit_s, *spent())


def _time_is_up(limit_s: float, own_s: float, waited_s: float) -> SampleTimeError:
    if waited_s > own_s:
        return SampleTimeError("provider", f"a model provider gave no answer within {limit_s:g} s")
    return SampleTimeError("system", f"no output within {limit_s:g} s")


# The policy's cap on time, for what is no run of its own.


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
