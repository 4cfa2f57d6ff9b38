"""How long a sample has waited for model providers: that time is not the system's."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar


class ProviderClock:
    """Seconds of one sample in which at least one of its model requests was under way.

    A request is under way from being asked to its answer: the wait for the limiter, every call, the
    pauses between, and a call that hangs. Several at once count once. Used from several threads.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self.now = now
        self._lock = threading.Lock()
        self._under_way = 0
        self._since = 0.0
        self._waited_s = 0.0

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Count the time inside."""
        with self._lock:
            if self._under_way == 0:
                self._since = self.now()
            self._under_way += 1
        try:
            yield
        finally:
            with self._lock:
                self._under_way -= 1
                if self._under_way == 0:
                    self._waited_s += self.now() - self._since

    def add(self, seconds: float) -> None:
        """Count what is past as well, or no longer where it is negative."""
        with self._lock:
            self._waited_s += seconds

    def waited_s(self) -> float:
        """Return the seconds so far, those of a request that is under way included."""
        with self._lock:
            running = self.now() - self._since if self._under_way else 0.0
            return self._waited_s + running


# Of the sample in whose context something runs; goes along into its tasks and threads.
SAMPLE_CLOCK: ContextVar[ProviderClock | None] = ContextVar("ragate_provider_clock", default=None)


# The same for time that is nobody's.
WORKER_CLOCK: ContextVar[ProviderClock | None] = ContextVar("ragate_worker_clock", default=None)


def waiting_for_provider() -> AbstractContextManager[None]:
    """Count the time inside as the provider's, where a sample is being asked."""
    return _counted(SAMPLE_CLOCK.get())


def waiting_for_worker() -> AbstractContextManager[None]:
    """Count the time inside as nobody's: a worker starts, or another sample has it."""
    return _counted(WORKER_CLOCK.get())


def _counted(clock: ProviderClock | None) -> AbstractContextManager[None]:
    return nullcontext() if clock is None else clock.waiting()


class SampleTime:
    """A stopwatch of the sample in whose context it is made, from then on."""

    def __init__(self) -> None:
        self._clock = WORKER_CLOCK.get() or ProviderClock()
        self._start, self._before = self._clock.now(), self._clock.waited_s()

    def own_s(self) -> float:
        """Return the seconds so far that are not nobody's."""
        return self._clock.now() - self._start - (self._clock.waited_s() - self._before)

    def own(self) -> None:
        """Make the sample's own what was nobody's."""
        self._clock.add(self._before - self._clock.waited_s())

    def disown(self) -> None:
        """Make nobody's what was the sample's own."""
        self._clock.add(self.own_s())
