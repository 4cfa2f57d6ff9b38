"""What every metric has in common: the three states of a score, and failed outputs.

A metric's own file then holds its formula and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ragate.core.applicability import NO_ANSWER as NO_ANSWER
from ragate.core.applicability import failed as failed
from ragate.core.applicability import provider_failure as provider_failure
from ragate.core.applicability import unanswerable as unanswerable
from ragate.core.applicability import without_reference as without_reference
from ragate.models import (
    Direction,
    MetricInfo,
    Reads,
    Sample,
    Score,
    SystemOutput,
    not_applicable,
    unscored,
)
from ragate.protocols import Pair

Outcome = float | str
"""A value, or the reason why there is none (the score is then unscored)."""


class NothingToCheckError(Exception):
    """The answer holds nothing of what the metric looks at, such as numbers or citations.

    The score is then not applicable. A comparison takes it for unscored where the other side has a
    value, so that an answer cannot raise a mean by falling silent.
    """


Formula = Callable[[Sample, SystemOutput], Outcome]
Exclusion = Callable[[Sample], str]
"""From a sample to the reason why a metric does not apply to it, "" where it does."""


@dataclass(frozen=True)
class SampleMetric:
    """A metric made of a formula and of the samples that it leaves out.

    The formula sees only outputs that succeeded: a failed one has the worst value, one that a
    provider's failure prevented is unscored.
    """

    info: MetricInfo
    formula: Formula
    exclude: Exclusion
    state: dict[str, float] = field(default_factory=dict)

    def score_samples(self, pairs: Sequence[Pair]) -> list[Score]:
        """Return one score a pair, in order."""
        return [self._score(sample, output) for sample, output in pairs]

    def _score(self, sample: Sample, output: SystemOutput) -> Score:
        if reason := self.exclude(sample):
            return not_applicable(self.info.name, reason)
        try:
            outcome = self._outcome(sample, output)
        except NothingToCheckError as nothing:
            return not_applicable(self.info.name, str(nothing))
        if isinstance(outcome, str):
            return unscored(self.info.name, outcome)
        return Score(metric=self.info.name, value=outcome)

    def _outcome(self, sample: Sample, output: SystemOutput) -> Outcome:
        if reason := provider_failure(output):
            return reason
        if failed(output):
            return worst(self.info)
        if self.info.reads is Reads.ANSWER and output.answer is None:
            return NO_ANSWER
        return self.formula(sample, output)


def worst(info: MetricInfo) -> float:
    """Return the value of a failed sample, for a metric whose range has a bad end."""
    end = info.low if info.direction is Direction.HIGHER else info.high
    if end is None:
        raise ValueError(f"{info.name} has no worst value; make it an aggregate")
    return end


def applies_to_all(_sample: Sample) -> str:
    return ""


def without_relevant(sample: Sample) -> str:
    return "" if any(grade >= 1 for grade in sample.relevant.values()) else "no relevant documents"


def answerable(sample: Sample) -> str:
    return "answerable question" if sample.answerable else ""
