"""What plugins get: made on first use from the configuration and the operational settings."""

import threading
from array import array
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from ragate.cache import CACHE_NAME, Cache, Draw
from ragate.clients.budget import Budget, CallPace, Capped, Tally
from ragate.clients.memoised import Memo
from ragate.config import Config, Provider
from ragate.models import Record, Run
from ragate.protocols import Database, MetricClients, Resources
from ragate.resources.operations import Operations, ignore_itself
from ragate.resources.provider_clients import BeforePaying, ProviderClients


@dataclass(frozen=True)
class Opened:
    """The resources of one run.

    Attributes:
        system: For the system under test: known model requests are not sent again.
        judge: For the judge.
        cache: Verdicts, answers and vectors that outlive the run.
        memo: Answers that need not be asked for again.
        before_paying: What is looked at before the first answer that is not known.
        metrics: For metrics that ask a model.
        reach: Sees that a provider is there and takes its key, which costs nothing.
        tally: What was spent and saved so far.
    """

    system: Resources
    judge: Resources
    cache: Cache
    memo: Memo
    budget: Budget
    before_paying: BeforePaying
    reach: Callable[[str], Awaitable[None]]
    metrics: MetricClients

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
    ignore_itself(operations.state)
    policy = config.policy
    budget = Budget(policy.max_calls, policy.max_cost_usd, paces=_paces(policy.providers))
    with (
        Cache(operations.state / CACHE_NAME, say=operations.say) as cache,
        LateDatabase(operations.state, operations.database_url) as database,
    ):
        memo = Memo(cache, baseline=baseline_draws(baseline), session=session, budget=budget)
        clients = ProviderClients(config, operations, budget, memo, cache)
        system = Resources(
            root=config.root,
            state=operations.state,
            database=database,
            chat=clients.chat,
            embedder=clients.embedder,
            timeout_s=operations.timeout_s,
            concurrency=operations.concurrency,
            say=operations.say,
            progress=operations.progress,
            replay_paths=policy.replay_paths,
            scores_paths=policy.scores_paths,
            top_k=top_k,
            retrieval_only=retrieval_only,
            http_hosts=policy.http_hosts,
            http_methods=policy.http_methods,
            http_paths=policy.http_paths,
            http_header_env=policy.http_header_env,
            environment=operations.environment,
            key_names=policy.key_names,
            judge_keys=policy.judge_keys,
            reranker=clients.reranker,
            commit=operations.commit,
            live=operations.live,
        )
        try:
            judge = replace(
                system,
                root=config.rules_root,
                chat=clients.judge_chat,
                capped=lambda client: Capped(client, budget),
            )
            yield Opened(
                system,
                judge,
                cache,
                memo,
                budget,
                clients.before_paying,
                clients.reach,
                MetricClients(clients.metric_chat, clients.embedder),
            )
        finally:
            await clients.close()


class LateDatabase(ExitStack):
    """The database of a run, reached when something first asks for it: most systems have none."""

    def __init__(self, state: Path, url: str) -> None:
        super().__init__()
        self._state, self._url = state, url
        self._lock = threading.Lock()
        self._database: Database | None = None

    def conninfo(self) -> str:
        """Return a connection string, as `ragate.database.PostgresDatabase` gives it."""
        with self._lock:
            if self._database is None:
                from ragate.database import PostgresDatabase

                opened = PostgresDatabase(self._state, url=self._url)
                self._database = self.enter_context(opened)
        return self._database.conninfo()


def _paces(providers: Mapping[str, Provider]) -> dict[str, CallPace]:
    rates = {name: provider.calls_per_minute for name, provider in providers.items()}
    return {name: CallPace(rate) for name, rate in rates.items() if rate}


class _Draws(Mapping[str, tuple[Draw, ...]]):
    """Answers by model request, each read when it is wanted."""

    def __init__(self, records: Sequence[Record]) -> None:
        self._records = records

    @cached_property
    def _rows(self) -> Mapping[str, Sequence[int]]:
        rows: dict[str, array[int]] = {}
        for row, record in enumerate(self._records):
            output = record.output
            if output.request_hash and output.answer and output.error is None:
                rows.setdefault(output.request_hash, array("L")).append(row)
        return rows

    def __getitem__(self, key: str) -> tuple[Draw, ...]:
        given = (self._records[row].output for row in self._rows[key])
        return tuple(
            Draw.model_construct(text=each.answer or "", finish_reason=each.finish_reason)
            for each in given
        )

    def __contains__(self, key: object) -> bool:
        return key in self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


def baseline_draws(baseline: Run | None) -> Mapping[str, tuple[Draw, ...]]:
    """Return the baseline's answers by model request, in the order of its passes."""
    return _Draws(baseline.records if baseline else ())
