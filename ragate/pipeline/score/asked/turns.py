"""Whose turn it is: which criteria of an output a judge is asked now, later, or not at all."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from ragate.models import Sample, Score, SystemOutput
from ragate.pipeline.score.asked.spared_stages import SparedStages
from ragate.protocols import Judge

Judgement = Mapping[str, Score]
Groups = Sequence[Sequence[str]]
Keep = Callable[[Judgement], Judgement]
"""Keeps scores of an output and returns all that is known of it."""


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
