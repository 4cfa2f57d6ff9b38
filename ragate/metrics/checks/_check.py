"""What the checks have in common: 1 or 0, and why it is 0."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from ragate.core.judging.applicability import unanswerable
from ragate.metrics._identity import metric_info, no_cut_off
from ragate.metrics._sample_metric import Exclusion, Explained, SampleMetric
from ragate.models import Frozen, MetricInfo, Reads, Sample, Score, ScoreState, SystemOutput
from ragate.protocols import MetricRequest, Pair


@dataclass(frozen=True)
class Unmeasured:
    """Why a check cannot tell."""

    why: str


Finding = str | Unmeasured
"""What is wrong with an output, "" where nothing is."""


@dataclass(frozen=True)
class Check:
    """Implements `ragate.protocols.Metric`: 1 where nothing is wrong, else 0 with what is.

    Attributes:
        unusable: Why a policy cannot name it as it is configured, "" where it can.
    """

    metric: SampleMetric
    unusable: str = ""
    state: dict[str, float] = field(default_factory=dict)

    @property
    def info(self) -> MetricInfo:
        return self.metric.info

    def score_samples(self, pairs: Sequence[Pair]) -> list[Score]:
        """Return one score a pair, in order; a failed output fails every check."""
        scores = self.metric.score_samples(pairs)
        return [
            _with_failure(score, output) for score, (_, output) in zip(scores, pairs, strict=True)
        ]


def check_metric(
    request: MetricRequest,
    find: Callable[[Sample, SystemOutput], Finding],
    *,
    reads: Reads = Reads.ANSWER,
    settings: Frozen | None = None,
    exclude: Exclusion = unanswerable,
    unusable: str = "",
) -> Check:
    """Return a check by what finds something wrong."""

    def passed(sample: Sample, output: SystemOutput) -> float | str | Explained:
        finding = find(sample, output)
        if isinstance(finding, Unmeasured):
            return finding.why
        return Explained(0.0, finding) if finding else 1.0

    no_cut_off(request)
    info = metric_info(request, version=1, reads=reads, settings=settings)
    return Check(SampleMetric(info=info, formula=passed, exclude=exclude), unusable)


def _with_failure(score: Score, output: SystemOutput) -> Score:
    if score.state is not ScoreState.VALUE or score.reason or score.value != 0.0:
        return score
    why = "the answer is empty" if output.error is None else f"failed: {output.error.message}"
    return replace(score, reason=why)
