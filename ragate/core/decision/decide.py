"""The verdict: every rule evaluated on finite numbers, or a reason why there is none."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ragate.core.comparison.compare import Comparison
from ragate.core.decision.accepted_drops import by_metric, excused
from ragate.core.decision.confirmation import runs_wanted, said_clear
from ragate.core.decision.drift_control import against_control
from ragate.core.decision.report_only import shown, shown_aggregate
from ragate.core.decision.verdict_lines import decision_lines, general_warnings
from ragate.core.rules.exact import decide_exact
from ragate.core.rules.expense import decide_expense
from ragate.core.rules.floors import decide_floors
from ragate.core.rules.latency import decide_latency
from ragate.core.rules.metric_case import MetricCase, RuleOutcome, read_cases
from ragate.core.rules.must_pass import decide_must_pass
from ragate.core.rules.noisy.decide_noisy import FamilyResult, decide_noisy, deciding_claim
from ragate.core.rules.unsteady import joined, no_longer_repeating, varying_part
from ragate.core.rules.waivers import active, expired, waiver_row
from ragate.core.statistics.looks import SUSPICIOUS
from ragate.models import (
    Acceptance,
    Decision,
    DecisionSettings,
    MetricRow,
    MetricVerdict,
    Rule,
    Run,
    Verdict,
    Waiver,
)

__all__ = ["decide", "expired"]

SHOWN_DRAWS = 1_999


@dataclass(frozen=True)
class _Judged:
    """Everything found, before it is summed up."""

    outcomes: dict[str, RuleOutcome]
    family: FamilyResult
    extra: tuple[RuleOutcome, ...] = ()
    warnings: tuple[str, ...] = ()


def decide(
    rules: Sequence[Rule],
    comparison: Comparison,
    settings: DecisionSettings,
    *,
    waivers: Sequence[Waiver] = (),
    today: datetime.date,
    control: Run | None = None,
    accepted: Sequence[Acceptance] = (),
) -> Decision:
    """Judge a comparison by the rules.

    Args:
        waivers: Those of today count; an expired one counts nothing, and the caller refuses it.
        today: The date that waivers are held against; this module reads no clock.
        control: The base version run today over all samples; it replaces the baseline in the
            test when the candidate looks suspicious.
        accepted: Drops that a maintainer took for this very outcome: shown, and not blocking. The
            caller has checked who gave them, and for which commit.
    """
    cases = read_cases(rules, comparison, waivers, today)
    judged = _judge(cases, comparison, settings, control)
    if control is not None and judged.family.tested and judged.family.p <= SUSPICIOUS:
        family, said = against_control(cases, judged.family, comparison, settings, control)
        judged = replace(
            judged, outcomes={**judged.outcomes, **family.outcomes}, family=family, warnings=said
        )
    yellow = {
        case.name: no_longer_repeating(case, judged.outcomes[case.name], comparison)
        for case in cases
    }
    judged = replace(judged, outcomes=yellow)
    taken = by_metric(accepted)
    judged, rows = _with_floors(cases, judged, comparison, settings, taken)
    must_pass, found, wants_tries = decide_must_pass(cases, comparison, waivers, today)
    outcomes = (*judged.outcomes.values(), *judged.extra, found)
    ungated = _nothing_gated(cases, comparison, judged.outcomes)
    undecided = [*_joined(o.undecided for o in outcomes), *ungated]
    applied = active((*comparison.waivers, *waivers), today).values()
    decision = _sum_up(outcomes, undecided).model_copy(
        update={
            "metrics": rows,
            "must_pass": tuple(must_pass),
            "waivers": tuple(waiver_row(waiver) for waiver in applied),
            "accepted": tuple(taken[row.metric] for row in rows if row.accepted),
            "wants_tries": wants_tries,
        }
    )
    return _with_evidence(decision, cases, judged, comparison, settings)


def _with_evidence(
    decision: Decision,
    cases: Sequence[MetricCase],
    judged: _Judged,
    comparison: Comparison,
    settings: DecisionSettings,
) -> Decision:
    """Add what the verdict rests on, and what would make it final."""
    family, made = judged.family, comparison.candidate.repeats
    wants = runs_wanted(judged.outcomes, family, comparison, settings)
    warnings = general_warnings(cases, comparison, family, settings, wants_runs=wants)
    lines = decision_lines(decision.metrics, family, comparison, settings, decision.verdict)
    clear = said_clear(judged.outcomes, family, comparison, settings)
    return decision.model_copy(
        update={
            "warnings": (*decision.warnings, *judged.warnings, *warnings),
            "remedies": (*decision.remedies, *_settle(decision)),
            "claim": deciding_claim(settings, comparison),
            "family": family.tested,
            "alpha": settings.alpha,
            "runs_baseline": comparison.baseline.repeats,
            "runs_candidate": made,
            "wants_runs": wants,
            "confirmed": made > 1 and bool(family.tested),
            "lines": (*lines, *clear),
        }
    )


def _settle(decision: Decision) -> tuple[str, ...]:
    """Return the command that tells what would settle a pass that could not tell."""
    blind = any(
        row.level == "error" and row.verdict is MetricVerdict.CANNOT_TELL and not row.exact
        for row in decision.metrics
    )
    return ("ragate power",) if blind and decision.verdict is Verdict.PASSED else ()


def _judge(
    cases: Sequence[MetricCase],
    comparison: Comparison,
    settings: DecisionSettings,
    control: Run | None,
) -> _Judged:
    outcomes: dict[str, RuleOutcome] = {}
    if comparison.baseline_run is None:
        return _Judged({case.name: shown(case) for case in cases}, FamilyResult({}))
    exact, noisy = [], []
    for case in cases:
        if case.aggregate is not None:
            outcomes[case.name] = decide_latency(
                case, comparison.candidate_run, control, shown_aggregate(case), settings
            )
        elif case.column is not None and case.info.is_expense:
            outcomes[case.name] = decide_expense(case, comparison, settings)
        elif case.column is not None and case.column.exact:
            exact.append(case)
        else:
            noisy.append(case)
    outcomes.update(decide_exact(exact, comparison, settings))
    varying = [part for case in exact if (part := varying_part(case)) is not None]
    tested = [case for case in (*noisy, *varying) if case.gates]
    family = decide_noisy(tested, comparison, settings)
    for case in (*noisy, *varying):
        if not case.gates:  # shown only: tested alone, and no part of the family's error
            alone = decide_noisy([case], comparison, settings, draws=SHOWN_DRAWS)
            family.outcomes.update(alone.outcomes)
    for case in varying:
        outcomes[case.name] = joined(outcomes[case.name], family.outcomes.pop(case.name))
    outcomes.update(family.outcomes)
    whole = {case.name for case in noisy if case.gates}
    family = replace(family, tested=tuple(name for name in family.tested if name in whole))
    return _Judged({case.name: outcomes[case.name] for case in cases}, family)


def _with_floors(
    cases: Sequence[MetricCase],
    judged: _Judged,
    comparison: Comparison,
    settings: DecisionSettings,
    taken: Mapping[str, Acceptance],
) -> tuple[_Judged, tuple[MetricRow, ...]]:
    """Hold every metric against its floor, and take out of the red what was accepted."""
    rows, outcomes, floors = [], {}, []
    for case in cases:
        moved = judged.outcomes[case.name]
        assert moved.row is not None
        floor, beyond = decide_floors(case, comparison, settings)
        blocks = moved.row.blocks or bool(beyond.red)
        row = moved.row.model_copy(update={"floor": floor, "blocks": blocks})
        row, (moved, beyond) = excused(row, (moved, beyond), taken.get(case.name))
        rows.append(row)
        outcomes[case.name] = moved
        floors.append(beyond)
    return replace(judged, outcomes=outcomes, extra=(*judged.extra, *floors)), tuple(rows)


_HELD_AGAINST_CONTROL = {
    MetricVerdict.HELD,
    MetricVerdict.REGRESSED,
    MetricVerdict.CANNOT_TELL,
}


def _nothing_gated(
    cases: Sequence[MetricCase], comparison: Comparison, outcomes: Mapping[str, RuleOutcome]
) -> list[str]:
    if comparison.all_failed:
        return ["every sample failed"]
    if comparison.baseline_run is None:
        return ["there is no baseline to compare with"]

    def holds(case: MetricCase) -> bool:
        """Whether the rule can fail: a latency only by a limit, or beside a control run."""
        row = outcomes[case.name].row
        timed = row is not None and row.verdict in _HELD_AGAINST_CONTROL
        return case.aggregate is None or case.has_floor or timed

    if not any(case.gates and holds(case) for case in cases):
        return ["no metric is gated: no rule has level error and something to hold it against"]
    return []


def _sum_up(outcomes: Sequence[RuleOutcome], undecided: Sequence[str]) -> Decision:
    """Red before undecided before passed; a red one lists what was not decided as well."""
    red = _joined(outcome.red for outcome in outcomes)
    remedies = _joined(outcome.remedies for outcome in outcomes)
    if any("no baseline" in reason for reason in undecided):
        remedies = [*remedies, "ragate baseline update"]
    open_or_passed = Verdict.NO_DECISION if undecided else Verdict.PASSED
    verdict = Verdict.FAILED if red else open_or_passed
    return Decision(
        verdict=verdict,
        reasons=tuple(dict.fromkeys([*red, *undecided])),
        warnings=tuple(_joined(outcome.warnings for outcome in outcomes)),
        remedies=tuple(dict.fromkeys(remedies)),
    )


def _joined(parts: Iterable[tuple[str, ...]]) -> list[str]:
    return list(dict.fromkeys(sentence for part in parts for sentence in part))
