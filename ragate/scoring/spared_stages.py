"""What a scorecard spares: nobody is asked about a stage that counts at its worst already.

A stage whose metric has a table of its own is asked about all the same: its row shows its values.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from ragate.models import MetricInfo, Needs, Sample, Score, Scorecard, SystemOutput
from ragate.protocols import Aggregate, Judge, Judged, Metric
from ragate.scoring.metric_records import AskedMetric, sample_scores

Judgement = Mapping[str, Score]
Groups = Sequence[Sequence[str]]
Keep = Callable[[Judgement], Judgement]
"""Keeps scores of an output and returns all that is known of it."""
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
        from ragate.core.decision.scorecard import stopped_stages  # numpy comes with it

        scores = self._scores(sample, output, judgement)
        return stopped_stages(self._card, self._infos, scores)

    def criteria(self, sample: Sample, output: SystemOutput, judgement: Scores) -> frozenset[str]:
        """Return the criteria that a judge need not be asked."""
        return self._as_criteria(self.metrics(sample, output, judgement))

    def later_criteria(self, judgement: Scores) -> frozenset[str]:
        """Return the criteria that a required one before them may still spare.

        A judge that is asked one by one answers that first.
        """
        from ragate.core.decision.scorecard import waiting_stages

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


# Whose turn it is: which criteria of an output a judge is asked now, later, or not at all.


class Turns:
    """Asks about the stages of a scorecard in order, and each criterion of an output once.

    Criteria that a judge takes in one call stay in one call: to ask for some of them first would
    save nothing.

    Attributes:
        any: Whether there is an order at all.

    Args:
        start: Of the queue of questions.
        criteria: All that the judge is asked about.
        apart: It is asked one by one.
    """

    def __init__(
        self,
        spared: SparedStages | None,
        judge: Judge,
        start: Callable[..., None],
        criteria: Sequence[str],
        *,
        apart: bool,
    ) -> None:
        self._spared = spared
        self._judge = judge
        self._start = start
        self._criteria = tuple(criteria)
        self._apart = apart
        self._asked: dict[str, set[str]] = {}
        self.any = spared is not None

    def now(
        self, key: str, groups: Groups, sample: Sample, output: SystemOutput, scores: Judgement
    ) -> list[list[str]]:
        """Return the criteria to ask now, in the lists that they came in; they count as asked.

        Args:
            key: Of the judgement; equal outputs of samples with other labels share one.
            scores: What is known of the output.
        """
        if self._spared is None:
            return [list(group) for group in groups]
        closed = self._spared.criteria(sample, output, scores)
        if self._apart:
            closed |= self._spared.later_criteria(scores)
        asked = self._asked.setdefault(key, set())
        chosen = [[name for name in group if name not in closed | asked] for group in groups]
        asked.update(name for group in chosen for name in group)
        return [group for group in chosen if group]

    def forget(self, key: str, names: Sequence[str]) -> None:
        """Let criteria of an output be asked about again."""
        self._asked.get(key, set()).difference_update(names)

    def start(
        self, key: str, groups: Groups, sample: Sample, output: SystemOutput, keep: Keep
    ) -> None:
        """Ask for the criteria, and for those whose turn comes with a score of these."""

        def keep_and_go_on(scores: Judgement) -> None:
            known = keep(scores)
            if self._spared is not None and self._apart:
                missing = [[name] for name in self._criteria if name not in known]
                groups = self.now(key, missing, sample, output, known)
                self.start(key, groups, sample, output, keep)

        for group in groups:
            ask = partial(self._judge, group, sample, output)
            self._start(key, ask, group, keep_and_go_on, sample=sample.id)
