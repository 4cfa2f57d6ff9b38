"""What a scorecard spares: nobody is asked about a stage that counts at its worst already.

A stage whose metric has a table of its own is asked about all the same: its row shows its values.
"""

from collections.abc import Mapping, Sequence

from ragate.core.scorecard.stage_order import stopped_stages, waiting_stages
from ragate.models import MetricInfo, Needs, Sample, Score, Scorecard, SystemOutput
from ragate.pipeline.score.asked.asked_metric import AskedMetric
from ragate.pipeline.score.asked.metric_scores import sample_scores
from ragate.protocols import Aggregate, Judged, Metric

Scores = Mapping[str, Score]


class SparedStages:
    """Looks at the required stages that are measured before anybody is asked about later ones.

    Attributes:
        ahead: Required stages that ask a model or an embedder of their own and may spare the judge:
            they are measured before it is asked, in this order. None stands behind a required one
            of the judge's, which is asked first.
        in_turn: All required stages that ask so, in order.
    """

    def __init__(self, card: Scorecard, metrics: Sequence[Metric | Aggregate]) -> None:
        of_card = {stage.metric for stage in card.stages}
        required = {stage.metric for stage in card.stages if stage.required}
        mine = [metric for metric in metrics if metric.info.name in of_card]
        self._card = card
        self._infos: dict[str, MetricInfo] = {metric.info.name: metric.info for metric in mine}
        judged = [each for each in metrics if each.info.needs is Needs.JUDGE]
        self._criteria = {m.info.name: m.criterion for m in judged if isinstance(m, Judged)}
        self._seen = [
            metric
            for metric in mine
            if metric.info.name in required
            and (metric.info.needs is Needs.NOTHING or isinstance(metric, AskedMetric))
        ]
        asking = {metric.info.name for metric in self._seen if isinstance(metric, AskedMetric)}
        self.in_turn = tuple(s.metric for s in card.stages if s.required and s.metric in asking)
        self.ahead = tuple(name for name in self.in_turn if self._may_spare_the_judge(name))

    def _may_spare_the_judge(self, name: str) -> bool:
        stages = self._card.stages
        place = next(number for number, stage in enumerate(stages) if stage.metric == name)
        if any(one.required and one.metric in self._criteria for one in stages[:place]):
            return False
        return any(one.metric in self._criteria and not one.own_row for one in stages[place:])

    def metrics(self, sample: Sample, output: SystemOutput, judgement: Scores) -> frozenset[str]:
        """Return the metrics that need not be asked.

        Args:
            judgement: What a judge said so far, by criterion.
        """
        scores = self._scores(sample, output, judgement)
        return stopped_stages(self._card, self._infos, scores)

    def criteria(self, sample: Sample, output: SystemOutput, judgement: Scores) -> frozenset[str]:
        """Return the criteria that a judge need not be asked."""
        return self._as_criteria(self.metrics(sample, output, judgement))

    def later_criteria(self, judgement: Scores) -> frozenset[str]:
        """Return the criteria that a required one before them may still spare.

        A judge that is asked one by one answers that first.
        """
        # Any score stands for a stage that no judge gives: it is known, or comes too late to spare.
        known = {
            stage.metric: Score(metric=stage.metric, value=0.0)
            for stage in self._card.stages
            if stage.metric not in self._criteria
        }
        return self._as_criteria(waiting_stages(self._card, {**known, **self._judged(judgement)}))

    def _scores(self, sample: Sample, output: SystemOutput, judgement: Scores) -> dict[str, Score]:
        pairs = [(sample, output)]
        seen = {metric.info.name: sample_scores(metric, pairs, [])[0] for metric in self._seen}
        return {**seen, **self._judged(judgement)}

    def _judged(self, judgement: Scores) -> dict[str, Score]:
        return {
            metric: judgement[criterion]
            for metric, criterion in self._criteria.items()
            if criterion in judgement
        }

    def _as_criteria(self, metrics: frozenset[str]) -> frozenset[str]:
        closed = {criterion for name, criterion in self._criteria.items() if name in metrics}
        # Two metrics may be one criterion: it is asked for the one that is not spared.
        return frozenset(
            closed.difference(
                criterion for name, criterion in self._criteria.items() if name not in metrics
            )
        )


def spared_stages(
    card: Scorecard | None, metrics: Sequence[Metric | Aggregate]
) -> SparedStages | None:
    """Return what is spared; None where nothing ever is.

    That is so without a scorecard, where all stages are asked at once, and where a stage is not
    measured in this run: then there is no scorecard to count anything at its worst.
    """
    measured = {metric.info.name for metric in metrics}
    if card is None or card.parallel or not any(stage.required for stage in card.stages):
        return None
    if any(stage.metric not in measured for stage in card.stages):
        return None
    return SparedStages(card, metrics)


def not_spared(
    spared: SparedStages | None,
    criteria: tuple[str, ...],
    sample: Sample,
    output: SystemOutput | None,
) -> tuple[str, ...]:
    """Return the criteria that a judge would be asked; all where there is no output to tell by."""
    if spared is None or output is None or output.error is not None:
        return criteria
    closed = spared.criteria(sample, output, {})
    return tuple(name for name in criteria if name not in closed)
