"""The base version run today: what it shares with the candidate is drift, not the change."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ragate.core.comparison.compare import Comparison, compare
from ragate.core.rules.decide_noisy import FamilyResult, decide_noisy, deciding_claim
from ragate.core.rules.metric_case import MetricCase, RuleOutcome
from ragate.core.rules.metric_family import THIS_SET
from ragate.core.text.wording import listed
from ragate.models import DecisionSettings, MetricVerdict, Run


def decide_against_control(
    cases: Sequence[MetricCase],
    family: FamilyResult,
    comparison: Comparison,
    settings: DecisionSettings,
    control: Run,
) -> tuple[FamilyResult, tuple[str, ...]]:
    """Test against the base version of today; report its own shift as drift."""
    samples = tuple(comparison.samples[key] for key in comparison.ids)
    tested = [case for case in cases if case.name in family.tested]
    today = compare(control, comparison.candidate_run, samples, cluster=comparison.cluster)
    unfit = "the control does not cover the same metrics and samples: it is not used"
    if today.ids != comparison.ids:
        return family, (unfit,)
    same = settings.amended(claim=deciding_claim(settings, comparison))
    fresh = decide_noisy(cases_on(tested, today), today, same)
    if set(fresh.tested) != set(family.tested):
        return family, (unfit,)
    shift = compare(comparison.baseline_run, control, samples, cluster=comparison.cluster)
    moved = settings.amended(claim=THIS_SET)
    shifted = decide_noisy(cases_on(tested, shift), shift, moved)
    note = "tested against the base version run today, not against the recording"
    return fresh, (note, *drift_notes(shifted.outcomes, level=settings.alpha))


def cases_on(cases: Sequence[MetricCase], comparison: Comparison) -> list[MetricCase]:
    """Return the cases with the scores of another comparison; what was waived stays so."""
    columns = [case.column_in(comparison) for case in cases]
    return [
        replace(
            case,
            column=column,
            counted=column.applies & case.counted,
            counted_added=case.counted_added[:0],  # the control holds none of them
        )
        for case, column in zip(cases, columns, strict=True)
    ]


def drift_notes(outcomes: Mapping[str, RuleOutcome], *, level: float) -> tuple[str, ...]:
    """Say which metrics moved between the recording and the control run of today."""
    moved = []
    for outcome in outcomes.values():
        row = outcome.row
        if row is None or row.p is None or row.change is None:
            continue
        if row.p <= level or row.verdict is MetricVerdict.IMPROVED:
            moved.append(f"{row.metric} {row.change:+.3f}")
    if not moved:
        return ()
    moves = f"the base version itself moved since the recording ({listed(moved)})"
    return (f"drift: {moves}; that part is not this change's doing",)
