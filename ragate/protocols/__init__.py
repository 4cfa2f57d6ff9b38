"""What a plugin is. One plugin, one module; `create` of that module makes it.

The settings of a table of ragate.toml come in, with the `Resources` that the pipeline hands out; a
system, a metric or a judge goes out. Read `system.py`, `metric.py` and `resources.py`. A renderer
is a pure function, and its protocol stands here.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Protocol, TypeVar, runtime_checkable

from ragate.models import Report, Sample, Score, SystemInfo, SystemOutput
from ragate.protocols.metric import (
    NO_CLIENTS,
    Aggregate,
    AskingMetric,
    EmbeddingMetric,
    Judged,
    JudgedAggregate,
    JudgeMetric,
    Metric,
    MetricClients,
    MetricModule,
    MetricOfAPart,
    MetricRequest,
    Pair,
    Vector,
)
from ragate.protocols.resources import (
    ChatClient,
    ChatReply,
    ChatRequest,
    Database,
    Embedder,
    Reranker,
    Resources,
    Steps,
)

T = TypeVar("T")
Asks = Callable[[Sequence[str], Sample, SystemOutput], bool]
Compares = Callable[[Sample, SystemOutput, SystemOutput], Coroutine[Any, Any, Score]]


class Judge(Protocol):
    """Gives scores by criterion, all in one call where it can.

    Its module defines ``create(settings, resources)``, an async context manager that yields it.
    What it may have as well is in `JudgeAbilities`.
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


class JudgeModule(Protocol):
    """A module of ragate.judges, or one by dotted path."""

    def create(
        self, settings: Mapping[str, Any], resources: Resources
    ) -> AbstractAsyncContextManager[Judge]: ...


@runtime_checkable
class KnownCriteria(Protocol):
    """What a judge's module may define as well, so that a configuration is checked without it."""

    CRITERIA: frozenset[str]


class System(Protocol):
    """A RAG under test.

    Its module defines ``create(settings, resources)``, an async context manager that yields it.
    A failure on one sample is returned as `SystemOutput.error`; an exception is taken as one.
    What it may have as well is in `SystemAbilities`.
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


@dataclass(frozen=True)
class Traits:
    """What can be said of a system by its name, before it is made: ``TRAITS`` of a built-in module.

    Attributes:
        runs_code: It runs code of the repository, whatever its settings.
        code_keys: Keys of ``[system]`` that make it run such code where they are set; ``a.b`` is
            the key ``b`` of any table of the list ``a``.
        names_calls: Each of its model calls says which sample it belongs to.
        recorded: Its outputs are there already, and asking for them costs nothing.
        counted: Its model calls go through ragate's own clients, which count them.
        needs_database: Whether it needs ragate's database; None where that is not known.
        id_remedy: What has it give a document the id that the golden set says; ``{folder}`` stands
            for the documents' folder.
        retrieval_remedy: What has it tell what it retrieved, with ids.
    """

    runs_code: bool = True
    code_keys: tuple[str, ...] = ()
    names_calls: bool = False
    recorded: bool = False
    counted: bool = False
    needs_database: bool | None = None
    id_remedy: str = "return this id as `doc_id`"
    retrieval_remedy: str = "return `chunks` with doc_id and text beside the answer"

    def keys_with_code(self, settings: Mapping[str, Any]) -> list[str]:
        """Return those of `code_keys` that are set."""
        return [key for key in self.code_keys if _is_set(settings, key)]


def _is_set(settings: Mapping[str, Any], key: str) -> bool:
    """Return True where a key has a value; in a list of tables, where one of them has."""
    name, _, inner = key.partition(".")
    value = settings.get(name)
    if not inner:
        return bool(value)
    tables = value if isinstance(value, list | tuple) else [value]
    # What is no table is refused when the settings are read; until then it counts as code.
    return any(not isinstance(one, Mapping) or bool(one.get(inner)) for one in tables if one)


class SystemModule(Protocol):
    """A module of ragate.systems, or one by dotted path."""

    def create(
        self, settings: Mapping[str, Any], resources: Resources
    ) -> AbstractAsyncContextManager[System]: ...


@runtime_checkable
class IdentifyingModule(Protocol):
    """What a built-in module may define as well, so that its system need not be made."""

    def identify(self, settings: Mapping[str, Any], resources: Resources) -> Awaitable[SystemInfo]:
        """Return what `create` and `prepare` would find."""
        ...


@runtime_checkable
class CorpusModule(Protocol):
    """What a built-in module may define as well: the texts that its system reads."""

    def document_texts(self, settings: Mapping[str, Any], root: Path) -> dict[str, str]:
        """Return the text of each document that can be retrieved, by id."""
        ...


class Renderer(Protocol):
    """A module of ragate.renderers: a pure function of the report."""

    def render(self, report: Report) -> str: ...


# What a plugin can do beyond what each of its kind does: read once, handed on whole.
#
# A plugin declares it by attributes of its own, or as one value named ``abilities``. A wrapper
# gives the value of what it wraps and replaces in it what it does otherwise, so that nothing is
# forgotten.


@dataclass(frozen=True)
class JudgeAbilities:
    """What a judge may have as well.

    Attributes:
        apart: Criteria are asked one by one, and each score is kept when it is there.
        grounded: The criteria that read the retrieved texts; None where it does not say.
        own_rules: Criteria for which a text of the user's says what passes: no canary knows these.
        planted: By a criterion that is a list of guidelines, the name of the same with one more
            guideline, which answers break.
        asks: Returns False where nothing of a judgement needs a model, so that no canary has to be
            asked; None where everything does.
        compare: The criterion ``pairwise``: returns 1 where the answer of the first output is
            better than that of the other, 0.5 for a tie, 0 where it is worse; both hold answers
            only. None of a judge that does not compare.
        counted: It sends nothing but by the chat client that it is given, which counts it.
        most_calls: Returns how many requests a judgement takes at most; None where each criterion
            takes one.
        identity: What it is known by whatever of its parameters its server takes; "" for the
            fingerprint, which such a judge learns with its first replies.
        adopt: Takes the fingerprint of an earlier run, and sends as that did where it is one that
            this judge may have; None where there is only one.
    """

    apart: bool = False
    grounded: frozenset[str] | None = None
    own_rules: frozenset[str] = frozenset()
    planted: Mapping[str, str] = field(default_factory=dict)
    asks: Asks | None = None
    compare: Compares | None = None
    counted: bool = False
    most_calls: Callable[[Sequence[str], Sample, SystemOutput], int] | None = None
    identity: str = ""
    adopt: Callable[[str], None] | None = None


@dataclass(frozen=True)
class SystemAbilities:
    """What a system may have as well.

    Attributes:
        max_concurrency: The most samples that it can take at once; None for as many as there are.
        identifies_state: Fingerprint and commit tell apart all that it reads, databases included.
            Without it, passes of another run do not count as its own.
        reads_date: It reads the date of a question that does not name one.
    """

    max_concurrency: int | None = None
    identifies_state: bool = False
    reads_date: bool = False


def judge_abilities(judge: Judge) -> JudgeAbilities:
    """Return what a judge declares."""
    return declared(judge, JudgeAbilities)


def system_abilities(system: System) -> SystemAbilities:
    """Return what a system declares."""
    return declared(system, SystemAbilities)


def declared(plugin: Any, kind: type[T]) -> T:
    """Return the value that a plugin declares, or the one that its attributes make."""
    whole = getattr(plugin, "abilities", None)
    if isinstance(whole, kind):
        return whole
    names = [one.name for one in fields(kind)]  # type: ignore[arg-type]
    return kind(**{name: getattr(plugin, name) for name in names if hasattr(plugin, name)})
