"""All calls to one provider: one limiter, one breaker, one budget, and repeated in one place."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from ragate.clients.budget import Budget, no_caps
from ragate.clients.budget_share import PlannedCall
from ragate.clients.http.breaker import Breaker
from ragate.clients.http.error_mapping import Fault
from ragate.clients.http.limiter import Limiter
from ragate.clients.http.redact import Redactor
from ragate.clients.http.retry import Deadline, FaultKind, Retry, TransientError, Tries
from ragate.clients.http.transport import Transport
from ragate.clients.openai_payloads import Answer
from ragate.clients.prices import Price, price_of
from ragate.clients.provider_clock import waiting_for_provider
from ragate.errors import ProviderError

if TYPE_CHECKING:
    import openai

A = TypeVar("A", bound=Answer)
Once = Callable[["openai.AsyncOpenAI"], Awaitable[A]]
_SHOWN = 300


@dataclass
class _Session:
    """What belongs to one event loop; a client may be used from one after another."""

    loop: asyncio.AbstractEventLoop
    client: openai.AsyncOpenAI
    limiter: Limiter


@dataclass
class Channel:
    """Brings questions to a provider and answers back; see `ragate.clients.openai`."""

    transport: Transport
    timeout_s: float
    deadline_s: float
    concurrency: int
    provider: str = ""
    retry: Retry = field(default_factory=Retry)
    breaker: Breaker = field(default_factory=Breaker)
    budget: Budget = field(default_factory=no_caps)
    prices: Mapping[str, Price] = field(default_factory=dict)
    redact: Redactor = field(init=False)
    _session: _Session | None = None

    def __post_init__(self) -> None:
        self.redact = Redactor([self.transport.key.get_secret_value()])

    async def ask(self, model: str, once: Once[A], *, tries: Tries | None = None) -> A:
        """Return the answer to one question, whatever number of calls it takes.

        Args:
            tries: Bounds the unreadable replies, and counts them.

        Raises:
            ProviderError: no answer after all tries, or a refusal.
            BudgetError: a cap is reached.
        """
        session = self._opened()
        deadline = Deadline(self.deadline_s)

        async def attempt(calls: int) -> A:
            self.breaker.check(model)
            async with session.limiter.place(first_in_line=calls > 0) as sent:
                self.breaker.check(model)  # it may have opened while this call waited
                answer = await self._call(model, once, session.client, deadline, again=calls > 0)
                if not isinstance(answer, Fault):
                    session.limiter.accepted(sent)
                    return answer
                if answer.kind is FaultKind.REJECTED:
                    session.limiter.refused(sent, answer.after)
                problem = self._sorted(answer, model)
                session.limiter.rest(self.breaker.rest())
            raise problem

        try:
            with waiting_for_provider():
                return await self.retry(attempt, deadline=deadline, tries=tries)
        except ProviderError:
            self.budget.failed()
            raise
        except TransientError as error:
            failed = self._error(str(error), status=error.status)
        # Raised out here so that it has no context: what the server said may hold the key.
        self.budget.failed()
        raise failed

    async def aclose(self) -> None:
        """Close the connections."""
        session, self._session = self._session, None
        if session is not None and session.loop is asyncio.get_running_loop():
            await session.client.close()

    def cost(self, model: str, answer: Answer) -> float | None:
        """Return US dollars, None where the price is not known."""
        price = price_of(model, self.prices)
        if price is None:
            return None
        return price.of(input_tokens=answer.prompt_tokens, output_tokens=answer.completion_tokens)

    async def _call(
        self,
        model: str,
        once: Once[A],
        client: openai.AsyncOpenAI,
        deadline: Deadline,
        *,
        again: bool,
    ) -> A | Fault:
        """Make one call and book it."""
        timeout_s = self._time_left(deadline)
        claim = await self.budget.reserve(PlannedCall(self.provider, model, timeout_s, again))
        try:  # it may have waited for the budget
            self.breaker.check(model)
            timeout_s = self._time_left(deadline)
        except (ProviderError, TransientError):
            self.budget.give_back(claim=claim)
            raise
        deadline.start()
        try:
            answer = await self.transport.outcome(once(client), timeout_s=timeout_s)
        except BaseException:
            self.budget.lost(claim=claim)
            raise
        if isinstance(answer, Fault):
            refused = answer.kind is FaultKind.REJECTED
            book = self.budget.lost if answer.billed else self.budget.give_back
            book(rejected=refused, claim=claim)
            return answer
        self.breaker.succeeded()
        self.budget.settle(
            self.cost(model, answer),
            prompt_tokens=answer.prompt_tokens,
            completion_tokens=answer.completion_tokens,
            claim=claim,
        )
        return answer

    def _time_left(self, deadline: Deadline) -> float:
        timeout_s = min(self.timeout_s, deadline.left())
        if timeout_s <= 0.0:
            raise TransientError("no time was left for another call")
        return timeout_s

    def _sorted(self, fault: Fault, model: str) -> Exception:
        """Return what is raised for a fault; tell the breaker."""
        if fault.kind is None:
            return self._refusal(fault, model)
        if fault.kind is FaultKind.REJECTED:
            self.breaker.succeeded()
        elif self.breaker.failed(asyncio.get_running_loop().time()):
            text = f"{self.breaker.in_a_row} calls failed in a row; the last: {fault.text}"
            error = self._error(text, status=fault.status, fatal=True)
            self.breaker.open(error)
            return error
        return TransientError(
            self._line(fault.text), kind=fault.kind, after=fault.after, status=fault.status
        )

    def _refusal(self, fault: Fault, model: str) -> ProviderError:
        fatal = fault.scope != "request"
        error = self._error(fault.text, remedy=fault.remedy, status=fault.status, fatal=fatal)
        if fatal:
            self.breaker.open(error, model=model if fault.scope == "model" else "")
        return error

    def _error(
        self, text: str, *, remedy: str = "", status: int | None = None, fatal: bool = False
    ) -> ProviderError:
        message = f"{self.transport.host}: {self._line(text)}"
        return ProviderError(message, remedy=remedy, status=status, fatal=fatal)

    def _line(self, text: str) -> str:
        """Return text of a server fit for a message: without the key, on one line, not long."""
        return " ".join(self.redact(text).split())[:_SHOWN]

    def _opened(self) -> _Session:
        loop = asyncio.get_running_loop()
        if self._session is None or self._session.loop is not loop:
            client = self.transport.client(timeout_s=self.timeout_s, connections=self.concurrency)
            self._session = _Session(loop, client, Limiter(self.concurrency))
        return self._session
