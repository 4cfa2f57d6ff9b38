"""Clients that ask nothing twice: chat requests, embeddings, and what a reranker scored.

An answer at temperature 0 does not repeat byte for byte, and costs as much as a new question. So a
request is known by a digest over its whole content, and has *draws*: the answers that were given to
it, numbered. Pass r of a run takes draw r. Where the baseline holds the request, the sample is
unaffected by the change: the baseline's draws are taken, without any call. Else a fresh draw is
kept on the disk before it is used, so that a run that was interrupted goes on where it stopped. A
caller that has at most n questions under way pays at most n answers twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from ragate.cache import Cache, Draw
from ragate.cache.store import DrawKey, kept_draw, read_vector, vector_bytes
from ragate.clients.budget import Budget, no_caps
from ragate.clients.provider_clock import waiting_for_worker
from ragate.core.hashing import digest
from ragate.protocols import ChatClient, ChatReply, ChatRequest, Embedder, Reranker

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


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
        baseline: The baseline's draws by `request_key`, one a pass.
        session: Names one recording of a baseline; "" for a check. A recording takes neither the
            baseline's draws nor those of a check or of another recording, and can be resumed under
            the same name.
        budget: Is told what was reused.
    """

    cache: Cache | None = None
    baseline: Mapping[str, Sequence[Draw]] = field(default_factory=dict)
    session: str = ""
    budget: Budget = field(default_factory=no_caps)
    _flights: dict[DrawKey, _Flight] = field(default_factory=dict)
    _unwritten: dict[DrawKey, Draw] = field(default_factory=dict)
    _writing: asyncio.Lock | None = None
    _loop: asyncio.AbstractEventLoop | None = None

    def unaffected(self, key: str) -> bool:
        """Return True where the baseline holds this very request."""
        return not self.session and key in self.baseline

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
            draws = self.baseline[key]
            return self._reuse(draws[number % len(draws)])
        draw_id = (self.session, digest([key, address]) if address else key, number)
        self._settle_in()
        flight = self._flights.get(draw_id)
        if flight is not None:
            self.budget.reused(answers=1)
            return replace(await self._share(draw_id, flight), reused=True)
        if self.cache is None:
            return await self._landing(draw_id, self._start(draw_id, call))
        async with _turn(self.cache, [*draw_id]):
            stored = await asyncio.to_thread(self.cache.draw, *draw_id)
            if stored is not None:
                return self._reuse(stored)
            flight = self._flights.get(draw_id)
            if flight is not None:
                return await self._share(draw_id, flight)
            return await self._landing(draw_id, self._start(draw_id, call))

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
        """Wait for a call of another sample, whose time it is."""
        with waiting_for_worker():
            return await self._landing(draw_id, flight)

    async def _landing(self, draw_id: DrawKey, flight: _Flight) -> ChatReply:
        """Wait for a call that others may wait for too: it ends only with the last of them."""
        flight.waiting += 1
        try:
            return await asyncio.shield(flight.task)
        finally:
            flight.waiting -= 1
            if flight.waiting == 0 and not flight.task.done():
                self._flights.pop(draw_id, None)  # a later question starts anew
                flight.task.cancel()

    async def _keep(self, draw_id: DrawKey, reply: ChatReply) -> None:
        """Return when the draw is on the disk; what arrives meanwhile goes with the next write."""
        draw = kept_draw(
            reply.text,
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
            cost_usd=reply.cost_usd,
            finish_reason=reply.finish_reason,
        )
        if self.cache is None or draw is None:
            return
        self._unwritten[draw_id] = draw
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


@asynccontextmanager
async def _turn(cache: Cache, request: Sequence[object]) -> AsyncIterator[None]:
    """Wait for another command that asks the same; that is no time of the sample."""
    async with AsyncExitStack() as turn:
        with waiting_for_worker():
            await turn.enter_async_context(cache.turns.turn(digest(request)))
        yield


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


class EmbeddingClient(Protocol):
    """The part of `ragate.clients.openai.OpenAIClient` that embeds."""

    async def embed(
        self, texts: Sequence[str], *, model: str, dimensions: int | None = None
    ) -> list[list[float]]: ...


@dataclass(frozen=True)
class MemoisedEmbeddings:
    """An embedding client that asks only for texts it does not know.

    Vectors are kept as 32-bit floats, and returned so the first time too: the same every time.

    Attributes:
        provider: Where the model is: part of a vector's identity.
    """

    client: EmbeddingClient
    cache: Cache
    provider: str = ""
    budget: Budget = field(default_factory=no_caps)

    async def embed(
        self, texts: Sequence[str], *, model: str, dimensions: int | None = None
    ) -> list[list[float]]:
        """Return one embedding a text, in order; at most one call.

        Raises:
            ProviderError, BudgetError: as for the client.
        """

        async def embed(unknown: list[str]) -> list[list[float]]:
            vectors = await self.client.embed(unknown, model=model, dimensions=dimensions)
            return list(map(_rounded, vectors))

        keys = [digest([self.provider, model, dimensions, text]) for text in texts]
        return await _remembered(self.cache, self.budget, keys, texts, embed)


@dataclass(frozen=True)
class MemoisedEmbedder:
    """A local model that embeds only texts it does not know; implements `Embedder`."""

    embedder: Embedder
    cache: Cache
    budget: Budget = field(default_factory=no_caps)

    @property
    def fingerprint(self) -> str:
        return self.embedder.fingerprint

    @property
    def deterministic(self) -> bool:
        return self.embedder.deterministic

    @property
    def portion(self) -> int:
        return self.embedder.portion

    async def __call__(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return one vector a text, in order.

        Raises:
            ConfigError: the model cannot be loaded.
        """
        import numpy as np

        async def embed(unknown: list[str]) -> list[list[float]]:
            vectors: list[list[float]] = (await self.embedder(unknown)).tolist()
            return vectors

        keys = [digest([self.fingerprint, text]) for text in texts]
        rows = await _remembered(self.cache, self.budget, keys, texts, embed)
        return np.array(rows, dtype=np.float32)


async def _remembered(
    cache: Cache,
    budget: Budget,
    keys: Sequence[str],
    texts: Sequence[str],
    embed: Callable[[list[str]], Awaitable[list[list[float]]]],
) -> list[list[float]]:
    """Return one vector a text, in order; `embed` makes those that the cache does not hold."""
    async with _turn(cache, keys):
        vectors = await asyncio.to_thread(cache.embeddings, list(dict.fromkeys(keys)))
        unknown = {key: text for key, text in zip(keys, texts, strict=True) if key not in vectors}
        budget.reused(embeddings=len(texts) - len(unknown))
        if unknown:
            fresh = dict(zip(unknown, await embed(list(unknown.values())), strict=True))
            await asyncio.to_thread(cache.put_embeddings, fresh)
            vectors |= fresh
    return [vectors[key] for key in keys]


def _rounded(vector: list[float]) -> list[float]:
    rounded = read_vector(vector_bytes(vector))
    return vector if rounded is None else rounded


@dataclass(frozen=True)
class MemoisedReranker:
    """Asks only for questions with texts that it does not know; implements `Reranker`.

    Scores are kept beside embeddings, as one vector for a question with its texts.

    Attributes:
        address: Where the model is today: what another server said is not taken from memory.
    """

    reranker: Reranker
    cache: Cache
    budget: Budget = field(default_factory=no_caps)
    address: str = ""

    @property
    def fingerprint(self) -> str:
        return self.reranker.fingerprint

    async def __call__(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return one score a text, in order.

        Raises:
            ProviderError, BudgetError, ConfigError: as for the reranker.
        """
        if not texts:
            return []
        key = digest(["rerank", self.fingerprint, self.address, query, list(texts)])
        async with _turn(self.cache, [key]):
            remembered = (await asyncio.to_thread(self.cache.embeddings, [key])).get(key)
            if remembered is not None and len(remembered) == len(texts):
                self.budget.reused(embeddings=1)
                return remembered
            scores = await self.reranker(query, texts)
            await asyncio.to_thread(self.cache.put_embeddings, {key: scores})
            return scores
