"""One case a metric: its rule, its scores, and the samples that count for it.

With what every kind of rule says alike of it, and the share of samples that reach its pass mark.
"""

import datetime
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ragate.core.comparison.compare import AggregatePair, Comparison
from ragate.core.comparison.pass_columns import pass_column, pass_info
from ragate.core.rules.checked_columns import checked_rules, counts_only
from ragate.core.rules.checked_metric import metric_of
from ragate.core.rules.waivers import active
from ragate.core.statistics.interval import mean_bound
from ragate.core.statistics.score_columns import Column, Floats, Mask, row_means
from ragate.models import (
    MetricInfo,
    MetricRow,
    MetricVerdict,
    PassShare,
    Rule,
    Waiver,
    pass_name,
    rated_metric,
    slice_key,
)

ERROR = 0.05  # of the interval of a share


@dataclass(frozen=True)
class RuleOutcome:
    """What one rule means for the gate, as sentences beside the metric's row.

    Attributes:
        red: Sentences that fail the gate. undecided: sentences that leave it without a decision.
        again: Samples that have to be asked again before a loss may be red.
    """

    row: MetricRow | None = None
    red: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    remedies: tuple[str, ...] = ()
    again: tuple[str, ...] = ()


@dataclass(frozen=True)
class MetricCase:
    """One metric to decide on.

    Attributes:
        counted: (matched samples,) it applies and is not waived. counted_added: the same for the
            samples without a partner.
        slice: The slice of the golden set that it is on; "" for all of it.
        least: Samples, and clusters, with a value on both sides that a verdict on it needs.
        mark: The pass mark whose reaching is the score, in the unit of the metric that is rated.
    """

    comparison: Comparison
    rule: Rule
    info: MetricInfo
    column: Column | None
    aggregate: AggregatePair | None
    counted: Mask
    counted_added: Mask
    slice: str = ""
    least: tuple[int, int] = (0, 0)
    mark: float | None = None

    @property
    def name(self) -> str:
        return slice_key(self.slice, self.rule.metric) if self.slice else self.rule.metric

    @property
    def gates(self) -> bool:
        return self.rule.level == "error"

    @property
    def scores(self) -> Column:
        """The column of a metric that was measured."""
        assert self.column is not None
        return self.column

    @property
    def measured(self) -> str:
        """Return the name of the metric that a run measured for it."""
        return rated_metric(self.rule.metric) if self.mark is not None else self.rule.metric

    def column_in(self, comparison: Comparison) -> Column:
        """Return its column in another comparison of the same metrics."""
        column = comparison.columns[self.measured]
        if self.mark is None:
            return column
        return pass_column(column, self.mark, comparison.unaffected)

    @property
    def has_floor(self) -> bool:
        return self.rule.minimum is not None or self.rule.maximum is not None

    @property
    def compared(self) -> Mask:
        """(matched samples,) True where it counts and has a value on both sides."""
        return self.counted & self.scores.baseline.valued & self.scores.candidate.valued

    @property
    def ids(self) -> list[str]:
        """The samples that count for floors, in the order of `everything`."""
        matched = self.comparison.ids_of(self.counted)
        added = np.flatnonzero(self.counted_added)
        return [*matched, *(self.comparison.added[row] for row in added)]

    def everything(self) -> Floats:
        """Return the candidate's scores in own units, on every sample that counts for floors."""
        matched = self.scores.candidate.values[self.counted]
        added = self.scores.added.values[self.counted_added]
        return np.concatenate([matched, added])


def read_cases(
    rules: Sequence[Rule],
    comparison: Comparison,
    waivers: Sequence[Waiver],
    today: datetime.date,
) -> list[MetricCase]:
    """Return a case for every rule, then one for every metric that was measured without one."""
    by_name = {rule.metric: rule for rule in rules}
    columns = comparison.columns
    for name in sorted({*columns, *comparison.aggregates} - set(by_name)):
        if not counts_only(name, columns):
            by_name[name] = Rule(metric=name, level="warn")
    for rule in checked_rules(tuple(by_name.values()), columns):
        by_name.setdefault(rule.metric, rule)
    waived = set(active((*comparison.waivers, *waivers), today))
    cases = [_case(r, comparison, waived) for r in by_name.values() if r.level != "off"]
    return [each for case in cases for each in (case, *_pass_rate(case))]


def _pass_rate(case: MetricCase) -> list[MetricCase]:
    held = case.rule.pass_rate
    if held is None or case.rule.pass_at is None:
        return []
    rule = Rule(metric=pass_name(case.rule.metric), **dict(held))
    return [pass_case(case, rule)]


def pass_case(case: MetricCase, rule: Rule) -> MetricCase:
    """Return the case of the share that passes: the same samples, each with 0 or 1.

    Args:
        case: The metric's own, with a pass mark.
    """
    rated = replace(case, rule=rule, info=pass_info(case.info), mark=case.rule.pass_at)
    if case.column is None:
        return rated
    return replace(rated, column=rated.column_in(case.comparison))


def _case(rule: Rule, comparison: Comparison, waived: set[tuple[str, str]]) -> MetricCase:
    column = comparison.columns.get(rule.metric)
    aggregate = comparison.aggregates.get(rule.metric)
    name = metric_of(rule.metric)
    counted = np.array([(key, name) not in waived for key in comparison.ids], dtype=bool)
    added = np.array([(key, name) not in waived for key in comparison.added], dtype=bool)
    if column is not None:
        counted &= column.applies
        added &= ~column.added.silent.any(axis=1)
    measured = column or aggregate
    info = measured.info if measured else MetricInfo(name=rule.metric)
    return MetricCase(comparison, rule, info, column, aggregate, counted, added)


def blank_row(case: MetricCase, verdict: MetricVerdict, reason: str = "") -> MetricRow:
    """Return a row with everything that needs no comparison."""
    row = MetricRow(
        metric=case.rule.metric,
        level=case.rule.level,
        direction=case.info.direction,
        unit=case.info.unit,
        aggregate=case.info.aggregate,
        verdict=verdict,
        reason=reason,
    )
    if case.column is None:
        return row
    column = case.column
    means = row_means(case.everything())
    scored = means[np.isfinite(means)]
    silent_added = column.added.silent.any(axis=1)
    unscored_added = column.added.unscored.any(axis=1)
    reasons = Counter[str]()
    for side in (column.candidate, column.baseline, column.added):
        reasons.update(side.reasons)
    return row.amended(
        exact=column.exact,
        n=len(scored),
        not_applicable=int((~column.applies).sum() + silent_added.sum()),
        unscored_baseline=int(column.baseline.unscored.any(axis=1).sum()),
        unscored_candidate=int(column.candidate.unscored.any(axis=1).sum() + unscored_added.sum()),
        unscored_reasons=dict(sorted(reasons.items())),
        candidate=float(scored.mean()) if len(scored) else None,
    )


def left_open(
    case: MetricCase, verdict: MetricVerdict, reason: str, *, remedy: str = ""
) -> RuleOutcome:
    """Return a row without a comparison; a metric that gates leaves the gate undecided by it."""
    row = blank_row(case, verdict, reason)
    if not case.gates:
        return RuleOutcome(row)
    return RuleOutcome(row, undecided=(reason,), remedies=(remedy,) if remedy else ())


def without_value(case: MetricCase) -> RuleOutcome:
    """Return the row of a metric of which no sample has a value on both sides."""
    reason = f"{case.name} has no value on both sides"
    return left_open(case, MetricVerdict.NOT_MEASURED, reason)


def settled(case: MetricCase, row: MetricRow) -> RuleOutcome | None:
    """Return what a row means that is shown only, or red; None where the metric's kind says it."""
    if not case.gates:
        return RuleOutcome(row)
    if row.verdict is MetricVerdict.REGRESSED:
        return RuleOutcome(row.amended(blocks=True), red=(row.reason,))
    return None


def pass_share(case: MetricCase) -> PassShare | None:
    """Return the share on both sides, None for a metric without a pass mark.

    Over the samples with a value on both sides; where nothing is compared, over all that were run.
    Of several runs a sample counts with the share of its runs that passed, so the interval, which
    takes samples for yes or no, is never too narrow.
    """
    mark = case.rule.pass_at
    if mark is None or case.column is None:
        return None
    return share_of(case, pass_column(case.column, mark, case.comparison.unaffected), mark)


def share_of(case: MetricCase, rated: Column, mark: float) -> PassShare:
    """Return the share over the samples that count for `case`.

    Args:
        rated: The column of passes and failures of its metric.
    """
    before, after = _shares(case, rated)
    baseline = float(before.mean()) if len(before) else None
    if not len(after):
        return PassShare(mark=mark, n=0, baseline=baseline)
    low, high = (mean_bound(after, ERROR / 2, upper=upper, binary=True) for upper in (False, True))
    return PassShare(
        mark=mark,
        n=len(after),
        baseline=baseline,
        candidate=float(after.mean()),
        interval=(max(low, 0.0), min(high, 1.0)),
    )


def _shares(case: MetricCase, rated: Column) -> tuple[Floats, Floats]:
    """Return (samples,) shares of the runs that passed, before and after."""
    before = row_means(rated.baseline.values[case.counted])
    after = row_means(rated.candidate.values[case.counted])
    both = np.isfinite(before) & np.isfinite(after)
    if both.any() and not rated.problem:
        return before[both], after[both]
    after = np.concatenate([after, row_means(rated.added.values[case.counted_added])])
    return before[:0], after[np.isfinite(after)]
