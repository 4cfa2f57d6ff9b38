"""What a plugin is. One plugin, one module; `create` of that module makes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ragate.models import MetricInfo, Report, Sample, Score, SystemInfo, SystemOutput

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Pair = tuple[Sample, SystemOutput]


class Database(Protocol):
    """A Postgres with pgvector, started or connected to on first use."""

    def conninfo(self) -> str:
        """Return a libpq connection string.

        Raises:
            DatabaseError: no server can be reached or started.
        """
        ...


class Embedder(Protocol):
    """Turns texts into vectors."""

    @property
    def fingerprint(self) -> str: ...

    @property
    def deterministic(self) -> bool:
        """True where the same text gives the same vector, bit by bit, on any machine."""
        ...

    async def __call__(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return an array of shape (len(texts), dimension)."""
        ...


class Reranker(Protocol):
    """Says how well each text answers a question."""

    @property
    def fingerprint(self) -> str: ...

    async def __call__(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return one score a text, in order; higher is better, whatever the scale."""
        ...


@dataclass(frozen=True)
class ChatRequest:
    """One chat completion: what is sent, whole; its hash is the request's identity.

    Attributes:
        tries: Replies that cannot be read, after which it is given up; not sent.
    """

    model: str
    messages: tuple[tuple[str, str], ...]  # (role, content)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    tries: int = 3


@dataclass(frozen=True)
class ChatReply:
    """What came back, with the tokens that the server counted.

    Attributes:
        cost_usd: None where the price is not known.
        reused: Taken from memory: nothing was sent. Tokens and cost are those of the call that made
            it, 0 and None where memory does not know them.
        unreadable: Replies before this one that could not be read.
    """

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = None
    finish_reason: str = ""
    reused: bool = False
    unreadable: int = 0


class ChatClient(Protocol):
    """Chat completions of one provider."""

    async def __call__(self, request: ChatRequest, *, draw: int = 0) -> ChatReply:
        """Return the reply.

        Args:
            draw: Which of several answers to the same request is wanted; only a memory of requests
                tells them apart, and the pass is the natural number.

        Raises:
            ProviderError: the provider failed after retries, or refused.
            BudgetError: a cap of the policy is reached.
        """
        ...


@dataclass(frozen=True)
class Resources:
    """What the pipeline hands to plugins; everything is made on first use.

    Attributes:
        root: The project's folder; relative paths in the configuration start here.
        state: The folder for run files and caches (``.ragate``).
        database: Starts or reaches the server on first use.
        chat: Client by provider name (a table of ``[policy.providers]``).
        embedder: Embedder by its configuration table (``use`` and the plugin's own keys).
        reranker: The same for a reranker; None where none can be made.
        capped: Holds a client that a plugin makes for itself to the caps of the policy.
        timeout_s: Seconds for one sample.
        concurrency: Samples in flight.
        say: Prints one progress line.
        replay_paths: Glob patterns, from the policy, of recorded outputs.
        top_k: ``--top-k``, where given.
        retrieval_only: No answers are wanted.
        http_hosts: Hosts, from the policy, that a system may call over HTTP.
        http_methods, http_paths: What it may ask there; the paths are patterns.
        http_header_env: By such a host, names of variables whose values may be sent to it.
        environment: The variables that processes of the project may get.
        key_names: Those of them that hold keys of the policy's providers and services.
        commit: The commit that is judged, where it is not the checked-out one; else "".
        steps: For a judge that asks several questions for one score; None where each is asked anew.
    """

    root: Path
    state: Path
    database: Database
    chat: Callable[[str], ChatClient]
    embedder: Callable[[Mapping[str, Any]], Embedder]
    timeout_s: float = 60.0
    concurrency: int = 8
    say: Callable[[str], None] = lambda _line: None
    replay_paths: tuple[str, ...] = ()
    top_k: int | None = None
    retrieval_only: bool = False
    http_hosts: tuple[str, ...] = ()
    http_methods: tuple[str, ...] = ("POST", "GET", "PUT")
    http_paths: tuple[str, ...] = ("/**",)
    http_header_env: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    key_names: frozenset[str] = frozenset()
    reranker: Callable[[Mapping[str, Any]], Reranker] | None = None
    capped: Callable[[ChatClient], ChatClient] = lambda client: client
    commit: str = ""
    steps: Steps | None = None


class System(Protocol):
    """A RAG under test.

    Its module defines ``create(settings, resources)``, an async context manager that yields it.
    A failure on one sample is returned as `SystemOutput.error`; an exception is taken as one.
    A system may have `max_concurrency`, the most samples that it can take at once, and
    `identifies_state`: True where its fingerprint and the commit tell apart everything that it
    reads, databases included. Without it, passes of another run do not count as its own.
    """

    @property
    def info(self) -> SystemInfo:
        """Known after `prepare`."""
        ...

    @property
    def max_runs(self) -> int | None:
        """Number of recorded passes, or None where the system can run again at will."""
        ...

    async def prepare(self, *, rebuild: bool = False) -> None:
        """Bring the system up to date (incremental ingestion); `rebuild` starts afresh."""
        ...

    async def documents(self) -> frozenset[str] | None:
        """Return the ids of all documents that can be retrieved, None where unknown."""
        ...

    async def answer(self, sample: Sample, *, run: int = 0) -> SystemOutput:
        """Return the output for one sample in pass `run` (0-based; only recorded systems care)."""
        ...


class Metric(Protocol):
    """A metric on samples."""

    @property
    def info(self) -> MetricInfo: ...

    @property
    def state(self) -> dict[str, float]:
        """What must be the same when the baseline is compared with (an idf table); often empty."""
        ...

    def score_samples(self, pairs: Sequence[Pair]) -> list[Score]:
        """Return one score a pair, in order."""
        ...


class JudgeMetric(Metric, Protocol):
    """A metric whose scores a judge gives; `info.needs` is judge and the pipeline asks for them.

    `score_samples` is never called for it.
    """

    @property
    def criterion(self) -> str:
        """The judge's criterion, such as ``faithfulness``."""
        ...


class Judge(Protocol):
    """Gives scores by criterion, all in one call where it can.

    Its module defines ``create(settings, resources)``, an async context manager that yields it.

    It may have two more methods. ``asks(criteria, sample, output)`` returns False where nothing of
    it needs a model, so that no canary has to be asked for it either. ``async compare(sample,
    output, other)`` gives the score of the criterion ``pairwise``: 1 where the answer of `output`
    is better than that of `other`, 0.5 for a tie, 0 where it is worse; both hold answers only.
    An attribute ``apart`` that is True says that each criterion is a question of its own: then they
    are asked one by one, and each score is kept when it is there.
    Two more are sets of criteria: ``grounded``, those that read the retrieved texts (all of them
    where it is absent), and ``own_rules``, those for which a text of the user's says what passes,
    so that no canary can know it.
    """

    @property
    def fingerprint(self) -> str:
        """Hash over everything that can change a verdict: model, parameters, prompt and version."""
        ...

    @property
    def criteria(self) -> frozenset[str]:
        """The criteria that it can judge."""
        ...

    async def __call__(
        self, criteria: Sequence[str], sample: Sample, output: SystemOutput
    ) -> dict[str, Score]:
        """Return a score for each criterion; what could not be measured is unscored.

        A score's `metric` is the criterion's name.

        Raises:
            ProviderError: the judge's provider is out altogether (breaker open, wrong key): every
                further call would fail too.
        """
        ...


class Steps(Protocol):
    """Remembers replies on the way to a verdict, by what was asked."""

    async def get(self, key: str) -> str | None:
        """Return what was said, None where it is not known."""
        ...

    async def keep(self, key: str, text: str) -> None:
        """Keep what was said; it is on the disk on return, or goes there once it may."""
        ...


class JudgeModule(Protocol):
    """A module of ragate.judges, or one by dotted path."""

    def create(
        self, settings: Mapping[str, Any], resources: Resources
    ) -> AbstractAsyncContextManager[Judge]: ...


class Aggregate(Protocol):
    """A metric over a whole pass: a percentile or a rate; `info.aggregate` is True."""

    @property
    def info(self) -> MetricInfo: ...

    def aggregate(self, pairs: Sequence[Pair]) -> Score: ...


class JudgedAggregate(Aggregate, Protocol):
    """A value over a whole pass, made of a judge's scores; ``info.needs`` is judge."""

    @property
    def criterion(self) -> str: ...

    def combine(self, scores: Sequence[Score]) -> Score:
        """Return one score from those of the samples."""
        ...


@dataclass(frozen=True)
class MetricRequest:
    """What a metric's module gets to make the metric.

    Attributes:
        name: As configured, cut-off included: ``ndcg@10``.
        k: The cut-off, where the name has one.
        settings: The metric's own keys of its ``[policy.metrics]`` table.
        samples: The selected golden set, for a metric that fits a table on it.
        state: The table of the baseline, used instead of a new one where present.
    """

    name: str
    k: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    samples: Sequence[Sample] = ()
    state: Mapping[str, float] | None = None


class MetricModule(Protocol):
    """A module of ragate.metrics, or one by dotted path."""

    def create(self, request: MetricRequest) -> Metric | Aggregate: ...


class SystemModule(Protocol):
    """A module of ragate.systems, or one by dotted path."""

    def create(
        self, settings: Mapping[str, Any], resources: Resources
    ) -> AbstractAsyncContextManager[System]: ...


class Renderer(Protocol):
    """A module of ragate.renderers: a pure function of the report."""

    def render(self, report: Report) -> str: ...
