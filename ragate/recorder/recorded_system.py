"""Systems whose model calls are recorded: the recorder before them, and whose calls are whose."""

import asyncio

from ragate.clients.provider_clock import SAMPLE_CLOCK, ProviderClock
from ragate.core.hashing import calls_hash
from ragate.errors import FATAL
from ragate.models import Failure, Sample, SystemOutput
from ragate.protocols import System
from ragate.recorder.proxy.in_process import CURRENT
from ragate.recorder.proxy.reply_resolver import ReplyResolver
from ragate.recorder.proxy.request_ledger import Scope
from ragate.recorder.proxy.unanswered import NOT_RECORDED
from ragate.runtime.restartable import RestartableSystem
from ragate.runtime.sample_time import SampleTimeError, sample_time
from ragate.runtime.wrapped_system import WrappedSystem

GAVE_UP = "the code stopped waiting for a model provider, which had not answered yet"
_SHARE_OF_TIME = 0.98  # a little before the pipeline's own deadline, so that it can be explained
_GRACE_S = 0.1
_GRACE_STEPS = 20


class RecordedSystem(WrappedSystem):
    """A system under test with the recorder in front of it.

    Args:
        tells_apart: Every request says which sample it belongs to; else one is asked at a time.
    """

    def __init__(
        self, system: System, resolver: ReplyResolver, timeout_s: float, *, tells_apart: bool
    ) -> None:
        super().__init__(system)
        self.resolver = resolver
        self.timeout_s = timeout_s
        self._tells_apart = tells_apart

    @property
    def max_concurrency(self) -> int | None:
        return super().max_concurrency if self._tells_apart else 1

    async def answer(self, sample: Sample, *, run: int = 0) -> SystemOutput:
        """Return the output with the hash of its requests; unscored where one got no reply."""
        clock = SAMPLE_CLOCK.get() or ProviderClock()
        with self.resolver.ledger.sample(sample.id, run, clock=clock) as scope:
            token = CURRENT.set(sample.id)
            try:
                output = await self._asked(sample, run, scope)
                await _settled(scope)
            finally:
                CURRENT.reset(token)
        if scope.stopped is not None:
            raise scope.stopped
        if why := blameless(scope):
            return _failed("provider", why)
        if output.error is not None:
            return output
        asked = None if scope.shared else calls_hash(scope.keys)
        return output.amended(request_hash=asked, usage=output.usage or scope.usage)

    async def _asked(self, sample: Sample, run: int, scope: Scope) -> SystemOutput:
        try:
            async with sample_time(_SHARE_OF_TIME * self.timeout_s):
                return await self.system.answer(sample, run=run)
        except SampleTimeError as error:
            return error.output
        except FATAL:
            raise
        except Exception:
            if blameless(scope):
                return _failed("system", "")  # what is said of it is why it was not answered
            raise


async def restart(system: System) -> None:
    """Close a system that `open_system` gave and open it anew: a new process, new connections.

    It has to be prepared again. Replies that a recorded system was given are kept.
    """
    inner = system.system if isinstance(system, RecordedSystem) else system
    if isinstance(inner, RestartableSystem):
        await inner.restart()


def blameless(scope: Scope) -> str:
    """Return why an output says nothing about the system, "" where it does."""
    if scope.pending:
        return NOT_RECORDED
    gave_up = GAVE_UP if scope.given_up else ""
    return next(iter(scope.failed.values()), gave_up)


async def _settled(scope: Scope) -> None:
    """Wait a moment: the recorder may not have noticed yet that a caller went away."""
    for _ in range(_GRACE_STEPS):
        if not scope.under_way:
            return
        await asyncio.sleep(_GRACE_S / _GRACE_STEPS)


def _failed(kind: str, message: str) -> SystemOutput:
    return SystemOutput(error=Failure.model_validate({"kind": kind, "message": message}))
