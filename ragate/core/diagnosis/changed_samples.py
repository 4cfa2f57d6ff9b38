"""Which samples differ between the two sides, those to look at first in front."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from ragate.core.diagnosis.diagnose import diagnose
from ragate.core.diagnosis.output_evidence import docs_of
from ragate.core.diagnosis.run_pair import Records, Sides, sides_of
from ragate.core.diagnosis.sample_diff import SampleDiff
from ragate.core.diagnosis.score_delta import Movement, means, movements
from ragate.models import (
    Direction,
    Record,
    Rule,
    Run,
    Sample,
    SampleRow,
    SampleSide,
    ScoreChange,
    ScoreState,
)

_TINY = 1e-9
MOST_ROWS = 1000
_Key = tuple[int, float, float, str]
Change = Literal["worse", "better", "mixed", "same", "failed", "new"]
# Failures first, then what got worse, then what has no baseline, then the rest.
_ORDER: dict[Change, int] = {"failed": 1, "worse": 2, "mixed": 2, "new": 3, "better": 4, "same": 5}


class Changes(NamedTuple):
    """What changed.

    Attributes:
        rows: One a changed sample, those to look at first in front.
        unchanged: Samples without a difference.
        left_out: Changed samples beyond the rows.
    """

    rows: tuple[SampleRow, ...]
    unchanged: int
    left_out: int = 0


class _Look(NamedTuple):
    """One sample worth a row.

    `before` is empty where there is nothing to compare with; `equal` is True where nothing differs.
    """

    sample: Sample
    before: Sequence[Record]
    after: Sequence[Record]
    moved: Sequence[Movement]
    failing: Sequence[str]
    change: Change
    equal: bool = False


def changed_samples(
    samples: Sequence[Sample],
    baseline: Run | None,
    candidate: Run,
    *,
    rules: Sequence[Rule],
    missing_documents: Mapping[str, tuple[str, ...]],
    control: Run | None = None,
    most: int = MOST_ROWS,
    texts: Callable[[Record], Record] = lambda record: record,
    known: tuple[Records, Records] | None = None,
) -> Changes:
    """Return the samples that differ, each with its cause, and the number of those that do not.

    Values are means over the runs of each side. A sample without a baseline (added or edited)
    stands here only where it fails: an error, a pass mark, a limit, a missing document. A
    must-pass sample that misses a mark is shown although nothing changed.

    Order: failing must-pass samples, failed outputs, the largest drop on an error-level metric,
    then on any other, failing new samples, better ones, and those whose scores are equal. At most
    `most` get a row; nobody reads more, and a cause costs time.

    Args:
        texts: Gives a record of the candidate its retrieved texts, where it lacks them.
        known: The records of both sides by sample, where the caller has them already.
    """
    missing = missing_documents
    sides = sides_of(baseline, candidate, control, rules=rules, missing=missing, known=known)
    counts = _Counts()
    first = heapq.nsmallest(most, _places(samples, sides, counts), key=lambda place: place[0])
    looks = (_look(sample, sides)[0] for _, sample in first)
    rows = tuple(
        _row(look._replace(after=[*map(texts, look.after)]), sides)
        for look in looks
        if look is not None
    )
    return Changes(rows, counts.unchanged, max(0, counts.changed - most))


@dataclass
class _Counts:
    changed: int = 0
    unchanged: int = 0


def _places(
    samples: Sequence[Sample], sides: Sides, counts: _Counts
) -> Iterator[tuple[_Key, Sample]]:
    """Yield the samples worth a row with their sort keys, and count all."""
    for sample in samples:
        if sample.id not in sides.candidate:
            continue
        look, compared = _look(sample, sides)
        counts.unchanged += compared and (look is None or look.equal)
        if look is not None:
            counts.changed += 1
            yield _place(look, sides), sample


def _look(sample: Sample, sides: Sides) -> tuple[_Look | None, bool]:
    """Return what there is to see, and whether the baseline knows this very sample."""
    before, after = sides.baseline.get(sample.id, ()), sides.candidate[sample.id]
    if before and before[0].content_hash == after[0].content_hash:
        return _compared(sample, before, after, sides), True
    return _alone(sample, after, sides), False


def _alone(sample: Sample, after: Sequence[Record], sides: Sides) -> _Look | None:
    failing = _failing(after, sides)
    if any(record.output.error for record in after):
        return _Look(sample, (), after, (), failing, "failed")
    if failing or sides.missing.get(sample.id):
        return _Look(sample, (), after, (), failing, "new")
    return None


def _compared(
    sample: Sample, before: Sequence[Record], after: Sequence[Record], sides: Sides
) -> _Look | None:
    old, new = means(before), means(after)
    moved = movements(old, new, sides.metrics, incomparable=sides.incomparable)
    failing = _failing(after, sides) if sample.must_pass else []
    silent = old.keys() - new.keys() and any(name in old for name in _unscored(after))
    equal = not (moved or silent) and _known(before, after)
    if equal and not failing:
        return None
    change = _change(before, after, moved)
    return _Look(sample, before, after, moved, failing, change, equal)


def _known(before: Iterable[Record], after: Iterable[Record]) -> bool:
    """True where the candidate gave only outputs that the baseline gave."""
    return {one.output_hash for one in after} <= {one.output_hash for one in before}


def _row(look: _Look, sides: Sides) -> SampleRow:
    sample, before, after = look.sample, look.before, look.after
    case = _case(look, sides)
    return SampleRow(
        sample_id=sample.id,
        query=sample.query,
        tags=sample.tags,
        must_pass=sample.must_pass,
        change=look.change,
        expected=tuple(sorted(sample.expected)),
        references=sample.references,
        baseline=_side(before[0]) if before else None,
        candidate=_side(_telling(before, after)),
        ranks=case.ranks,
        scores=_score_changes(look),
        cause=None if look.change == "same" else diagnose(case),
    )


def _change(before: Sequence[Record], after: Sequence[Record], moved: Sequence[Movement]) -> Change:
    failed, failed_before = (
        sum(one.output.error is not None for one in side) / len(side) for side in (after, before)
    )
    if failed > failed_before:
        return "failed"
    signs = {one.good > 0 for one in moved if one.comparable} or {one.good > 0 for one in moved}
    if not signs:
        return "same"
    return "mixed" if len(signs) > 1 else ("better" if signs.pop() else "worse")


def _failing(records: Sequence[Record], sides: Sides) -> list[str]:
    """Return the error-level metrics whose mark, or else limit, most of the runs miss."""
    found = []
    for name, rule in sides.rules.items():
        values = [
            score.value
            for record in records
            if (score := record.scores.get(name)) is not None and score.value is not None
        ]
        missed = sum(not _passes(value, rule, sides) for value in values)
        if rule.level == "error" and missed > len(values) / 2:
            found.append(name)
    return found


def _passes(value: float, rule: Rule, sides: Sides) -> bool:
    info = sides.metrics.get(rule.metric)
    if rule.pass_at is not None:
        if info is not None and info.direction is Direction.LOWER:
            return value <= rule.pass_at + _TINY
        return value >= rule.pass_at - _TINY
    if rule.minimum is not None and not value >= rule.minimum - _TINY:
        return False
    return rule.maximum is None or value <= rule.maximum + _TINY


def _telling(before: Sequence[Record], after: Sequence[Record]) -> Record:
    """Return the run to show: one that failed, else one that the baseline never gave."""
    known = {record.output_hash for record in before}
    fresh = [record for record in after if record.output_hash not in known]
    failed = [record for record in after if record.output.error]
    return next(iter((*failed, *fresh, *after)))


def _side(record: Record) -> SampleSide:
    error = record.output.error
    return SampleSide(
        docs=docs_of(record), answer=record.output.answer, error=error.message if error else None
    )


def _score_changes(look: _Look) -> tuple[ScoreChange, ...]:
    """Return what moved, worst first, what misses its mark and what could not be measured."""
    found = {
        one.metric: ScoreChange(
            metric=one.metric,
            before=one.before,
            after=one.after,
            reason="" if one.comparable else "measured with another judge or metric version",
        )
        for one in sorted(look.moved, key=lambda one: (one.good, one.metric))
    }
    wanted = [name for name in (*look.failing, *_unscored(look.after)) if name not in found]
    if wanted:
        old, new = means(look.before), means(look.after)
        for name in wanted:
            found[name] = ScoreChange(
                metric=name,
                before=old.get(name),
                after=new.get(name),
                reason=_reason(name, look.after),
            )
    return tuple(found.values())


def _unscored(records: Sequence[Record]) -> list[str]:
    return [
        name
        for record in records
        for name, score in record.scores.items()
        if score.state is ScoreState.UNSCORED
    ]


def _reason(metric: str, records: Sequence[Record]) -> str:
    scores = [record.scores.get(metric) for record in records]
    return next((score.reason for score in scores if score and score.value is None), "")


def _case(look: _Look, sides: Sides) -> SampleDiff:
    sample = look.sample
    return SampleDiff(
        sample=sample,
        before=look.before,
        after=look.after,
        metrics=sides.metrics,
        missing=tuple(sides.missing.get(sample.id, ())),
        control=sides.control.get(sample.id, ()),
        drifted=sides.drifted,
        incomparable=sides.incomparable,
        changes=sides.changes,
        edited=sample.id in sides.baseline,
        found=look.moved,
    )


def _place(look: _Look, sides: Sides) -> _Key:
    """Return the sort key: kind, worst error-level change, worst change, id."""
    gated = [
        one.good
        for one in look.moved
        if (rule := sides.rules.get(one.metric)) is not None and rule.level == "error"
    ]
    must = look.sample.must_pass and bool(look.failing)
    return (
        0 if must else _ORDER[look.change],
        min(gated, default=0.0),
        min((one.good for one in look.moved), default=0.0),
        look.sample.id,
    )
