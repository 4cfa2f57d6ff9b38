"""What every metric has in common: the three states of a score, and failed outputs.

A metric's own file then holds its formula and nothing else.

An answer without the part has one constant value, the best: nothing in it is wrong. So that
leaving the part out does not pay, a second metric counts the samples that held it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence, Sized
from dataclasses import dataclass, field, replace

from ragate.core.judging.applicability import (
    NO_ANSWER,
    failed,
    gave_nothing,
    provider_failure,
    unanswerable,
)
from ragate.core.rules.checked_metric import checked_name
from ragate.metrics._identity import metric_info, no_cut_off
from ragate.models import (
    Direction,
    Frozen,
    MetricInfo,
    Reads,
    Sample,
    Score,
    SystemOutput,
    not_applicable,
    unscored,
)
from ragate.protocols import MetricRequest, Pair

VERSION = 1
Part = Callable[[SystemOutput], Sized]


@dataclass(frozen=True)
class Explained:
    """A value with what there is to say about it."""

    value: float
    why: str


ValueOrReason = float | str | Explained
"""A value, or the reason why there is none (the score is then unscored)."""
Formula = Callable[[Sample, SystemOutput], ValueOrReason]
Exclusion = Callable[[Sample], str]
"""From a sample to the reason why a metric does not apply to it, "" where it does."""
EmptyReason = Callable[[SystemOutput], str]
"""From an output to the reason why it holds nothing to check, "" where it holds something."""


@dataclass(frozen=True)
class MetricOfOutputs(ABC):
    """A metric that scores each output by itself."""

    info: MetricInfo
    state: dict[str, float] = field(default_factory=dict, kw_only=True)

    def score_samples(self, pairs: Sequence[Pair]) -> list[Score]:
        """Return one score a pair, in order."""
        return [self._score(sample, output) for sample, output in pairs]

    @abstractmethod
    def _score(self, sample: Sample, output: SystemOutput) -> Score:
        """Return the score of one output."""


@dataclass(frozen=True)
class SampleMetric(MetricOfOutputs):
    """A metric made of a formula and of the samples that it leaves out.

    The formula sees only outputs that succeeded: a failed one has the worst value, one that a
    provider's failure prevented is unscored, and one that holds nothing to check has the best.

    Attributes:
        nothing: Of a metric that looks at a part of an answer, such as its numbers.
        checked: Of such a metric: the count of the samples that held something to check.
        unusable: Why a policy cannot name it as it is configured, "" where it can.
    """

    formula: Formula
    exclude: Exclusion
    nothing: EmptyReason = lambda _output: ""
    checked: SampleMetric | None = None
    unusable: str = ""

    def _score(self, sample: Sample, output: SystemOutput) -> Score:
        of_answers = self.info.reads is Reads.ANSWER
        is_failure = failed if of_answers else gave_nothing
        if score := settled(self.info, sample, output, exclude=self.exclude, failed=is_failure):
            return score
        if of_answers and output.answer is None:
            return unscored(self.info.name, NO_ANSWER)
        if reason := self.nothing(output):
            return Score(metric=self.info.name, value=self.info.best, reason=reason)
        outcome = self.formula(sample, output)
        if isinstance(outcome, str):
            return unscored(self.info.name, outcome)
        if isinstance(outcome, Explained):
            return Score(metric=self.info.name, value=outcome.value, reason=outcome.why)
        return Score(metric=self.info.name, value=outcome)


def sample_metric(
    request: MetricRequest,
    formula: Formula,
    *,
    exclude: Exclusion = unanswerable,
    version: int = VERSION,
    reads: Reads = Reads.ANSWER,
    direction: Direction = Direction.HIGHER,
    settings: Frozen | None = None,
    state: dict[str, float] | None = None,
) -> SampleMetric:
    """Return a metric that is a fraction of a sample, without a cut-off.

    Raises:
        ConfigError: the name has a cut-off.
    """
    no_cut_off(request)
    info = metric_info(
        request, version=version, reads=reads, direction=direction, settings=settings
    )
    return SampleMetric(info=info, formula=formula, exclude=exclude, state=state or {})


def settled(
    info: MetricInfo,
    sample: Sample,
    output: SystemOutput,
    *,
    exclude: Exclusion,
    failed: Callable[[SystemOutput], bool] = gave_nothing,
) -> Score | None:
    """Return the score of a sample that is left out, was not measured or failed; else None.

    What was retrieved is scored, whatever became of the answer after it.

    Args:
        failed: Whether the output counts as a failure of the system, which has the worst value.
    """
    if reason := exclude(sample):
        return not_applicable(info.name, reason)
    if info.reads is Reads.RETRIEVAL and output.chunks:
        return None
    if reason := provider_failure(output):
        return unscored(info.name, reason)
    return Score(metric=info.name, value=worst(info)) if failed(output) else None


def worst(info: MetricInfo) -> float:
    """Return the value of a failed sample, for a metric whose range has a bad end."""
    if info.worst is None:
        raise ValueError(f"{info.name} has no such end of its range; make it an aggregate")
    return info.worst


def applies_to_all(_sample: Sample) -> str:
    return ""


def without_relevant(sample: Sample) -> str:
    return "" if any(grade >= 1 for grade in sample.relevant.values()) else "no relevant documents"


def answerable(sample: Sample) -> str:
    return "answerable question" if sample.answerable else ""


def of_a_part(
    metric: SampleMetric, request: MetricRequest, part: Part, *, called: str
) -> SampleMetric:
    """Return the metric with its value for "nothing to check", and with the count beside it.

    Args:
        part: From an answer to what the metric looks at in it.
        called: What that is, for the reason where there is none.
    """
    version = metric.info.version
    checked = count_of_checked(request, part, exclude=metric.exclude, version=version)
    reason = f"no {called} in the answer"
    return replace(metric, nothing=lambda output: "" if part(output) else reason, checked=checked)


def count_of_checked(
    request: MetricRequest,
    part: Part,
    *,
    exclude: Exclusion = unanswerable,
    version: int = VERSION,
) -> SampleMetric:
    """Return the metric that is 1 for an answer with something to check, else 0.

    A failed sample is 0, since it holds nothing; higher is better.

    Args:
        version: Of the metric, which reads the same parts.
    """
    return sample_metric(
        MetricRequest(name=checked_name(request.name)),
        lambda _sample, output: float(bool(part(output))),
        exclude=exclude,
        version=version,
    )
