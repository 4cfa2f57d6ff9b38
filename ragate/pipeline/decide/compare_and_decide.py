"""From a run to its report: compare, decide, find causes. Pure but for the clock it is handed."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from ragate import __version__
from ragate.clients.budget import Tally
from ragate.config import Config
from ragate.core.comparison.compare import Comparison, compare
from ragate.core.comparison.own_passes import deciding_run, newest_run
from ragate.core.decision.decide import decide, expired
from ragate.core.decision.pooling import Terms, with_earlier
from ragate.core.diagnosis.changed_samples import changed_samples
from ragate.core.diagnosis.system_changes import system_changes
from ragate.core.hashing import is_recorded
from ragate.core.rules.checked_metric import with_checked
from ragate.core.symptoms.symptoms import symptoms
from ragate.errors import ConfigError
from ragate.models import (
    Acceptance,
    Decision,
    DrillProof,
    Proposed,
    Record,
    Report,
    Rule,
    Run,
    RunFacts,
    Sample,
)
from ragate.pipeline.score.metric_records import count_unscored, failures
from ragate.pipeline.score.pairwise import losses
from ragate.pipeline.score.scorer import Scorer

# Systems whose model calls go through our own clients, which count them.
MOST_NAMED = 10
COUNTED = frozenset({"pgvector"})


@dataclass(frozen=True)
class Decided:
    """A comparison with its decision.

    Attributes:
        verdicts_reused: Distinct verdicts of the judge that were there already.
        texts: Gives a record of the candidate its retrieved texts back.
    """

    comparison: Comparison
    decision: Decision
    rules: tuple[Rule, ...]
    tally: Tally = field(default_factory=Tally)
    verdicts_reused: int = 0
    texts: Callable[[Record], Record] = lambda record: record

    def with_note(self, note: str) -> Decided:
        """Add one warning."""
        warnings = (note, *self.decision.warnings)
        return replace(self, decision=self.decision.model_copy(update={"warnings": warnings}))

    def with_line(self, line: str) -> Decided:
        """Add one sentence on how it was decided."""
        lines = (line, *self.decision.lines)
        return replace(self, decision=self.decision.model_copy(update={"lines": lines}))

    def with_notes(self, scorer: Scorer) -> Decided:
        """Add what the judge did, and what was left out on purpose."""
        notes = [f"{name} was left out: {why}" for name, why in scorer.left_out.items()]
        judging = scorer.judging
        if judging is not None and judging.out:
            notes.append(f"the judge stopped: {judging.out}")
        if judging is not None and judging.cut:
            notes.append(f"{judging.cut} answers were judged on contexts cut to the judge's limit")
        if judging is not None and judging.unchecked:
            names = ", ".join(judging.unchecked)
            notes.append(f"nothing checks this judge on {names}: no known answer fits")
        if judging is not None and (lost := losses(judging.preferences)):
            notes.append(lost)
        warnings = (*notes, *self.decision.warnings)
        return replace(
            self,
            decision=self.decision.model_copy(update={"warnings": warnings}),
            tally=scorer.opened.tally,
            verdicts_reused=judging.reused if judging is not None else 0,
        )


def refuse_expired_waivers(config: Config, today: datetime.date) -> None:
    """Raise for a waiver whose date has passed: it must be decided anew, not forgotten.

    Raises:
        ConfigError: names each one with its owner.
    """
    late = expired(config.policy.waivers, today)
    if late:
        lines = [
            f"{config.path}: [[policy.waivers]] {one.id} {one.metric}: expired on {one.until} "
            f"(owner {one.owner})"
            for one in late
        ]
        raise ConfigError("\n".join(lines), remedy="mend the sample, or set a new date")


def active_rules(config: Config, run: Run) -> tuple[Rule, ...]:
    """Return the rules that this run is held to, without what it was told to leave out."""
    left_out = set(run.manifest.left_out)
    return tuple(
        rule
        for rule in config.policy.metrics
        if rule.level != "off" and rule.metric not in left_out
    )


def compare_and_decide(
    config: Config,
    samples: Sequence[Sample],
    baseline: Run | None,
    candidate: Run,
    *,
    today: datetime.date,
    control: Run | None = None,
    accepted: Sequence[Acceptance] = (),
    untouched: bool = False,
) -> Decided:
    """Compare the candidate with the baseline and decide.

    Args:
        untouched: It is known that nothing the system reads has changed: no sample is affected.
    """
    policy = config.policy
    rules = active_rules(config, candidate)
    control = None if control is None else newest_run(control)  # of today, and of nothing before
    comparison = compare(
        _asked_for(baseline, rules),
        deciding_run(candidate),
        samples,
        cluster=policy.cluster,
        waivers=policy.waivers,
        repeats=policy.repeats,
    )
    if untouched:
        comparison = replace(comparison, affected=0)
    decision = decide(
        rules,
        comparison,
        policy.decision,
        waivers=policy.waivers,
        today=today,
        control=control,
        accepted=accepted,
    )
    waived, alone = policy.waivers, control is not None
    terms = Terms(rules, policy.decision, waived, today, accepted=accepted, control=alone)
    decision = with_earlier(decision, comparison, candidate, terms)
    warnings = (*decision.warnings, *_stale(candidate), *_other_date(baseline, candidate))
    decision = decision.model_copy(update={"warnings": warnings})
    return Decided(comparison=comparison, decision=decision, rules=rules)


def _other_date(baseline: Run | None, candidate: Run) -> list[str]:
    """Return a warning where the two sides were asked as of different dates."""
    now = candidate.manifest.eval_date
    then = baseline.manifest.eval_date if baseline is not None else now
    if now == then:
        return []
    shown = [date or "no date in particular" for date in (now, then)]
    same = f"; --eval-date {then} asks as the baseline was" if then else ""
    return [f"asked as of {shown[0]}, and the baseline as of {shown[1]}{same}"]


def _stale(candidate: Run) -> list[str]:
    """Return a warning where the evidence of samples is no longer in their documents."""
    found = candidate.manifest.stale_evidence
    if not found:
        return []
    named = [f"{sample_id} ({', '.join(docs)})" for sample_id, docs in found.items()]
    more = f" and {len(named) - MOST_NAMED} more" if len(named) > MOST_NAMED else ""
    said = f"{', '.join(named[:MOST_NAMED])}{more}"
    return [f"references that may be stale, since a document no longer holds the evidence: {said}"]


def _asked_for(baseline: Run | None, rules: Sequence[Rule]) -> Run | None:
    """Return the baseline without metrics that this run was told to leave out."""
    if baseline is None:
        return None
    names = with_checked(rule.metric for rule in rules)
    metrics = {name: info for name, info in baseline.manifest.metrics.items() if name in names}
    manifest = baseline.manifest.model_copy(update={"metrics": metrics})
    return baseline.model_copy(update={"manifest": manifest})


def build_report(
    config: Config,
    samples: Sequence[Sample],
    baseline: Run | None,
    candidate: Run,
    judged: Decided,
    *,
    facts: RunFacts,
    control: Run | None = None,
    drill: DrillProof | None = None,
    proposed: Proposed | None = None,
) -> Report:
    """Return everything that a renderer may show."""
    manifest = candidate.manifest
    missing = manifest.missing_documents
    changes = changed_samples(
        samples,
        baseline,
        judged.comparison.candidate_run,
        rules=judged.rules,
        missing_documents=missing,
        control=None if control is None else newest_run(control),
        texts=judged.texts,
        by_sample=(judged.comparison.baseline.tries, judged.comparison.candidate.tries),
    )
    told = {"missing_documents": missing, "stale_evidence": manifest.stale_evidence}
    data = judged.comparison.data.model_copy(update=told)
    return Report(
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
        decision=judged.decision,
        facts=facts,
        data=data,
        samples=changes.rows,
        unchanged=changes.unchanged,
        left_out=changes.left_out,
        diagnosis=symptoms(
            judged.decision.metrics,
            samples=changes.rows,
            changes=system_changes(baseline.manifest if baseline else None, manifest),
        ),
        drill=drill,
        proposed=proposed,
    )


def run_facts(
    samples: Sequence[Sample],
    candidate: Run,
    judged: Decided,
    *,
    duration_s: float | None,
) -> RunFacts:
    """Count what the line under the verdict tells."""
    tally = judged.tally
    seen = _look_over(newest_run(candidate))
    affected = judged.comparison.affected
    priced = tally.calls > tally.unpriced or seen.cost_usd is not None
    return RunFacts(
        samples=len(samples),
        affected=affected,
        reused=None if affected is None else judged.comparison.data.matched - affected,
        unjudged=sum(not sample.expected for sample in samples),
        errors=seen.errors,
        unscored=seen.unscored,
        model_calls=tally.calls + seen.calls,
        calls_reused=tally.reused,
        verdicts_reused=judged.verdicts_reused,
        cost_usd=round(tally.cost_usd + (seen.cost_usd or 0.0), 6) if priced else None,
        saved_usd=round(tally.saved_usd, 6),
        duration_s=None if duration_s is None else round(duration_s, 3),
    )


@dataclass
class _Seen:
    """What one look over the records tells.

    Attributes:
        errors, unscored: Of the first pass.
        calls, cost_usd: What a foreign system tells of itself; None where it names no cost.
    """

    errors: int = 0
    unscored: int = 0
    calls: int = 0
    cost_usd: float | None = None


def _look_over(candidate: Run) -> _Seen:
    seen, recorded = _Seen(), candidate.manifest.system.use in COUNTED
    costs: list[float] = []
    first = candidate.records[0].run if candidate.records else 0
    for record in candidate.records:
        if record.run == first:
            seen.errors += failures([record.output])
            seen.unscored += count_unscored([record])
        # Calls that went through our recorder are counted there.
        recorded = recorded or is_recorded(record.output.request_hash)
        if usage := record.output.usage:
            seen.calls += usage.calls
            costs += [usage.cost_usd] if usage.cost_usd is not None else []
    if recorded:
        seen.calls = 0
    elif costs:
        seen.cost_usd = sum(costs)
    return seen
