"""From a decision to the report: causes, counts and costs, and the run's place in the store."""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal, get_args, get_origin

from pydantic import BaseModel

from ragate import plugins
from ragate.core.comparison.run_passes import newest_run, run_means
from ragate.core.conditions import conditions_of
from ragate.core.diagnosis.advice import advice_for
from ragate.core.diagnosis.changed_samples import MOST_ROWS, changed_samples, story_of
from ragate.core.diagnosis.sample_change import sample_outcomes
from ragate.core.diagnosis.standing_faults import standing_faults
from ragate.core.diagnosis.symptoms import symptoms
from ragate.core.diagnosis.system_changes import change_origin, system_changes
from ragate.core.doc_ids import IdMismatch, MismatchKind, run_mismatch
from ragate.core.hashing import is_recorded
from ragate.core.lookup import samples_by_id
from ragate.core.plain_settings import json_by_key, plain_settings
from ragate.core.rules.checked_metric import counts_in_metrics
from ragate.files.foreign_files import file_bytes
from ragate.gate.compare_and_decide import Decided
from ragate.gate.gate_setup import GateSetup
from ragate.gate.id_advice import id_advice
from ragate.models import (
    Decision,
    Diagnosis,
    DrillProof,
    PassGroup,
    Report,
    Run,
    RunFacts,
    SampleRow,
    ScoreState,
)
from ragate.spans import finished
from ragate.version import __version__

if TYPE_CHECKING:
    from ragate.resources.operations import Operations

_SAME = 1e-9
_TWO_SPELLINGS = "golden set and system name documents in two ways, so that no retrieval counts"


@cache
def _refusals() -> Callable[[str], bool]:
    from ragate.metrics.refusal import Refusals, RefusalSettings  # files of scores may lack answers

    return Refusals(RefusalSettings())


def _refuses(answer: str) -> bool:
    return bool(answer) and _refusals()(answer)


def gate_report(
    decided: Decided,
    *,
    duration_s: float | None = None,
    drill: DrillProof | None = None,
    most: int = MOST_ROWS,
) -> Report:
    """Return everything that a renderer may show.

    Args:
        most: As of `changed_samples`.
    """
    setup, comparison, decision = decided.setup, decided.comparison, decided.decision
    config, baseline = setup.config, setup.baseline
    manifest = decided.candidate.manifest
    missing = manifest.missing_documents
    changes = changed_samples(
        setup.samples,
        comparison.baseline_run,
        comparison.candidate_run,
        rules=decided.rules,
        missing_documents=missing,
        most=most,
        texts=decided.texts,
        refuses=_refuses,
        by_sample=(comparison.baseline.tries, comparison.candidate.tries),
    )
    data = comparison.data
    failing = decided.failing([*data.added, *data.renamed.values()])
    facts = run_facts(decided, duration_s=duration_s)
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
        partial=manifest.filters.partial or manifest.retrieval_only or bool(manifest.lacking),
        retrieval_only=manifest.retrieval_only,
        decision=decision.amended(warnings=tuple(map(config.located, decision.warnings))),
        facts=facts,
        succeeded=_succeeded(decided) if facts.errors else {},
        data=data.amended(failing=failing, missing_documents=missing),
        samples=with_slices(changes.rows, setup, decision),
        unchanged=changes.unchanged,
        left_out=changes.left_out,
        origin=change_origin(
            baseline.manifest if baseline else None,
            manifest,
            decision,
        ),
        story=story_of(changes.rows, changes.worse, setup.samples),
        diagnosis=tuple(
            each.amended(action=config.located(each.action))
            for each in (*_ids_that_do_not_fit(decided), *diagnoses(decided, changes.rows))
        ),
        drill=drill,
        publish=config.policy.publish,
        pass_groups=passing_groups(decided),
        outcomes=tuple(
            sample_outcomes(
                setup.samples,
                comparison.baseline.tries,
                comparison.candidate.tries,
                decided.rules,
                comparison.candidate_run.manifest.metrics,
            )
        ),
        judge=manifest.judge_name,
        settings=readable_settings(
            config.system.use, manifest.system.settings or dict(json_by_key(config.system.settings))
        ),
    )
    return counts_in_metrics(report)


def _ids_that_do_not_fit(decided: Decided) -> Iterator[Diagnosis]:
    """Yield what is to be looked at before any figure of the retrieval.

    Of a part of the golden set only another spelling is said: few samples may well miss all.
    """
    config, run = decided.setup.config, newest_run(decided.candidate)
    advice = id_advice(config.root, config.system, decided.setup.samples, run)
    if advice is None or _names_as_before(decided, advice.mismatch):
        return
    if advice.mismatch.kind is MismatchKind.SPELT_OTHERWISE or not run.manifest.filters.partial:
        yield Diagnosis(
            symptom=advice.message,
            likely_cause=_TWO_SPELLINGS,
            action=advice.remedy,
            certain=True,
        )


def _names_as_before(decided: Decided, mismatch: IdMismatch) -> bool:
    """Return whether the baseline found these names, and the system still gives its documents."""
    baseline = decided.setup.baseline
    if baseline is None or mismatch.kind is MismatchKind.SPELT_OTHERWISE:
        return False
    if run_mismatch(decided.setup.samples, baseline.records) is not None:
        return False
    before, now = (
        {chunk.doc_id for record in run.records for chunk in record.output.chunks}
        for run in (baseline, decided.candidate)
    )
    return not now or not before.isdisjoint(now)


def with_slices(
    rows: Sequence[SampleRow], setup: GateSetup, decision: Decision
) -> tuple[SampleRow, ...]:
    """Return the changed samples with their slices: must-pass failures, then those that block."""
    parts = [(part.name, conditions_of(part)) for part in setup.config.policy.slices]
    if not parts:
        return tuple(rows)
    samples = samples_by_id(setup.samples)
    marked = []
    for row in rows:
        fitting = [name for name, conditions in parts if conditions.fit(samples[row.sample_id])]
        marked.append(row.amended(slices=tuple(fitting)))
    missed = {row.sample_id for row in decision.must_pass if row.is_red}
    fallen = {row.slice for row in decision.slices if row.blocks}

    def is_behind(row: SampleRow) -> tuple[bool, bool]:
        return row.sample_id not in missed, fallen.isdisjoint(row.slices)

    return tuple(sorted(marked, key=is_behind))


ASKED_LIVE = (
    "the code under test was asked live, in the process of its tests: it could have changed this "
    "verdict, and what a test patches is part of it"
)


def stored_report(
    operations: "Operations",
    decided: Decided,
    *,
    started: float,
) -> Report:
    """Store the run with its report, here and in the run store, and return that.

    Args:
        started: When the run began, by `time.monotonic`.
    """
    if operations.live:
        decided = decided.with_warnings(ASKED_LIVE)
    drill = last_proof(operations)
    duration_s = time.monotonic() - started
    report = gate_report(decided, duration_s=duration_s, drill=drill)
    from ragate.stores.local import save_run

    save_run(operations, decided.candidate, report)
    finished(decided.candidate, report)
    return report


def run_facts(decided: Decided, *, duration_s: float | None) -> RunFacts:
    """Count what the line under the verdict tells."""
    samples, tally, affected = decided.setup.samples, decided.tally, decided.comparison.affected
    counts = _count(newest_run(decided.comparison.candidate_run))
    costs = [cost for cost in (tally.known_cost_usd, counts.cost_usd) if cost is not None]
    return RunFacts(
        samples=len(samples),
        affected=affected,
        reused=None if affected is None else decided.comparison.data.matched - affected,
        unjudged=0
        if decided.setup.config.policy.of_scores
        else sum(sample.answerable and not sample.expected for sample in samples),
        errors=counts.errors,
        unscored=counts.unscored,
        model_calls=tally.calls + counts.calls,
        calls_reused=tally.reused,
        verdicts_reused=decided.judgements_reused,
        cost_usd=round(sum(costs), 6) if costs else None,
        saved_usd=round(tally.saved_usd, 6),
        duration_s=None if duration_s is None else round(duration_s, 3),
    )


def _succeeded(decided: Decided) -> dict[str, float]:
    """Return the means over the outputs that did not fail, where they are not those over all."""
    run = decided.comparison.candidate_run
    succeeded = [record for record in run.records if record.output.error is None]
    means = run_means(run.amended(records=succeeded, aggregates=()))
    over_all = {row.metric: row.candidate for row in decided.decision.metrics}
    return {
        name: round(mean, 6)
        for name, mean in means.items()
        if (whole := over_all.get(name)) is not None and abs(mean - whole) > _SAME
    }


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
            states = [score.state for score in record.scores.values()]
            counts.unscored += states.count(ScoreState.UNSCORED)
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


DRILL_FILE = "drill.json"


def last_proof(operations: "Operations") -> DrillProof | None:
    """Return the last drill's result, None where there was none."""
    try:
        return DrillProof.model_validate_json(file_bytes(operations.state / DRILL_FILE))
    except (OSError, ValueError):
        return None


# Of a system that never answered, no figure tells anything else.
_ALL_FAILED = Diagnosis(
    symptom="every sample failed",
    likely_cause="the system cannot be reached, does not start, or refuses every question",
    action="mend this first, nothing else here means anything yet: `ragate doctor --ask` asks it "
    "one question and shows what comes back",
    certain=True,
)


def diagnoses(decided: Decided, changed: Sequence[SampleRow]) -> tuple[Diagnosis, ...]:
    """Return the rows of the symptom table that fit, then those of single samples.

    Args:
        changed: Changed samples with their causes.
    """
    if decided.comparison.all_failed:
        return (_ALL_FAILED,)
    baseline, candidate = decided.setup.baseline, newest_run(decided.candidate)
    changes = system_changes(baseline.manifest if baseline else None, candidate.manifest)
    standing = standing_faults(
        candidate.records,
        baseline.records if baseline else (),
        candidate.manifest.metrics,
        advice_for(has_model=changes.has_model, keys=changes.keys),
    )
    found = symptoms(
        decided.decision.metrics,
        samples=changed,
        changes=changes,
    )
    return (*found, *standing)


# What a reader asks of a run: who passes, what came of each sample, and what was run.


def readable_settings(use: str, settings: Mapping[str, str]) -> dict[str, str]:
    """Return numbers, switches, models, and words that ragate's own systems choose from.

    Free text is none of them, at whatever ``publish``: an address or a template may hold a secret.

    Args:
        settings: JSON by dotted key.
    """
    model = plugins.settings_model("systems", use) if plugins.is_builtin("systems", use) else None
    words = dict(_words(model)) if model is not None else {}
    told = {key: value for key, value in settings.items() if value in words.get(key, ())}
    return plain_settings(settings) | told


def _words(model: type[BaseModel], above: str = "") -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the keys of a built-in system that take one of a few words, with these as JSON."""
    for name, field in model.model_fields.items():
        kind = field.annotation
        if get_origin(kind) is Literal:
            yield f"{above}{name}", frozenset(map(json.dumps, get_args(kind)))
        elif isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from _words(kind, f"{above}{name}.")


def passing_groups(decided: Decided) -> tuple[PassGroup, ...]:
    """Return the pass rate by stage, tag and field; nothing where there is no scorecard."""
    setup, comparison = decided.setup, decided.comparison
    policy = setup.config.policy
    if policy.scorecard is None:
        return ()
    from ragate.core.decision.scorecard import pass_groups
    from ragate.core.rules.metric_case import read_cases

    cases = read_cases(decided.rules, comparison, policy.waivers, setup.today)
    return tuple(pass_groups(policy.scorecard, cases, comparison))
