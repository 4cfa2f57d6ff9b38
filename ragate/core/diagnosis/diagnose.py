"""Where a flip came from, with its evidence. What the outputs do not show is called unknown."""

from collections.abc import Sequence

from ragate.core.diagnosis.attribution import attribute
from ragate.core.diagnosis.context_texts import lost_documents
from ragate.core.diagnosis.sample_diff import (
    SLACK,
    SampleDiff,
    ScoreDelta,
    named,
    unknown,
    values,
)
from ragate.core.hashing import is_recorded
from ragate.models import Cause, CauseKind, Record

_HALF = 0.5  # of the largest change: what explains less is not its cause
_MOST = 0.75  # of it: what explains so much is the cause although something else differs too


def diagnose(diff: SampleDiff) -> Cause:
    """Say where the difference between the two sides of one sample came from.

    The rules are asked in order and the first that is sure answers: data, system error, identical
    request, judge, then retrieval against generation. A rule that is not sure hands the diff on,
    perhaps with fewer records. See docs/diagnosis.md.
    """
    for rule in (_not_the_same_sample, _failure, _same_request, _judge):
        answer = rule(diff)
        if isinstance(answer, Cause):
            return answer
        diff = answer
    return _with_change(_attribution(diff), diff)


def _with_change(cause: Cause, diff: SampleDiff) -> Cause:
    """Name last what changed in the system: the report says it above all samples already."""
    if not diff.changes.words:
        return cause
    return cause.amended(evidence=f"{cause.evidence}; changed: {diff.changes.words}")


def _not_the_same_sample(diff: SampleDiff) -> SampleDiff | Cause:
    old_contents = {record.content_hash for record in diff.before}
    new_contents = {record.content_hash for record in diff.after}
    if diff.before and old_contents == new_contents:
        return diff
    if any(record.output.error for record in diff.after):
        return _failed(diff.after, side="the candidate")
    if diff.missing:
        return _missing(diff.missing)
    was_edited = bool(diff.before) or diff.edited
    why = "the question or its expected answer was edited" if was_edited else "the sample is new"
    return Cause(kind=CauseKind.DATA, evidence=f"{why}: it has no baseline to compare with")


def _missing(doc_ids: Sequence[str], note: str = "") -> Cause:
    verb = "is" if len(doc_ids) == 1 else "are"
    return Cause(
        kind=CauseKind.DATA,
        evidence=f"expected {named(doc_ids)} {verb} not in the corpus{note}",
        lost=tuple(doc_ids),
    )


def _failure(diff: SampleDiff) -> SampleDiff | Cause:
    """Blame failed runs where they are more on one side and explain most of the change."""
    if not any(record.output.error for record in diff.records):
        return diff
    succeeded = diff.between(
        [record for record in diff.before if not record.output.error],
        [record for record in diff.after if not record.output.error],
    )
    both_succeeded = bool(succeeded.before and succeeded.after)
    share_before = len(succeeded.before) / len(diff.before)
    share_after = len(succeeded.after) / len(diff.after)
    if abs(share_before - share_after) <= SLACK:
        return succeeded if both_succeeded else diff
    if both_succeeded and _share_without_failures(diff, succeeded) > _HALF:
        return succeeded
    if share_before > share_after:
        cause = _failed(diff.after, side="the candidate")
    else:
        cause = _failed(diff.before, side="the baseline")
    return _with_change(cause, diff)


def _share_without_failures(diff: SampleDiff, succeeded: SampleDiff) -> float:
    """Return the share of the largest delta that stays without the failed runs."""
    if diff.largest is None:
        return 0.0
    gains = {delta.metric: delta.gain for delta in succeeded.deltas}
    return gains.get(diff.largest.metric, 0.0) / diff.largest.gain


def _failed(records: Sequence[Record], *, side: str) -> Cause:
    errors = [record.output.error for record in records if record.output.error]
    who = "a provider failed" if errors[0].kind == "provider" else "the system failed"
    message = " ".join(errors[0].message.split())[:120]
    evidence = f"{who} in {len(errors)} of {len(records)} runs of {side}: {message}"
    return Cause(kind=CauseKind.SYSTEM_ERROR, evidence=evidence)


def _same_request(diff: SampleDiff) -> SampleDiff | Cause:
    """An identical model request cannot carry the change: the model answered otherwise."""
    old_requests = {record.output.request_hash for record in diff.before}
    requests = {record.output.request_hash for record in diff.after}
    same_requests = None not in requests and requests <= old_requests
    same_outputs = {record.output_hash for record in diff.after} <= diff.output_hashes
    if not same_requests or same_outputs:
        return diff
    # The replies of recorded requests are the same too: what follows them has changed.
    if any(map(is_recorded, requests)):
        return diff
    same = "the model request is identical to the baseline's, yet the answer differs"
    was_steady = len(diff.before) > 1 and len(diff.output_hashes) == 1
    if was_steady:
        return Cause(kind=CauseKind.DRIFT, evidence=f"{same}: the provider's model drifted")
    return unknown(f"{same}: chance or drift, not this change")


def _judge(diff: SampleDiff) -> SampleDiff | Cause:
    """Blame the judge where equal outputs got other scores; set such runs aside otherwise."""
    shared = [record for record in diff.after if record.output_hash in diff.output_hashes]
    if not shared or diff.largest is None:
        return diff
    share = _judge_share(diff, shared, diff.largest)
    if len(shared) == len(diff.after):
        return _same_outputs(diff.largest, share)
    if share >= _MOST:
        return _judged_otherwise(diff.largest)
    fresh = [record for record in diff.after if record.output_hash not in diff.output_hashes]
    return diff.between(diff.before, fresh)


def _same_outputs(delta: ScoreDelta, share: float) -> Cause:
    if share < _HALF:
        return unknown("the baseline gave these same outputs in some of its runs: run-to-run noise")
    if delta.judged:
        return _judged_otherwise(delta)
    return unknown(f"same output, yet {delta.metric} scored it otherwise: the metric changed")


def _judged_otherwise(delta: ScoreDelta) -> Cause:
    return Cause(kind=CauseKind.JUDGE, evidence=f"same output, another verdict: {delta.words}")


def _judge_share(diff: SampleDiff, shared: Sequence[Record], delta: ScoreDelta) -> float:
    """Return the share of the largest delta that stands between equal outputs."""
    moved_by_judge = 0.0
    for record in shared:
        twins = [old for old in diff.before if old.output_hash == record.output_hash]
        old, new = values(twins, delta.metric), values([record], delta.metric)
        if old and new:
            moved_by_judge += new[0] - sum(old) / len(old)
    return moved_by_judge / len(diff.after) / (delta.after - delta.before)


def _attribution(diff: SampleDiff) -> Cause:
    lost = lost_documents(diff)
    absent = [doc_id for doc_id in lost if doc_id in diff.missing]
    got_better = bool(diff.deltas) and not diff.worse
    if absent and not got_better:
        present = [doc_id for doc_id in lost if doc_id not in diff.missing]
        return _missing(absent, f"; {named(present)} was lost as well" if present else "")
    if diff.largest and not diff.largest.comparable:
        return unknown("the two sides were measured with different judges or metric versions")
    return attribute(diff)
