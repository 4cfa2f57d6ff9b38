"""The memory of model requests: what was asked before, word for word, is not asked again.

An answer at temperature 0 does not repeat byte for byte, and costs as much as a new question. So a
request is known by a digest over its whole content, and has *draws*: the answers that were given to
it, numbered. Pass r of a run takes draw r. Where the baseline holds the request, the sample is
unaffected by the change: the baseline's draws are taken, without any call. Else a fresh draw is
kept on the disk before it is used, so that a run that was interrupted goes on where it stopped. A
caller that has at most n questions under way pays at most n answers twice.
"""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ragate.cache import Cache, Draw
from ragate.cache.store import DrawKey
from ragate.clients.budget import Budget, no_caps
from ragate.clients.provider_clock import waiting_for_provider
from ragate.core.hashing import digest
from ragate.protocols import ChatClient, ChatReply, ChatRequest


def request_key(request: ChatRequest, *, provider: str = "") -> str:
    """Return the identity of a request: provider, model, messages and parameters; not the pass."""
    return digest([provider, request.model, request.messages, dict(request.parameters)])


@dataclass
class _Flight:
    """A call under way, and how many wait for it."""

    task: asyncio.Task[ChatReply]
    waiting: int = 0


@dataclass
class Memo:
    """Draws by request: the baseline's, then the cache's, then a fresh one.

    Attributes:
        cache: Where fresh draws are kept; None keeps them nowhere.
        baseline: The baseline's answers by `request_key`, one a pass.
        session: Names one recording of a baseline; "" for a check. A recording takes neither the
            baseline's draws nor those of a check or of another recording, and can be resumed under
            the same name.
        budget: Is told what was reused.
    """

    cache: Cache | None = None
    baseline: Mapping[str, Sequence[str]] = field(default_factory=dict)
    session: str = ""
    budget: Budget = field(default_factory=no_caps)
    _flights: dict[DrawKey, _Flight] = field(default_factory=dict)
    _unwritten: dict[DrawKey, Draw] = field(default_factory=dict)
    _writing: asyncio.Lock | None = None
    _loop: asyncio.AbstractEventLoop | None = None

    @property
    def fresh(self) -> bool:
        """Return True where a baseline is recorded."""
        return bool(self.session)

    def unaffected(self, key: str) -> bool:
        """Return True where the baseline holds this very request."""
        return not self.fresh and key in self.baseline

    async def draw(
        self,
        key: str,
        number: int,
        call: Callable[[], Coroutine[Any, Any, ChatReply]],
        *,
        address: str = "",
    ) -> ChatReply:
        """Return draw `number` of a request; `call` makes a fresh one.

        Equal requests that wait for the same draw share one call.

        Args:
            address: Which server it would go to.
        """
        if self.unaffected(key):
            answers = self.baseline[key]
            return self._reuse(Draw.model_construct(text=answers[number % len(answers)]))
        draw_id = (self.session, digest([key, address]) if address else key, number)
        self._settle_in()
        flight = self._flights.get(draw_id)
        if flight is not None:
            self.budget.reused(answers=1)
            return replace(await self._share(draw_id, flight), reused=True)
        if self.cache is not None:
            stored = await asyncio.to_thread(self.cache.draw, *draw_id)
            if stored is not None:
                return self._reuse(stored)
        flight = self._flights.get(draw_id) or self._start(draw_id, call)
        return await self._share(draw_id, flight)

    def _start(
        self, draw_id: DrawKey, call: Callable[[], Coroutine[Any, Any, ChatReply]]
    ) -> _Flight:
        async def fly() -> ChatReply:
            reply = await call()
            if reply.text.strip():  # an empty answer is a failure, and may heal
                await self._keep(draw_id, reply)
            return reply

        flight = self._flights[draw_id] = _Flight(asyncio.create_task(fly()))
        flight.task.add_done_callback(lambda _task: self._landed(draw_id, flight))
        return flight

    def _landed(self, draw_id: DrawKey, flight: _Flight) -> None:
        if self._flights.get(draw_id) is flight:
            del self._flights[draw_id]
        if not flight.task.cancelled():
            flight.task.exception()  # looked at, also where nobody waits any more

    async def _share(self, draw_id: DrawKey, flight: _Flight) -> ChatReply:
        """Wait for a call that others may wait for too: it ends only with the last of them."""
        flight.waiting += 1
        try:
            with waiting_for_provider():  # the call may be in the context of another sample
                return await asyncio.shield(flight.task)
        finally:
            flight.waiting -= 1
            if flight.waiting == 0 and not flight.task.done():
                self._flights.pop(draw_id, None)  # a later question starts anew
                flight.task.cancel()

    async def _keep(self, draw_id: DrawKey, reply: ChatReply) -> None:
        """Return when the draw is on the disk; what arrives meanwhile goes with the next write."""
        if self.cache is None:
            return
        self._unwritten[draw_id] = Draw(
            text=reply.text,
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
            cost_usd=reply.cost_usd,
            finish_reason=reply.finish_reason,
        )
        assert self._writing is not None
        async with self._writing:
            if draw_id not in self._unwritten:
                return
            draws, self._unwritten = self._unwritten, {}
            try:
                await asyncio.to_thread(self.cache.put_draws, draws)
            except BaseException:
                self._unwritten = {**draws, **self._unwritten}  # others wait for it too
                raise

    def _settle_in(self) -> None:
        """A memo may be used from one event loop after another."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop, self._writing = loop, asyncio.Lock()
            self._flights, self._unwritten = {}, {}

    def _reuse(self, draw: Draw) -> ChatReply:
        self.budget.reused(answers=1, saved_usd=draw.cost_usd or 0.0)
        return ChatReply(
            draw.text,
            prompt_tokens=draw.prompt_tokens,
            completion_tokens=draw.completion_tokens,
            cost_usd=draw.cost_usd,
            finish_reason=draw.finish_reason,
            reused=True,
        )


@dataclass(frozen=True)
class MemoisedChat:
    """A chat client that asks only what it does not remember; a `ChatClient` too.

    Attributes:
        provider: Its name in the policy: part of a request's identity.
        address: Where that is today: what another server said under this name is not taken from
            the cache.
    """

    client: ChatClient
    memo: Memo
    provider: str = ""
    address: str = ""

    async def __call__(self, request: ChatRequest, *, draw: int = 0) -> ChatReply:
        async def ask() -> ChatReply:
            return await self.client(request)

        key = request_key(request, provider=self.provider)
        return await self.memo.draw(key, draw, ask, address=self.address)
