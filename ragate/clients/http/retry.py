"""When a call is made again: the one policy, for models, for GitHub and for services.

A caller makes its calls in a loop of its own, with a `Course` that counts them: after a failure it
says how long to wait before the next call, or that there is none.
"""

import asyncio
import datetime
import math
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from enum import StrEnum

LOADING = 503  # what llama.cpp, vLLM and others answer at /health until their model is there
# The limiter paces rejected calls; this only spreads them.
_REJECTED_BASE_S, _REJECTED_CAP_S = 0.1, 2.0


class FaultKind(StrEnum):
    """Why a call may be made again.

    FAILED: a timeout, a cut connection, a server's error. REJECTED: one call too many (429).
    MALFORMED: an answer that cannot be read, which seldom heals.
    """

    FAILED = "failed"
    REJECTED = "rejected"
    MALFORMED = "malformed"


@dataclass(frozen=True)
class Retry:
    """How often and how patiently a call is repeated.

    Attributes:
        tries: Calls in all; rejected ones (429) do not count. 1: none is repeated, whatever it
            failed of.
        rejections: Rejected calls in all.
        base_s: Longest first wait; it doubles with every further one, up to `cap_s`. Each wait is
            drawn between 0 and its bound (full jitter), and added to what a server asks for.
        patience_s: A server that asks for a longer wait is given up on at once.
    """

    tries: int = 6
    rejections: int = 40
    base_s: float = 0.5
    cap_s: float = 20.0
    patience_s: float = 60.0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    uniform: Callable[[float, float], float] = random.uniform


@dataclass
class Course:
    """What one question has been through.

    Attributes:
        seconds: For all its calls and the waits between, from `start` on.
        unreadable: Replies that cannot be read, after which it is given up.
    """

    retry: Retry
    seconds: float = math.inf
    unreadable: int = 3
    clock: Callable[[], float] = time.monotonic
    counts: dict[FaultKind, int] = field(default_factory=lambda: dict.fromkeys(FaultKind, 0))
    _end: float | None = None

    @property
    def calls(self) -> int:
        """Return how many calls have failed so far."""
        return sum(self.counts.values())

    def start(self) -> None:
        """Begin to count the seconds; later calls change nothing."""
        if self._end is None:
            self._end = self.clock() + self.seconds

    def start_anew(self) -> None:
        """Forget the seconds so far: what was waited for is nobody's time."""
        self._end = None

    def left(self) -> float:
        """Return the seconds that are left, 0 at least."""
        return self.seconds if self._end is None else max(0.0, self._end - self.clock())

    def wait_after(self, kind: FaultKind, after: float | None = None) -> float | None:
        """Count a failed call; return the seconds before the next one, None for no next one.

        Args:
            after: Seconds that the server asks to wait, where it does.
        """
        self.counts[kind] += 1
        if self._spent() or (after or 0.0) > self.retry.patience_s:
            return None
        base, cap = self.retry.base_s, self.retry.cap_s
        if kind is FaultKind.REJECTED:
            base, cap = min(base, _REJECTED_BASE_S), min(cap, _REJECTED_CAP_S)
        longest = min(cap, base * 2.0 ** min(self.calls - 1, 30))
        # Never less than the server asks for.
        wait = (after or 0.0) + self.retry.uniform(0.0, longest)
        return wait if wait < self.left() else None

    def told(self) -> str:
        """Return how many calls there were, in words."""
        return "1 try" if self.calls == 1 else f"{self.calls} tries"

    def _spent(self) -> bool:
        counted = self.calls - self.counts[FaultKind.REJECTED]
        return (
            self.retry.tries <= max(1, counted)
            or self.counts[FaultKind.MALFORMED] >= self.unreadable
            or self.counts[FaultKind.REJECTED] >= self.retry.rejections
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
