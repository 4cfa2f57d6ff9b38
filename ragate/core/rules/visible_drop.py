"""The smallest drop that one metric of a comparison can show."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ragate.core.rules.metric_case import MetricCase
from ragate.core.rules.metric_family import allowed_drop
from ragate.core.statistics.joint_noise import JointNoise
from ragate.core.statistics.looks import CONFIRM, SUSPICIOUS, SUSPICIOUS_SLICES
from ragate.core.statistics.metric_noise import Noise, measure_noise
from ragate.core.statistics.power import Design, up_to_a_thousandth
from ragate.core.text.wording import listed, points
from ragate.models import DecisionSettings, MetricInfo, Rule

ASSUMED = "noise unknown: 5 % of verdicts are assumed to flip between runs; no promise"
REWORDED = 0.3  # share of the answers that a change which breaks some also words otherwise


def noise_of(case: MetricCase) -> Noise:
    """Return the noise of a metric's recorded baseline, on the samples that count.

    Of one run nothing is known but what the passes of the candidate differ by.
    """
    recorded = case.scores.scaled(case.scores.recorded.values[case.counted])
    noise = measure_noise(recorded, runs=case.comparison.baseline.repeats)
    again = case.scores.scaled(case.scores.candidate.values[case.counted])
    return noise if noise.measured else noise.with_runs(again)


def visible_drop(design: Design, units: int, noise: Noise) -> float | None:
    """Return the smallest drop that shows in four of five cases, as it is printed, or None."""
    mde = design.mde(units, noise)
    return None if mde is None else up_to_a_thousandth(mde)


@dataclass(frozen=True)
class Sight:
    """What one metric shows.

    Attributes:
        design: The gate that confirms what is suspicious, where the policy says so.
        drop: Smallest visible drop where answers break and the rest stays; None where there is
            none.
        reworded: The same where `REWORDED` of the other answers are worded otherwise as well.
    """

    design: Design
    drop: float | None
    reworded: float | None


def design_of(
    case: MetricCase,
    settings: DecisionSettings,
    joint: JointNoise,
) -> Design:
    """Return the gate as this candidate met it.

    Args:
        joint: The noise of the metric beside that of those tested together with it.
    """
    comparison = case.comparison
    runs = max(len(comparison.candidate.distinct), 1)
    further = comparison.candidate_run.manifest.confirm if case.gates else 0
    return Design(
        settings.alpha,
        joint,
        max(len(comparison.baseline.distinct), 1),
        1 if further else runs,
        confirm=max(further, runs - 1) if further else 0,
        allowed=allowed_drop(case.rule, case.info, case.scores.span),
        suspicious=SUSPICIOUS_SLICES if case.slice else SUSPICIOUS,
    )


def sight_of(
    case: tuple[Rule, MetricInfo],
    span: float,
    n: int,
    noise: Noise,
    family: Design,
) -> Sight:
    """Return what is seen before there is a change.

    Args:
        family: The gate as far as it is the same for all metrics of the family.
    """
    design = replace(family, confirm=CONFIRM, allowed=allowed_drop(*case, span))
    reworded = visible_drop(design, n, noise.when_reworded(REWORDED))
    return Sight(design, visible_drop(design, n, noise), reworded)


def missed(drops: Mapping[str, float], *, about: str = "") -> str:
    """Return ``a drop of 4 points in idf_f1 is missed in one of five runs``: what a size means."""
    named = listed([f"{about}{points(drop)} in {name}" for name, drop in drops.items()])
    return f"a drop of {named} is missed in one of five runs"


def sight_sentence(
    drops: Mapping[str, float | None], *, measured: bool, exact: Sequence[str] = ()
) -> str:
    """Say which drop shows before there is a change, one figure a metric.

    Args:
        drops: By metric, where a change also rewords `REWORDED` of the other answers.
        measured: Whether runs of every metric tell its noise.
        exact: Metrics without noise.
    """
    known = {name: drop for name, drop in drops.items() if drop is not None}
    blind = listed([name for name in drops if name not in known])
    assumed = "" if measured else " (how much runs differ is assumed)"
    said = [
        f"{missed(known, about='about ')}{assumed}" if known else "",
        f"no drop of {blind} is sure to show: there are too few questions" if blind else "",
        f"every drop of {listed(exact)} shows" if exact else "",
    ]
    return "; ".join(filter(None, said))
