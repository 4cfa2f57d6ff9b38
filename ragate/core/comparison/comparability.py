"""Whether one metric compares between two runs."""

from __future__ import annotations

from ragate.models import Needs, Run


def problem_of(name: str, baseline: Run | None, candidate: Run) -> tuple[str, str]:
    """Return why one metric does not compare, and the command that mends it."""
    if baseline is None:
        return "there is no baseline", "ragate baseline update"
    before, after = baseline.manifest, candidate.manifest
    if name not in after.metrics:
        return f"{name} was not measured", ""
    if name not in before.metrics:
        return f"the baseline has no {name}", "ragate baseline update"
    old, new = before.metrics[name], after.metrics[name]
    if (old.version, old.fingerprint) != (new.version, new.fingerprint):
        return f"the baseline holds another version of {name}", "ragate baseline update"
    if new.needs is Needs.JUDGE and before.judge != after.judge:
        return f"the baseline's {name} comes from another judge", "ragate baseline rejudge"
    return "", ""
