"""The smallest drop that one metric of a comparison can show."""

from ragate.core.comparison.compare import Comparison
from ragate.core.rules.metric_case import MetricCase
from ragate.core.rules.metric_family import GENERALISE
from ragate.core.statistics.looks import SUSPICIOUS, SUSPICIOUS_SLICES
from ragate.core.statistics.metric_noise import Noise, measure_noise
from ragate.core.statistics.power import Design, up_to_a_thousandth
from ragate.models import DecisionSettings

ASSUMED = "noise unknown: 5 % of verdicts are assumed to flip between runs"


def noise_of(case: MetricCase, comparison: Comparison) -> Noise:
    """Return the noise of a metric's recorded baseline, on the samples that count."""
    assert case.column is not None
    recorded = case.column.scaled(case.column.recorded.values[case.counted])
    return measure_noise(recorded, runs=comparison.baseline.repeats)


def design_of(
    comparison: Comparison,
    settings: DecisionSettings,
    *,
    claim: str,
    metrics: int,
    allowed: float,
    confirmed: bool,
    on_slice: bool = False,
) -> Design:
    """Return the gate as this candidate met it.

    Args:
        metrics: Metrics that are tested together.
        allowed: Smallest drop that can be red, as a share of the range.
        confirmed: Whether a suspicious first look may be followed by another.
        on_slice: A slice has to be more suspicious for that.
    """
    runs = max(len(comparison.candidate.distinct), 1)
    further = comparison.candidate_run.manifest.confirm if confirmed else 0
    return Design(
        alpha=settings.alpha,
        metrics=metrics,
        baseline_runs=max(len(comparison.baseline.distinct), 1),
        candidate_runs=1 if further else runs,
        confirm=max(further, runs - 1) if further else 0,
        flips=claim == GENERALISE,
        min_drop=allowed,
        suspicious=SUSPICIOUS_SLICES if on_slice else SUSPICIOUS,
    )


def visible_drop(design: Design, units: int, noise: Noise) -> float | None:
    """Return the smallest drop that shows in four of five cases, as it is printed, or None."""
    mde = design.mde(units, noise)
    return None if mde is None else up_to_a_thousandth(mde)
