"""What happened to the questions that got worse, in counts."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from ragate.models import CauseKind, Sample, SampleRow, Story, TagLoss

_STANDS_OUT = 2.0  # standard deviations above what chance would give a tag of its size
_FEWEST = 3  # questions that got worse: of one or two any tag would stand out
_MAY_BE_RETRIEVAL = (CauseKind.RETRIEVAL, CauseKind.UNKNOWN)


def story_of(
    rows: Iterable[SampleRow], every_worse: Sequence[Sample], samples: Sequence[Sample]
) -> Story:
    """Count the rows that got worse, by what a reader would see and else by cause.

    Args:
        rows: Changed samples with their causes; those that did not get worse do not count.
        every_worse: All that got worse, with a row or without.
        samples: All samples of the run, for the share of each tag.
    """
    worse = [row for row in rows if row.got_worse]
    lost = [row for row in worse if _lost_document(row)]
    others = Counter(row.cause.kind for row in worse if row.cause and not _lost_document(row))
    return Story(
        worse=len(every_worse),
        told=len(worse),
        lost=len(lost),
        causes=dict(others.most_common()),
        refused=sum(_refused(row) == (False, True) for row in worse),
        answered=sum(_refused(row) == (True, False) for row in worse),
        hardest=_hardest_tag(every_worse, samples),
    )


def _lost_document(row: SampleRow) -> bool:
    may_be = row.cause is not None and row.cause.kind in _MAY_BE_RETRIEVAL
    return may_be and any(rank.before and rank.after is None for rank in row.ranks)


def _refused(row: SampleRow) -> tuple[bool, bool] | None:
    """Return whether the answer of each side says "I don't know"; None where one has no answer."""
    sides = (row.baseline, row.candidate)
    if any(side is None or not side.answer for side in sides):
        return None
    before, after = (side is not None and side.refused for side in sides)
    return before, after


def _hardest_tag(worse: Sequence[Sample], samples: Sequence[Sample]) -> TagLoss | None:
    """Return the tag that got worse beyond what the share of all samples gives by chance."""
    of_tag = Counter(tag for sample in samples for tag in sample.tags)
    hit = Counter(tag for sample in worse for tag in sample.tags)
    share = len(worse) / max(1, len(samples))

    def excess(tag: str) -> float:
        chance = math.sqrt(of_tag[tag] * share * (1 - share))
        return (hit[tag] - of_tag[tag] * share) / chance if chance else 0.0

    enough = sorted(tag for tag, count in hit.items() if count >= _FEWEST)
    tag = max(enough, key=excess, default="")
    if not tag or not excess(tag) >= _STANDS_OUT:
        return None
    return TagLoss(tag=tag, worse=hit[tag], of=of_tag[tag])
