"""How many calls a provider gets at once, and how fast: as many as it takes without refusing them.

Two figures adapt to refusals (HTTP 429): the calls under way (additive increase, multiplicative
decrease) and, from the first run of refusals on, the calls a second. The second is needed because
a fast server can refuse what even one call at a time sends.

A single refusal concerns its own call. `SEVERAL_REFUSED` of the last `WINDOW` calls concern
the provider: then the pace falls to the calls that it accepted lately, and a wait that the server
asks for is kept by all. The first calls at the slower pace are a trial. Where some of them are
refused too, the pace may still be too fast, since it was measured on calls that a provider's
reserve took: it falls to half once more. Where calls are refused even then, the provider refuses
that share at any pace (it is overloaded, or others use up its limit): calling still less would only
be slower, so that share is expected from then on and made up for.

The calls under way are bounded by the time of a reply as well: a server may have one slot, in which
calls wait for one another, and never refuse any. It begins with `_FIRST` and lets in as many as it
would answer in good time even so. It is not asked whether replies come later than without others,
as TCP Vegas does: they differ in length by more than a queue makes of them, and a queue in which
all are answered in time costs nothing.
"""

import asyncio
import math
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from ragate.errors import ProviderError

_FAILED_IN_A_ROW = 5
_FIRST_REST_S = 0.1
_LONGEST_REST_S = 2.0
WINDOW = 20
SEVERAL_REFUSED = 5
_CUT = 0.7  # of the calls under way
_EASE = 0.95  # of the accepted calls a second
_SLOW_GROWTH = 0.05  # of the pace, a second; doubles every `_DOUBLES_S` without a run of refusals
_DOUBLES_S = 3.0
_FAST_GROWTH = math.log(6.0)  # while the pace is a guess from a few calls, or was cut in vain
_GUESS_GROWTH = math.log(2.0)  # while it is one from `_FEW` calls or more
_FEW = 8
_LEAST_PACE = 0.2
_FIRST_GUESS = 8.0
_TRIAL = 8  # calls, or those of `_TRIAL_S` from the first reply on
_TRIAL_S = 2.0
_LEAST_TRIAL = 4
_FIRST = 2.0
_MORE = 3.0  # let in with each reply, as long as they come in good time
_GOOD_TIME = 1 / 4  # of the time limit; the next reply may be four times as long
_LATEST = 0.9
_NOT_GROWN = 1.25
_SPREADS = 1.8  # above the usual number of refusals: about 1 in 28 by luck
_MOST_EXPECTED = 0.8  # who refuses more is closed for a while, which waiting does help


class Sent(NamedTuple):
    """A call under way: when it was sent, and how many were under way then, itself included."""

    at: float
    at_once: int


@dataclass
class Limiter:
    """Places for the calls to one provider, chat and embeddings together; of one event loop.

    Attributes:
        most: Calls under way at once, at most.
        limit_s: Seconds after which a reply is too late.
        pace: Calls a second; None until the provider refused several.
        expected: The share of the calls that it refuses at any pace.

    Two widths bound the calls under way, and the smaller counts: `_by_refusals`, which refusals
    and stumbles narrow, and `_by_time`, which replies near the time limit do.
    """

    most: int
    limit_s: float = math.inf
    pace: float | None = None
    expected: float = 0.0
    under_way: int = 0
    _by_refusals: float = field(init=False)
    _by_time: float = _FIRST
    _alone_s: float = 0.0
    _narrowed: float = -math.inf
    _waiting: deque[asyncio.Future[int]] = field(default_factory=deque)
    _recent: deque[bool] = field(default_factory=lambda: deque(maxlen=WINDOW))
    _accepted: deque[float] = field(default_factory=lambda: deque(maxlen=4096))
    _next: float = 0.0
    _slowed: float = -math.inf
    _trial_began: float | None = None
    _doubted: bool = False
    _trial: int = _TRIAL
    _tried: float = 0.0
    _tried_in_vain: float = 0.0
    _grown: float = 0.0
    _guess: float = _FAST_GROWTH
    _began: float | None = None
    _timer: asyncio.TimerHandle | None = None

    def __post_init__(self) -> None:
        self._by_refusals = float(self.most)

    @asynccontextmanager
    async def place(self, *, first_in_line: bool = False) -> AsyncIterator[Sent]:
        """Hold a place; yield the call that is to be sent.

        Args:
            first_in_line: The call has been sent before.
        """
        at_once = await self._enter(first_in_line=first_in_line)
        try:
            yield Sent(asyncio.get_running_loop().time(), at_once)
        finally:
            self.under_way -= 1
            self._admit()

    def accepted(self, sent: Sent) -> None:
        """Note that the provider took the call."""
        now = asyncio.get_running_loop().time()
        self._accepted.append(now)
        self._by_refusals = min(float(self.most), self._by_refusals + 1.0 / self._by_refusals)
        self._fit(sent, now - sent.at, now)
        if sent.at > self._slowed:
            self._note(now, refused=False)
        self._grow(now)

    def late(self, sent: Sent) -> None:
        """Note that no reply came within the time limit.

        Where none ever came, not even with the server for itself, it hangs: one after another would
        only take longer to find out.
        """
        never_answered = not self._accepted
        has_hung_alone = self._by_time < _FIRST
        if sent.at <= self._narrowed or (never_answered and self._by_time > _FIRST):
            return
        if never_answered and has_hung_alone:
            self._by_time = float(self.most)
        elif sent.at_once > 1:
            self._narrow(self._by_time / 2, asyncio.get_running_loop().time())

    def _fit(self, sent: Sent, took: float, now: float) -> None:
        """Let in as many at once as are answered in good time, be it one after another."""
        if sent.at_once == 1:
            self._alone_s = (self._alone_s + took) / 2 if self._alone_s else took
        good = min(max(self.limit_s * _GOOD_TIME, 1.5 * self._alone_s), self.limit_s * _LATEST)
        in_line = sent.at_once * good / took if took else math.inf
        if took <= good:
            self._by_time = max(self._by_time, min(in_line, self._by_time + _MORE))
        elif sent.at > self._narrowed:
            self._narrow(in_line, now)
        beside = sent.at_once > 1 and self._narrowed < 0.0
        if beside and took <= _NOT_GROWN * self._alone_s:  # however slow, it has slots
            self._by_time += _MORE
        self._by_time = min(self._by_time, float(self.most))

    def _narrow(self, room: float, now: float) -> None:
        self._by_time = max(1.0, min(self._by_time, room))
        self._narrowed = now

    def refused(self, sent: Sent, after: float | None) -> None:
        """Note that the provider refused the call for being one too many."""
        now = asyncio.get_running_loop().time()
        if sent.at <= self._slowed:
            return  # sent before the last slowing down, which it cannot know of
        self._note(now, refused=True)
        self._grow(now)
        if self._trial_began is None and self._too_many():
            self._slow_down(now, after or 0.0)

    def _note(self, now: float, *, refused: bool) -> None:
        self._recent.append(refused)
        if self._trial_began is None:
            return
        if len(self._recent) == 1:
            self._trial_began = now
        if len(self._recent) >= self._trial or now > self._trial_began + _TRIAL_S:
            self._end_trial(now, refused=sum(self._recent), calls=len(self._recent))

    def _end_trial(self, now: float, *, refused: int, calls: int) -> None:
        """Go on at this pace, try a slower one, or take the refusals for those of any pace."""
        if self._doubted and refused == 1 and self._trial == _TRIAL:
            self._trial, self._trial_began = 2 * _TRIAL, now  # one is no answer: some more calls
            return
        self._trial, self._trial_began = _TRIAL, None
        if refused < calls:
            self._recent.clear()
        if self.pace is None or calls < _LEAST_TRIAL or refused > _MOST_EXPECTED * calls:
            return
        if refused <= 1 and self.expected == 0.0:
            self._doubted = False
        elif self._doubted or self.expected:
            self.pace /= 1.0 - self._learn(refused=refused, calls=calls)
        else:
            self._doubted = True
            self._tried_in_vain, self._tried = float(refused), float(calls)
            slower = min(0.5, (1.0 - refused / calls) * _EASE)
            self.pace = max(_LEAST_PACE, self.pace * slower)
            self._guess = 0.0
            self._slowed = self._trial_began = now

    def _too_many(self) -> bool:
        """Tell whether more of the recent calls were refused than at any pace."""
        calls, share = len(self._recent), self.expected
        if share == 0.0:
            return sum(self._recent) >= SEVERAL_REFUSED
        usual = calls * share + _SPREADS * math.sqrt(calls * share * (1.0 - share))
        return calls == WINDOW and sum(self._recent) >= max(SEVERAL_REFUSED, usual)

    def _slow_down(self, now: float, after: float) -> None:
        self._recent.clear()
        self._by_refusals = max(1.0, self._by_refusals * _CUT)
        if (self.pace is None or self._guess) and self.expected == 0.0:
            self._next = max(self._next, now + after)
        self._slow_pace(now)
        self._slowed = self._trial_began = now

    def _learn(self, *, refused: int, calls: int) -> float:
        """Return the share that is refused at any pace, of this trial and of those before."""
        self._tried_in_vain = self._tried_in_vain / 2 + refused  # an older trial counts for less
        self._tried = self._tried / 2 + calls
        self.expected = min(self._tried_in_vain / self._tried, 2.0 * refused / calls)
        self._by_refusals = min(float(self.most), self._by_refusals / (1.0 - self.expected))
        if refused >= calls / 4:
            self._guess = _FAST_GROWTH
        return self.expected

    def rest(self, seconds: float) -> None:
        """Send nothing for some seconds, and fewer at once afterwards: the provider stumbles."""
        if seconds > 0.0:
            self._by_refusals = max(1.0, self._by_refusals * _CUT)
            self._next = max(self._next, asyncio.get_running_loop().time() + seconds)

    def _slow_pace(self, now: float) -> None:
        """Take the accepted calls of the last seconds as what the provider can take."""
        passed = now - (self._began or now)
        if self.pace is None:
            lately = self._accepted_a_second(now, 1.0)
            self.pace = max(_FIRST_GUESS, lately * _EASE)
            if passed >= 1.0:
                self._guess = 0.0
            elif lately >= _FEW:  # less than a second is no measure of a rate
                self._guess = _GUESS_GROWTH
            return
        lately = self._accepted_a_second(
            now, min(max(1.0, 10.0 / self.pace), 10.0, max(1.0, passed))
        )
        slow = min(self.pace, lately) * _EASE if lately else self.pace / 2
        self.pace = max(_LEAST_PACE, slow)
        self._guess = 0.0

    def _accepted_a_second(self, now: float, seconds: float) -> float:
        return sum(1 for when in self._accepted if when > now - seconds) / seconds

    def _grow(self, now: float) -> None:
        if self.pace is not None and self._trial_began is None:
            calm = min(now - self._slowed, 10 * _DOUBLES_S)
            growth = self._guess or _SLOW_GROWTH * 2.0 ** (calm / _DOUBLES_S)
            self.pace *= math.exp(min(growth, _FAST_GROWTH) * min(now - self._grown, 1.0))
        self._grown = now

    async def _enter(self, *, first_in_line: bool) -> int:
        """Wait for a place; return how many have one then."""
        turn: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        (self._waiting.appendleft if first_in_line else self._waiting.append)(turn)
        self._admit()
        try:
            return await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.under_way -= 1
                self._admit()
            raise

    def _admit(self) -> None:
        """Let in whoever may go now; come back when the pace lets in the next."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        while self._waiting and self.under_way < int(min(self._by_refusals, self._by_time)):
            if self._waiting[0].done():  # cancelled while it waited
                self._waiting.popleft()
                continue
            if self._next > now:
                self._come_back(loop)
                return
            if self._began is None:
                self._began = now
            self.under_way += 1
            self._waiting.popleft().set_result(self.under_way)
            if self.pace is not None:
                self._next = max(now, self._next) + 1.0 / self.pace

    def _come_back(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._timer is None or self._timer.cancelled() or self._timer.when() <= loop.time():
            self._timer = loop.call_at(self._next, self._admit)


# Stops asking a provider that is out: the next call would wait for nothing.


@dataclass
class Breaker:
    """Opens when `failures` calls in a row failed over at least `seconds`, and stays open.

    A burst of failures shorter than that is what retries are for. A refusal that holds for every
    further call (a wrong key) opens it at once, for one model or for all.
    """

    failures: int = 10
    seconds: float = 5.0
    in_a_row: int = 0
    _since: float = 0.0
    _refused: dict[str, ProviderError] = field(default_factory=dict)

    def check(self, model: str) -> None:
        """Raise the reason where calls to `model` have no prospect.

        Raises:
            ProviderError: fatal; the first of its kind, worded as when it happened.
        """
        refusal = self._refused.get("") or self._refused.get(model)
        if refusal is not None:
            raise ProviderError(
                refusal.message, remedy=refusal.remedy, fatal=True, status=refusal.status
            )

    def succeeded(self) -> None:
        """Note an answer, or that a call was one too many: the provider is there.

        A refusal of one request says nothing of the next: it neither counts nor makes good.
        """
        self.in_a_row = 0

    def failed(self, now: float) -> bool:
        """Note a call that failed at `now`; return True where that is one too many."""
        if self.in_a_row == 0:
            self._since = now
        self.in_a_row += 1
        return self.in_a_row >= self.failures and now - self._since >= self.seconds

    def rest(self) -> float:
        """Return the seconds to leave a provider alone that has failed several times in a row."""
        several = self.in_a_row - _FAILED_IN_A_ROW
        return 0.0 if several < 0 else min(_LONGEST_REST_S, _FIRST_REST_S * 2.0 ** min(several, 30))

    def open(self, error: ProviderError, *, model: str = "") -> None:
        """Fail every further call, or those to one model, with `error`."""
        self._refused.setdefault(model, error)
