"""What a small set, or a baseline of one run, can hardly see; said beside a verdict."""

from collections.abc import Sequence

import numpy as np

from ragate.core.comparison.compare import Comparison
from ragate.core.rules.allowance import allowed_drop
from ragate.core.rules.metric_case import MetricCase
from ragate.core.rules.metric_family import GENERALISE, THIS_SET
from ragate.core.rules.noisy.decide_noisy import FamilyResult, deciding_claim
from ragate.core.rules.noisy.visible_drop import (
    REWORDED,
    design_of,
    noise_of,
    sight_sentence,
    visible_drop,
)
from ragate.core.rules.unscored import lost_scores
from ragate.core.rules.wording import count, points
from ragate.core.statistics.joint_noise import independent_noise
from ragate.core.statistics.metric_noise import Noise, measure_noise
from ragate.core.statistics.power import Design, up_to_a_thousandth
from ragate.core.text.listed_names import listed
from ragate.models import DecisionSettings

MUST_GET_WORSE = "must get worse before"
FEW = 30


def unit_noun(comparison: Comparison) -> str:
    """Return what is tested, in the singular."""
    return "sample" if comparison.clusters is None else "cluster"


def about_size(
    cases: Sequence[MetricCase], comparison: Comparison, family: FamilyResult
) -> list[str]:
    """Say how many samples of a small set must get worse before anything of it can be red."""
    if not family.tested or family.units > FEW:
        return []
    alone, together = family.losses
    together = min(together, max(alone, family.units))
    units, whose = count(family.units, unit_noun(comparison)), _whose(cases, family)
    return [f"of {units} {_losses(alone, together)} {MUST_GET_WORSE} {whose} can fail"]


def about_lost(cases: Sequence[MetricCase], comparison: Comparison) -> list[str]:
    """Say what could hide among the samples that the candidate has no score of."""
    notes = []
    for case in cases:
        if not case.gates or case.column is None or case.column.problem:
            continue
        lost = lost_scores(case, comparison)
        if lost.count and not lost.is_unusual and not case.info.is_expense:
            unscored = f"{lost.count} of {count(lost.of, 'sample')} could not be scored"
            hidden = f"a drop of {points(up_to_a_thousandth(lost.hides))} could hide there"
            notes.append(f"{case.name}: {unscored}; {hidden}")
    return notes


def first_sight(cases: Sequence[MetricCase], settings: DecisionSettings) -> list[str]:
    """Say what a gate without a baseline will see once it has one, by this run's own scores."""
    tested = [
        case
        for case in cases
        if case.gates and case.column is not None and not case.info.is_expense
    ]
    claim = THIS_SET if settings.claim == THIS_SET else GENERALISE
    drops, noises = {}, []
    for case in tested:
        assert case.column is not None
        noise = measure_noise(case.column.scaled(case.everything()))
        design = Design(
            settings.alpha,
            independent_noise(len(tested)),
            settings.runs,
            confirm=settings.confirm,
            flips=claim == GENERALISE,
            min_drop=allowed_drop(case.rule, settings, claim=claim, span=case.column.span),
        )
        units = int(np.isfinite(case.everything()).any(axis=1).sum())
        hidden = noise.when_reworded(REWORDED)
        seen = visible_drop(design, units, noise), visible_drop(design, units, hidden)
        drops[case.name] = seen
        noises.append(noise)
    if not drops:
        return []
    sentence = sight_sentence(drops, measured=all(noise.measured for noise in noises))
    return [f"with a baseline of {count(settings.runs, 'run')} {sentence}"]


def about_runs(
    cases: Sequence[MetricCase],
    comparison: Comparison,
    family: FamilyResult,
    settings: DecisionSettings,
) -> list[str]:
    """Say what three baseline runs would see where there is one."""
    baseline = comparison.baseline
    if not family.tested or len(baseline.distinct) != 1 or baseline.repeats != 1:
        return []
    claim = deciding_claim(settings, comparison)
    loudest, noise = _loudest(cases, family, comparison)
    span = loudest.column.span if loudest.column is not None else 1.0
    allowed = allowed_drop(loudest.rule, settings, claim=claim, span=span)
    design = design_of(
        comparison,
        settings,
        claim=claim,
        joint=family.joint[loudest.name],
        allowed=allowed,
        confirmed=True,
    )
    once, thrice = (
        visible_drop(design.with_baseline(runs), family.units, noise) for runs in (1, 3)
    )
    if once is None or thrice is None or points(once) == points(thrice):
        return []
    seen, would = points(once), points(thrice)
    known = "that of this change's runs" if noise.measured else "assumed (no promise)"
    start = f"with 1 baseline run, whose noise is {known}, a change that rewords nothing shows"
    return [f"{start} drops of about {seen} or more; with 3 runs of about {would}"]


def _losses(alone: int, together: int) -> str:
    """Say how many samples must get worse; more of them where several metrics share a test."""
    if alone == together:
        return f"at least {alone}"
    return f"at least {alone} (for some metrics {together})"


def _whose(cases: Sequence[MetricCase], family: FamilyResult) -> str:
    """Return who needs the losses: the gate, or its noisy metrics where others have no noise."""
    gated = [case for case in cases if case.gates and case.aggregate is None]
    tested = [case.name for case in gated if case.name in family.tested]
    return "this gate" if len(tested) == len(gated) else listed(tested)


def _loudest(
    cases: Sequence[MetricCase], family: FamilyResult, comparison: Comparison
) -> tuple[MetricCase, Noise]:
    measured = [
        (case, noise_of(case, comparison))
        for case in cases
        if case.name in family.tested and case.column is not None
    ]
    return max(measured, key=lambda pair: pair[1].weight)
