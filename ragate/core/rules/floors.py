"""Floors and ceilings: what the candidate's mean must keep, whatever the baseline was."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from ragate.core.comparison.compare import AggregatePair
from ragate.core.comparison.sample_matching import cluster_numbers
from ragate.core.rules.metric_case import MetricCase, RuleOutcome
from ragate.core.rules.unscored import beyond_usual
from ragate.core.statistics.interval import by_cluster, failing_mean, mean_bound
from ragate.core.statistics.score_columns import SLACK, Floats, Ints, row_means
from ragate.core.text.wording import number
from ragate.models import DecisionSettings, FloorResult

ERROR = 0.05


class HeldCase(NamedTuple):
    """A case with its floor, None where it has none, and what that means for the gate."""

    case: MetricCase
    floor: FloorResult | None
    meaning: RuleOutcome


@dataclass(frozen=True)
class _Limit:
    """A limit that a metric's mean is held against.

    Attributes:
        kind: ``point`` compares the mean, ``evidence`` its one-sided bound.
        error: Of that bound: how often it fails although the true mean keeps the limit.
    """

    case: MetricCase
    value: float
    is_minimum: bool
    kind: Literal["point", "evidence"]
    error: float

    def keeps(self, mean: float) -> bool:
        beyond = mean - self.value
        return (beyond if self.is_minimum else -beyond) >= -SLACK

    def hold(self, values: Floats, clusters: Ints | None) -> FloorResult:
        """Hold (samples,) means against it.

        Args:
            clusters: (samples,) numbers of samples that stand or fall together; None: none do.
        """
        if self.kind == "point":
            met = self.keeps(float(values.mean()))
            return FloorResult(limit=self.value, kind="point", met=met)
        low, span = self.case.scores.low, self.case.scores.span
        scaled = np.clip((values - low) / span, 0.0, 1.0)
        limit_scaled = (self.value - low) / span
        binary = clusters is None and bool(np.isin(scaled, (0.0, 1.0)).all())
        if clusters is not None:
            scaled = by_cluster(scaled, clusters)
        side = {"upper": self.is_minimum, "binary": binary}
        bound = low + span * mean_bound(scaled, self.error, **side)
        fails_at = low + span * failing_mean(limit_scaled, scaled, self.error, **side)
        return FloorResult(
            limit=self.value,
            kind="evidence",
            met=self.keeps(bound),
            bound=bound,
            fails_at=fails_at,
        )

    def at_best(self, cells: Floats) -> Floats:
        """Return (samples,) means, with what is missing at the good end of the range.

        Args:
            cells: (samples, passes) that count for floors.
        """
        return row_means(np.where(np.isnan(cells), self._edge(good=True), cells))

    def at_worst(self, cells: Floats) -> Floats:
        """Return (samples,) means, with as much as the baseline lost at the worst of its runs.

        What was lost beyond that, or has none, is at the bad end of the range.

        Args:
            cells: (samples, passes) that count for floors, the matched samples first.
        """
        case, edge = self.case, self._edge(good=False)
        recorded = case.scores.recorded.values[case.counted]
        known = np.flatnonzero(np.isfinite(recorded).any(axis=1))
        fill = np.full(cells.shape, edge)
        if len(known):
            worst = np.nanmin if self.is_minimum else np.nanmax
            fill[known] = worst(recorded[known], axis=1)[:, None]
        fill[: len(recorded)][beyond_usual(case)[case.counted]] = edge
        return row_means(np.where(np.isnan(cells), fill, cells))

    def _edge(self, *, good: bool) -> float:
        column = self.case.scores
        return column.low + column.span if self.is_minimum == good else column.low

    def undecided(self, reason: str) -> RuleOutcome:
        return RuleOutcome(undecided=(reason,)) if self.case.gates else RuleOutcome()

    def missed(self, result: FloorResult, mean: float) -> RuleOutcome:
        """Say what it means that `mean` does not keep it."""
        word = "below its minimum" if self.is_minimum else "above its maximum"
        sentence = f"{self.case.name} is {number(mean)}, {word} {number(self.value)}"
        if result.bound is not None:
            edge = "upper" if self.is_minimum else "lower"
            sure = f"{100 * (1 - self.error):.4g} %"
            sentence += f" (its {edge} {sure} bound is {number(result.bound)})"
        return RuleOutcome(red=(sentence,)) if self.case.gates else RuleOutcome()


def floors_of(cases: Sequence[MetricCase], settings: DecisionSettings) -> list[HeldCase]:
    """Hold every metric, of the whole set and of slices, against its floor.

    Of many floors on small slices one is missed by luck: so the evidence has to be as strong as all
    of them together need it.
    """
    floors_of_slices = sum(case.gates and case.has_floor for case in cases if case.slice)
    error_of_slice = settings.alpha / max(floors_of_slices, 1)
    by_evidence = settings.amended(floor="evidence")
    held = []
    for case in cases:
        if case.slice:
            floor, meaning = decide_floors(case, by_evidence, error=error_of_slice)
        else:
            floor, meaning = decide_floors(case, settings)
        held.append(HeldCase(case, floor, meaning))
    return held


def decide_floors(
    case: MetricCase,
    settings: DecisionSettings,
    *,
    error: float = ERROR,
) -> tuple[FloorResult | None, RuleOutcome]:
    """Hold a metric against its minimum and maximum; the one that fails is the one shown.

    Args:
        error: How often a floor by evidence may fail although the true mean keeps it.
    """
    if case.comparison.all_failed:  # which is said once for the whole run
        return None, RuleOutcome()
    shown, outcome = None, RuleOutcome()
    for value, is_minimum in ((case.rule.minimum, True), (case.rule.maximum, False)):
        if value is None:
            continue
        limit = _Limit(case, value, is_minimum, settings.floor, error)
        if case.aggregate is not None:
            result, meaning = _aggregate(limit, case.aggregate)
        elif case.column is not None:
            result, meaning = _of_samples(limit, settings.max_unscored)
        else:
            continue  # the comparison says that it was not measured
        if shown is None or (shown.met and result is not None and not result.met):
            shown = result
        outcome = RuleOutcome(
            red=outcome.red + meaning.red, undecided=outcome.undecided + meaning.undecided
        )
    return shown, outcome


def _of_samples(limit: _Limit, max_unscored: float) -> tuple[FloorResult | None, RuleOutcome]:
    """Hold the mean over the samples against it, given what could not be measured."""
    case, cells = limit.case, limit.case.everything()
    rows = row_means(cells)
    scored = np.isfinite(rows)
    wanted = number(limit.value)
    if not scored.any():
        return None, limit.undecided(f"{case.name} has no value to hold against {wanted}")
    clusters = _clusters(case)
    result = limit.hold(rows[scored], None if clusters is None else clusters[scored])
    missing = float(np.isnan(cells).mean())
    if result.met:
        if missing and not limit.hold(limit.at_worst(cells), clusters).met:
            reason = f"{case.name}: its unscored samples could put it beyond {wanted}"
            return result, limit.undecided(reason)
        return result, RuleOutcome()
    if missing > max_unscored + SLACK and limit.hold(limit.at_best(cells), clusters).met:
        reason = f"{case.name}: too much is unscored to hold it against {wanted}"
        return result, limit.undecided(reason)
    return result, limit.missed(result, float(rows[scored].mean()))


def _aggregate(limit: _Limit, pair: AggregatePair) -> tuple[FloorResult | None, RuleOutcome]:
    if pair.candidate is None:
        return None, limit.undecided(pair.reason or f"{limit.case.name} was not measured")
    met = limit.keeps(pair.candidate)
    result = FloorResult(limit=limit.value, kind="point", met=met)
    return result, RuleOutcome() if met else limit.missed(result, pair.candidate)


def _clusters(case: MetricCase) -> Ints | None:
    """Return the cluster of every sample that counts for floors, None where each is its own."""
    ids = case.ids
    clusters = cluster_numbers(case.comparison.samples, ids, case.comparison.cluster)
    if clusters is None or len(np.unique(clusters)) == len(ids):
        return None
    return clusters
