"""The clients of the policy's providers: made on first use, each with the key of its host."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ragate import plugins
from ragate.cache import Cache
from ragate.clients.budget import Budget
from ragate.clients.call_times import keep_times
from ragate.clients.memoised import Memo, MemoisedChat
from ragate.clients.provider_clock import waiting_for_worker
from ragate.config import Config, Provider
from ragate.errors import ConfigError, NoKeyError, ProviderError
from ragate.extension import extensions, loaded
from ragate.guards.secret_address import odd_character
from ragate.installed import refuse_other_version
from ragate.protocols import ChatClient, ChatReply, ChatRequest, Embedder, Reranker
from ragate.resources.operations import Operations
from ragate.settings import nearest

if TYPE_CHECKING:
    from ragate.clients.http.limiter import Breaker
    from ragate.clients.http.retry import Retry
    from ragate.clients.memoised import MemoisedEmbeddings
    from ragate.clients.openai import OpenAIClient
    from ragate.clients.speech import Speech


JUDGE = "judge "  # before the provider's name, where its client is the judge's
Look = Callable[[], Awaitable[None]]
_MODELLESS = "use a system and metrics that need no model"
JUDGE_FREE = 'leave judged metrics out: [policy] without_key = "judge-free"'


class BeforePaying:
    """Looks once, before the first new answer, whether what it brings about can be had.

    A run whose answers are all known never looks.
    """

    def __init__(self) -> None:
        self._looks: list[Look] = []
        # The recorder's server has an event loop of its own.
        self._tasks: dict[asyncio.AbstractEventLoop, asyncio.Task[None]] = {}

    def demand(self, look: Look) -> None:
        """Have `look` called before the first answer; what it raises ends the run."""
        self._looks.append(look)

    async def __call__(self) -> None:
        """Return when every look went well; all that ask at once wait for the same one.

        Raises:
            NotReadyError: something that the run needs cannot be had.
        """
        if not self._looks:
            return
        loop = asyncio.get_running_loop()
        if loop not in self._tasks:
            self._tasks[loop] = asyncio.ensure_future(self._look())
        await asyncio.shield(self._tasks[loop])

    async def _look(self) -> None:
        for look in self._looks:
            await look()


@dataclass(frozen=True)
class LateClient:
    """A client that is made when it first has to ask: what is remembered needs no key.

    Attributes:
        before: Is waited for before an answer, which something else may depend on.
    """

    make: Callable[[], OpenAIClient]
    before: BeforePaying

    async def __call__(self, request: ChatRequest, *, draw: int = 0) -> ChatReply:
        client = self._client()
        with waiting_for_worker():  # for a server of the judge that starts, say
            await self.before()
        return await client(request, draw=draw)

    async def embed(
        self, texts: Sequence[str], *, model: str, dimensions: int | None = None
    ) -> list[list[float]]:
        return await self._client().embed(texts, model=model, dimensions=dimensions)

    def _client(self) -> OpenAIClient:
        try:
            return self.make()
        except ProviderError as error:  # no failure of a sample: the run has no key
            raise NoKeyError(error.message, remedy=error.remedy) from error


@dataclass
class ProviderClients:
    """Clients by provider, one for each, with the key bound to the provider's host.

    Attributes:
        memo: Answers that need not be asked for again.
        before_paying: Is waited for before the first answer that is not known.
    """

    config: Config
    operations: Operations
    budget: Budget
    memo: Memo
    cache: Cache
    before_paying: BeforePaying = field(default_factory=BeforePaying)
    open: dict[str, OpenAIClient] = field(default_factory=dict)
    _breakers: dict[str, Breaker] = field(default_factory=dict, init=False)
    _embedders: dict[str, Embedder] = field(default_factory=dict, init=False)
    _reached: set[str] = field(default_factory=set, init=False)

    def client(self, name: str, *, without: str = _MODELLESS) -> OpenAIClient:
        """Return the client of a provider.

        Args:
            without: What there is to do where its key cannot be had.
        """
        if name not in self.open:
            # A sample's time holds two calls of the longest kind, so that one that hangs is made
            # again, and ends before the sample does: the service failed, not the system.
            limit = self.operations.timeout_s
            limits = 0.45 * limit, 0.9 * limit, self.operations.concurrency
            self.open[name] = self._make(name, without, *limits)
        return self.open[name]

    def chat(self, name: str) -> ChatClient:
        """Return the client for answers: a request that is known is not sent again."""
        address = self.config.policy.address(name)
        return MemoisedChat(self._late(name), self.memo, provider=name, address=address)

    def metric_chat(self, name: str) -> ChatClient:
        """Return the client of a metric: what a system was told is none of its replies."""
        memo = Memo(self.cache, budget=self.budget)
        address = self.config.policy.address(name)
        return MemoisedChat(self._late(name), memo, provider=f"metrics {name}", address=address)

    def judge_chat(self, name: str) -> ChatClient:
        """Return the client for judging; what is remembered there is the verdict.

        Its time and its calls under way at once are the judge's own.
        """
        judge, key = self.config.policy.judge, f"{JUDGE}{name}"
        if judge is None:
            return self.client(name, without=JUDGE_FREE)
        if key not in self.open:
            limit = 0.95 * judge.timeout_s  # ends before the judgement, and is told as what it is
            limits = limit, limit, judge.concurrency
            from ragate.clients.http.retry import Retry

            retry = Retry(tries=1 + judge.max_retries)
            self.open[key] = self._make(name, JUDGE_FREE, *limits, retry=retry)
        return self.open[key]

    def embeddings(self, name: str) -> MemoisedEmbeddings:
        from ragate.clients.memoised import MemoisedEmbeddings

        address = self.config.policy.address(name)
        return MemoisedEmbeddings(
            self._late(name), self.cache, provider=address, budget=self.budget
        )

    def embedder(self, table: Mapping[str, Any]) -> Embedder:
        """Return the embedder of a table; equal tables share one, and with it a loaded model."""
        key = repr(sorted(table.items()))
        if key not in self._embedders:
            self._embedders[key] = self._embedder(table)
        return self._embedders[key]

    def _embedder(self, table: Mapping[str, Any]) -> Embedder:
        use = str(table.get("use", "openai"))
        if not plugins.is_builtin("embedders", use):
            # This table comes from the pull request, and a dotted path is code.
            raise ConfigError(
                f"[system.embedder] use = {use!r}: only ragate's own embedders may be named here"
                f"{nearest(use, plugins.names('embedders'))}"
            )
        settings = {key: value for key, value in table.items() if key != "use"}
        embedder = plugins.embedder(use, settings, self.embeddings)
        if use == "openai" or embedder.deterministic:  # remembered by its client, or cheaper anew
            return embedder
        from ragate.clients.memoised import MemoisedEmbedder

        return MemoisedEmbedder(embedder, self.cache, self.budget)

    def reranker(self, table: Mapping[str, Any]) -> Reranker:
        from ragate.clients.memoised import MemoisedReranker

        use = str(table.get("use", ""))
        settings = {key: value for key, value in table.items() if key != "use"}
        reranker = plugins.reranker(use, settings, self.client)
        address = self.config.policy.address(str(settings.get("provider", "")))
        return MemoisedReranker(reranker, self.cache, self.budget, address=address)

    async def reach(self, name: str) -> None:
        """See, once, that a provider is there and takes its key; costs nothing.

        Raises:
            ProviderError: its key is not set or refused, or it cannot be reached.
        """
        client = self.client(name)
        if name not in self._reached:
            await client.reach()
            self._reached.add(name)

    async def close(self) -> None:
        """Close all connections, and note how long calls took."""
        for key, client in self.open.items():
            await client.aclose()
            address = self.config.policy.address(key.removeprefix(JUDGE))
            for model, times in client.times.items():
                keep_times(self.cache, key, address, model, times)

    def _late(self, name: str) -> LateClient:
        self._provider(name)
        return LateClient(lambda: self.client(name), self.before_paying)

    def _provider(self, name: str) -> Provider:
        provider = self.config.policy.providers.get(name)
        if provider is None:
            raise ConfigError(
                f"provider {name!r} is not in [policy.providers]",
                remedy=f"add [policy.providers.{name}] with base_url and key_env",
            )
        return provider

    def _make(
        self,
        name: str,
        without: str,
        timeout_s: float,
        deadline_s: float,
        concurrency: int,
        *,
        retry: Retry | None = None,
    ) -> OpenAIClient:
        from ragate.clients.http.limiter import Breaker
        from ragate.clients.openai import OpenAIClient

        refuse_other_version("openai")
        provider = self._provider(name)
        environment = self.operations.environment
        if self.config.policy.unset_key(name, environment):
            raise ProviderError(
                f"provider {name!r}: the environment variable {provider.key_env} is not set",
                remedy=f"set {provider.key_env}, or {without}",
                fatal=True,
            )
        return OpenAIClient(
            base_url=provider.base_url,
            key=read_key(name, provider, environment),
            timeout_s=timeout_s,
            deadline_s=deadline_s,
            concurrency=concurrency,
            provider=name,
            retry=retry,
            breaker=self._breakers.setdefault(name, Breaker()),
            budget=self.budget,
            prices=provider.prices,
            say=self.operations.say,
            show=self.operations.progress,
            speech=_speech(provider.protocol),
        )


def _speech(protocol: str) -> Speech:
    """Return how a protocol is spoken; `Provider` has looked that there is such a one."""
    from ragate.clients.speech import OPENAI

    for each in extensions():
        if path := each.protocols.get(protocol):
            speech: Speech = loaded(each, path)
            return speech
    return OPENAI


def read_key(name: str, provider: Provider, environment: Mapping[str, str]) -> str:
    """Return the key of a provider, "" where it has none.

    Raises:
        ProviderError: it holds a character that no header can.
    """
    key = environment.get(provider.key_env, "") if provider.key_env else ""
    if odd := odd_character(key):
        raise ProviderError(
            f"provider {name!r}: the value of {provider.key_env} fits no header: {odd}",
            remedy=f"set {provider.key_env} again without the line end or other characters that "
            "were pasted along",
            fatal=True,
        )
    return key
