"""The smallest drop that one metric of a comparison can show."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ragate.core.comparison.compare import Comparison
from ragate.core.rules.metric_case import MetricCase
from ragate.core.rules.metric_family import GENERALISE, THIS_SET, Claim, allowed_drop
from ragate.core.statistics.joint_noise import JointNoise
from ragate.core.statistics.looks import SUSPICIOUS, SUSPICIOUS_SLICES
from ragate.core.statistics.metric_noise import Noise, measure_noise
from ragate.core.statistics.power import Design, up_to_a_thousandth
from ragate.core.text.wording import listed, points
from ragate.models import DecisionSettings, Rule

ASSUMED = "noise unknown: 5 % of verdicts are assumed to flip between runs; no promise"
REWORDED = 0.3  # share of the answers that a change which breaks some also words otherwise


def noise_of(case: MetricCase, comparison: Comparison) -> Noise:
    """Return the noise of a metric's recorded baseline, on the samples that count.

    Of one run nothing is known but what the passes of the candidate differ by.
    """
    recorded = case.scores.scaled(case.scores.recorded.values[case.counted])
    noise = measure_noise(recorded, runs=comparison.baseline.repeats)
    again = case.scores.scaled(case.scores.candidate.values[case.counted])
    return noise if noise.measured else noise.with_runs(again)


def visible_drop(design: Design, units: int, noise: Noise) -> float | None:
    """Return the smallest drop that shows in four of five cases, as it is printed, or None."""
    mde = design.mde(units, noise)
    return None if mde is None else up_to_a_thousandth(mde)


@dataclass(frozen=True)
class Sight:
    """What one metric shows under one claim.

    Attributes:
        design: The gate that confirms what is suspicious, where the policy says so.
        drop: Smallest visible drop where answers break and the rest stays; None where there is
            none.
        reworded: The same where `REWORDED` of the other answers are worded otherwise as well.
    """

    design: Design
    drop: float | None
    reworded: float | None


def claims(settings: DecisionSettings) -> tuple[Claim, ...]:
    """Return the claims that may decide, the one of a changed system first."""
    return (GENERALISE, THIS_SET) if settings.claim == "auto" else (settings.claim,)


def design_of(
    case: MetricCase,
    comparison: Comparison,
    settings: DecisionSettings,
    claim: str,
    joint: JointNoise,
) -> Design:
    """Return the gate as this candidate met it.

    Args:
        joint: The noise of the metric beside that of those tested together with it.
    """
    runs = max(len(comparison.candidate.distinct), 1)
    further = comparison.candidate_run.manifest.confirm if case.gates else 0
    return Design(
        settings.alpha,
        joint,
        max(len(comparison.baseline.distinct), 1),
        1 if further else runs,
        confirm=max(further, runs - 1) if further else 0,
        flips=claim == GENERALISE,
        min_drop=allowed_drop(case.rule, settings, claim=claim, span=case.scores.span),
        suspicious=SUSPICIOUS_SLICES if case.slice else SUSPICIOUS,
    )


def sights_of(
    settings: DecisionSettings, rule: Rule, span: float, n: int, noise: Noise, family: Design
) -> tuple[Sight, ...]:
    """Return what is seen under each claim.

    Args:
        family: The gate as far as it is the same for all metrics of the family.
    """
    sights = []
    for claim in claims(settings):
        allowed = allowed_drop(rule, settings, claim=claim, span=span)
        design = replace(
            family, confirm=settings.confirm, flips=claim == GENERALISE, min_drop=allowed
        )
        reworded = visible_drop(design, n, noise.when_reworded(REWORDED))
        sights.append(Sight(design, visible_drop(design, n, noise), reworded))
    return tuple(sights)


def sizes(drops: Mapping[str, float]) -> str:
    """Return the size of one metric's drop, or ``6.2 points in mrr, 4 points in idf_f1``."""
    largest = sorted(drops, key=lambda name: -drops[name])
    if len(largest) == 1:
        return points(drops[largest[0]])
    return listed([f"{points(drops[name])} in {name}" for name in largest])


def sight_sentence(
    drops: Mapping[str, tuple[float | None, float | None]],
    *,
    measured: bool,
    exact: Sequence[str] = (),
) -> str:
    """Say which drops show before there is a change, metric by metric.

    Args:
        drops: Where answers break and the rest stays, and with `REWORDED` reworded.
        measured: Whether runs of every metric tell its noise.
        exact: Metrics without noise.
    """
    kindest, usual = (
        {name: drop for name, pair in drops.items() if (drop := pair[place]) is not None}
        for place in (0, 1)
    )
    certain = f"of {listed(exact)} every change shows" if exact else ""
    if not kindest:
        line = "no drop shows: there are too few questions" if drops else ""
        return "; ".join(filter(None, [certain, line]))
    start = f"drops of {sizes(kindest)} or more show where answers break and the rest stays"
    hidden = sizes(usual) if usual else "no size"
    line = f"{start}, of about {hidden} where {REWORDED:.0%} are also reworded (how far is assumed)"
    blind = listed([name for name in drops if name not in kindest])
    no_drop = f"no drop of {blind}: there are too few questions" if blind else ""
    assumed = "" if measured else "the noise between runs is assumed: no promise"
    return "; ".join(filter(None, [line, no_drop, certain, assumed]))
