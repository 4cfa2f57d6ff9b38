"""The row of one changed sample, with both outputs, its scores and its cause."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from ragate.core.diagnosis.diagnose import diagnose
from ragate.core.diagnosis.run_pair import RunPair
from ragate.core.diagnosis.sample_change import ChangedSample, passed, unscored
from ragate.core.diagnosis.sample_diff import SampleDiff, docs_of
from ragate.models import Record, SampleRow, SampleSide, ScoreChange

_OTHER_YARDSTICK = "measured with another judge or metric version"


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
    diff = replace(change.diff, after=after, control=runs.control.get(sample.id, ()))
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
        scores=_with_marks(_score_changes(diff, change.failing), diff, runs),
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


def _score_changes(diff: SampleDiff, failing: Sequence[str]) -> tuple[ScoreChange, ...]:
    """Return what moved, worst first, what misses its mark and what could not be measured."""
    changes = {
        delta.metric: ScoreChange(
            metric=delta.metric,
            before=delta.before,
            after=delta.after,
            reason=_why(delta.metric, diff) if delta.comparable else _OTHER_YARDSTICK,
        )
        for delta in sorted(diff.all_deltas, key=lambda delta: (delta.gain, delta.metric))
    }
    before, after = diff.means
    for name in (*failing, *unscored(diff.after)):
        if name not in changes:
            changes[name] = ScoreChange(
                metric=name,
                before=before.get(name),
                after=after.get(name),
                reason=_reason(name, diff.after),
            )
    return tuple(changes.values())


def _with_marks(
    changes: Sequence[ScoreChange], diff: SampleDiff, runs: RunPair
) -> tuple[ScoreChange, ...]:
    """Say of each score whether the sample passes by it, where its metric has a mark."""
    marked = []
    for change in changes:
        rule, info = runs.rules.get(change.metric), runs.metrics.get(change.metric)
        before, after = (passed(records, rule, info) for records in (diff.before, diff.after))
        known = before is not None or after is not None
        marked.append(change.amended(passed=before, passes=after) if known else change)
    return tuple(marked)


def _why(metric: str, diff: SampleDiff) -> str:
    """Return what the judge said of the run that is shown, else of another one."""
    records = (run_to_show(diff), *diff.after)
    scores = (record.scores.get(metric) for record in records)
    return next((score.reason for score in scores if score and score.reason), "")


def _reason(metric: str, records: Sequence[Record]) -> str:
    scores = [record.scores.get(metric) for record in records]
    return next((score.reason for score in scores if score and score.value is None), "")
