"""How many calls a provider gets at once, and how fast: as many as it takes without refusing them.

Two figures adapt to refusals (HTTP 429): the calls under way (additive increase, multiplicative
decrease) and, from the first run of refusals on, the calls a second. The second is needed because
a fast server can refuse what even one call at a time sends.

A single refusal concerns its own call. `SEVERAL` of the last `WINDOW` calls concern the provider:
then everything slows down, and a wait that the server asks for is kept by all.
"""

import asyncio
import math
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

WINDOW = 20
SEVERAL = 5
_CUT = 0.7  # of the calls under way
_EASE = 0.95  # of the pace: accepted calls a second are its first estimate
_SLOW_GROWTH = 0.05  # of the pace, a second; doubles every `_DOUBLES_S` without a run of refusals
_DOUBLES_S = 3.0
_FAST_GROWTH = math.log(6.0)  # while the estimate is a first guess from a few calls
_GUESS_GROWTH = math.log(2.0)  # while it is one from `_FEW` calls or more
_FEW = 8
_LEAST_PACE = 0.2
_FIRST_GUESS = 5.0


@dataclass
class Limiter:
    """Places for the calls to one provider, chat and embeddings together; of one event loop.

    Attributes:
        most: Calls under way at once, at most.
        pace: Calls a second; None until the provider refused several.
    """

    most: int
    pace: float | None = None
    under_way: int = 0
    _width: float = field(init=False)
    _waiting: deque[asyncio.Future[None]] = field(default_factory=deque)
    _recent: deque[bool] = field(default_factory=lambda: deque(maxlen=WINDOW))
    _accepted: deque[float] = field(default_factory=lambda: deque(maxlen=4096))
    _next: float = 0.0
    _slowed: float = -math.inf
    _grown: float = 0.0
    _guess: float = _FAST_GROWTH
    _began: float | None = None
    _timer: asyncio.TimerHandle | None = None

    def __post_init__(self) -> None:
        self._width = float(self.most)

    @asynccontextmanager
    async def place(self, *, first_in_line: bool = False) -> AsyncIterator[float]:
        """Hold a place; yield when the call is sent.

        Args:
            first_in_line: The call has been sent before.
        """
        await self._enter(first_in_line=first_in_line)
        try:
            yield asyncio.get_running_loop().time()
        finally:
            self.under_way -= 1
            self._admit()

    def accepted(self, sent: float) -> None:
        """Note that the provider took the call that was `sent` then."""
        now = asyncio.get_running_loop().time()
        self._accepted.append(now)
        self._width = min(float(self.most), self._width + 1.0 / self._width)
        if sent > self._slowed:
            self._recent.append(False)
        self._grow(now)

    def refused(self, sent: float, after: float | None) -> None:
        """Note that the provider refused the call for being one too many."""
        now = asyncio.get_running_loop().time()
        if sent <= self._slowed:
            return  # sent before the last slowing down, which it cannot know of
        self._recent.append(True)
        if sum(self._recent) < SEVERAL:
            return
        self._recent.clear()
        self._width = max(1.0, self._width * _CUT)
        if self.pace is None or self._guess:
            self._next = max(self._next, now + (after or 0.0))
        self._slow_pace(now)
        self._slowed = self._grown = now

    def rest(self, seconds: float) -> None:
        """Send nothing for some seconds, and fewer at once afterwards: the provider stumbles."""
        if seconds > 0.0:
            self._width = max(1.0, self._width * _CUT)
            self._next = max(self._next, asyncio.get_running_loop().time() + seconds)

    def _slow_pace(self, now: float) -> None:
        """Take the accepted calls of the last second as what the provider can take."""
        seconds = 1.0
        lately = sum(1 for when in self._accepted if when > now - seconds) / seconds
        if self.pace is None:
            self.pace = max(_FIRST_GUESS, lately * _EASE)
            if now - (self._began or now) >= seconds:
                self._guess = 0.0
            elif lately >= _FEW:  # less than a second is no measure of a rate
                self._guess = _GUESS_GROWTH
            return
        self.pace = max(_LEAST_PACE, self.pace / 2, min(self.pace, lately) * _EASE)
        self._guess = 0.0

    def _grow(self, now: float) -> None:
        if self.pace is None:
            return
        calm = min(now - self._slowed, 10 * _DOUBLES_S)
        growth = self._guess or _SLOW_GROWTH * 2.0 ** (calm / _DOUBLES_S)
        self.pace *= math.exp(min(growth, _FAST_GROWTH) * min(now - self._grown, 1.0))
        self._grown = now

    async def _enter(self, *, first_in_line: bool) -> None:
        turn = asyncio.get_running_loop().create_future()
        (self._waiting.appendleft if first_in_line else self._waiting.append)(turn)
        self._admit()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.under_way -= 1
                self._admit()
            raise

    def _admit(self) -> None:
        """Let in whoever may go now; come back when the pace lets in the next."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        while self._waiting and self.under_way < int(self._width):
            if self._waiting[0].done():  # cancelled while it waited
                self._waiting.popleft()
                continue
            if self._next > now:
                self._come_back(loop)
                return
            if self._began is None:
                self._began = now
            self.under_way += 1
            self._waiting.popleft().set_result(None)
            if self.pace is not None:
                self._next = max(now, self._next) + 1.0 / self.pace

    def _come_back(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._timer is None or self._timer.cancelled() or self._timer.when() <= loop.time():
            self._timer = loop.call_at(self._next, self._admit)
