"""The caps of the policy on calls and cost, and the tally of what was spent and saved."""

import asyncio
import math
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ragate.clients.budget_share import BudgetShare, PlannedCall, cap_reached
from ragate.clients.call_pace import CallPace
from ragate.clients.tally import Tally
from ragate.protocols import ChatClient, ChatReply, ChatRequest

_SLACK = 1e-9


@dataclass
class Budget:
    """Caps of the policy; a run stops before the call that would exceed one.

    A call is paid for when its answer is there. Until then it counts with what the dearest call so
    far has cost, so that many calls at once do not pass the cap together.

    Attributes:
        others: What other processes of the run spent, as far as it is known.
        share: Of several processes' budget, which then holds caps and paces; the tally is ours.
        paces: Of providers, by name.
        keep: Is told of each call that is sent or given back, and of each price.
    """

    max_calls: int
    max_cost_usd: float
    tally: Tally = field(default_factory=Tally)
    others: Tally = field(default_factory=Tally)
    share: BudgetShare | None = None
    paces: Mapping[str, CallPace] = field(default_factory=dict)
    keep: Callable[[int, float], None] = lambda _calls, _cost_usd: None
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
            if self.tally.calls >= self.max_calls:
                raise cap_reached("max_calls", self.max_calls, self.tally.calls)
            expected = (self._open + 1) * self._dearest
            spent = self.tally.cost_usd
            if spent >= self.max_cost_usd or spent + expected > self.max_cost_usd + _SLACK:
                raise cap_reached("max_cost_usd", self.max_cost_usd, round(spent, 4))
            self._count(again=again)

    async def reserve(self, call: PlannedCall) -> int:
        """Take one call, waiting for its turn where others come first; return what names it.

        Raises:
            BudgetError: a cap is reached.
        """
        if self.share is None:
            self.take(again=call.again)
            await self._own_turn(call.provider)
            return 0
        claim = await self.share.reserve(call)
        with self._lock:
            self._count(again=call.again)
        return claim

    async def _own_turn(self, provider: str) -> None:
        if provider not in self.paces:
            return
        try:
            await asyncio.sleep(self.paces[provider].book())
        except asyncio.CancelledError:
            self.give_back()
            raise

    def _count(self, *, again: bool) -> None:
        self.tally.calls += 1
        self.tally.retries += again
        self._open += 1
        self.keep(1, 0.0)

    def give_back(self, *, rejected: bool = False, claim: int = 0) -> None:
        """Take back a call that was not billed; `rejected`: it was one too many (429)."""
        if self.share is not None and claim:
            self.share.give_back(claim)
        with self._lock:
            self.tally.calls -= 1
            self.tally.rejected += rejected
            self._open -= 1
            self.keep(-1, 0.0)

    def settle(
        self,
        cost_usd: float | None,
        *,
        prompt_tokens: int = 0,
        completion_tokens: int = 0,
        claim: int = 0,
    ) -> None:
        """Add what an answered call cost; None where its price is not known."""
        if self.share is not None and claim:
            self.share.settle(claim, cost_usd)
        with self._lock:
            self._open -= 1
            tally = self.tally
            tally.prompt_tokens += prompt_tokens
            tally.completion_tokens += completion_tokens
            tally.unpriced += cost_usd is None
            tally.cost_usd += cost_usd or 0.0
            self._dearest = max(self._dearest, cost_usd or 0.0)
            self.keep(0, cost_usd or 0.0)

    def lost(self, *, rejected: bool = False, claim: int = 0) -> None:
        """Note that a call ended without an answer, and may be billed."""
        if self.share is not None and claim:
            self.share.lost(claim)
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


def no_caps() -> Budget:
    """Return a budget that only counts."""
    return Budget(max_calls=sys.maxsize, max_cost_usd=math.inf)


@dataclass
class Capped:
    """Counts the calls of a chat client that does not count for itself."""

    client: ChatClient
    budget: Budget

    async def __call__(self, request: ChatRequest, *, draw: int = 0) -> ChatReply:
        claim = await self.budget.reserve(PlannedCall(model=request.model))
        try:
            reply = await self.client(request, draw=draw)
        except BaseException:
            self.budget.lost(claim=claim)
            raise
        self.budget.settle(
            reply.cost_usd,
            claim=claim,
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
        )
        return reply
