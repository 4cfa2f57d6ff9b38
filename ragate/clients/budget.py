"""The caps of the policy on calls and cost, and the tally of what was spent and saved."""

import math
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from ragate.errors import BudgetError
from ragate.files.strict_json import number
from ragate.protocols import ChatClient, ChatReply, ChatRequest

_SLACK = 1e-9
_PAUSE_S = 0.2


@dataclass
class Tally:
    """What the models cost in one run.

    Attributes:
        calls: Requests that may be billed, repeats included; refused ones (429, 401) are not.
        retries: Requests that repeated an earlier one.
        rejected: Requests refused for being one too many (429).
        failed: Questions that stayed without an answer after all tries.
        reused: Answers taken from memory: from the baseline, or from an earlier run.
        embeddings_reused: Vectors taken from memory.
        unpriced: Answered calls whose model has no known price; `cost_usd` lacks them.
        saved_usd: What the reused answers cost when they were made, where that is known.
    """

    calls: int = 0
    retries: int = 0
    rejected: int = 0
    failed: int = 0
    reused: int = 0
    embeddings_reused: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float = 0.0
    unpriced: int = 0
    saved_usd: float = 0.0

    @property
    def known_cost_usd(self) -> float | None:
        """What the calls cost, as far as prices are known; None where none of them is."""
        if not self.calls or (self.unpriced and not self.cost_usd):
            return None
        return self.cost_usd

    def __sub__(self, other: "Tally") -> "Tally":
        return Tally(**{name: mine - getattr(other, name) for name, mine in vars(self).items()})

    def __add__(self, other: "Tally") -> "Tally":
        # Asked for at every sample, and `asdict` takes thirty times as long.
        return Tally(**{name: mine + getattr(other, name) for name, mine in vars(self).items()})


def read_tally(told: Mapping[str, object]) -> Tally:
    """Return the tally that another process told; what is no number above 0 is taken for 0."""
    known: dict[str, Any] = {}
    for name, value in asdict(Tally()).items():
        said = number(told.get(name), most=1e12) or 0.0
        known[name] = type(value)(max(0.0, said))
    return Tally(**known)


@dataclass
class CallPace:
    """Times for the calls of one process to one provider, evenly apart, never more than allowed.

    Attributes:
        per_minute: Calls, above 0.
        clock: Gives seconds.
    """

    per_minute: float
    clock: Callable[[], float] = time.monotonic
    _free: float = field(default=float("-inf"), repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def book(self) -> float:
        """Return the seconds until the next free time, which is taken now."""
        with self._lock:
            now = self.clock()
            turn = max(now, self._free)
            self._free = turn + 60.0 / self.per_minute
            return turn - now


@dataclass
class Budget:
    """Caps of the policy; a run stops before the call that would exceed one.

    A call is paid for when its answer is there. Until then it counts with what the dearest call so
    far has cost, so that many calls at once do not pass the cap together.

    Attributes:
        others: What other processes of the run spent, as far as it is known.
        lent_calls, lent_usd: Shares that other processes of the run hold, and may spend.
        paces: Of providers, by name.
        keep: Is told of each call that is sent, lent or given back, and of each price; None where
            that is not known.
    """

    max_calls: int
    max_cost_usd: float
    tally: Tally = field(default_factory=Tally)
    others: Tally = field(default_factory=Tally)
    lent_calls: int = 0
    lent_usd: float = 0.0
    paces: Mapping[str, CallPace] = field(default_factory=dict)
    keep: Callable[[int, float | None], None] = lambda _calls, _cost_usd: None
    _open: int = 0
    _dearest: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def take(self, *, again: bool = False) -> None:
        """Count one call before it is sent; `settle`, `give_back` or `lost` must follow.

        Args:
            again: It repeats an earlier one.

        Raises:
            BudgetError: a cap is reached.
        """
        with self._lock:
            calls, spent = self.used
            if calls >= self.max_calls:
                raise cap_reached("max_calls", self.max_calls, calls)
            expected = (self._open + 1) * self._dearest
            if spent >= self.max_cost_usd or spent + expected > self.max_cost_usd + _SLACK:
                raise cap_reached("max_cost_usd", self.max_cost_usd, round(spent, 4))
            self.tally.calls += 1
            self.tally.retries += again
            self._open += 1
            self.keep(1, 0.0)

    @property
    def used(self) -> tuple[int, float]:
        """Return the calls and US dollars that are spent or lent."""
        calls = self.tally.calls + self.others.calls + self.lent_calls
        return calls, self.tally.cost_usd + self.others.cost_usd + self.lent_usd

    async def reserve(self, provider: str = "", *, again: bool = False) -> None:
        """Take one call, waiting for its turn and for what others hold and may not need.

        Args:
            provider: Its name in the policy, "" where it is not known.
            again: It repeats an earlier one.

        Raises:
            BudgetError: a cap is reached.
        """
        import asyncio  # the spending of a run that asks nothing is counted too

        while True:
            try:
                self.take(again=again)
                break
            except BudgetError:
                if not (self.lent_calls or self.lent_usd):
                    raise
            await asyncio.sleep(_PAUSE_S)
        if provider not in self.paces:
            return
        try:
            await asyncio.sleep(self.paces[provider].book())
        except asyncio.CancelledError:
            self.give_back()
            raise

    def give_back(self, *, rejected: bool = False) -> None:
        """Take back a call that was not billed; `rejected`: it was one too many (429)."""
        with self._lock:
            self.tally.calls -= 1
            self.tally.rejected += rejected
            self._open -= 1
            self.keep(-1, 0.0)

    def settle(
        self, cost_usd: float | None, *, prompt_tokens: int = 0, completion_tokens: int = 0
    ) -> None:
        """Add what an answered call cost; None where its price is not known."""
        with self._lock:
            self._open -= 1
            tally = self.tally
            tally.prompt_tokens += prompt_tokens
            tally.completion_tokens += completion_tokens
            tally.unpriced += cost_usd is None
            tally.cost_usd += cost_usd or 0.0
            self._dearest = max(self._dearest, cost_usd or 0.0)
            if cost_usd != 0.0:
                self.keep(0, cost_usd)

    def lost(self, *, rejected: bool = False) -> None:
        """Note that a call ended without an answer, and may be billed."""
        with self._lock:
            self.tally.rejected += rejected
            self._open -= 1

    def failed(self) -> None:
        """Note a question that stays without an answer."""
        with self._lock:
            self.tally.failed += 1

    def reused(self, *, answers: int = 0, embeddings: int = 0, saved_usd: float = 0.0) -> None:
        """Note what was taken from memory."""
        with self._lock:
            self.tally.reused += answers
            self.tally.embeddings_reused += embeddings
            self.tally.saved_usd += saved_usd

    def snapshot(self) -> Tally:
        """Return what the run has spent until now, in this process and in others."""
        with self._lock:
            return self.tally + self.others

    # Shares of other processes.

    @property
    def usual_usd(self) -> float:
        """Return what a call of other processes cost on average, 0 where none is known."""
        return self.others.cost_usd / self.others.calls if self.others.calls else 0.0

    def expect(self, usd: float) -> None:
        """Take a call to cost as much as others paid, before the first answer here tells it."""
        with self._lock:
            self._dearest = max(self._dearest, usd)

    @property
    def left(self) -> tuple[int, float]:
        """Return the calls and US dollars that are neither spent nor lent, nor under way here."""
        with self._lock:
            calls, usd = self.used
            usd += self._open * self._dearest
            return max(0, self.max_calls - calls), max(0.0, self.max_cost_usd - usd)

    def lend(self, calls: int, usd: float) -> None:
        """Let another process of the run spend a share: until it is returned it counts as spent."""
        with self._lock:
            self.lent_calls += calls
            self.lent_usd += usd
            self.keep(calls, usd)

    def returned(self, calls: int, usd: float, spent: Tally) -> None:
        """Note what another process spent of a share that was lent to it."""
        with self._lock:
            self.lent_calls -= calls
            self.lent_usd -= usd
            self.others += spent
            self.keep(spent.calls - calls, spent.cost_usd - usd)
            for _ in range(spent.unpriced):
                self.keep(0, None)


def no_caps() -> Budget:
    """Return a budget that only counts."""
    return Budget(max_calls=sys.maxsize, max_cost_usd=math.inf)


@dataclass
class Capped:
    """Counts the calls of a chat client that does not count for itself."""

    client: ChatClient
    budget: Budget

    async def __call__(self, request: ChatRequest, *, draw: int = 0) -> ChatReply:
        await self.budget.reserve()
        try:
            reply = await self.client(request, draw=draw)
        except BaseException:
            self.budget.lost()
            raise
        self.budget.settle(
            reply.cost_usd,
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
        )
        return reply


def cap_reached(key: str, cap: float, used: float) -> BudgetError:
    """Return the error of a cap of the policy."""
    return BudgetError(
        f"[policy] {key} = {cap:g} is reached ({used:g} used); the run stops here",
        remedy=f"finished outputs are kept; raise {key}, or run fewer samples with --limit",
    )
