"""How often a harmless change is red: by tests, by floors, by questions that must pass."""

import math
from collections.abc import Sequence

import numpy as np

from ragate.core.comparison.compare import Comparison
from ragate.core.rules.floors import HeldCase
from ragate.core.rules.metric_case import MetricCase
from ragate.core.rules.must_pass import MustPass
from ragate.core.statistics.looks import SUSPICIOUS, SUSPICIOUS_SLICES
from ragate.core.statistics.score_columns import SLACK, Floats, Mask, row_means, sums_by_unit
from ragate.core.text.wording import count
from ragate.models import DecisionSettings, FloorResult

_RARE = 1e-4  # is not worth a word
_DRAWS = 20_000


def other_alarms(
    must_pass: MustPass,
    floors: Sequence[HeldCase],
    comparison: Comparison,
    settings: DecisionSettings,
    *,
    passes: tuple[int, int],
) -> str:
    """Return the sentence on what fails a harmless change beside the metrics, "" for nothing.

    Args:
        floors: Of the metrics and of the slices.
        passes: Of a candidate's first look, and further ones where that is suspicious.
    """
    measured = [each for each in floors if each.case.gates and each.case.column]
    noisy = [one for one in measured if not (one.case.scores.problem or one.case.scores.exact)]
    by_floors, by_means = _alarms_of_means(noisy, comparison, settings, passes)
    parts, fine = [], 1 - by_means
    if must_pass.chance > _RARE:
        parts.append(must_pass_sentence(must_pass))
        fine *= 1 - must_pass.chance
    if by_floors > _RARE:
        parts.append(f"{about(by_floors)} by floors")
    unknown = comparison.baseline.repeats == 1 and any(each.floor for each in noisy)
    if unknown:
        parts.append("by floors: not known from one baseline run")
    if parts and fine < 1 - 1.5 * settings.alpha:
        parts.append(f"together {'at least ' if unknown else ''}{about(1 - fine)}")
    return "; ".join(parts)


def must_pass_sentence(found: MustPass) -> str:
    """Return how often questions that must pass fail a harmless change."""
    return f"{about(found.chance)} by the {count(len(found.varying), 'question')} that must pass"


def about(chance: float) -> str:
    """Say a chance of a harmless change: ``about 1 in 4``."""
    if chance > 0.5:
        return "more than every second one"
    return f"about 1 in {round(1 / chance):,}"


def _alarms_of_means(
    held: Sequence[HeldCase],
    comparison: Comparison,
    settings: DecisionSettings,
    passes: tuple[int, int],
) -> tuple[float, float]:
    """Return how often floors fail a harmless change, and how often they or tests do.

    All means of a run are drawn together, by what the baseline's own runs differ by: those of the
    baseline, of the first look, and of its confirmation, which decides where that was suspicious.
    """
    cases = [each.case for each in held]
    residuals = run_residuals(cases)
    if residuals is None or not any(each.floor for each in held):
        return 0.0, settings.alpha
    if comparison.clusters is not None:
        residuals = sums_by_unit(residuals, comparison.clusters)
    runs, (first_passes, further) = residuals.shape[1], passes
    parts = residuals.reshape(-1, len(held)) / [max(case.compared.sum(), 1) for case in cases]
    law = np.random.default_rng(0).multivariate_normal
    together = parts.T @ parts / (runs - 1)
    base, first, later = law([0.0] * len(held), together, (3, _DRAWS), check_valid="ignore")
    falls = tested = base / runs**0.5 - first / first_passes**0.5
    if further:
        tested = base / runs**0.5 - (first + later * further**0.5) / (1 + further)
        of_slice = np.array([case.slice != "" for case in cases])
        suspicious = _largest(falls[:, ~of_slice], SUSPICIOUS)
        suspicious |= _largest(falls[:, of_slice], SUSPICIOUS_SLICES)
        falls = np.where(suspicious[:, None], tested, falls)
    missed = (falls > [_room(each.case, each.floor) for each in held]).any(axis=1)
    return float(missed.mean()), float((missed | _largest(tested, settings.alpha)).mean())


def _largest(falls: Floats, share: float) -> Mask:
    """Mark that share of the draws (draws, metrics) whose largest standardised fall is largest."""
    largest = (falls / np.maximum(falls.std(axis=0), SLACK)).max(axis=1, initial=0.0)
    return np.asarray(largest > np.quantile(largest, 1 - share), dtype=bool)


def _room(case: MetricCase, floor: FloorResult | None) -> float:
    """Return how far the mean may fall to its floor, as a share of the range."""
    if floor is None or not case.compared.any():
        return math.inf
    before = float(row_means(case.scores.baseline.values[case.compared]).mean())
    room = before - (floor.limit if floor.fails_at is None else floor.fails_at)
    return SLACK + (room if floor.limit == case.rule.minimum else -room) / case.scores.span


def run_residuals(cases: Sequence[MetricCase]) -> Floats | None:
    """Return (samples, runs, metrics) of the baseline: each run minus the mean of its sample's.

    None of fewer than two runs; 0 where a sample does not count or a run has no score.
    """
    columns = [case.column for case in cases if case.column is not None]
    if not columns or columns[0].recorded.values.shape[1] < 2:
        return None
    values = np.stack([each.scaled(each.recorded.values) for each in columns], axis=2)
    counted = np.stack([case.counted for case in cases], axis=1)[:, None]
    values = np.where(np.isfinite(values).all(axis=1, keepdims=True) & counted, values, 0.0)
    return np.asarray(values - values.mean(axis=1, keepdims=True), dtype=np.float64)
