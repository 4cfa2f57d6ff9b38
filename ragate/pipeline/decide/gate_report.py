"""From a decision to the report: causes, counts and costs, and the run's place in the store."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragate import plugins
from ragate.core.comparison.own_passes import newest_run
from ragate.core.conditions import conditions_of
from ragate.core.diagnosis.changed_samples import changed_samples
from ragate.core.doc_ids.mismatch import MismatchKind
from ragate.core.hashing import is_recorded
from ragate.core.symptoms.change_origin import change_origin
from ragate.models import (
    Decision,
    Diagnosis,
    DrillProof,
    Proposed,
    Report,
    Run,
    RunFacts,
    SampleRow,
)
from ragate.pipeline.decide.compare_and_decide import Decided
from ragate.pipeline.decide.diagnoses import diagnoses
from ragate.pipeline.decide.drill_proof import last_proof
from ragate.pipeline.decide.gate_setup import GateSetup
from ragate.pipeline.decide.readable_run import with_samples
from ragate.pipeline.doc_ids.id_advice import id_advice
from ragate.pipeline.run.store_run import store_run
from ragate.pipeline.score.metric_records import count_unscored
from ragate.runtime.operations import Operations
from ragate.support.spans import finished
from ragate.version import __version__

_TWO_SPELLINGS = "golden set and system name documents in two ways, so that no retrieval counts"


def gate_report(
    decided: Decided,
    *,
    duration_s: float | None = None,
    drill: DrillProof | None = None,
    proposed: Proposed | None = None,
) -> Report:
    """Return everything that a renderer may show."""
    setup, comparison, decision = decided.setup, decided.comparison, decided.decision
    config, baseline = setup.config, setup.baseline
    manifest = decided.candidate.manifest
    missing, stale = manifest.missing_documents, manifest.stale_evidence
    changes = changed_samples(
        setup.samples,
        comparison.baseline_run,
        comparison.candidate_run,
        rules=decided.rules,
        missing_documents=missing,
        control=None if setup.control is None else newest_run(setup.control),
        texts=decided.texts,
        by_sample=(comparison.baseline.tries, comparison.candidate.tries),
    )
    report = Report(
        gate=config.gate,
        run_id=manifest.run_id,
        created=manifest.created,
        head=manifest.commit,
        base=baseline.manifest.commit if baseline else "",
        ragate_version=__version__,
        dataset=config.policy.dataset,
        baseline_path=config.policy.baseline,
        baseline_recorded=baseline.manifest.created if baseline else "",
        system=manifest.system,
        baseline_system=baseline.manifest.system if baseline else None,
        filters=manifest.filters,
        partial=manifest.filters.partial or manifest.retrieval_only,
        retrieval_only=manifest.retrieval_only,
        decision=decision,
        facts=run_facts(decided, duration_s=duration_s),
        data=comparison.data.amended(missing_documents=missing, stale_evidence=stale),
        samples=with_slices(changes.rows, setup, decision),
        unchanged=changes.unchanged,
        left_out=changes.left_out,
        origin=change_origin(
            baseline.manifest if baseline else None,
            manifest,
            decision,
            held_today=setup.control is not None,
        ),
        diagnosis=(*_ids_that_do_not_fit(decided), *diagnoses(decided, changes.rows)),
        drill=drill,
        proposed=proposed,
        publish=config.policy.publish,
    )
    return with_samples(report, decided)


def _ids_that_do_not_fit(decided: Decided) -> Iterator[Diagnosis]:
    """Yield what is to be looked at before any figure of the retrieval.

    Of a part of the golden set only another spelling is said: few samples may well miss all.
    """
    config, run = decided.setup.config, newest_run(decided.candidate)
    advice = id_advice(config, decided.setup.samples, run)
    if advice is None:
        return
    if advice.mismatch.kind is MismatchKind.SPELT_OTHERWISE or not run.manifest.filters.partial:
        yield Diagnosis(symptom=advice.message, likely_cause=_TWO_SPELLINGS, action=advice.remedy)


def with_slices(
    rows: Sequence[SampleRow], setup: GateSetup, decision: Decision
) -> tuple[SampleRow, ...]:
    """Return the changed samples with the slices that they are in; those that block come first."""
    parts = [(part.name, conditions_of(part)) for part in setup.config.policy.slices]
    if not parts:
        return tuple(rows)
    wanted = {row.sample_id for row in rows}
    named = {
        sample.id: tuple(name for name, conditions in parts if conditions.fit(sample))
        for sample in setup.samples
        if sample.id in wanted
    }
    fallen = {row.slice for row in decision.slices if row.blocks}
    marked = [row.amended(slices=named.get(row.sample_id, ())) for row in rows]
    return tuple(sorted(marked, key=lambda row: fallen.isdisjoint(row.slices)))


def stored_report(
    operations: Operations,
    decided: Decided,
    *,
    started: float,
    proposed: Proposed | None = None,
) -> Report:
    """Store the run with its report, here and in the run store, and return that.

    Args:
        started: When the run began, by `time.monotonic`.
    """
    drill = last_proof(operations)
    duration_s = time.monotonic() - started
    report = gate_report(decided, duration_s=duration_s, drill=drill, proposed=proposed)
    store_run(operations, decided.candidate, report)
    finished(decided.candidate, report)
    return report


def run_facts(decided: Decided, *, duration_s: float | None) -> RunFacts:
    """Count what the line under the verdict tells."""
    samples, tally, affected = decided.setup.samples, decided.tally, decided.comparison.affected
    counts = _count(newest_run(decided.comparison.candidate_run))
    priced = tally.calls > tally.unpriced or counts.cost_usd is not None
    return RunFacts(
        samples=len(samples),
        affected=affected,
        reused=None if affected is None else decided.comparison.data.matched - affected,
        unjudged=sum(sample.answerable and not sample.expected for sample in samples),
        errors=counts.errors,
        unscored=counts.unscored,
        model_calls=tally.calls + counts.calls,
        calls_reused=tally.reused,
        verdicts_reused=decided.judgements_reused,
        cost_usd=round(tally.cost_usd + (counts.cost_usd or 0.0), 6) if priced else None,
        saved_usd=round(tally.saved_usd, 6),
        duration_s=None if duration_s is None else round(duration_s, 3),
    )


@dataclass
class _Counts:
    """What one look over the records tells: a large run is read from its file each time.

    Attributes:
        errors, unscored: Of the first pass.
        calls, cost_usd: What a foreign system tells of itself; None where it names no cost.
    """

    errors: int = 0
    unscored: int = 0
    calls: int = 0
    cost_usd: float | None = None


def _count(run: Run) -> _Counts:
    counts, counted = _Counts(), plugins.traits(run.manifest.system.use).counted
    costs: list[float] = []
    first_run = run.records[0].run if run.records else 0
    for record in run.records:
        if record.run == first_run:
            counts.errors += record.output.error is not None
            counts.unscored += count_unscored([record])
        # Calls that went through our recorder are counted there.
        counted = counted or is_recorded(record.output.request_hash)
        if usage := record.output.usage:
            counts.calls += usage.calls
            costs += [usage.cost_usd] if usage.cost_usd is not None else []
    if counted:
        counts.calls = 0
    elif costs:
        counts.cost_usd = sum(costs)
    return counts
