"""Which samples differ between the two sides, those to look at first in front; a row of each."""

import heapq
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import NamedTuple

from ragate.core.diagnosis.diagnose import diagnose
from ragate.core.diagnosis.run_pair import RecordsBySample, RunPair, pair_runs
from ragate.core.diagnosis.sample_change import (
    ChangedSample,
    ChangeKind,
    passed,
    sample_change,
    unscored,
)
from ragate.core.diagnosis.sample_diff import SampleDiff, ScoreDelta, docs_of
from ragate.models import (
    CauseKind,
    Record,
    Rule,
    Run,
    Sample,
    SampleRow,
    SampleSide,
    ScoreChange,
    Story,
    TagLoss,
)
from ragate.models.sample_row import WORSE

MOST_ROWS = 1000
_Urgency = tuple[int, float, float, float, str]
# Failures first, then what got worse, then what has no baseline, then the rest.
_ORDER: dict[ChangeKind, int] = {
    "failed": 1, "worse": 2, "mixed": 2, "new": 3, "better": 4, "same": 5
}  # fmt: skip
_STANDS_OUT = 2.0  # standard deviations above what chance would give a tag of its size
_FEWEST = 3  # questions that got worse: of one or two any tag would stand out
_MAY_BE_RETRIEVAL = (CauseKind.RETRIEVAL, CauseKind.UNKNOWN)
_OTHER_YARDSTICK = "measured with another judge or metric version"


class ChangedSamples(NamedTuple):
    """What changed.

    Attributes:
        rows: One a changed sample, those to look at first in front.
        unchanged: Samples without a difference.
        left_out: Changed samples beyond the rows.
        worse: Every sample that got worse, with a row or without.
    """

    rows: tuple[SampleRow, ...]
    unchanged: int
    left_out: int = 0
    worse: tuple[Sample, ...] = ()


def changed_samples(
    samples: Sequence[Sample],
    baseline: Run | None,
    candidate: Run,
    *,
    rules: Sequence[Rule],
    missing_documents: Mapping[str, tuple[str, ...]],
    most: int = MOST_ROWS,
    texts: Callable[[Record], Record] = lambda record: record,
    refuses: Callable[[str], bool] = lambda _answer: False,
    by_sample: tuple[RecordsBySample, RecordsBySample] | None = None,
) -> ChangedSamples:
    """Return the samples that differ, each with its cause, and the number of those that do not.

    Values are means over the runs of each side. A sample without a baseline (added or edited)
    stands here only where it fails: an error, a pass mark, a limit, a missing document. A
    must-pass sample that misses a mark is shown although nothing changed.

    Order: failing must-pass samples, failed outputs, samples that passed an error-level metric and
    fail it now, the largest drop on an error-level metric, then on any other, failing new samples,
    better ones, and those whose scores are equal. At most `most` get a row; nobody reads more, and
    a cause costs time.

    Args:
        refuses: Tells an answer that says "I don't know" from one that answers.
        texts: Gives a record of the candidate its retrieved texts, where it lacks them.
        by_sample: The records of both sides, where the caller has looked them up already.
    """
    runs = pair_runs(
        baseline, candidate, rules=rules, missing=missing_documents, by_sample=by_sample
    )
    counts, worse = Counter[str](), list[Sample]()
    # A change holds its records: of the first rows they are read again, of the others let go.
    urgent = heapq.nsmallest(most, _by_urgency(samples, runs, counts, worse), key=itemgetter(0))
    if not urgent:
        return ChangedSamples((), counts["unchanged"])

    changes = (sample_change(runs.diff(sample), runs) for _, sample in urgent)
    rows = tuple(
        sample_row(change, runs, texts, refuses) for change in changes if change is not None
    )
    left_out = max(0, counts["changed"] - most)
    return ChangedSamples(rows, counts["unchanged"], left_out, tuple(worse))


def _by_urgency(
    samples: Sequence[Sample], runs: RunPair, counts: Counter[str], worse: list[Sample]
) -> Iterator[tuple[_Urgency, Sample]]:
    """Yield the samples worth a row with their sort keys; count all, and list what got worse."""
    for sample in samples:
        if sample.id not in runs.candidate:
            continue
        diff = runs.diff(sample)
        change = sample_change(diff, runs)
        counts["unchanged"] += bool(diff.before) and (change is None or change.equal)
        if change is not None:
            counts["changed"] += 1
            worse += [sample] if change.kind in WORSE else []
            yield _urgency(change, runs), sample


def _urgency(change: ChangedSample, runs: RunPair) -> _Urgency:
    """Return the sort key: kind, worst lost pass, worst error-level change, worst change, id."""
    diff = change.diff
    gated = [
        delta
        for delta in diff.all_deltas
        if (rule := runs.rules.get(delta.metric)) is not None and rule.level == "error"
    ]
    lost = [delta.gain for delta in gated if _passed(delta.metric, diff, runs) == (True, False)]
    return (
        0 if diff.sample.must_pass and change.failing else _ORDER[change.kind],
        min(lost, default=0.0),
        min((delta.gain for delta in gated), default=0.0),
        min((delta.gain for delta in diff.all_deltas), default=0.0),
        diff.sample.id,
    )


def _passed(metric: str, diff: SampleDiff, runs: RunPair) -> tuple[bool | None, bool | None]:
    """Say whether each side passes by a metric's mark; None without mark or score."""
    rule, info = runs.rules.get(metric), runs.metrics.get(metric)
    return passed(diff.before, rule, info), passed(diff.after, rule, info)


def story_of(
    rows: Sequence[SampleRow], every_worse: Sequence[Sample], samples: Sequence[Sample]
) -> Story:
    """Count the rows that got worse, by what a reader would see and else by cause.

    Args:
        rows: Changed samples with their causes; those that did not get worse tell alone whether
            more documents came.
        every_worse: All that got worse, with a row or without.
        samples: All samples of the run, for the share of each tag.
    """
    worse = [row for row in rows if row.got_worse]
    lost = [row for row in worse if _lost_document(row)]
    fewer = [row for row in worse if _may_be_retrieval(row) and row.fewer]
    more = [row for row in rows if row.came and not row.fewer]
    unnamed = [row for row in worse if row.unnamed]
    told = {row.sample_id for row in (*lost, *fewer, *unnamed)}
    others = [row for row in worse if row.sample_id not in told]
    causes = Counter(row.cause.kind for row in others if row.cause and not _has_other_text(row))
    alike_as, alike = _same_answer(worse)
    return Story(
        worse=len(every_worse),
        emptied=sum(_has_lost(row, "docs") for row in worse),
        empty=sum(_has_lost(row, "answer") for row in worse),
        alike=alike,
        alike_as=alike_as,
        told=len(worse),
        lost=len(lost),
        fewer=sum(not _lost_document(row) for row in fewer),
        came=_common_pair(fewer, worse) or _common_pair(more, rows),
        unnamed=len(unnamed),
        other_text=sum(map(_has_other_text, others)),
        causes=dict(causes.most_common()),
        refused=sum(_refused(row) == (False, True) for row in worse),
        answered=sum(_refused(row) == (True, False) for row in worse),
        hardest=_hardest_tag(every_worse, samples),
    )


def _common_pair(some: Sequence[SampleRow], rows: Sequence[SampleRow]) -> tuple[int, int] | None:
    """Return how many documents came before, and now, where `some` are most of the rows."""
    pairs = Counter(row.came for row in some if row.came)
    return pairs.most_common(1)[0][0] if len(some) > len(rows) / 2 else None


def _has_lost(row: SampleRow, what: str) -> bool:
    """Tell whether documents, or an answer, came before and none come now, without an error."""
    before, after = row.baseline, row.candidate
    if before is None or after is None or after.error is not None:
        return False
    return bool(getattr(before, what)) and not getattr(after, what)


def _same_answer(worse: Sequence[SampleRow]) -> tuple[str, int]:
    """Return a sample with the answer that most get now and none had before, and how many do.

    Of one question that is asked several times the last counts.
    """
    before = {row.baseline.answer for row in worse if row.baseline is not None}
    rows = {row.query: row for row in worse if row.candidate is not None}.values()
    now = {row.sample_id: row.candidate.answer for row in rows if row.candidate is not None}
    for answer, count in Counter(now.values()).most_common():
        if answer and answer not in before and count >= _FEWEST:
            return next(key for key, each in now.items() if each == answer), count
    return "", 0


def _may_be_retrieval(row: SampleRow) -> bool:
    return row.cause is not None and row.cause.kind in _MAY_BE_RETRIEVAL


def _has_other_text(row: SampleRow) -> bool:
    """Tell whether documents kept their ids and have other texts, and no other cause is known."""
    cause = row.cause
    return cause is not None and bool(cause.edited) and cause.kind is CauseKind.UNKNOWN


def _lost_document(row: SampleRow) -> bool:
    """Tell whether an expected document is gone, be it by retrieval or from the data."""
    is_data = row.cause is not None and row.cause.kind is CauseKind.DATA
    is_gone = any(rank.before and rank.after is None for rank in row.ranks)
    return is_gone and (is_data or _may_be_retrieval(row))


def _refused(row: SampleRow) -> tuple[bool, bool] | None:
    """Return whether the answer of each side says "I don't know"; None where one has no answer."""
    sides = (row.baseline, row.candidate)
    if any(side is None or not side.answer for side in sides):
        return None
    before, after = (side is not None and side.refused for side in sides)
    return before, after


def _hardest_tag(worse: Sequence[Sample], samples: Sequence[Sample]) -> TagLoss | None:
    """Return the tag that got worse beyond what the share of all samples gives by chance."""
    hit = Counter(tag for sample in worse for tag in sample.tags)
    if not hit:
        return None
    of_tag = Counter(tag for sample in samples for tag in sample.tags)
    share = len(worse) / max(1, len(samples))

    def excess(tag: str) -> float:
        chance = math.sqrt(of_tag[tag] * share * (1 - share))
        return (hit[tag] - of_tag[tag] * share) / chance if chance else 0.0

    enough = sorted(tag for tag, count in hit.items() if count >= _FEWEST)
    tag = max(enough, key=excess, default="")
    if not tag or not excess(tag) >= _STANDS_OUT:
        return None
    return TagLoss(tag=tag, worse=hit[tag], of=of_tag[tag])


def sample_row(
    change: ChangedSample,
    runs: RunPair,
    texts: Callable[[Record], Record],
    refuses: Callable[[str], bool],
) -> SampleRow:
    """Return the row.

    Args:
        texts: Gives a record of the candidate its retrieved texts, where it lacks them.
        refuses: Tells an answer that says "I don't know" from one that answers.
    """
    sample = change.diff.sample
    after = [texts(record) for record in change.diff.after]
    diff = replace(change.diff, after=after)
    return SampleRow(
        sample_id=sample.id,
        query=sample.query,
        messages=sample.messages,
        tags=sample.tags,
        must_pass=sample.must_pass,
        change=change.kind,
        expected=tuple(sorted(sample.expected)),
        references=sample.references,
        baseline=_side(diff.before[0], refuses) if diff.before else None,
        candidate=_side(run_to_show(diff), refuses),
        ranks=diff.ranks,
        scores=_score_changes(diff, change.failing, runs),
        cause=None if change.kind == "same" else diagnose(diff),
    )


def run_to_show(diff: SampleDiff) -> Record:
    """Return a run that failed, else one that the baseline never gave, else the first."""
    failed = [record for record in diff.after if record.output.error]
    fresh = [record for record in diff.after if record.output_hash not in diff.output_hashes]
    return next(iter((*failed, *fresh, *diff.after)))


def _side(record: Record, refuses: Callable[[str], bool]) -> SampleSide:
    error, answer = record.output.error, record.output.answer
    return SampleSide(
        docs=docs_of(record),
        answer=answer,
        error=error.message if error else None,
        refused=refuses(answer or ""),
    )


def _score_changes(
    diff: SampleDiff, failing: Sequence[str], runs: RunPair
) -> tuple[ScoreChange, ...]:
    """Return what moved, worst first, what misses its mark and what could not be measured."""
    before, after = diff.means
    moved = sorted(diff.all_deltas, key=lambda delta: (delta.gain, delta.metric))
    deltas = {delta.metric: delta for delta in moved}
    changes = []
    for name in dict.fromkeys((*deltas, *failing, *unscored(diff.after))):
        passed_before, passes = _passed(name, diff, runs)
        changes.append(
            ScoreChange(
                metric=name,
                before=before.get(name),
                after=after.get(name),
                reason=_reason(name, diff, deltas.get(name)),
                passed=passed_before,
                passes=passes,
            )
        )
    return tuple(changes)


def _reason(metric: str, diff: SampleDiff, delta: ScoreDelta | None) -> str:
    """Return what was said of the run that is shown, else of another: by the judge, or why not."""
    if delta is not None and not delta.comparable:
        return _OTHER_YARDSTICK
    scores = (record.scores.get(metric) for record in (run_to_show(diff), *diff.after))
    told = (score.reason for score in scores if score and (delta or score.value is None))
    return next(filter(None, told), "")
