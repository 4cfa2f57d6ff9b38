"""What passes of earlier runs of the same commit add to the newest one.

Where the state outside git may have changed since, they can confirm what the newest run shows, and
never soften it: red alone is red; a run that is not suspicious is never red; between the two the
passes are tested together, unless they differ from the newest run.
"""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from ragate.core.comparison.compare import Comparison, compare
from ragate.core.comparison.run_passes import earlier_run, newest_run
from ragate.core.decision.metric_outcomes import by_metric
from ragate.core.decision.verdict_lines import turned_red
from ragate.core.rules.decide_noisy import decide_noisy
from ragate.core.rules.metric_case import MetricCase, RuleOutcome, read_cases
from ragate.core.rules.metric_family import build_table, seed_of
from ragate.core.statistics.looks import SUSPICIOUS
from ragate.core.statistics.permutation import relabel, step_down
from ragate.core.statistics.score_columns import row_means
from ragate.core.text.wording import count, listed, odds
from ragate.models import (
    Acceptance,
    Decision,
    DecisionSettings,
    EarlierFigure,
    EarlierPasses,
    EarlierRun,
    MetricRow,
    MetricVerdict,
    Rule,
    Run,
    Verdict,
    Waiver,
)

_LENGTH = len("2026-11-22T10:15")


@dataclass(frozen=True)
class Terms:
    """What a run is decided by."""

    rules: Sequence[Rule]
    settings: DecisionSettings
    waivers: Sequence[Waiver]
    today: datetime.date
    accepted: Sequence[Acceptance] = ()

    def cases(self, comparison: Comparison) -> list[MetricCase]:
        """Return a case for each metric of `comparison`."""
        return read_cases(self.rules, comparison, self.waivers, self.today)


class _Weighed(NamedTuple):
    """What the passes together say: a use, and the family's outcomes where they were tested."""

    use: Literal["counted", "shown", "differ", "agree", "confirm"]
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
    pooled = _against_baseline(comparison, run.amended(manifest=manifest))
    if comparison.candidate_run is run:
        weighed = _Weighed("counted")
    else:
        weighed = _weigh(decision, comparison, run, pooled, terms)
    if weighed.use == "agree":
        decision, confirmed = _confirmed(decision, weighed, run, terms)
        weighed = weighed._replace(use="confirm") if confirmed else weighed
    earlier = EarlierPasses(
        runs=run.manifest.earlier,
        use=weighed.use,
        p_differ=weighed.p_differ,
        metrics=_figures(decision, comparison, run, pooled, weighed, terms),
    )
    earlier = earlier.amended(note=note_of(earlier))
    warnings = (*new_draw(decision, earlier), *decision.warnings)
    return decision.amended(earlier=earlier, warnings=warnings)


def _against_baseline(comparison: Comparison, run: Run) -> Comparison:
    samples, waivers = tuple(comparison.samples.values()), comparison.waivers
    baseline, cluster = comparison.baseline_run, comparison.cluster
    return compare(baseline, run, samples, cluster=cluster, waivers=waivers)


def _weigh(
    decision: Decision, newest: Comparison, run: Run, pooled: Comparison, terms: Terms
) -> _Weighed:
    """Return what may be made of the earlier passes, by the newest run alone."""
    tested = [row for row in decision.metrics if row.metric in decision.family]
    lowest = min((row.p for row in tested if row.p is not None), default=1.0)
    settled = decision.wants_runs == 0 and decision.verdict is not Verdict.NO_DECISION
    if not settled or not lowest <= SUSPICIOUS:
        return _Weighed("shown")
    family = [case for case in terms.cases(newest) if case.name in decision.family]
    differ = _difference(family, newest, run)
    if not differ > SUSPICIOUS:
        return _Weighed("differ", differ)
    if decision.verdict is Verdict.FAILED:
        return _Weighed("shown", differ)
    family = [case for case in terms.cases(pooled) if case.name in decision.family]
    return _Weighed("agree", differ, decide_noisy(family, pooled, terms.settings).outcomes)


def _difference(family: Sequence[MetricCase], newest: Comparison, run: Run) -> float:
    """Return the smaller family p of newest against earlier passes, worse or better; 0 unknown."""
    samples = tuple(newest.samples.values())
    between = compare(earlier_run(run), newest_run(run), samples, cluster=newest.cluster)
    if between.ids != newest.ids:
        return 0.0
    table = build_table(_cases_on(family, between), between)
    if not len(table.units):
        return 0.0
    null = relabel(table.blocks, seed=seed_of(between))
    return float(min(step_down(null).min(), step_down(null, upwards=True).min()))


def _cases_on(cases: Sequence[MetricCase], comparison: Comparison) -> list[MetricCase]:
    """Return the cases with the scores of another comparison; what was waived stays so."""
    moved = []
    for case in cases:
        column = case.column_in(comparison)
        counted = column.applies & case.counted
        none_added = case.counted_added[:0]  # earlier passes hold none of them
        case = replace(
            case,
            comparison=comparison,
            column=column,
            counted=counted,
            counted_added=none_added,
        )
        moved.append(case)
    return moved


def _confirmed(
    decision: Decision, weighed: _Weighed, run: Run, terms: Terms
) -> tuple[Decision, bool]:
    """Return the decision with every metric red that all passes prove and the newest suspects."""
    acceptances = by_metric(terms.accepted)
    rows, confirmed = [], []
    for row in decision.metrics:
        outcome = weighed.outcomes.get(row.metric, RuleOutcome())
        if outcome.red and row.p is not None and row.p <= SUSPICIOUS and not row.accepted:
            accepted = row.metric in acceptances
            row = row.amended(
                verdict=MetricVerdict.REGRESSED,
                reason=pooled_reason(outcome.red[0], row, run),
                blocks=not accepted,
                accepted=accepted,
            )
            confirmed.append(row)
        rows.append(row)
    taken = [acceptances[row.metric] for row in confirmed if row.accepted]
    taken = [*dict.fromkeys((*decision.accepted, *taken))]
    decision = decision.amended(metrics=tuple(rows), accepted=tuple(taken))
    if reasons := [row.reason for row in confirmed if row.blocks]:
        decision = turned_red(decision, reasons)
    return decision, bool(confirmed)


def _figures(
    decision: Decision,
    comparison: Comparison,
    run: Run,
    pooled: Comparison,
    weighed: _Weighed,
    terms: Terms,
) -> tuple[EarlierFigure, ...]:
    """Return the gated metrics' means by whose passes they are of."""
    newest = comparison
    if comparison.candidate_run is run:
        newest = _against_baseline(comparison, newest_run(run))
    earlier = _against_baseline(comparison, earlier_run(run))
    means = {
        side: {case.name: _mean(case) for case in terms.cases(compared)}
        for side, compared in (("newest", newest), ("earlier", earlier), ("pooled", pooled))
    }
    figures = []
    for row in decision.metrics:
        if row.gates and not row.aggregate:
            by_side = {side: of_metrics.get(row.metric) for side, of_metrics in means.items()}
            together = weighed.outcomes.get(row.metric, RuleOutcome()).row
            p = None if together is None else together.p
            figures.append(EarlierFigure(metric=row.metric, p=p, **by_side))
    return tuple(figures)


def _mean(case: MetricCase) -> float | None:
    """Return the candidate's mean over the samples that count, in the metric's own unit."""
    if case.column is None:
        return None
    means = row_means(case.column.candidate.values[case.counted])
    scored = means[np.isfinite(means)]
    return float(scored.mean()) if len(scored) else None


def dated(runs: Sequence[EarlierRun]) -> str:
    """Return ``2 runs of this commit (2026-11-20 09:14, 2026-11-21 10:00 UTC; 4 passes)``."""
    times = listed([_minute(run.created) for run in runs], most=3)
    passes = sum(run.passes for run in runs)
    number = f"{passes:,} pass" if passes == 1 else f"{passes:,} passes"
    return f"{count(len(runs), 'run')} of this commit ({times} UTC; {number})"


def _minute(created: str) -> str:
    return created[:_LENGTH].replace("T", " ") or "undated"


def note_of(earlier: EarlierPasses) -> str:
    """Say what the earlier passes are good for."""
    p = earlier.p_differ
    rare = f", as an unchanged one does {odds(p)}" if p else ""
    notes = {
        "counted": "count as well: all that the system reads is proven to be the same",
        "differ": f"do not count: the system answers differently now{rare}, so what it reads "
        "outside git may have changed",
        "agree": "were tested with the newest: together they prove no regression either",
        "confirm": "confirm the newest: alone it is suspicious, together they are red",
        "shown": "are only shown: what the system reads outside git may have changed since",
    }
    return f"{dated(earlier.runs)} {notes[earlier.use]}"


def new_draw(decision: Decision, earlier: EarlierPasses) -> tuple[str, ...]:
    """Return that a verdict which is no longer red comes from new passes."""
    failed = [run for run in earlier.runs if run.failed]
    if not failed or decision.verdict is Verdict.FAILED:
        return ()
    last = _minute(failed[-1].created)
    red = f"{count(len(failed), 'earlier run')} of this commit failed ({last} UTC)"
    if earlier.use == "counted":
        return (f"{red}: over all runs together the drop is not proven",)
    return (f"{red}: this verdict is of new answers, from a system that may have changed",)


def pooled_reason(reason: str, row: MetricRow, run: Run) -> str:
    """Say why a metric is red that is only suspicious in the newest run."""
    alone = "alone it is suspicious" if row.p is None else f"alone: {odds(row.p)}"
    earlier = dated(run.manifest.earlier)
    return f"{reason}; over all passes with those of {earlier}; the newest {alone}"
