"""pairwise: is the answer better than the one the baseline holds?"""

from collections.abc import Sequence
from dataclasses import dataclass

from ragate.core.judging.criteria import PAIRWISE
from ragate.metrics._identity import metric_info, no_cut_off
from ragate.models import MetricInfo, Needs, Reads, Score, ScoreState, not_applicable, unscored
from ragate.protocols import MetricRequest, Pair


@dataclass(frozen=True)
class Pairwise:
    """Implements `ragate.protocols.JudgedAggregate`."""

    info: MetricInfo
    criterion: str = PAIRWISE

    def aggregate(self, _pairs: Sequence[Pair]) -> Score:
        """Return no value: there is none without a judge."""
        return unscored(self.info.name, "a judge gives these scores")

    def combine(self, scores: Sequence[Score]) -> Score:
        """Return the mean over the samples that it applies to; None where one is unscored."""
        name = self.info.name
        judged = [score for score in scores if score.state is not ScoreState.NOT_APPLICABLE]
        if not judged:
            return not_applicable(name, "there is no answer to compare with")
        missing = [score.reason for score in judged if score.value is None]
        if missing:
            return unscored(name, f"{len(missing)} of {len(judged)} without verdict: {missing[0]}")
        values = [score.value for score in judged if score.value is not None]
        return Score(metric=name, value=sum(values) / len(values))


def create(request: MetricRequest) -> Pairwise:
    """Return pairwise: the mean of 1 (better than the baseline's answer), 0.5 (even) and 0 (worse).

    Formula: the judge is asked in both orders; two judgements that differ are a tie. Below 0.5
    the baseline's answers are liked more. Range [0, 1], a fraction, higher is better, over the
    whole run: it is held against its own limits only, since a baseline has no spread beside itself.
    Version 1.
    Edge cases: equal answers 0.5, an empty one loses, both without a call; unanswerable, or a
    sample that the baseline does not hold: left out; while a baseline is recorded 0.5; a baseline
    without answers: unscored.
    Source: LlamaIndex's PairwiseComparisonEvaluator.
    """
    no_cut_off(request)
    info = metric_info(request, version=1, reads=Reads.ANSWER)
    return Pairwise(info.amended(aggregate=True, needs=Needs.JUDGE))
