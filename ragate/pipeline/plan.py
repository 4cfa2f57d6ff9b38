"""What a golden set can see, before anything is spent: the tables of `ragate power`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ragate import plugins
from ragate.config import Config
from ragate.core.allowance import allowed_drop
from ragate.core.comparison import compare
from ragate.core.family import GENERALISE, THIS_SET
from ragate.core.power import Design, Noise, measure_noise, runs_needed, samples_needed
from ragate.models import Rule, Run, Sample


@dataclass(frozen=True)
class Plan:
    """One gated metric and what can be seen of it.

    Attributes:
        n: Samples with a value.
        exact: True where nothing is noisy: every change is seen, and `limit` is what is allowed.
        allowed: Smallest drop that can be red, as a share of the range; 0 where exact.
        first, confirmed: Smallest drop seen with one candidate run and with the confirmation runs.
    """

    metric: str
    n: int
    noise: Noise
    exact: bool = False
    limit: float | None = None
    allowed: float = 0.0
    first: float | None = None
    confirmed: float | None = None


def gated(config: Config) -> list[Rule]:
    """Return the rules that can fail the gate."""
    return [rule for rule in config.policy.metrics if rule.level == "error"]


def plans(
    config: Config, samples: Sequence[Sample], baseline: Run, *, size: int | None = None
) -> list[Plan]:
    """Return one plan for each error-level metric, from the noise of the baseline's own runs.

    Args:
        size: Pretend that the set has this many samples.
    """
    comparison = compare(baseline, baseline, samples, cluster=config.policy.cluster)
    found: list[Plan] = []
    rules = [rule for rule in gated(config) if rule.metric in comparison.columns]
    noisy = [rule for rule in rules if not comparison.columns[rule.metric].exact]
    for rule in rules:
        column = comparison.columns[rule.metric]
        values = column.scaled(column.recorded.values[column.applies])
        n = int(np.isfinite(values).any(axis=1).sum()) if values.size else 0
        if column.exact:
            limit = rule.max_drop if rule.max_drop is not None else max(1 / max(n, 1), 0.01)
            found.append(Plan(rule.metric, n, Noise(q=0.0, known=True), exact=True, limit=limit))
        else:
            noise = measure_noise(values, runs=baseline.manifest.runs)
            runs = baseline.manifest.runs - baseline.manifest.identical
            allowed = _allowed(config, rule, column.span)
            shape = design(config, allowed, runs=runs, family=len(noisy))
            found.append(_noisy(config, rule, size or n, noise, shape))
    return found


def assumed_plans(config: Config, size: int, noise: Noise) -> list[Plan]:
    """Return the plans for a set that has no baseline yet."""
    rules = gated(config)
    runs = config.policy.runs
    return [
        _noisy(
            config,
            rule,
            size,
            noise,
            design(config, _allowed(config, rule, _span(rule)), runs=runs, family=len(rules)),
        )
        for rule in rules
    ]


def _allowed(config: Config, rule: Rule, span: float) -> float:
    claim = THIS_SET if config.policy.claim == THIS_SET else GENERALISE
    return allowed_drop(rule, config.policy, claim=claim, span=span)


def _span(rule: Rule) -> float:
    """Return the width of a built-in metric's range; 1 where only a run would tell."""
    name, _ = plugins.split_metric(rule.metric)
    if not plugins.is_builtin("metrics", name):
        return 1.0
    info = plugins.metric(rule.metric).info
    return 1.0 if info.high is None else info.high - info.low


def _noisy(config: Config, rule: Rule, n: int, noise: Noise, first: Design) -> Plan:
    confirmed = replace(first, candidate_runs=1 + config.policy.confirm)
    return Plan(
        rule.metric,
        n,
        noise,
        allowed=first.min_drop,
        first=first.mde(n, noise),
        confirmed=confirmed.mde(n, noise),
    )


def design(config: Config, allowed: float, *, runs: int, family: int, more: int = 0) -> Design:
    """Return the gate's design with `runs` baseline runs and 1 + `more` candidate runs."""
    policy = config.policy
    return Design(
        alpha=policy.alpha,
        metrics=max(1, family),
        baseline_runs=runs,
        candidate_runs=1 + more,
        flips=policy.claim != "this-set",
        min_drop=allowed,
    )


@dataclass(frozen=True)
class Need:
    """What it takes to see one drop of one metric."""

    metric: str
    samples: int | None
    runs: int | None
    allowed: float


def needs(config: Config, found: Sequence[Plan], drop: float) -> list[Need]:
    """Return, for each noisy metric, the samples or the baseline runs that show `drop`."""
    noisy = [plan for plan in found if not plan.exact]
    policy = config.policy
    found_needs = []
    for plan in noisy:
        wanted = design(
            config, plan.allowed, runs=policy.runs, family=len(noisy), more=policy.confirm
        )
        samples = samples_needed(drop, plan.noise, wanted)
        runs = runs_needed(drop, plan.n, plan.noise, wanted)
        found_needs.append(Need(plan.metric, samples, runs, plan.allowed))
    return found_needs
