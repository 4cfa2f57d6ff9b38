"""A verdict on a baseline that was merged: what no side of the merge gave does not pass."""

from collections.abc import Iterable

from ragate.core.rules.wording import count
from ragate.core.text.listed_names import listed
from ragate.models import Decision, Run, Sample, Verdict

MOST_NAMED = 10


def merge_remarks(baseline: Run | None) -> list[str]:
    """Return a warning where the baseline was put together of several recordings."""
    merged = baseline.manifest.merged if baseline is not None else None
    if merged is None:
        return []
    commits = " and ".join(one.commit[:7] or one.date for one in merged.recordings)
    lost = listed(merged.neither, most=MOST_NAMED)
    left_out = f"; changed by both, and compared with nothing: {lost}" if lost else ""
    said = f"the baseline was merged of the recordings at {commits}; record it anew on main"
    if merged.unmeasured:
        left_out += f"; left out by the merge: {listed(merged.unmeasured)}"
    return [f"{said}, until then it speaks of fresh questions alone{left_out}"]


def held_back_by_merge(
    decision: Decision, baseline: Run | None, samples: Iterable[Sample]
) -> Decision:
    """Return the decision with what a merge left out as a reason; a pass becomes no decision.

    The 80 % of the baseline that have to match are of what the baseline holds, and these samples
    it does not. A pull request can shape a merge, so it must not pick what is compared.
    """
    merged = baseline.manifest.merged if baseline is not None else None
    left_out = set(merged.neither) if merged is not None else set()
    ids = sorted(sample.id for sample in samples if sample.id in left_out)
    if not ids:
        return decision
    verb = "is" if len(ids) == 1 else "are"
    reason = (
        f"{count(len(ids), 'sample')} {verb} compared with nothing: both sides of the baseline's "
        f"merge changed {listed(ids, most=MOST_NAMED)}; record it anew on main"
    )
    passed = decision.verdict is Verdict.PASSED
    return decision.amended(
        verdict=Verdict.NO_DECISION if passed else decision.verdict,
        reasons=(*decision.reasons, reason),
        remedies=tuple(dict.fromkeys((*decision.remedies, "ragate baseline update"))),
    )
