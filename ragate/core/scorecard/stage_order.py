"""Which stages of a sample are still worth asking about, by the scores that are there."""

from collections.abc import Mapping, Sequence

from ragate.core.scorecard.stage_scores import reaches
from ragate.models import MetricInfo, Score, Scorecard, ScorecardStage


def stopped_stages(
    card: Scorecard, infos: Mapping[str, MetricInfo], scores: Mapping[str, Score]
) -> frozenset[str]:
    """Return the metrics of the stages after a required one that has failed.

    What has no score yet has not failed. A stage whose metric has a row of its own is never one.
    """
    for number, stage in enumerate(card.stages):
        score = scores.get(stage.metric)
        if not stage.required or stage.pass_at is None or score is None or score.value is None:
            continue
        if not reaches(infos[stage.metric], stage.pass_at, score.value):
            return _without_own_row(card.stages[number + 1 :])
    return frozenset()


def waiting_stages(card: Scorecard, scores: Mapping[str, Score]) -> frozenset[str]:
    """Return those that a required stage without a score may still stop."""
    for number, stage in enumerate(card.stages):
        if stage.required and stage.metric not in scores:
            return _without_own_row(card.stages[number + 1 :])
    return frozenset()


def _without_own_row(stages: Sequence[ScorecardStage]) -> frozenset[str]:
    return frozenset(stage.metric for stage in stages if not stage.own_row)
