"""What holds for a whole pair of runs and is asked for each sample."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ragate.core.diagnosis.score_delta import good_change, means
from ragate.core.diagnosis.system_changes import NOT_COMPARED, SystemChanges, system_changes
from ragate.core.lookup import Tries, passes_of
from ragate.models import MetricInfo, Needs, Record, Rule, Run

_HALF = 0.5
Records = Mapping[str, Sequence[Record]]


@dataclass(frozen=True)
class Sides:
    """Everything that holds for the whole run."""

    baseline: Records
    candidate: Records
    control: Records
    metrics: Mapping[str, MetricInfo]
    rules: Mapping[str, Rule]
    missing: Mapping[str, tuple[str, ...]]
    incomparable: frozenset[str] = frozenset()
    drifted: frozenset[str] = frozenset()
    changes: SystemChanges = NOT_COMPARED


def sides_of(
    baseline: Run | None,
    candidate: Run,
    control: Run | None,
    *,
    rules: Sequence[Rule],
    missing: Mapping[str, tuple[str, ...]],
    known: tuple[Records, Records] | None = None,
) -> Sides:
    """Return what holds for the whole run.

    Args:
        known: The records of baseline and candidate by sample, where the caller has them already.
    """
    before, after = known or (_by_sample(baseline), _by_sample(candidate))
    metrics = dict(baseline.manifest.metrics if baseline else {}) | candidate.manifest.metrics
    sides = Sides(
        baseline=before,
        candidate=after,
        control=_by_sample(control),
        metrics=metrics,
        rules={rule.metric: rule for rule in rules if rule.level != "off"},
        missing=missing,
    )
    if baseline is None:
        return sides
    return replace(
        sides,
        incomparable=_incomparable(baseline, candidate),
        changes=system_changes(baseline.manifest, candidate.manifest),
        drifted=_drifted(sides) if control else frozenset(),
    )


def _by_sample(run: Run | None) -> Records:
    return Tries(passes_of(run.records if run else ()))


def _incomparable(baseline: Run, candidate: Run) -> frozenset[str]:
    judges_differ = baseline.manifest.judge != candidate.manifest.judge
    found = set()
    for name, new in candidate.manifest.metrics.items():
        old = baseline.manifest.metrics.get(name)
        if old is None:
            continue
        measured = (old.version, old.fingerprint) == (new.version, new.fingerprint)
        if not measured or (judges_differ and new.needs is Needs.JUDGE):
            found.add(name)
    return frozenset(found)


def _drifted(sides: Sides) -> frozenset[str]:
    """Return the metrics whose mean the control moved at least half as far, the same way."""
    ours: defaultdict[str, float] = defaultdict(float)
    today: defaultdict[str, float] = defaultdict(float)
    for sample_id, control in sides.control.items():
        before = means(sides.baseline.get(sample_id, ()))
        for totals, records in ((ours, sides.candidate.get(sample_id, ())), (today, control)):
            after = means(records)
            for name in before.keys() & after.keys():
                totals[name] += good_change(before[name], after[name], sides.metrics.get(name))
    return frozenset(
        name
        for name, total in ours.items()
        if total * today[name] > 0 and abs(today[name]) >= _HALF * abs(total)
    )
