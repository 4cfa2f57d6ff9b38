"""What a golden set can see, before anything is spent: the tables of `ragate power`."""

import datetime
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ragate import plugins
from ragate.config import Config
from ragate.core.comparison.compare import Comparison, compare
from ragate.core.rules.allowance import allowed_drop
from ragate.core.rules.exact import HALF
from ragate.core.rules.metric_case import MetricCase, read_cases
from ragate.core.rules.metric_family import GENERALISE, THIS_SET
from ragate.core.rules.noisy.visible_drop import noise_of, visible_drop
from ragate.core.statistics.metric_noise import Noise
from ragate.core.statistics.power import Design
from ragate.core.statistics.power_search import runs_needed, samples_needed
from ragate.models import MetricInfo, Rule, Run, Sample


@dataclass(frozen=True)
class Sight:
    """What one metric shows under one claim.

    Attributes:
        design: The gate that confirms what is suspicious, where the policy says so.
        once: Smallest visible drop of one pass that nothing can confirm; None where there is none.
        confirmed: The same of a pass that is confirmed where it is suspicious.
    """

    claim: str
    design: Design
    once: float | None
    confirmed: float | None


@dataclass(frozen=True)
class MetricPower:
    """One gated metric and what can be seen of it.

    Attributes:
        n: Samples with a value, or their clusters.
        exact: True where nothing is noisy: every change is seen, and `limit` is what is allowed.
        sights: One for each claim that may decide; none where exact.
    """

    metric: str
    n: int
    noise: Noise
    exact: bool = False
    limit: float | None = None
    sights: tuple[Sight, ...] = ()


def gated(config: Config) -> list[Rule]:
    """Return the rules that can fail the gate."""
    return [rule for rule in config.policy.metrics if rule.gates]


def claims(config: Config) -> tuple[str, ...]:
    """Return the claims that may decide, the one of a changed system first."""
    return (GENERALISE, THIS_SET) if config.policy.claim == "auto" else (config.policy.claim,)


def plans(
    config: Config,
    samples: Sequence[Sample],
    baseline: Run,
    *,
    today: datetime.date,
    size: int | None = None,
) -> list[MetricPower]:
    """Return one plan for each error-level metric, from the noise of the baseline's own runs.

    Args:
        today: The date that waivers are held against.
        size: Pretend that the set has this many samples.
    """
    policy = config.policy
    comparison = compare(
        baseline, baseline, samples, cluster=policy.cluster, repeats=policy.repeats
    )
    metric_plans: list[MetricPower] = []
    cases = [
        case
        for case in read_cases(gated(config), comparison, policy.waivers, today)
        if case.gates and case.column is not None and not case.info.is_expense
    ]
    noisy = sum(case.column is not None and not case.column.exact for case in cases)
    runs = max(len(comparison.baseline.distinct), 1)
    for case in cases:
        column, rule = case.column, case.rule
        assert column is not None
        n = _units(case, comparison)
        if column.exact:
            limit = rule.max_drop if rule.max_drop is not None else HALF * column.span / max(n, 1)
            metric_plans.append(
                MetricPower(case.name, n, Noise(q=0.0, measured=True), exact=True, limit=limit)
            )
        else:
            noise = noise_of(case, comparison)
            sights = _sights(config, rule, column.span, size or n, noise, runs=runs, family=noisy)
            metric_plans.append(MetricPower(case.name, size or n, noise, sights=sights))
    return metric_plans


def _units(case: MetricCase, comparison: Comparison) -> int:
    """Return how many samples have a value, or how many clusters have such a sample."""
    assert case.column is not None
    valued = np.isfinite(case.column.recorded.values).any(axis=1) & case.counted
    if comparison.clusters is None:
        return int(valued.sum())
    return len(np.unique(comparison.clusters[valued]))


def assumed_plans(config: Config, size: int, noise: Noise) -> list[MetricPower]:
    """Return the plans for a set that has no baseline yet."""
    runs = config.policy.runs
    tested = [each for each in _infos(config) if not (each[1].aggregate or each[1].is_expense)]
    spans = {rule: _span(info) for rule, info in tested}
    return [
        MetricPower(
            rule.metric,
            size,
            noise,
            sights=_sights(config, rule, span, size, noise, runs=runs, family=len(spans)),
        )
        for rule, span in spans.items()
    ]


def _infos(config: Config) -> Iterator[tuple[Rule, MetricInfo]]:
    """Yield what is known of each gated metric; of foreign ones only a run would tell more."""
    for rule in gated(config):
        name, _ = plugins.split_metric(rule.metric)
        if plugins.is_builtin("metrics", name):
            settings = config.metric_settings.get(rule.metric, {})
            yield rule, plugins.metric(rule.metric, settings=settings).info
        else:
            yield rule, MetricInfo(name=rule.metric)


def _span(info: MetricInfo) -> float:
    return 1.0 if info.high is None else info.high - info.low


def _sights(
    config: Config, rule: Rule, span: float, n: int, noise: Noise, *, runs: int, family: int
) -> tuple[Sight, ...]:
    policy = config.policy
    sights = []
    for claim in claims(config):
        design = Design(
            alpha=policy.alpha,
            metrics=max(1, family),
            baseline_runs=runs,
            confirm=policy.confirm,
            flips=claim == GENERALISE,
            min_drop=allowed_drop(rule, policy, claim=claim, span=span),
        )
        once = visible_drop(replace(design, confirm=0), n, noise)
        sights.append(Sight(claim, design, once, visible_drop(design, n, noise)))
    return tuple(sights)


@dataclass(frozen=True)
class Need:
    """What it takes to see one drop of one metric."""

    metric: str
    samples: int | None
    runs: int | None
    allowed: float


def needs(config: Config, metric_plans: Sequence[MetricPower], drop: float) -> list[Need]:
    """Return, for each noisy metric, the samples or the baseline runs that show `drop`.

    Where the claim is chosen by the change, the answer is that for a changed system.
    """
    answers = []
    for plan in metric_plans:
        if plan.exact:
            continue
        design = plan.sights[0].design
        samples = samples_needed(drop, plan.noise, design.with_baseline(config.policy.runs))
        runs = runs_needed(drop, plan.n, plan.noise, design)
        answers.append(Need(plan.metric, samples, runs, design.min_drop))
    return answers
