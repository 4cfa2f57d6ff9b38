"""How often a harmless change is red: by tests, by floors, by questions that must pass."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ragate.core.comparison.compare import Comparison
from ragate.core.rules.floors import HeldCase
from ragate.core.rules.metric_case import MetricCase
from ragate.core.rules.must_pass import MustPass
from ragate.core.statistics.looks import SUSPICIOUS, SUSPICIOUS_SLICES
from ragate.core.statistics.score_columns import SLACK, Floats, Mask, row_means, sums_by_unit
from ragate.core.text.wording import count
from ragate.models import DecisionSettings, FloorResult

_RARE = 1e-4  # a chance that is not worth a word
_DRAWS = 20_000


class LookPasses(NamedTuple):
    """Passes of a candidate: in its first look, and further ones where that is suspicious."""

    first: int
    further: int


def other_alarms(
    must_pass: MustPass,
    floors: Sequence[HeldCase],
    comparison: Comparison,
    settings: DecisionSettings,
    *,
    passes: LookPasses,
) -> str:
    """Return the sentence on what fails a harmless change beside the metrics, "" for nothing.

    Args:
        floors: Of the metrics and of the slices.
    """
    noisy = [each for each in floors if _gates_with_noise(each.case)]
    by_floors, by_floors_or_tests = _alarms_of_means(noisy, comparison, settings, passes)
    stays_green = 1 - by_floors_or_tests
    alarms = []
    if must_pass.chance > _RARE:
        alarms.append(must_pass_sentence(must_pass))
        stays_green *= 1 - must_pass.chance
    if by_floors > _RARE:
        alarms.append(f"{about(by_floors)} by floors")

    floors_unknown = comparison.baseline.repeats == 1 and any(each.floor for each in noisy)
    if floors_unknown:
        alarms.append("by floors: not known from one baseline run")
    more_than_tests = stays_green < 1 - 1.5 * settings.alpha
    if alarms and more_than_tests:
        at_least = "at least " if floors_unknown else ""
        alarms.append(f"together {at_least}{about(1 - stays_green)}")
    return "; ".join(alarms)


def _gates_with_noise(case: MetricCase) -> bool:
    """Whether a metric that was measured on both sides can fail the gate by luck."""
    column = case.column
    return case.gates and column is not None and not column.problem and not column.exact


def must_pass_sentence(must_pass: MustPass) -> str:
    """Return how often questions that must pass fail a harmless change."""
    questions = count(len(must_pass.varying), "question")
    return f"{about(must_pass.chance)} by the {questions} that must pass"


def about(chance: float) -> str:
    """Say a chance of a harmless change: ``about 1 in 4``."""
    if chance > 0.5:
        return "more than every second one"
    return f"about 1 in {round(1 / chance):,}"


def _alarms_of_means(
    held: Sequence[HeldCase],
    comparison: Comparison,
    settings: DecisionSettings,
    passes: LookPasses,
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

    # The mean of n runs scatters by a root of n less than that of one.
    baseline_run, first_run, further_run = _draw_means_of_a_run(residuals, cases)
    baseline = baseline_run / residuals.shape[1] ** 0.5
    first_falls = baseline - first_run / passes.first**0.5
    if passes.further:
        sum_of_all = first_run + further_run * passes.further**0.5
        final_falls = baseline - sum_of_all / (1 + passes.further)
        suspicious = _is_suspicious(first_falls, cases)
        deciding_falls = np.where(suspicious[:, None], final_falls, first_falls)
    else:
        final_falls = deciding_falls = first_falls

    rooms = [_room_above_floor(each.case, each.floor) for each in held]
    below_floor = (deciding_falls > rooms).any(axis=1)
    red_by_test = _largest(final_falls, settings.alpha)
    return float(below_floor.mean()), float((below_floor | red_by_test).mean())


def _draw_means_of_a_run(residuals: Floats, cases: Sequence[MetricCase]) -> Floats:
    """Return (3, draws, metrics) means of single runs, as deviations from the true mean.

    Args:
        residuals: (units, runs, metrics) of the baseline.
    """
    runs, metrics = residuals.shape[1:]
    samples = [max(case.compared.sum(), 1) for case in cases]
    deviations = residuals.reshape(-1, metrics) / samples
    covariance = deviations.T @ deviations / (runs - 1)
    law = np.random.default_rng(0).multivariate_normal
    return law([0.0] * metrics, covariance, (3, _DRAWS), check_valid="ignore")


def _is_suspicious(falls: Floats, cases: Sequence[MetricCase]) -> Mask:
    """Mark the draws (draws, metrics) whose first look would ask for more passes."""
    of_slice = np.array([case.slice != "" for case in cases])
    by_whole_set = _largest(falls[:, ~of_slice], SUSPICIOUS)
    return by_whole_set | _largest(falls[:, of_slice], SUSPICIOUS_SLICES)


def _largest(falls: Floats, share: float) -> Mask:
    """Mark that share of the draws (draws, metrics) whose largest standardised fall is largest."""
    standardised = falls / np.maximum(falls.std(axis=0), SLACK)
    largest = standardised.max(axis=1, initial=0.0)
    return np.asarray(largest > np.quantile(largest, 1 - share), dtype=bool)


def _room_above_floor(case: MetricCase, floor: FloorResult | None) -> float:
    """Return how far the mean may fall to its floor, as a share of the range."""
    if floor is None or not case.compared.any():
        return math.inf
    mean = float(row_means(case.scores.baseline.values[case.compared]).mean())
    fails_at = floor.limit if floor.fails_at is None else floor.fails_at
    is_minimum = floor.limit == case.rule.minimum
    room = mean - fails_at if is_minimum else fails_at - mean
    return SLACK + room / case.scores.span


def run_residuals(cases: Sequence[MetricCase]) -> Floats | None:
    """Return (samples, runs, metrics) of the baseline: each run minus the mean of its sample's.

    None of fewer than two runs; 0 where a sample does not count or a run has no score.
    """
    columns = [case.column for case in cases if case.column is not None]
    if not columns or columns[0].recorded.values.shape[1] < 2:
        return None
    values = np.stack([each.scaled(each.recorded.values) for each in columns], axis=2)
    counted = np.stack([case.counted for case in cases], axis=1)[:, None]
    is_whole = np.isfinite(values).all(axis=1, keepdims=True)
    values = np.where(is_whole & counted, values, 0.0)
    return np.asarray(values - values.mean(axis=1, keepdims=True), dtype=np.float64)
