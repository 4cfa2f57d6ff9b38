"""What a plugin is. One plugin, one module; `create` of that module makes it.

The settings of a table of ragate.toml come in, with the `Resources` that the pipeline hands out; a
system, a metric or a judge goes out. Read `system.py`, `metric.py` and `resources.py`. A renderer
is a pure function, and its protocol stands here.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Protocol, TypeVar

from ragate.models import Report, Sample, Score, SystemOutput
from ragate.protocols.judge import Judge, JudgeModule, KnownCriteria
from ragate.protocols.metric import (
    NO_CLIENTS,
    NO_RANKINGS,
    Aggregate,
    AskingMetric,
    EarlierRankings,
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
from ragate.protocols.system import CorpusModule, IdentifyingModule, System, SystemModule, Traits

T = TypeVar("T")
Asks = Callable[[Sequence[str], Sample, SystemOutput], bool]
Compares = Callable[[Sample, SystemOutput, SystemOutput], Coroutine[Any, Any, Score]]


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
    """

    apart: bool = False
    grounded: frozenset[str] | None = None
    own_rules: frozenset[str] = frozenset()
    planted: Mapping[str, str] = field(default_factory=dict)
    asks: Asks | None = None
    compare: Compares | None = None


@dataclass(frozen=True)
class SystemAbilities:
    """What a system may have as well.

    Attributes:
        max_concurrency: The most samples that it can take at once; None for as many as there are.
        identifies_state: Fingerprint and commit tell apart all that it reads, databases included.
            Without it, passes of another run do not count as its own.
        reads_date: It reads the date of a question that does not name one.
        arranges: Passages are arranged between retrieval and answer, as `Sample.arrange` says.
            Without it, a run with such a sample is refused: its answer would be of something else.
    """

    max_concurrency: int | None = None
    identifies_state: bool = False
    reads_date: bool = False
    arranges: bool = False


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
