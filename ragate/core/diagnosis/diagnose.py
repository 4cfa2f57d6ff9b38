"""Where a flip came from, with its evidence. What the outputs do not show is called unknown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ragate.core.diagnosis.attribution import attribute
from ragate.core.diagnosis.sample_diff import SampleDiff, named, unknown, values
from ragate.core.diagnosis.score_delta import SLACK, Movement, means, movements
from ragate.core.diagnosis.system_changes import NOT_COMPARED, SystemChanges
from ragate.core.hashing import is_recorded
from ragate.models import Cause, CauseKind, MetricInfo, Record, Sample

_HALF = 0.5
_MOST = 0.75


def cause_of(
    sample: Sample,
    baseline_records: Sequence[Record],
    candidate_records: Sequence[Record],
    *,
    metrics: Mapping[str, MetricInfo] | None = None,
    missing: tuple[str, ...] = (),
    control_records: Sequence[Record] = (),
    drifted: frozenset[str] = frozenset(),
    incomparable: frozenset[str] = frozenset(),
    changes: SystemChanges = NOT_COMPARED,
) -> Cause:
    """Say where the difference between the two sides of one sample came from.

    The rules are asked in order and the first that is sure answers: data, drift, system error,
    identical request, judge, then retrieval against generation. See docs/diagnosis.md.

    Args:
        sample: The sample as it is now.
        baseline_records: Its passes in the baseline; chunks may lack their texts.
        candidate_records: Its passes in the candidate.
        metrics: What each metric is; one that is not named is taken as judged, higher better.
        missing: Its expected documents that are not in the corpus.
        control_records: Its passes by the base version, run today.
        drifted: Metrics whose mean moved in the control too.
        incomparable: Metrics with another version or judge on the two sides.
        changes: What differs between the systems of the two sides.
    """
    return diagnose(
        SampleDiff(
            sample=sample,
            before=baseline_records,
            after=candidate_records,
            metrics=metrics or {},
            missing=missing,
            control=control_records,
            drifted=drifted,
            incomparable=incomparable,
            changes=changes,
        )
    )


def diagnose(case: SampleDiff) -> Cause:
    """Ask the rules in order; each answers, or hands the case on, perhaps with fewer records."""
    for rule in (_not_the_same_sample, _drift, _failure, _same_request, _judge, _attribution):
        found = rule(case)
        if isinstance(found, Cause):
            return _with_change(found, case) if rule in (_failure, _attribution) else found
        case = found
    return unknown("nothing that was recorded differs")


def _with_change(cause: Cause, case: SampleDiff) -> Cause:
    """Name first what changed in the system: that is where a reader looks first."""
    if not case.changes.words:
        return cause
    return cause.model_copy(update={"evidence": f"changed: {case.changes.words}; {cause.evidence}"})


Step = SampleDiff | Cause


def _not_the_same_sample(case: SampleDiff) -> Step:
    hashes = {record.content_hash for record in case.before}
    if case.before and hashes == {record.content_hash for record in case.after}:
        return case
    if any(record.output.error for record in case.after):
        return _failed(case.after, side="the candidate")
    if case.missing:
        return _missing(case.missing)
    what = (
        "the question or its expected answer was edited"
        if case.before or case.edited
        else "the sample is new"
    )
    return Cause(kind=CauseKind.DATA, evidence=f"{what}: it has no baseline to compare with")


def _missing(doc_ids: Sequence[str], note: str = "") -> Cause:
    verb = "is" if len(doc_ids) == 1 else "are"
    return Cause(
        kind=CauseKind.DATA,
        evidence=f"expected {named(doc_ids)} {verb} not in the corpus{note}",
        lost=tuple(doc_ids),
    )


def _drift(case: SampleDiff) -> Step:
    """Blame the day where the base version, run today, moved as well; else compare with it."""
    if not case.control or {one.content_hash for one in case.control} != {
        one.content_hash for one in case.before
    }:
        return case
    given = {record.output_hash for record in case.control}
    share = _control_share(case)
    if share >= _HALF or _only_in_control(case, given):
        return Cause(kind=CauseKind.DRIFT, evidence=_drift_evidence(case))
    if case.lead and case.lead.metric in case.drifted and not _only_ours_retrieved_otherwise(case):
        return unknown(
            "the base version moved today on the whole set, so drift cannot be ruled out"
        )
    if given <= case.known:
        return case.between((*case.before, *case.control), case.after)
    if case.lead is None:
        return case.between(case.control, case.after)
    if share > 0 and not _apart(case, case.lead.metric):
        return unknown("the base version, run today, moved as well, though by less")
    if not _apart(case, case.lead.metric):
        return unknown("the base version gave other outputs today, so drift cannot be ruled out")
    return case.between(case.control, case.after)


def _only_ours_retrieved_otherwise(case: SampleDiff) -> bool:
    """True where the base version still retrieves what it did, and the candidate does not."""
    ours, before, today = (
        {record.retrieval_hash for record in side}
        for side in (case.after, case.before, case.control)
    )
    return today <= before and ours.isdisjoint(before)


def _only_in_control(case: SampleDiff, given: set[str]) -> bool:
    """True where the candidate gave nothing but outputs that the base version gives only today."""
    outputs = {record.output_hash for record in case.after}
    return outputs <= given and outputs.isdisjoint(case.known)


def _control_share(case: SampleDiff) -> float:
    """Return how much of the movement the control shows too, from 0 to 1."""
    today = {
        one.metric: one.good
        for one in movements(means(case.before), means(case.control), case.metrics)
    }
    total = sum(abs(one.good) for one in case.moved)
    shared = 0.0
    for one in case.moved:
        good = today.get(one.metric, 0.0)
        if good * one.good > 0:
            shared += min(abs(good), abs(one.good))
    return shared / total if total else 0.0


def _apart(case: SampleDiff, metric: str) -> bool:
    """True where every run of the control scored better (or worse) than every run of ours."""
    control, ours = values(case.control, metric), values(case.after, metric)
    if not control or not ours:
        return False
    return max(ours) < min(control) - SLACK or min(ours) > max(control) + SLACK


def _drift_evidence(case: SampleDiff) -> str:
    lead = case.lead
    if lead is None:
        return "the base version, run today, gives this same output"
    today = means(case.control).get(lead.metric)
    shown = "" if today is None else f": {lead.metric} {lead.before:.3f} -> {today:.3f}"
    return f"the base version, run today, moved as well{shown}"


def _failure(case: SampleDiff) -> Step:
    """Blame failed runs where they are more on one side and explain most of the movement."""
    failed = [
        [record for record in side if record.output.error] for side in (case.before, case.after)
    ]
    if not any(failed):
        return case
    shares = [len(failed[0]) / len(case.before), len(failed[1]) / len(case.after)]
    rest = case.between(
        [record for record in case.before if not record.output.error],
        [record for record in case.after if not record.output.error],
    )
    if abs(shares[0] - shares[1]) <= SLACK:
        return rest if rest.before and rest.after else case
    if rest.before and rest.after and _left(case, rest) > _HALF:
        return rest
    more = shares[1] > shares[0]
    return _failed(
        case.after if more else case.before, side="the candidate" if more else "the baseline"
    )


def _left(case: SampleDiff, rest: SampleDiff) -> float:
    """Return the share of the leading movement that stays without the failed runs."""
    if case.lead is None:
        return 0.0
    after = {one.metric: one.good for one in rest.movements_to(rest.after)}
    return after.get(case.lead.metric, 0.0) / case.lead.good


def _failed(records: Sequence[Record], *, side: str) -> Cause:
    errors = [record.output.error for record in records if record.output.error]
    who = "a provider failed" if errors[0].kind == "provider" else "the system failed"
    message = " ".join(errors[0].message.split())[:120]
    evidence = f"{who} in {len(errors)} of {len(records)} runs of {side}: {message}"
    return Cause(kind=CauseKind.SYSTEM_ERROR, evidence=evidence)


def _same_request(case: SampleDiff) -> Step:
    """An identical model request cannot carry the change: the model answered otherwise."""
    asked = {record.output.request_hash for record in case.after}
    before = {record.output.request_hash for record in case.before}
    outputs = {record.output_hash for record in case.after}
    if None in asked or not asked <= before or outputs <= case.known:
        return case
    if any(map(is_recorded, asked)):  # the replies are the same too: what follows them has changed
        return case
    same = "the model request is identical to the baseline's, yet the answer differs"
    if len(case.before) > 1 and len(case.known) == 1:
        return Cause(kind=CauseKind.DRIFT, evidence=f"{same}: the provider's model drifted")
    return unknown(f"{same}: chance or drift, not this change")


def _judge(case: SampleDiff) -> Step:
    """Blame the judge where equal outputs got other scores; set such runs aside otherwise."""
    shared = [record for record in case.after if record.output_hash in case.known]
    if not shared or case.lead is None:
        return case
    share = _judge_share(case, shared, case.lead)
    if len(shared) == len(case.after):
        return _same_outputs(case, share)
    if share >= _MOST:
        return _judged(case.lead)
    fresh = [record for record in case.after if record.output_hash not in case.known]
    return case.between(case.before, fresh)


def _same_outputs(case: SampleDiff, share: float) -> Cause:
    lead = case.moved[0]
    if share < _HALF:
        return unknown("the baseline gave these same outputs in some of its runs: run-to-run noise")
    if lead.judged:
        return _judged(lead)
    return unknown(f"same output, yet {lead.metric} scored it otherwise: the metric changed")


def _judged(lead: Movement) -> Cause:
    evidence = f"same output, another verdict: {lead.metric} {lead.before:.3f} -> {lead.after:.3f}"
    return Cause(kind=CauseKind.JUDGE, evidence=evidence)


def _judge_share(case: SampleDiff, shared: Sequence[Record], lead: Movement) -> float:
    """Return the share of the leading movement that stands between equal outputs."""
    total = 0.0
    for record in shared:
        twins = [one for one in case.before if one.output_hash == record.output_hash]
        old, new = values(twins, lead.metric), values([record], lead.metric)
        if old and new:
            total += new[0] - sum(old) / len(old)
    return total / len(case.after) / (lead.after - lead.before)


def _attribution(case: SampleDiff) -> Step:
    lost = [one.doc_id for one in case.ranks if one.before is not None and one.after is None]
    absent = [doc_id for doc_id in lost if doc_id in case.missing]
    if absent and (case.worse or not case.moved):
        others = [doc_id for doc_id in lost if doc_id not in case.missing]
        return _missing(absent, f"; {named(others)} was lost as well" if others else "")
    if case.moved and not case.moved[0].comparable:
        return unknown("the two sides were measured with different judges or metric versions")
    return attribute(case)
