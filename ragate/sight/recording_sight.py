"""What a recording lets the gate see, and how often it would be red by luck: said when it is made.

The figures are those of the baseline alone: what a change
rewords, nobody knows before it is there.
"""

import datetime
from collections.abc import Mapping, Sequence

import numpy as np

from ragate.config import Config
from ragate.core.comparison.compare import Comparison
from ragate.core.comparison.sample_matching import cluster_numbers
from ragate.core.decision.false_alarms import about, other_alarms, run_residuals
from ragate.core.decision.verdict_lines import unrepeated_note
from ragate.core.rules.floors import floors_of
from ragate.core.rules.metric_case import MetricCase
from ragate.core.rules.must_pass import decide_must_pass
from ragate.core.rules.slice_cases import read_slice_cases
from ragate.core.rules.visible_drop import sight_sentence
from ragate.core.statistics.design_effect import level_with, shared_noise
from ragate.core.statistics.looks import CONFIRM
from ragate.core.statistics.score_columns import Ints
from ragate.core.text.wording import harmless, listed
from ragate.models import Run, Sample
from ragate.sight.power_tables import MetricPower, compared_with_itself, plans

FEWEST_CLUSTERS = 2
MOST_NAMED = 5
RUNS = 3  # that a baseline should have: the first differences tell most


def recording_lines(
    config: Config, samples: Sequence[Sample], run: Run, *, today: datetime.date
) -> list[str]:
    """Return what shows, what would show more, and false alarms; then what wants a remedy."""
    policy = config.policy
    comparison, cases = compared_with_itself(config, samples, run, today=today)
    noisy = [
        case
        for case in cases
        if case.gates and case.column and not (case.column.exact or case.info.is_expense)
    ]
    must_pass = decide_must_pass(cases, comparison, policy.waivers, today)
    parts = read_slice_cases(policy.slices, cases, comparison)
    floors = floors_of([*cases, *(each.case for each in parts)], policy)
    others = other_alarms(must_pass, floors, comparison, policy, passes=(1, CONFIRM))
    tests = f"{harmless(policy.alpha)} by metrics" if noisy else ""
    alarms = "; ".join(filter(None, [tests, others]))
    luck = f"red by luck: {alarms}" if alarms else ""
    smaller = _smaller(run.manifest.runs) if noisy else ""
    sight = _sight(plans(config, comparison, cases))
    lines = [unrepeated_note(comparison), *sight, smaller, luck]
    if must_pass.unsteady:
        unsteady = [f"{key} ({ok} of {runs})" for key, (ok, runs) in must_pass.unsteady.items()]
        named = listed(unsteady, most=MOST_NAMED)
        lines.append(f"must pass, but did not in every run: {named}")
    if noisy:
        lines += [] if policy.cluster else _clusters(noisy, comparison, policy.alpha)
    return [line for line in lines if line]


def _smaller(runs: int) -> str:
    """Return what would let smaller drops show."""
    if runs >= RUNS:
        return "more questions or more runs show smaller ones: ragate power says how many"
    return f"{RUNS} runs (ragate baseline update --runs {RUNS}) or more questions show smaller ones"


def _sight(metrics: Sequence[MetricPower]) -> list[str]:
    """Say which drops show and which metrics repeat."""
    noisy = [plan for plan in metrics if not plan.exact]
    drops = {plan.metric: plan.sight.reworded for plan in noisy if plan.sight}
    exact = [plan.metric for plan in metrics if plan.exact]
    said = sight_sentence(drops, measured=all(p.noise.measured for p in noisy), exact=exact)
    return [said] if said else []


def _clusters(cases: Sequence[MetricCase], comparison: Comparison, alpha: float) -> list[str]:
    """Name the fields and tags whose questions share their noise, and what the gate's level is."""
    residuals = run_residuals(cases)
    shared = {} if residuals is None else shared_noise(residuals, _candidate_keys(comparison))
    if not shared:
        return []
    key = max(shared, key=shared.__getitem__)
    level = about(level_with(shared[key], alpha))
    advice = f'write `cluster = "{key}"` below [policy]'
    return [f"questions of one {key} share their noise, so that {level} is red by them: {advice}"]


def _candidate_keys(comparison: Comparison) -> Mapping[str, Ints]:
    """Return the clusters of every field and tag prefix that puts some questions together."""
    names: set[str] = set()
    for sample in comparison.samples.values():
        names.update(sample.metadata, (t.partition(":")[0] for t in sample.tags if ":" in t))
    keys = {}
    for name in sorted(names):
        clusters = cluster_numbers(comparison.samples, comparison.ids, name)
        if clusters is not None and FEWEST_CLUSTERS <= len(np.unique(clusters)) < len(clusters):
            keys[name] = clusters
    return keys
