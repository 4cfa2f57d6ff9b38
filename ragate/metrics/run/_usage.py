"""What an answer takes: tokens and dollars of one sample."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ragate.core.judging.applicability import gave_nothing, provider_failure
from ragate.metrics._identity import unbounded_info
from ragate.models import MetricInfo, Reads, Score, SystemOutput, Usage, not_applicable, unscored
from ragate.protocols import MetricRequest, Pair

Read = Callable[[Usage], float | None]


@dataclass(frozen=True)
class UsageMetric:
    """One figure of the usage that came with an output.

    A failed output is left out, so that failing does not look cheap. An answer taken from memory
    counts with what it took when it was made.
    """

    info: MetricInfo
    read: Read
    state: dict[str, float] = field(default_factory=dict)

    def score_samples(self, pairs: Sequence[Pair]) -> list[Score]:
        """Return one score a pair, in order."""
        return [self._score(output) for _, output in pairs]

    def _score(self, output: SystemOutput) -> Score:
        if reason := provider_failure(output):
            return unscored(self.info.name, reason)
        if gave_nothing(output):
            return not_applicable(self.info.name, "the system failed")
        used = output.usage
        value = None
        if used is not None and used.prompt_tokens + used.completion_tokens > 0:
            value = self.read(used)
        if value is None:
            return unscored(self.info.name, f"the system reported no {self.info.unit}")
        return Score(metric=self.info.name, value=float(value))


def usage_metric(request: MetricRequest, *, unit: str, read: Read) -> UsageMetric:
    """Return the metric that `read` defines."""
    return UsageMetric(
        info=unbounded_info(request, version=1, reads=Reads.ANSWER, unit=unit, aggregate=False),
        read=read,
    )
