"""What plugins get: made on first use from the configuration and the operational settings."""

from __future__ import annotations

from array import array
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragate import plugins
from ragate.cache import CACHE_NAME, Cache
from ragate.clients.budget import Budget, Capped, Tally
from ragate.clients.memoised.memoised_chat import Memo, MemoisedChat
from ragate.clients.memoised.memoised_embedder import MemoisedEmbedder, MemoisedEmbeddings
from ragate.clients.memoised.memoised_reranker import MemoisedReranker
from ragate.config import Config, Provider
from ragate.errors import ConfigError, NoKeyError, ProviderError
from ragate.models import Record, Run
from ragate.protocols import ChatClient, ChatReply, ChatRequest, Embedder, Reranker, Resources
from ragate.support.settings import nearest

if TYPE_CHECKING:
    from ragate.clients.openai import OpenAIClient

_MODELLESS = "use a system and metrics that need no model"
_JUDGE_FREE = 'leave judged metrics out: [policy] without_key = "judge-free"'


@dataclass(frozen=True)
class Operations:
    """How to run, as opposed to how to judge: from the environment and the command line.

    Attributes:
        environment: Where the keys are; nothing else of it is read here.
        state: The folder for runs and caches.
        database_url: An own Postgres; "" starts the embedded one.
        offline: Recorded systems get the replies that are known, and no others.
        commit: What is judged, where it is not the checked-out commit: a pull request's head.
        unjudged: Why no judge may be asked, "" where it may.
        own_files: What ragate itself writes in the work tree, beside `state`: no change of it.
        say: Prints a line; progress(done, total, what) shows how far a step is.
    """

    environment: Mapping[str, str]
    state: Path
    database_url: str = ""
    offline: bool = False
    commit: str = ""
    unjudged: str = ""
    own_files: tuple[Path, ...] = ()
    concurrency: int = 8
    timeout_s: float = 60.0
    say: Callable[[str], None] = lambda _line: None
    progress: Callable[[int, int, str], None] = lambda _done, _total, _what: None


@dataclass(frozen=True)
class _Late:
    """A client that is made when it first has to ask: what is remembered needs no key."""

    made: Callable[[], OpenAIClient]

    async def __call__(self, request: ChatRequest, *, draw: int = 0) -> ChatReply:
        return await self._client()(request, draw=draw)

    async def embed(
        self, texts: Sequence[str], *, model: str, dimensions: int | None = None
    ) -> list[list[float]]:
        return await self._client().embed(texts, model=model, dimensions=dimensions)

    def _client(self) -> OpenAIClient:
        try:
            return self.made()
        except ProviderError as error:  # no failure of a sample: the run has no key
            raise NoKeyError(error.message, remedy=error.remedy) from error


@dataclass
class Clients:
    """Clients by provider, one for each, with the key bound to the provider's host.

    Attributes:
        memo: Answers that need not be asked for again.
    """

    config: Config
    operations: Operations
    budget: Budget
    memo: Memo
    cache: Cache
    made: dict[str, OpenAIClient] = field(default_factory=dict)

    def client(self, name: str, *, without: str = _MODELLESS) -> OpenAIClient:
        """Return the client of a provider.

        Args:
            without: What there is to do where its key cannot be had.
        """
        if name not in self.made:
            self.made[name] = self._make(name, without)
        return self.made[name]

    def chat(self, name: str) -> ChatClient:
        """Return the client for answers: a request that is known is not sent again."""
        address = self.config.policy.address(name)
        return MemoisedChat(self._late(name), self.memo, provider=name, address=address)

    def judge_chat(self, name: str) -> ChatClient:
        """Return the client for judging; what is remembered there is the verdict."""
        return self.client(name, without=_JUDGE_FREE)

    def embeddings(self, name: str) -> MemoisedEmbeddings:
        address = self.config.policy.address(name)
        return MemoisedEmbeddings(
            self._late(name), self.cache, provider=address, budget=self.budget
        )

    def embedder(self, table: Mapping[str, Any]) -> Embedder:
        use = str(table.get("use", "openai"))
        if not plugins.is_builtin("embedders", use):
            # This table comes from the pull request, and a dotted path is code.
            raise ConfigError(
                f"[system.embedder] use = {use!r}: only ragate's own embedders may be named here"
                f"{nearest(use, plugins.names('embedders'))}"
            )
        settings = {key: value for key, value in table.items() if key != "use"}
        made: Embedder = plugins.load("embedders", use).create(settings, self.embeddings)
        if use == "openai" or made.deterministic:  # remembered by its client, or cheaper anew
            return made
        return MemoisedEmbedder(made, self.cache, self.budget)

    def reranker(self, table: Mapping[str, Any]) -> Reranker:
        use = str(table.get("use", ""))
        settings = {key: value for key, value in table.items() if key != "use"}
        made: Reranker = plugins.load("rerankers", use).create(settings, self.client)
        address = self.config.policy.address(str(settings.get("provider", "")))
        return MemoisedReranker(made, self.cache, self.budget, address=address)

    async def close(self) -> None:
        """Close all connections."""
        for client in self.made.values():
            await client.aclose()

    def _late(self, name: str) -> _Late:
        self._provider(name)
        return _Late(lambda: self.client(name))

    def _provider(self, name: str) -> Provider:
        provider = self.config.policy.providers.get(name)
        if provider is None:
            raise ConfigError(
                f"provider {name!r} is not in [policy.providers]",
                remedy=f"add [policy.providers.{name}] with base_url and key_env",
            )
        return provider

    def _make(self, name: str, without: str) -> OpenAIClient:
        from ragate.clients.openai import OpenAIClient

        provider = self._provider(name)
        key = self.operations.environment.get(provider.key_env, "") if provider.key_env else ""
        if provider.key_env and not key:
            raise ProviderError(
                f"provider {name!r}: the environment variable {provider.key_env} is not set",
                remedy=f"set {provider.key_env}, or {without}",
                fatal=True,
            )
        return OpenAIClient(
            base_url=provider.base_url,
            key=key,
            # A sample's time holds two calls of the longest kind, so that one that hangs is made
            # again, and ends before the sample does: it is the service that failed, not the system.
            timeout_s=0.45 * self.operations.timeout_s,
            deadline_s=0.9 * self.operations.timeout_s,
            concurrency=self._concurrency(name),
            budget=self.budget,
            prices=provider.prices,
        )

    def _concurrency(self, name: str) -> int:
        """Return the calls under way at once: the system's, and the judge's beside them."""
        judge = self.config.policy.judge
        judging = judge.concurrency if judge is not None and judge.provider == name else 0
        return self.operations.concurrency + judging


@dataclass(frozen=True)
class Opened:
    """The resources of one run.

    Attributes:
        system: For the system under test: known model requests are not sent again.
        judge: For the judge.
        cache: Verdicts, answers and vectors that outlive the run.
        memo: Answers that need not be asked for again.
        tally: What was spent and saved so far.
    """

    system: Resources
    judge: Resources
    cache: Cache
    memo: Memo
    budget: Budget

    @property
    def tally(self) -> Tally:
        return self.budget.snapshot()


@asynccontextmanager
async def open_resources(
    config: Config,
    operations: Operations,
    *,
    baseline: Run | None = None,
    session: str = "",
    top_k: int | None = None,
    retrieval_only: bool = False,
) -> AsyncIterator[Opened]:
    """Yield the resources of one run; what was started for it is released at the end.

    Args:
        baseline: Its answers are taken where the model request is the same.
        session: Names a recording of a baseline: its answers are all its own.
    """
    from ragate.database import PostgresDatabase

    policy = config.policy
    budget = Budget(max_calls=policy.max_calls, max_cost_usd=policy.max_cost_usd)
    with (
        Cache(operations.state / CACHE_NAME, say=operations.say) as cache,
        PostgresDatabase(operations.state, url=operations.database_url) as database,
    ):
        memo = Memo(cache, baseline=draws(baseline), session=session, budget=budget)
        clients = Clients(config, operations, budget, memo, cache)
        system = Resources(
            root=config.root,
            state=operations.state,
            database=database,
            chat=clients.chat,
            embedder=clients.embedder,
            timeout_s=operations.timeout_s,
            concurrency=operations.concurrency,
            say=operations.say,
            replay_paths=policy.replay_paths,
            top_k=top_k,
            retrieval_only=retrieval_only,
            http_hosts=policy.http_hosts,
            http_methods=policy.http_methods,
            http_paths=policy.http_paths,
            http_header_env=policy.http_header_env,
            environment=operations.environment,
            key_names=policy.key_names,
            reranker=clients.reranker,
            commit=operations.commit,
        )
        try:
            judge = replace(
                system,
                root=config.rules_root,
                chat=clients.judge_chat,
                capped=lambda client: Capped(client, budget),
            )
            yield Opened(system, judge, cache, memo, budget)
        finally:
            await clients.close()


class _Draws(Mapping[str, tuple[str, ...]]):
    """Answers by model request, each read when it is wanted."""

    def __init__(self, records: Sequence[Record], rows: Mapping[str, Sequence[int]]) -> None:
        self._records = records
        self._rows = rows

    def __getitem__(self, key: str) -> tuple[str, ...]:
        return tuple(self._records[row].output.answer or "" for row in self._rows[key])

    def __contains__(self, key: object) -> bool:
        return key in self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


def draws(baseline: Run | None) -> Mapping[str, tuple[str, ...]]:
    """Return the baseline's answers by model request, in the order of its passes."""
    records = baseline.records if baseline else ()
    rows: dict[str, array[int]] = {}
    for row, record in enumerate(records):
        output = record.output
        if output.request_hash and output.answer and output.error is None:
            rows.setdefault(output.request_hash, array("L")).append(row)
    return _Draws(records, rows)
