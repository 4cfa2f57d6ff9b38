"""Baseline and candidate of a whole run, with the control, and what holds for all samples."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ragate.core.diagnosis.page_texts import page_changes
from ragate.core.diagnosis.sample_diff import SampleDiff
from ragate.core.diagnosis.score_delta import gain, means
from ragate.core.diagnosis.system_changes import NOT_COMPARED, SystemChanges, system_changes
from ragate.core.lookup import SampleTries, passes_of
from ragate.models import MetricInfo, Needs, Record, Rule, Run, Sample

_HALF = 0.5
RecordsBySample = Mapping[str, Sequence[Record]]


@dataclass(frozen=True)
class RunPair:
    """The records of both sides, and everything that is asked for each sample.

    Attributes:
        control: Records of the base version, run today.
        rules: By metric, without those that are off.
        missing: Each sample's expected documents that are not in the corpus.
        incomparable, drifted, changes: See `SampleDiff`.
    """

    baseline: RecordsBySample
    candidate: RecordsBySample
    control: RecordsBySample
    metrics: Mapping[str, MetricInfo]
    rules: Mapping[str, Rule]
    missing: Mapping[str, tuple[str, ...]]
    incomparable: frozenset[str] = frozenset()
    drifted: frozenset[str] = frozenset()
    changes: SystemChanges = NOT_COMPARED

    def diff(self, sample: Sample) -> SampleDiff:
        """Return one sample's two sides; an edited or added sample has no records before."""
        before, after = self.baseline.get(sample.id, ()), self.candidate[sample.id]
        same_sample = bool(before) and before[0].content_hash == after[0].content_hash
        changes = self.changes
        if same_sample and not (changes.comparable or changes.differences):
            old = {record.retrieval_hash for record in before}
            if not {record.retrieval_hash for record in after} <= old:
                changes = self.seen
        return SampleDiff(
            sample=sample,
            before=before if same_sample else (),
            after=after,
            metrics=self.metrics,
            missing=tuple(self.missing.get(sample.id, ())),
            drifted=self.drifted,
            incomparable=self.incomparable,
            changes=changes,
            edited=bool(before),
        )

    @cached_property
    def seen(self) -> SystemChanges:
        """What the texts of all pages tell of systems that do not say what changed in them."""
        seen = page_changes(self.baseline, self.candidate)
        if seen is None:
            return self.changes
        return replace(self.changes, differences=(seen.difference,), comparable=seen.alone)


def pair_runs(
    baseline: Run | None,
    candidate: Run,
    control: Run | None,
    *,
    rules: Sequence[Rule],
    missing: Mapping[str, tuple[str, ...]],
    by_sample: tuple[RecordsBySample, RecordsBySample] | None = None,
) -> RunPair:
    """Return what holds for the whole run.

    Args:
        by_sample: The records of baseline and candidate, where the caller has looked them up.
    """
    before, after = by_sample or (_by_sample(baseline), _by_sample(candidate))
    runs = RunPair(
        baseline=before,
        candidate=after,
        control=_by_sample(control),
        metrics={**(baseline.manifest.metrics if baseline else {}), **candidate.manifest.metrics},
        rules={rule.metric: rule for rule in rules if rule.level != "off"},
        missing=missing,
    )
    if baseline is None:
        return runs
    return replace(
        runs,
        incomparable=_incomparable(baseline, candidate),
        changes=system_changes(baseline.manifest, candidate.manifest),
        drifted=_drifted(runs) if control else frozenset(),
    )


def _by_sample(run: Run | None) -> RecordsBySample:
    return SampleTries(passes_of(run.records if run else ()))


def _incomparable(baseline: Run, candidate: Run) -> frozenset[str]:
    judges_differ = baseline.manifest.judge != candidate.manifest.judge
    old_metrics = baseline.manifest.metrics
    return frozenset(
        name
        for name, new in candidate.manifest.metrics.items()
        if (old := old_metrics.get(name)) is not None
        and (
            (old.version, old.fingerprint) != (new.version, new.fingerprint)
            or (judges_differ and new.needs is Needs.JUDGE)
        )
    )


def _drifted(runs: RunPair) -> frozenset[str]:
    """Return the metrics whose mean the control moved at least half as far, the same way."""
    ours: defaultdict[str, float] = defaultdict(float)
    today: defaultdict[str, float] = defaultdict(float)
    for sample_id, control in runs.control.items():
        before = means(runs.baseline.get(sample_id, ()))
        for totals, records in ((ours, runs.candidate.get(sample_id, ())), (today, control)):
            after = means(records)
            for name in before.keys() & after.keys():
                totals[name] += gain(before[name], after[name], runs.metrics.get(name))
    return frozenset(
        name
        for name, total in ours.items()
        if total * today[name] > 0 and abs(today[name]) >= _HALF * abs(total)
    )
