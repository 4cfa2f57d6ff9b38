"""A metric on samples, or over a whole pass."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

from ragate.errors import ProviderError
from ragate.models import MetricInfo, Sample, Score, SystemOutput
from ragate.protocols.resources import ChatClient, Embedder

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Pair = tuple[Sample, SystemOutput]
Vector: TypeAlias = "npt.NDArray[np.float64]"


class Described(Protocol):
    """What every metric has."""

    @property
    def info(self) -> MetricInfo: ...


class OfSamples(Described, Protocol):
    """What every metric on samples has."""

    @property
    def state(self) -> dict[str, float]:
        """What must be the same when the baseline is compared with (an idf table); often empty."""
        ...


@runtime_checkable
class Metric(OfSamples, Protocol):
    """A metric on samples."""

    def score_samples(self, pairs: Sequence[Pair]) -> list[Score]:
        """Return one score a pair, in order."""
        ...


@runtime_checkable
class MetricOfAPart(Protocol):
    """What a metric may have as well: it looks at a part of an answer that can be missing."""

    @property
    def checked(self) -> Metric | None:
        """The metric that is 1 where there was something to look at, else 0."""
        ...


@runtime_checkable
class Judged(Described, Protocol):
    """What a judge scores: `info.needs` is judge, and the pipeline asks for the scores."""

    @property
    def criterion(self) -> str:
        """The judge's criterion, such as ``faithfulness``."""
        ...


class JudgeMetric(Judged, Metric, Protocol):
    """A metric whose scores a judge gives; its `score_samples` is never called."""


@dataclass(frozen=True)
class MetricClients:
    """What a metric may ask: counted, capped by the policy, and remembered.

    Attributes:
        chat: Client by provider name (a table of ``[policy.providers]``).
        embedder: Embedder by its table (``use`` and the embedder's own keys).
    """

    chat: Callable[[str], ChatClient]
    embedder: Callable[[Mapping[str, Any]], Embedder]


class _Unreachable:
    """Stands for a client while a configuration is only read; what asks it is told so."""

    fingerprint = ""
    deterministic = False
    portion = 1

    async def __call__(self, *_asked: object, **_options: object) -> Any:
        raise ProviderError("a metric asks for nothing but scores: only `ask` may call a client")


NO_CLIENTS = MetricClients(lambda _name: _Unreachable(), lambda _table: _Unreachable())


@runtime_checkable
class AskingMetric(OfSamples, Protocol):
    """A metric on samples that asks a model: `info.needs` is model or embeddings."""

    async def ask(self, sample: Sample, output: SystemOutput) -> Score:
        """Return the score of one output; an exception leaves this one unscored.

        It is not called for an output that failed or has no answer, nor for one whose score the
        baseline holds.
        """
        ...


@runtime_checkable
class EmbeddingMetric(OfSamples, Protocol):
    """A metric of the vectors of texts; all texts of a run are embedded together, each once."""

    @property
    def embedder(self) -> Embedder:
        """Who makes the vectors; metrics whose embedders have one fingerprint share them."""
        ...

    def texts(self, sample: Sample, output: SystemOutput) -> Sequence[str]:
        """Return the texts whose vectors `score` reads; none where it needs none."""
        ...

    def score(self, sample: Sample, output: SystemOutput, vectors: Mapping[str, Vector]) -> Score:
        """Return the score of any output, failed ones included.

        Args:
            vectors: By text; each has the shape (dimension,).
        """
        ...


class Aggregate(Described, Protocol):
    """A metric over a whole pass: a percentile or a rate; `info.aggregate` is True."""

    def aggregate(self, pairs: Sequence[Pair]) -> Score: ...


class JudgedAggregate(Judged, Aggregate, Protocol):
    """A value over a whole pass, made of a judge's scores; its `aggregate` is never called."""

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
        clients: For a metric that asks; they answer only while outputs are scored.
        eval_date: The date of the run, ISO 8601; "" for today's in UTC.
    """

    name: str
    k: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    samples: Sequence[Sample] = ()
    state: Mapping[str, float] | None = None
    clients: MetricClients = NO_CLIENTS
    eval_date: str = ""


class MetricModule(Protocol):
    """A module of ragate.metrics, or one by dotted path."""

    def create(self, request: MetricRequest) -> Metric | Aggregate: ...
