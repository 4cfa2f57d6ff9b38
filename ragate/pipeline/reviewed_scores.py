"""What people said of changed answers, beside the scores that both answers got."""

from collections.abc import Sequence
from dataclasses import dataclass

from ragate.core.judging.review_agreement import ReviewAgreement, review_agreement
from ragate.models import Direction, Record, ReviewLabel, ReviewVerdict, Run

Key = tuple[str, str, str]  # sample, hash of its content, hash of the output


@dataclass(frozen=True)
class ReviewedScores:
    """How each metric agrees with people.

    Attributes:
        labels: Labels whose two outputs the baseline and the run hold: only these were compared.
        elsewhere: Labels of other outputs, other samples or another gate.
        stale: Labels that call a reference stale: they say nothing of the answers.
    """

    agreements: dict[str, ReviewAgreement]
    labels: int
    elsewhere: int
    stale: int


def reviewed_scores(baseline: Run, run: Run, labels: Sequence[ReviewLabel]) -> ReviewedScores:
    """Compare labels with stored scores; asks nobody."""
    said = [label for label in labels if label.verdict is not ReviewVerdict.STALE_REFERENCE]
    before, after = _by_output(baseline), _by_output(run)
    pairs: list[tuple[ReviewVerdict, Record, Record]] = []
    for label in said:
        old = before.get((label.id, label.sample, label.before))
        new = after.get((label.id, label.sample, label.after))
        if old is not None and new is not None and label.gate == run.manifest.gate:
            pairs.append((label.verdict, old, new))
    verdicts = [verdict for verdict, _, _ in pairs]
    agreements = {
        name: review_agreement(
            verdicts, [_gain(name, info.direction, old, new) for _, old, new in pairs]
        )
        for name, info in run.manifest.metrics.items()
        if not info.aggregate
    }
    return ReviewedScores(agreements, len(pairs), len(said) - len(pairs), len(labels) - len(said))


def _by_output(run: Run) -> dict[Key, Record]:
    return {(each.sample_id, each.content_hash, each.output_hash): each for each in run.records}


def _gain(metric: str, direction: Direction, before: Record, after: Record) -> float | None:
    old, new = (each.scores.get(metric) for each in (before, after))
    if old is None or new is None or old.value is None or new.value is None:
        return None
    rise = new.value - old.value
    return rise if direction is Direction.HIGHER else -rise
