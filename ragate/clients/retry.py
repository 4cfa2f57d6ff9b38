"""The one layer that repeats a call: full jitter, and a server's own wish heard."""

from __future__ import annotations

import asyncio
import datetime
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TypeVar

T = TypeVar("T")


class TransientError(Exception):
    """A call that may succeed if it is made again.

    Attributes:
        after: Seconds that the server asks to wait, where it does.
    """

    def __init__(self, message: str, *, after: float | None = None) -> None:
        super().__init__(message)
        self.after = after


@dataclass(frozen=True)
class Retry:
    """How often and how patiently a call is repeated.

    Attributes:
        tries: Calls in all.
        base_s: Longest first wait; it doubles with every further one, up to `cap_s`.
        patience_s: A server that asks for a longer wait is given up on at once.
    """

    tries: int = 4
    base_s: float = 0.5
    cap_s: float = 20.0
    patience_s: float = 60.0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    uniform: Callable[[float, float], float] = random.uniform

    async def __call__(self, call: Callable[[], Awaitable[T]]) -> T:
        """Return what `call` returns.

        Raises:
            TransientError: the last one, with the number of tries in its message.
        """
        for attempt in range(1, self.tries + 1):
            try:
                return await call()
            except TransientError as error:
                if attempt == self.tries or (error.after or 0.0) > self.patience_s:
                    tries = "1 try" if attempt == 1 else f"{attempt} tries"
                    raise TransientError(f"{error} (after {tries})") from error
                await self.sleep(self._wait(attempt, error.after))
        raise AssertionError("tries is at least 1")

    def _wait(self, attempt: int, after: float | None) -> float:
        """Return the seconds before the next try: never less than the server asks for."""
        longest = min(self.cap_s, self.base_s * 2.0 ** (attempt - 1))
        return (after or 0.0) + self.uniform(0.0, longest)


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
