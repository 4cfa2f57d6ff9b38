"""What the metrics of churn have in common: each ranking beside the baseline's."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ragate.core.hashing import content_hash
from ragate.core.judging.applicability import provider_failure
from ragate.core.ranking import ranked_doc_ids
from ragate.models import MetricInfo, Sample, Score, SystemOutput, not_applicable, unscored
from ragate.protocols import EarlierRankings, Pair

Ranking = Sequence[str]
Compared = Callable[[Ranking, Ranking], float | None]
"""From the baseline's ranking and the one of now, not both empty, to a value; None for none."""


@dataclass(frozen=True)
class ChurnMetric:
    """The mean of a comparison over the samples that the baseline has a ranking of."""

    info: MetricInfo
    earlier: EarlierRankings
    compared: Compared

    def aggregate(self, pairs: Sequence[Pair]) -> Score:
        """Return the mean; unscored without a baseline, and where one sample was not measured."""
        name = self.info.name
        if self.earlier.docs is None and not self.earlier.itself:
            return unscored(name, "there is no baseline to compare rankings with")
        outcomes = [self._outcome(*pair) for pair in pairs]
        missing = sorted(outcome for outcome in outcomes if isinstance(outcome, str))
        values = sorted(outcome for outcome in outcomes if isinstance(outcome, float))
        left_out = len(pairs) - len(values) - len(missing)
        if missing:
            lost = f"{len(missing)} of {len(missing) + len(values)} were not retrieved"
            beside = f", {left_out} left out" if left_out else ""
            return unscored(name, f"{lost}{beside}: {missing[0]}")
        if not values:
            return not_applicable(name, "the baseline has no ranking of these samples")
        reason = f"{left_out} of {len(pairs)} samples left out" if left_out else ""
        # Sorted, since a sum of floats in another order may differ in its last digit.
        return Score(metric=name, value=sum(values) / len(values), reason=reason)

    def _outcome(self, sample: Sample, output: SystemOutput) -> float | str | None:
        """Return the value, the reason why it is not known, or None for a sample left out."""
        before = self._before(sample, output)
        if before is None:
            return None
        if reason := provider_failure(output):
            return reason
        now = _ranking(output) or []
        return self.compared(before, now) if before or now else None

    def _before(self, sample: Sample, output: SystemOutput) -> Ranking | None:
        if self.earlier.docs is None:
            return _ranking(output)
        return self.earlier.docs.get(content_hash(sample))


def _ranking(output: SystemOutput) -> list[str] | None:
    """Return what was retrieved, whatever was answered; None where the system failed."""
    return ranked_doc_ids(output.chunks) if output.error is None else None
