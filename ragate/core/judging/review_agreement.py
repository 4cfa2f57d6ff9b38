"""How well a metric's changes agree with what people said of the changed answers."""

from collections.abc import Sequence
from dataclasses import dataclass

from ragate.core.judging.kappa import kappa
from ragate.models import ReviewVerdict


@dataclass(frozen=True)
class ReviewAgreement:
    """One metric beside people's words on pairs of answers.

    Attributes:
        n: Labels of pairs that the metric scored on both sides.
        unscored: Labels of pairs that it did not score on both.
        agreement: Share on which both say the same: better, worse or same.
        kappa: The same beyond chance; None where chance explains all.
        worse, found: Answers that people call worse, and those of them on which it fell.
        others, false_alarms: Answers that people do not call worse, and on which it fell.
    """

    n: int
    unscored: int
    agreement: float | None
    kappa: float | None
    worse: int
    found: int
    others: int
    false_alarms: int


def review_agreement(
    verdicts: Sequence[ReviewVerdict], gains: Sequence[float | None]
) -> ReviewAgreement:
    """Compare people's verdicts with a metric's changes.

    Args:
        verdicts: Better, worse or same, one a label.
        gains: By label, how much better the metric scores the answer now, in its own unit and
            below 0 where worse; None where a side has no score.
    """
    scored = [
        (verdict, _verdict_of(gain))
        for verdict, gain in zip(verdicts, gains, strict=True)
        if gain is not None
    ]
    people, metric = [pair[0] for pair in scored], [pair[1] for pair in scored]
    fell = ReviewVerdict.WORSE
    worse = people.count(fell)
    found = scored.count((fell, fell))
    return ReviewAgreement(
        n=len(scored),
        unscored=len(verdicts) - len(scored),
        agreement=sum(one == other for one, other in scored) / len(scored) if scored else None,
        kappa=kappa(people, metric),
        worse=worse,
        found=found,
        others=len(scored) - worse,
        false_alarms=metric.count(fell) - found,
    )


def _verdict_of(gain: float) -> ReviewVerdict:
    if gain == 0:
        return ReviewVerdict.SAME
    return ReviewVerdict.BETTER if gain > 0 else ReviewVerdict.WORSE
