"""One sample beside its control: did the base version, run today, move as well?"""

from ragate.core.diagnosis.sample_diff import SampleDiff, unknown
from ragate.core.diagnosis.score_delta import SLACK, apart, means, score_deltas, values
from ragate.models import Cause, CauseKind

_HALF = 0.5


def blame_drift(diff: SampleDiff) -> SampleDiff | Cause:
    """Blame the day where the base version, run today, moved as well; else compare with it."""
    hashes = {record.content_hash for record in diff.control}
    if not diff.control or hashes != {record.content_hash for record in diff.before}:
        return diff
    share, delta = _control_share(diff), diff.largest
    outputs_today = {record.output_hash for record in diff.control}
    if share >= _HALF or _only_in_control(diff, outputs_today):
        return Cause(kind=CauseKind.DRIFT, evidence=_evidence(diff))
    if delta and delta.metric in diff.drifted and not _only_ours_retrieved_otherwise(diff):
        return unknown(
            "the base version moved today on the whole set, so drift cannot be ruled out"
        )
    if outputs_today <= diff.output_hashes:
        return diff.between((*diff.before, *diff.control), diff.after)
    if delta is None or apart(
        values(diff.control, delta.metric), values(diff.after, delta.metric), slack=SLACK
    ):
        return diff.between(diff.control, diff.after)
    if share > 0:
        return unknown("the base version, run today, moved as well, though by less")
    return unknown("the base version gave other outputs today, so drift cannot be ruled out")


def _only_ours_retrieved_otherwise(diff: SampleDiff) -> bool:
    """True where the base version still retrieves what it did, and the candidate does not."""
    ours, before, today = (
        {record.retrieval_hash for record in side}
        for side in (diff.after, diff.before, diff.control)
    )
    return today <= before and ours.isdisjoint(before)


def _only_in_control(diff: SampleDiff, outputs_today: set[str]) -> bool:
    """True where the candidate gave nothing but outputs that the base version gives only today."""
    outputs = {record.output_hash for record in diff.after}
    return outputs <= outputs_today and outputs.isdisjoint(diff.output_hashes)


def _control_share(diff: SampleDiff) -> float:
    """Return how much of the deltas the control shows too, from 0 to 1."""
    today = {
        delta.metric: delta.gain
        for delta in score_deltas(means(diff.before), means(diff.control), diff.metrics)
    }
    total = sum(abs(delta.gain) for delta in diff.deltas)
    shared = 0.0
    for delta in diff.deltas:
        gain = today.get(delta.metric, 0.0)
        if gain * delta.gain > 0:
            shared += min(abs(gain), abs(delta.gain))
    return shared / total if total else 0.0


def _evidence(diff: SampleDiff) -> str:
    delta = diff.largest
    if delta is None:
        return "the base version, run today, gives this same output"
    today = means(diff.control).get(delta.metric)
    shown = "" if today is None else f": {delta._replace(after=today).words}"
    return f"the base version, run today, moved as well{shown}"
