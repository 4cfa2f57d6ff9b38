"""Floors and ceilings: what the candidate's mean must keep, whatever the baseline was."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ragate.core.comparison.compare import Comparison
from ragate.core.comparison.sample_matching import cluster_numbers
from ragate.core.rules.metric_case import MetricCase, RuleOutcome
from ragate.core.statistics.interval import by_cluster, failing_mean, mean_bound
from ragate.core.statistics.score_columns import SLACK, Floats, Ints, row_means
from ragate.core.text.wording import number
from ragate.models import DecisionSettings, FloorResult

ERROR = 0.05


@dataclass(frozen=True)
class FloorTest:
    """How a mean is held against a limit.

    Attributes:
        kind: ``point`` compares the mean, ``evidence`` its one-sided bound.
        error: Of that bound: how often it fails although the true mean keeps the limit.
        clusters: (samples,) numbers of samples that stand or fall together; None where none do.
    """

    kind: Literal["point", "evidence"]
    error: float
    max_unscored: float
    clusters: Ints | None = None


def decide_floors(
    case: MetricCase,
    comparison: Comparison,
    settings: DecisionSettings,
    *,
    error: float = ERROR,
) -> tuple[FloorResult | None, RuleOutcome]:
    """Hold a metric against its minimum and maximum; the one that fails is the one shown.

    Args:
        error: How often a floor by evidence may fail although the true mean keeps it.
    """
    results = []
    outcome = RuleOutcome()
    test = FloorTest(settings.floor, error, settings.max_unscored)
    for limit, low in ((case.rule.minimum, True), (case.rule.maximum, False)):
        if limit is None:
            continue
        result, meaning = _decide_limit(case, comparison, test, limit, is_minimum=low)
        if result is not None:
            results.append(result)
        outcome = RuleOutcome(
            red=outcome.red + meaning.red, undecided=outcome.undecided + meaning.undecided
        )
    shown = next((result for result in results if not result.met), results[0] if results else None)
    return shown, outcome


def _decide_limit(
    case: MetricCase,
    comparison: Comparison,
    test: FloorTest,
    limit: float,
    *,
    is_minimum: bool,
) -> tuple[FloorResult | None, RuleOutcome]:
    if comparison.all_failed:
        return None, RuleOutcome()  # said once for the whole run
    if case.aggregate is not None:
        return _aggregate(case, limit, is_minimum=is_minimum)
    if case.column is None:
        return None, RuleOutcome()  # said by the comparison: not measured
    cells = case.everything()
    rows = row_means(cells)
    scored = np.isfinite(rows)
    if not scored.any():
        reason = f"{case.name} has no value to hold against {number(limit)}"
        return None, _undecided(case, reason)
    clusters = _clusters(case, comparison)
    test = replace(test, clusters=clusters if clusters is None else clusters[scored])
    result = _hold(case, rows[scored], limit, test, is_minimum=is_minimum)
    test = replace(test, clusters=clusters)
    missing = float(np.isnan(cells).mean())
    return result, _weigh(case, result, cells, test, missing, is_minimum=is_minimum)


def _clusters(case: MetricCase, comparison: Comparison) -> Ints | None:
    """Return the cluster of every sample that counts for floors, None where each is its own."""
    added = [comparison.added[row] for row in np.flatnonzero(case.counted_added)]
    ids = [*comparison.ids_of(case.counted), *added]
    clusters = cluster_numbers(comparison.samples, ids, comparison.cluster)
    if clusters is None or len(np.unique(clusters)) == len(ids):
        return None
    return clusters


def _weigh(
    case: MetricCase,
    result: FloorResult,
    cells: Floats,
    test: FloorTest,
    missing: float,
    *,
    is_minimum: bool,
) -> RuleOutcome:
    """Say what a floor means, given what could not be measured."""
    if not case.gates:
        return RuleOutcome()
    limit = result.limit

    def met_if_missing_were(*, low: bool) -> bool:
        values = _filled(case, cells, low=low, harmless=low == is_minimum)
        return _hold(case, values, limit, test, is_minimum=is_minimum).met

    if result.met:
        if missing and not met_if_missing_were(low=is_minimum):
            reason = f"{case.name}: its unscored samples could put it beyond {number(limit)}"
            return _undecided(case, reason)
        return RuleOutcome()
    if missing > test.max_unscored + SLACK and met_if_missing_were(low=not is_minimum):
        reason = f"{case.name}: too much is unscored to hold it against {number(limit)}"
        return _undecided(case, reason)
    mean = float(np.nanmean(row_means(cells)))
    return RuleOutcome(red=(_sentence(case, result, mean, is_minimum, error=test.error),))


def _filled(case: MetricCase, cells: Floats, *, low: bool, harmless: bool) -> Floats:
    """Return (samples,) means, where nothing is missing any more.

    Args:
        cells: (samples, passes) that count for floors, the matched samples first.
        harmless: What is missing is as bad as the worst of the baseline's runs; where there is
            none, and without this, it is at the end of the range.
    """
    edge = case.scores.low if low else case.scores.low + case.scores.span
    fill = np.full(len(cells), edge)
    if harmless:
        recorded = case.scores.recorded.values[case.counted]
        known = np.flatnonzero(np.isfinite(recorded).any(axis=1))
        worst = np.nanmin if low else np.nanmax
        fill[known] = worst(recorded[known], axis=1) if len(known) else edge
    return row_means(np.where(np.isnan(cells), fill[:, None], cells))


def _keeps(mean: float, limit: float, *, is_minimum: bool) -> bool:
    return mean >= limit - SLACK if is_minimum else mean <= limit + SLACK


def _hold(
    case: MetricCase, values: Floats, limit: float, test: FloorTest, *, is_minimum: bool
) -> FloorResult:
    if test.kind == "point":
        met = _keeps(float(values.mean()), limit, is_minimum=is_minimum)
        return FloorResult(limit=limit, kind="point", met=met)
    low, span = case.scores.low, case.scores.span
    unit = np.clip((values - low) / span, 0.0, 1.0)
    goal = (limit - low) / span
    binary = test.clusters is None and bool(np.isin(unit, (0.0, 1.0)).all())
    if test.clusters is not None:
        unit = by_cluster(unit, test.clusters)
    bound = low + span * mean_bound(unit, test.error, upper=is_minimum, binary=binary)
    fails_at = low + span * failing_mean(goal, unit, test.error, upper=is_minimum, binary=binary)
    met = _keeps(bound, limit, is_minimum=is_minimum)
    return FloorResult(limit=limit, kind="evidence", met=met, bound=bound, fails_at=fails_at)


def _aggregate(
    case: MetricCase, limit: float, *, is_minimum: bool
) -> tuple[FloorResult | None, RuleOutcome]:
    assert case.aggregate is not None
    value = case.aggregate.candidate
    if value is None:
        reason = case.aggregate.reason or f"{case.name} was not measured"
        return None, _undecided(case, reason)
    met = _keeps(value, limit, is_minimum=is_minimum)
    result = FloorResult(limit=limit, kind="point", met=met)
    if met or not case.gates:
        return result, RuleOutcome()
    return result, RuleOutcome(red=(_sentence(case, result, value, is_minimum),))


def _undecided(case: MetricCase, reason: str) -> RuleOutcome:
    return RuleOutcome(undecided=(reason,)) if case.gates else RuleOutcome()


def _sentence(
    case: MetricCase, result: FloorResult, mean: float, is_minimum: bool, *, error: float = ERROR
) -> str:
    word = "below its minimum" if is_minimum else "above its maximum"
    sentence = f"{case.name} is {number(mean)}, {word} {number(result.limit)}"
    if result.bound is not None:
        edge = "upper" if is_minimum else "lower"
        sentence += f" (its {edge} {100 * (1 - error):.4g} % bound is {number(result.bound)})"
    return sentence
