"""Whether one metric compares between two runs, and whether it carries noise."""

from __future__ import annotations

from collections.abc import Sequence

from ragate.core.passes import Passes
from ragate.models import MetricInfo, Needs, Reads, Record, Run, RunManifest


def problem_of(name: str, baseline: Run | None, candidate: Run) -> tuple[str, str]:
    """Return why one metric does not compare, and the command that mends it."""
    if baseline is None:
        return "there is no baseline", "ragate baseline update"
    then, now = baseline.manifest, candidate.manifest
    if name not in now.metrics:
        return f"{name} was not measured", ""
    if name not in then.metrics:
        return f"the baseline has no {name}", "ragate baseline update"
    old, new = then.metrics[name], now.metrics[name]
    if (old.version, old.fingerprint) != (new.version, new.fingerprint):
        return f"the baseline holds another version of {name}", "ragate baseline update"
    if new.needs is Needs.JUDGE and then.judge != now.judge:
        return f"the baseline's {name} comes from another judge", "ragate baseline rejudge"
    return "", ""


def is_exact(
    info: MetricInfo,
    baseline: Run | None,
    candidate: Run,
    then: Passes,
    now: Passes,
    ids: Sequence[str],
) -> bool:
    """Whether a metric carries no noise: declared so, and its inputs repeated byte for byte."""
    if baseline is None or info.needs is not Needs.NOTHING or info.reads is Reads.RUN:
        return False
    if info.reads is Reads.ANSWER:
        manifests: tuple[RunManifest, ...] = (baseline.manifest, candidate.manifest)
        if any(Reads.ANSWER not in each.system.deterministic for each in manifests):
            return False
    return then.repeats >= 2 and _repeats(info, then, ids) and _repeats(info, now, ids)


def _repeats(info: MetricInfo, passes: Passes, ids: Sequence[str]) -> bool:
    def read(record: Record | None) -> str:
        if record is None:
            return ""
        return record.retrieval_hash if info.reads is Reads.RETRIEVAL else record.output_hash

    first, *rest = passes.distinct or ({},)
    return all(read(each.get(key)) == read(first.get(key)) for each in rest for key in ids)
