"""Any OpenAI-compatible server, or one of another protocol: chat completions and embeddings.

Nothing of the environment counts here (addresses, keys, proxies, extra headers): a client talks to
the one base URL it was given, with the one key that belongs to it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pydantic import SecretStr

from ragate.clients.budget import Budget, no_caps
from ragate.clients.call_times import CallTimes
from ragate.clients.channel import Channel
from ragate.clients.dialect import Dialect, changed, told
from ragate.clients.http.bounded_body import embedding_bytes, ranking_bytes
from ragate.clients.http.limiter import Breaker
from ragate.clients.http.retry import FaultKind, Retry
from ragate.clients.http.transport import Transport, post
from ragate.clients.openai_payloads import (
    OfTexts,
    embedding_body,
    read_embeddings,
    read_ranked,
    rerank_body,
)
from ragate.clients.prices import Price
from ragate.clients.speech import OPENAI, Speech
from ragate.models.progress import Show, unshown
from ragate.protocols import ChatReply, ChatRequest
from ragate.spans import Spanned, span

if TYPE_CHECKING:
    import openai


class OpenAIClient:
    """Implements `ragate.protocols.ChatClient`, and embeddings.

    Args:
        base_url: Where the API is, usually ending in ``/v1``.
        key: Sent to that host alone; "" for a server without keys.
        timeout_s: Seconds for one call, its answer included.
        deadline_s: Seconds for one question, from its first call on: all its calls and the waits
            between; without it four times `timeout_s`.
        concurrency: Calls under way at once, at most.
        provider: Its name in the policy, which the budget's pace goes by.
        speech: Its protocol, where that is another than OpenAI's.
        budget: Counts every call that may be billed, and stops before one too many.
        prices: By model; they win over the list prices.
        say: Prints one line.
        show: Shows how long a server is waited for that is still starting.
    """

    def __init__(
        self,
        *,
        base_url: str,
        key: str = "",
        timeout_s: float = 60.0,
        deadline_s: float | None = None,
        concurrency: int = 8,
        provider: str = "",
        retry: Retry | None = None,
        breaker: Breaker | None = None,
        budget: Budget | None = None,
        prices: Mapping[str, Price] | None = None,
        say: Callable[[str], None] = lambda _line: None,
        show: Show = unshown,
        speech: Speech = OPENAI,
    ) -> None:
        self._provider = provider
        self._speech = speech
        self._say = say
        self._dialects: dict[str, Dialect] = {}
        self._channel = Channel(
            transport=Transport(base_url, SecretStr(key), speech.headers),
            timeout_s=timeout_s,
            deadline_s=4.0 * timeout_s if deadline_s is None else deadline_s,
            concurrency=concurrency,
            provider=provider,
            retry=retry or Retry(),
            breaker=breaker or Breaker(),
            budget=budget or no_caps(),
            prices=prices or {},
            show=show,
        )

    def __repr__(self) -> str:
        return f"OpenAIClient({self._channel.transport.base_url!r})"

    async def __call__(self, request: ChatRequest, *, draw: int = 0) -> ChatReply:
        """Return the reply of one chat completion; every call is a new draw.

        Raises:
            ProviderError: the server failed after retries, refused, or sent no chat completion;
                fatal where every further call would fail too.
            BudgetError: a cap is reached.
        """
        del draw

        async def once(client: openai.AsyncOpenAI) -> ChatReply:
            return await self._chat(client, request)

        course = self._channel.course(unreadable=request.tries)
        with span(Spanned.CHAT, request.model, provider=self._speech.name) as note:
            reply = await self._channel.ask(request.model, once, course=course)
            note(input_tokens=reply.prompt_tokens, output_tokens=reply.completion_tokens)
        cost = self._channel.cost(request.model, reply)
        text = self._channel.redact(reply.text)
        unreadable = course.counts[FaultKind.MALFORMED]
        return replace(reply, text=text, cost_usd=cost, unreadable=unreadable)

    async def _chat(self, client: openai.AsyncOpenAI, request: ChatRequest) -> ChatReply:
        """Return the reply; what the model does not take is changed, and the request sent again.

        A refusal is not billed, so that both together are one call of the budget.
        """
        import openai

        dialect = self._dialects.setdefault(request.model, Dialect())
        asked = request.parameters
        while True:
            sent = changed(asked, dialect.changes)
            body = self._speech.body(replace(request, parameters=sent))
            try:
                content = await post(client, self._speech.path, body)
                break
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                known = set(dialect.changes)
                name = dialect.learn(error.body, sent, asked)
                if not name:
                    raise
                if name not in known and name in dialect.changes:
                    at = f" at {self._provider}" if self._provider else ""
                    self._say(f"{request.model}{at} does not take {name}: {told(name)}")
        taken = dialect.changes & asked.keys()
        return replace(self._speech.read(content), changed=tuple(sorted(taken)))

    async def embed(
        self, texts: Sequence[str], *, model: str, dimensions: int | None = None
    ) -> list[list[float]]:
        """Return one embedding a text, in order; one call.

        Raises:
            ProviderError, BudgetError: as for a chat completion.
        """
        body = embedding_body(texts, model, dimensions)
        most = embedding_bytes(len(texts), dimensions)

        async def once(client: openai.AsyncOpenAI) -> OfTexts[list[float]]:
            content = await post(client, "/embeddings", body, max_bytes=most)
            return read_embeddings(content, len(texts))

        with span(Spanned.EMBEDDINGS, model, provider=self._speech.name):
            return (await self._channel.ask(model, once)).rows

    async def rerank(
        self, query: str, texts: Sequence[str], *, model: str = "", form: str = "cohere"
    ) -> list[float]:
        """Return one score a text, in order; one call of ``/rerank``.

        Raises:
            ProviderError, BudgetError: as for a chat completion.
        """
        body = rerank_body(query, texts, model, form)
        most = ranking_bytes(sum(len(text.encode("utf-8", "replace")) for text in texts))

        async def once(client: openai.AsyncOpenAI) -> OfTexts[float]:
            return read_ranked(await post(client, "/rerank", body, max_bytes=most), len(texts))

        return (await self._channel.ask(model, once)).rows

    async def reach(self) -> None:
        """See that the server is there and takes the key; costs nothing.

        Raises:
            ProviderError: it cannot be reached, or refuses the key.
        """
        await self._channel.reach()

    @property
    def times(self) -> dict[str, CallTimes]:
        """Return by model how long the answered calls took so far."""
        busy = self._channel.busy
        return {
            model: CallTimes(calls, busy[model].waited_s())
            for model, calls in self._channel.answered.items()
        }

    async def aclose(self) -> None:
        """Close the connections."""
        await self._channel.aclose()
