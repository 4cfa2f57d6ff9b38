"""All calls to one provider: one limiter, one breaker, one budget, and repeated in one place."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from ragate.clients.budget import Budget, no_caps
from ragate.clients.http.error_mapping import Fault
from ragate.clients.http.limiter import Breaker, Limiter, Sent
from ragate.clients.http.reach import is_there, reach, started
from ragate.clients.http.retry import Course, FaultKind, Retry
from ragate.clients.http.transport import Transport
from ragate.clients.openai_payloads import Answer
from ragate.clients.prices import Price, price_of
from ragate.clients.provider_clock import (
    ProviderClock,
    waiting_for_provider,
    waiting_for_worker,
)
from ragate.errors import ProviderError
from ragate.guards.redact import Redactor
from ragate.models.progress import Show, unshown

if TYPE_CHECKING:
    import openai

A = TypeVar("A", bound=Answer)
Once = Callable[["openai.AsyncOpenAI"], Awaitable[A]]
_SHOWN = 300
_NO_TIME = Fault("no time was left for another call", billed=False)
_STARTING = Fault("is still starting", billed=False, may_start=True)


@dataclass
class _Session:
    """What belongs to one event loop; a client may be used from one after another.

    Attributes:
        starting: Held by the call that waits, for all, for a server that is still starting.
        has_started: Whether one was waited for and came; None where nobody looked.
    """

    loop: asyncio.AbstractEventLoop
    client: openai.AsyncOpenAI
    limiter: Limiter
    looking: asyncio.Lock = field(default_factory=asyncio.Lock)
    starting: asyncio.Lock = field(default_factory=asyncio.Lock)
    has_started: bool | None = None


@dataclass
class Channel:
    """Brings questions to a provider and answers back; see `ragate.clients.openai`.

    Attributes:
        busy: By model, the time in which calls were under way. answered: how many were answered.
    """

    transport: Transport
    timeout_s: float
    deadline_s: float
    concurrency: int
    provider: str = ""
    retry: Retry = field(default_factory=Retry)
    breaker: Breaker = field(default_factory=Breaker)
    budget: Budget = field(default_factory=no_caps)
    prices: Mapping[str, Price] = field(default_factory=dict)
    show: Show = unshown
    redact: Redactor = field(init=False)
    busy: defaultdict[str, ProviderClock] = field(
        default_factory=lambda: defaultdict(ProviderClock)
    )
    answered: Counter[str] = field(default_factory=Counter)
    _session: _Session | None = None

    def __post_init__(self) -> None:
        self.redact = Redactor([self.transport.key.get_secret_value()])

    def course(self, *, unreadable: int = 3) -> Course:
        """Return the course of one question; see `Course`."""
        return Course(self.retry, self.deadline_s, unreadable)

    async def ask(self, model: str, once: Once[A], *, course: Course | None = None) -> A:
        """Return the answer to one question, whatever number of calls it takes.

        Args:
            course: Counts its calls.

        Raises:
            ProviderError: no answer after all tries, or a refusal.
            BudgetError: a cap is reached.
        """
        session, course = self._opened(), course or self.course()
        before = ""  # why the call before failed: what a reader can mend
        waited = False
        try:
            while isinstance(answer := await self._attempt(model, once, session, course), Fault):
                if answer.may_start and not waited and await self._has_started(session):
                    waited = True
                    course.start_anew()
                    continue
                assert answer.kind is not None
                made = answer is not _NO_TIME
                wait = course.wait_after(answer.kind, answer.after) if made else None
                if wait is None:
                    text = f"{self._line(before + answer.text)} (after {course.told()})"
                    raise self._error(text, status=answer.status)
                before = f"{answer.text}; "
                with waiting_for_provider():
                    await self.retry.sleep(wait)
        except ProviderError:
            self.budget.failed()
            raise
        return answer

    async def reach(self) -> None:
        """See that the server is there, or comes up, and takes the key; costs nothing.

        Raises:
            ProviderError: it cannot be reached, or refuses the key.
        """
        await reach(self.transport, self.deadline_s, self.show)

    async def _has_started(self, session: _Session) -> bool:
        """Wait, once for all calls, for a server that never answered and is still starting.

        The wait is nobody's time. One that answered before and went away is not waited for.
        """
        with waiting_for_worker():
            async with session.starting:
                if session.has_started is None:
                    came = await started(self.transport, self.deadline_s, self.show)
                    session.has_started = came
                    if came:
                        self.breaker.succeeded()
                return session.has_started

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

    async def _attempt(
        self, model: str, once: Once[A], session: _Session, course: Course
    ) -> A | Fault:
        """Make one call when it is its turn; return the answer, or why it may be made again.

        Raises:
            ProviderError: no further call makes sense.
        """
        self.breaker.check(model)
        async with in_line(session.limiter, again=course.calls > 0) as sent:
            self.breaker.check(model)  # it may have opened while this call waited
            if session.starting.locked():
                return _STARTING
            with self.busy[model].waiting():
                answer = await self._call(model, once, session.client, course)
            if answer is _NO_TIME:
                return answer
            if not isinstance(answer, Fault):
                session.limiter.accepted(sent)
                self.answered[model] += 1
                session.has_started = session.has_started or False
                return answer
            if answer.kind is FaultKind.REJECTED:
                session.limiter.refused(sent, answer.after)
            if answer.timed_out:
                session.limiter.late(sent)
            problem = await self._final(answer, model)
            session.limiter.rest(self.breaker.rest())
        if problem is not None:
            raise problem
        return answer

    async def _call(
        self, model: str, once: Once[A], client: openai.AsyncOpenAI, course: Course
    ) -> A | Fault:
        """Make one call and book it."""
        timeout_s = min(self.timeout_s, course.left())
        if timeout_s <= 0.0:
            return _NO_TIME
        await self.budget.reserve(self.provider, again=course.calls > 0)
        try:  # it may have waited for the budget
            self.breaker.check(model)
        except ProviderError:
            self.budget.give_back()
            raise
        timeout_s = min(self.timeout_s, course.left())
        if timeout_s <= 0.0:
            self.budget.give_back()
            return _NO_TIME
        course.start()
        try:
            answer = await self.transport.outcome(once(client), timeout_s=timeout_s)
        except BaseException:
            self.budget.lost()
            raise
        if isinstance(answer, Fault):
            book = self.budget.lost if answer.billed else self.budget.give_back
            book(rejected=answer.kind is FaultKind.REJECTED)
            return answer
        self.breaker.succeeded()
        self.budget.settle(
            self.cost(model, answer),
            prompt_tokens=answer.prompt_tokens,
            completion_tokens=answer.completion_tokens,
        )
        return answer

    async def _final(self, fault: Fault, model: str) -> ProviderError | None:
        """Tell the breaker of a fault; return what is raised where no further call makes sense.

        A server that is slow is not out: it is there, and a longer time limit is what it needs.
        """
        if fault.kind is None:
            return self._refusal(fault, model)
        if fault.kind is FaultKind.REJECTED:
            self.breaker.succeeded()
        elif not self.breaker.failed(asyncio.get_running_loop().time()):
            return None
        elif not (fault.timed_out and await self._is_slow()):
            text = f"{self.breaker.in_a_row} calls failed in a row; the last: {fault.text}"
            error = self._error(text, status=fault.status, fatal=True)
            self.breaker.open(error)
            return error
        return None

    async def _is_slow(self) -> bool:
        """Return whether the server is there although calls ran out of time; one call looks."""
        async with self._opened().looking:
            if self.breaker.in_a_row and await is_there(self.transport):
                self.breaker.succeeded()
        return not self.breaker.in_a_row

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
            try:
                client = self.transport.client(
                    timeout_s=self.timeout_s, connections=self.concurrency
                )
            except OSError as error:
                raise self._error(f"cannot be reached: {error}") from error
            self._session = _Session(loop, client, Limiter(self.concurrency, self.timeout_s))
        return self._session


@asynccontextmanager
async def in_line(limiter: Limiter, *, again: bool = False) -> AsyncIterator[Sent]:
    """Wait for a place, and hold it.

    The wait is nobody's time: other questions of this run have the places, and how many there are
    is found. The provider's time begins when the call is sent.
    """
    async with AsyncExitStack() as stack:
        with waiting_for_worker():
            sent = await stack.enter_async_context(limiter.place(first_in_line=again))
        with waiting_for_provider():
            yield sent
