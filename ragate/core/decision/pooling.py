"""What passes of earlier runs of the same commit add to the newest one.

Where the state outside git may have changed since, they can confirm what the newest run shows, and
never soften it: red alone is red; a run that is not suspicious is never red; between the two the
passes are tested together, unless they differ from the newest run.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ragate.core.comparison.compare import Comparison, compare
from ragate.core.comparison.own_passes import earlier_run, newest_run
from ragate.core.decision.drift_control import cases_on
from ragate.core.decision.earlier_pass_notes import new_draw, note_of, pooled_reason
from ragate.core.decision.verdict_lines import NO_EVIDENCE
from ragate.core.rules.metric_case import MetricCase, RuleOutcome, read_cases
from ragate.core.rules.metric_family import build_table, seed_of
from ragate.core.rules.noisy.decide_noisy import decide_noisy
from ragate.core.statistics.looks import SUSPICIOUS
from ragate.core.statistics.permutation import relabel, step_down
from ragate.core.statistics.score_columns import row_means
from ragate.models import (
    Acceptance,
    Decision,
    DecisionSettings,
    EarlierFigure,
    EarlierPasses,
    MetricRow,
    MetricVerdict,
    Rule,
    Run,
    Verdict,
    Waiver,
)


@dataclass(frozen=True)
class Terms:
    """What a run is judged by."""

    rules: Sequence[Rule]
    settings: DecisionSettings
    waivers: Sequence[Waiver]
    today: datetime.date
    accepted: Sequence[Acceptance] = ()
    control: bool = False

    def cases(self, comparison: Comparison) -> list[MetricCase]:
        """Return a case for each metric of `comparison`."""
        return read_cases(self.rules, comparison, self.waivers, self.today)


class _Weighed(NamedTuple):
    """What the passes together say: a use, and the family's outcomes where they were tested."""

    use: str
    p_differ: float | None = None
    outcomes: dict[str, RuleOutcome] = {}


def with_earlier(decision: Decision, comparison: Comparison, run: Run, terms: Terms) -> Decision:
    """Return the decision on a run with what its earlier passes add.

    Args:
        comparison: Of the passes that decided: all of `run`, or those of its newest part.
        run: All passes.
    """
    if not run.manifest.earlier:
        return decision
    manifest = run.manifest.amended(confirm=0)  # one look, with all of alpha
    whole = _against_baseline(comparison, run.amended(manifest=manifest))
    if comparison.candidate_run is run:
        weighed = _Weighed("counted")
    else:
        weighed = _weigh(decision, comparison, run, whole, terms)
    if weighed.use == "agree":
        decision, confirmed = _confirmed(decision, weighed, run, terms)
        weighed = weighed._replace(use="confirm") if confirmed else weighed
    earlier = EarlierPasses.model_validate(
        {
            "runs": run.manifest.earlier,
            "use": weighed.use,
            "p_differ": weighed.p_differ,
            "metrics": _figures(decision, comparison, run, whole, weighed, terms),
        }
    )
    earlier = earlier.amended(note=note_of(earlier))
    warnings = (*new_draw(decision, earlier), *decision.warnings)
    return decision.amended(earlier=earlier, warnings=warnings)


def _against_baseline(comparison: Comparison, run: Run) -> Comparison:
    samples = tuple(comparison.samples.values())
    return compare(
        comparison.baseline_run,
        run,
        samples,
        cluster=comparison.cluster,
        waivers=comparison.waivers,
    )


def _weigh(
    decision: Decision, newest: Comparison, run: Run, whole: Comparison, terms: Terms
) -> _Weighed:
    """Return what may be made of the earlier passes, by the newest run alone."""
    lowest = min((row.p for row in _tested(decision) if row.p is not None), default=1.0)
    settled = decision.wants_runs == 0 and decision.verdict is not Verdict.NO_DECISION
    if terms.control or not settled or not lowest <= SUSPICIOUS:
        return _Weighed("shown")
    tested = [case for case in terms.cases(newest) if case.name in decision.family]
    differ = _difference(tested, newest, run)
    if not differ > SUSPICIOUS:
        return _Weighed("differ", differ)
    if decision.verdict is Verdict.FAILED:
        return _Weighed("shown", differ)
    pooled = [case for case in terms.cases(whole) if case.name in decision.family]
    return _Weighed("agree", differ, decide_noisy(pooled, whole, terms.settings).outcomes)


def _tested(decision: Decision) -> list[MetricRow]:
    return [row for row in decision.metrics if row.metric in decision.family]


def _difference(tested: Sequence[MetricCase], newest: Comparison, run: Run) -> float:
    """Return the smaller family p of newest against earlier passes, worse or better; 0 unknown."""
    samples = tuple(newest.samples.values())
    between = compare(earlier_run(run), newest_run(run), samples, cluster=newest.cluster)
    if between.ids != newest.ids:
        return 0.0
    table = build_table(cases_on(tested, between), between)
    if not len(table.units):
        return 0.0
    null = relabel(table.blocks, seed=seed_of(between))
    return float(min(step_down(null).min(), step_down(null, upwards=True).min()))


def _confirmed(
    decision: Decision, weighed: _Weighed, run: Run, terms: Terms
) -> tuple[Decision, bool]:
    """Return the decision with every metric red that all passes prove and the newest suspects."""
    excused = {each.metric: each for each in terms.accepted}
    rows, reasons, taken = [], [], list(decision.accepted)
    for row in decision.metrics:
        outcome = weighed.outcomes.get(row.metric)
        suspected = row.p is not None and row.p <= SUSPICIOUS
        if outcome is None or not outcome.red or not suspected or row.accepted:
            rows.append(row)
            continue
        reason = pooled_reason(outcome.red[0], row, run)
        accepted = row.metric in excused
        taken += [excused[row.metric]] if accepted else []
        reasons += [] if accepted else [reason]
        red = row.amended(verdict=MetricVerdict.REGRESSED, reason=reason)
        rows.append(red.amended(blocks=not accepted, accepted=accepted))
    confirms = len(reasons) + len(taken) > len(decision.accepted)
    decision = decision.amended(metrics=tuple(rows), accepted=tuple(taken))
    if reasons:
        lines = tuple(line for line in decision.lines if not line.startswith(NO_EVIDENCE))
        # Its remedies are those of a pass that could not tell.
        decision = decision.amended(
            verdict=Verdict.FAILED, reasons=tuple(reasons), lines=lines, remedies=()
        )
    return decision, confirms


def _figures(
    decision: Decision,
    comparison: Comparison,
    run: Run,
    whole: Comparison,
    weighed: _Weighed,
    terms: Terms,
) -> tuple[EarlierFigure, ...]:
    """Return the gated metrics' means by whose passes they are of."""
    parts = (newest_run(run), earlier_run(run))
    alone = comparison.candidate_run is not run
    newest = comparison if alone else _against_baseline(comparison, parts[0])
    sides = (newest, _against_baseline(comparison, parts[1]), whole)
    means = [{case.name: _mean(case) for case in terms.cases(side)} for side in sides]
    found = []
    for row in decision.metrics:
        if row.level != "error" or row.aggregate:
            continue
        now, earlier, pooled = (each.get(row.metric) for each in means)
        outcome = weighed.outcomes.get(row.metric)
        p = outcome.row.p if outcome is not None and outcome.row is not None else None
        found.append(
            EarlierFigure(metric=row.metric, newest=now, earlier=earlier, pooled=pooled, p=p)
        )
    return tuple(found)


def _mean(case: MetricCase) -> float | None:
    """Return the candidate's mean over the samples that count, in the metric's own unit."""
    if case.column is None:
        return None
    rows = row_means(case.column.candidate.values[case.counted])
    rows = rows[np.isfinite(rows)]
    return float(rows.mean()) if len(rows) else None
