"""The one layer that repeats a call: full jitter, a server's own wish heard, a deadline."""

import asyncio
import datetime
import math
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from enum import StrEnum
from typing import TypeVar

T = TypeVar("T")
_REJECTED_CAP_S = 2.0  # the limiter paces rejected calls; this only spreads them
_MOST_REJECTIONS = 40


class FaultKind(StrEnum):
    """Why a call may be made again.

    FAILED: a timeout, a cut connection, a server's error. REJECTED: one call too many (429).
    MALFORMED: an answer that cannot be read, which seldom heals.
    """

    FAILED = "failed"
    REJECTED = "rejected"
    MALFORMED = "malformed"


class TransientError(Exception):
    """A call that may succeed if it is made again.

    Attributes:
        after: Seconds that the server asks to wait, where it does.
    """

    def __init__(
        self,
        message: str,
        *,
        kind: FaultKind = FaultKind.FAILED,
        after: float | None = None,
        status: int | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.after = after
        self.status = status


@dataclass
class Deadline:
    """Seconds for one question: all its calls and the waits between, not the wait for a place."""

    seconds: float
    clock: Callable[[], float] = time.monotonic
    _end: float | None = None

    def start(self) -> None:
        """Begin to count; later calls change nothing."""
        if self._end is None:
            self._end = self.clock() + self.seconds

    def left(self) -> float:
        """Return the seconds that are left, 0 at least."""
        return self.seconds if self._end is None else max(0.0, self._end - self.clock())


@dataclass
class Tries:
    """Unreadable replies to one question: how many there may be, and how many there were."""

    most: int = 3
    unreadable: int = 0


@dataclass(frozen=True)
class Retry:
    """How often and how patiently a call is repeated.

    Attributes:
        tries: Calls in all; rejected ones (429) do not count, the deadline bounds them. 1: none is
            repeated, whatever it failed of.
        base_s: Longest first wait; it doubles with every further one, up to `cap_s`.
        patience_s: A server that asks for a longer wait is given up on at once.
    """

    tries: int = 6
    base_s: float = 0.5
    cap_s: float = 20.0
    patience_s: float = 60.0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    uniform: Callable[[float, float], float] = random.uniform

    async def __call__(
        self,
        call: Callable[[int], Awaitable[T]],
        *,
        deadline: Deadline | None = None,
        tries: Tries | None = None,
    ) -> T:
        """Return what `call` returns; it is given the number of calls before.

        Args:
            tries: Bounds the calls whose answers are unreadable.

        Raises:
            TransientError: the last one, with the number of tries in its message.
        """
        course = _Course(self, deadline or Deadline(math.inf), tries or Tries())
        while True:
            try:
                return await call(course.calls)
            except TransientError as error:
                wait = course.wait_after(error)
                last = error
            if wait is None:
                count = "1 try" if course.calls == 1 else f"{course.calls} tries"
                raise TransientError(f"{last} (after {count})", kind=last.kind, status=last.status)
            await self.sleep(wait)


@dataclass
class _Course:
    """What one question has been through."""

    retry: Retry
    deadline: Deadline
    tries: Tries
    counts: dict[FaultKind, int] = field(default_factory=lambda: dict.fromkeys(FaultKind, 0))

    @property
    def calls(self) -> int:
        return sum(self.counts.values())

    def wait_after(self, error: TransientError) -> float | None:
        """Return the seconds before the next call; None where this one was the last."""
        self.counts[error.kind] += 1
        self.tries.unreadable = self.counts[FaultKind.MALFORMED]
        if self._spent() or (error.after or 0.0) > self.retry.patience_s:
            return None
        longest = min(self.retry.cap_s, self.retry.base_s * 2.0 ** min(self.calls - 1, 30))
        if error.kind is FaultKind.REJECTED:
            longest = min(longest, _REJECTED_CAP_S)
        # Never less than the server asks for.
        wait = (error.after or 0.0) + self.retry.uniform(0.0, longest)
        return wait if wait < self.deadline.left() else None

    def _spent(self) -> bool:
        counted = self.calls - self.counts[FaultKind.REJECTED]
        return (
            self.retry.tries <= max(1, counted)
            or self.counts[FaultKind.MALFORMED] >= self.tries.most
            or self.counts[FaultKind.REJECTED] >= _MOST_REJECTIONS
        )


def retry_after(value: str | None, *, now: datetime.datetime) -> float | None:
    """Return the seconds of a Retry-After header: a number, or a date; None where it is neither."""
    if not value:
        return None
    try:
        return max(0.0, min(float(value), 1e9))
    except ValueError:
        pass
    try:
        date = parsedate_to_datetime(value)
    except ValueError:
        return None
    if date.tzinfo is None:
        date = date.replace(tzinfo=datetime.UTC)
    return max(0.0, (date - now).total_seconds())
