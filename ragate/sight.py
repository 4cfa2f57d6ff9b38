"""What a golden set lets the gate see, told before anything is spent or changed.

A baseline or a policy comes in; the drops that would be seen, and how often, go out: the tables of
`ragate power`, and what a recording says of itself. These figures are those of the baseline alone:
what a change rewords, nobody knows before it is there.
"""

import datetime
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from ragate.config import Config, known_info
from ragate.core.comparison.compare import Comparison, compare
from ragate.core.comparison.sample_matching import cluster_numbers, contents
from ragate.core.decision.false_alarms import LookPasses, about, other_alarms, run_residuals
from ragate.core.decision.scorecard import staged
from ragate.core.decision.verdict_lines import unrepeated_note
from ragate.core.rules.exact import HALF
from ragate.core.rules.floors import floors_of
from ragate.core.rules.metric_case import MetricCase, read_cases
from ragate.core.rules.metric_family import build_table
from ragate.core.rules.must_pass import decide_must_pass
from ragate.core.rules.slice_cases import is_split, on_all, on_slices, read_slice_cases
from ragate.core.rules.visible_drop import REWORDED, Sight, noise_of, sight_of, sight_sentence
from ragate.core.statistics.design_effect import level_with, shared_noise
from ragate.core.statistics.joint_noise import ALONE, independent_noise, joint_noise
from ragate.core.statistics.looks import CONFIRM, SUSPICIOUS, SUSPICIOUS_SLICES
from ragate.core.statistics.metric_noise import Noise
from ragate.core.statistics.power import Design, runs_needed, samples_needed
from ragate.core.statistics.score_columns import Ints
from ragate.core.text.wording import harmless, listed
from ragate.errors import RagateError
from ragate.models import DecisionSettings, MetricInfo, Rule, Run, Sample, pass_name
from ragate.stores.listed_run import VERDICTS
from ragate.stores.local import LocalStore

FEWEST_CLUSTERS = 2
MOST_NAMED = 5
RUNS = 3  # that a baseline should have: the first differences tell most


@dataclass(frozen=True)
class MetricPower:
    """One gated metric and what can be seen of it.

    Attributes:
        n: Samples with a value, or their clusters.
        exact: True where nothing is noisy: every change is seen, and `limit` is what is allowed.
        sight: None where exact.
    """

    metric: str
    n: int
    noise: Noise
    exact: bool = False
    limit: float | None = None
    sight: Sight | None = None


def compared_with_itself(
    config: Config,
    samples: Sequence[Sample],
    baseline: Run,
    *,
    today: datetime.date,
    earlier: Run | None = None,
) -> tuple[Comparison, list[MetricCase]]:
    """Return the baseline beside itself or an earlier run, and the cases of its metrics.

    Metrics that are off have none; of an earlier run those questions count that are as they were.

    Args:
        earlier: A run whose passes tell the noise that a baseline of one run does not.
        today: The date that waivers are held against.
    """
    policy = config.policy
    baseline = staged(baseline, policy.scorecard)
    beside = baseline
    if earlier is not None:
        known = contents(baseline.records)
        same = [one for one in earlier.records if known.get(one.sample_id) == one.content_hash]
        beside = staged(earlier.amended(records=same), policy.scorecard)
    comparison = compare(baseline, beside, samples, cluster=policy.cluster)
    rules = [rule for rule in policy.rules if rule.level != "off"]
    return comparison, read_cases(rules, comparison, policy.waivers, today)


def earlier_passes(store: LocalStore, gate: str) -> Run | None:
    """Return the newest stored run of the whole golden set that has two passes or more."""
    for run in store.listed():
        if run.gate == gate and run.runs > 1 and not run.partial and run.status in VERDICTS:
            with suppress(RagateError):  # `ragate runs list` names it
                return store.load(run.folder)
    return None


def plans(
    config: Config,
    comparison: Comparison,
    cases: Sequence[MetricCase],
    *,
    size: int | None = None,
) -> list[MetricPower]:
    """Return one plan for each error-level metric, from the noise of the baseline's own runs.

    Args:
        comparison, cases: Of the baseline beside itself.
        size: Pretend that the set has this many samples.
    """
    policy = config.policy
    slice_cases = read_slice_cases(policy.slices, cases, comparison)
    whole = on_all(policy) if is_split(slice_cases) else policy
    share = size / max(len(comparison.ids), 1) if size else 1.0
    return [
        *_family_plans(cases, comparison, whole, share),
        *_family_plans([s.case for s in slice_cases], comparison, on_slices(policy, cases), share),
    ]


def _family_plans(
    cases: Sequence[MetricCase], comparison: Comparison, settings: DecisionSettings, share: float
) -> list[MetricPower]:
    """Return one plan for each metric of a family that can fail, on a set of another size.

    Args:
        settings: With the family's share of alpha.
        share: How many times as many samples there are.
    """
    gating = [c for c in cases if c.gates and c.column is not None and not c.info.is_expense]
    noisy = [case for case in gating if not case.scores.exact]
    joint = joint_noise(build_table(noisy, comparison).blocks) if noisy and comparison.ids else ()
    joints = {case.name: noise for case, noise in zip(noisy, joint, strict=False)}
    runs = max(len(comparison.baseline.distinct), 1)
    family_plans: list[MetricPower] = []
    for case in gating:
        column, rule, n = case.scores, case.rule, _units(case)
        if column.exact:
            limit = rule.max_drop if rule.max_drop is not None else HALF * column.span / max(n, 1)
            known = Noise(q=0.0, measured=True)
            family_plans.append(MetricPower(case.name, n, known, True, limit))
            continue
        n, noise = round(n * share), noise_of(case)
        level = SUSPICIOUS_SLICES if case.slice else SUSPICIOUS
        together = joints.get(case.name, ALONE)
        design = Design(settings.alpha, together, runs, suspicious=level)
        sight = sight_of((rule, case.info), column.span, n, noise, design)
        family_plans.append(MetricPower(case.name, n, noise, sight=sight))
    return family_plans


def _units(case: MetricCase) -> int:
    """Return how many samples have a value, or how many clusters have such a sample."""
    valued = case.scores.recorded.valued & case.counted
    clusters = case.comparison.clusters
    return int(valued.sum()) if clusters is None else len(np.unique(clusters[valued]))


def assumed_plans(config: Config, size: int, noise: Noise) -> list[MetricPower]:
    """Return the plans for a set that has no baseline yet; which slices it has is not known."""
    settings = config.policy
    tested = [each for each in _infos(config) if not (each[1].aggregate or each[1].is_expense)]
    family = Design(settings.alpha, independent_noise(len(tested)), settings.runs)
    return [
        MetricPower(
            rule.metric,
            size,
            noise,
            sight=sight_of((rule, info), _span(info), size, noise, family),
        )
        for rule, info in tested
    ]


def _infos(config: Config) -> Iterator[tuple[Rule, MetricInfo]]:
    """Yield what is known of each gated metric; of foreign ones only a run would tell more."""
    for rule in config.policy.rules:
        if not rule.gates:
            continue
        info = known_info(rule, config.metric_settings, of_scores=config.policy.of_scores)
        if rule.level == "error":
            yield rule, info
        if rule.pass_rate is not None and rule.pass_rate.level == "error":
            share = pass_name(rule.metric)
            yield Rule(metric=share, **dict(rule.pass_rate)), MetricInfo(name=share)


def _span(info: MetricInfo) -> float:
    return 1.0 if info.high is None else info.high - info.low


# What it takes to see a wanted drop: more samples, or more baseline runs.


@dataclass(frozen=True)
class Need:
    """What it takes to see one drop of one metric.

    Attributes:
        samples: Where answers break and the rest stays; `reworded`: where `REWORDED` of the rest
            are worded otherwise as well.
    """

    metric: str
    samples: int | None
    reworded: int | None
    runs: int | None
    allowed: float


def needs(config: Config, metric_plans: Sequence[MetricPower], drop: float) -> list[Need]:
    """Return, for each noisy metric, the samples or the baseline runs that show `drop`."""
    answers = []
    for plan in metric_plans:
        if plan.sight is None:
            continue
        design = plan.sight.design
        recorded = replace(design, baseline_runs=config.policy.runs)
        samples, reworded = (
            samples_needed(drop, noise, recorded)
            for noise in (plan.noise, plan.noise.when_reworded(REWORDED))
        )
        runs = runs_needed(drop, plan.n, plan.noise, design)
        answers.append(Need(plan.metric, samples, reworded, runs, design.allowed))
    return answers


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
    passes = LookPasses(first=1, further=CONFIRM)
    others = other_alarms(must_pass, floors, comparison, policy, passes=passes)
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
