"""What a golden set can see, before anything is spent: the tables of `ragate power`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ragate.config import Config
from ragate.core.comparison import compare
from ragate.core.power import Design, Noise, measure_noise, runs_needed, samples_needed
from ragate.models import Rule, Run, Sample


@dataclass(frozen=True)
class Plan:
    """One gated metric and what can be seen of it.

    Attributes:
        n: Samples with a value.
        exact: True where nothing is noisy: every change is seen, and `limit` is what is allowed.
        first, confirmed: Smallest drop seen with one candidate run and with the confirmation runs.
    """

    metric: str
    n: int
    noise: Noise
    exact: bool = False
    limit: float | None = None
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
            found.append(_noisy(config, rule, size or n, noise, runs=runs, family=len(noisy)))
    return found


def assumed_plans(config: Config, size: int, noise: Noise) -> list[Plan]:
    """Return the plans for a set that has no baseline yet."""
    rules = gated(config)
    return [
        _noisy(config, rule, size, noise, runs=config.policy.runs, family=len(rules))
        for rule in rules
    ]


def _noisy(config: Config, rule: Rule, n: int, noise: Noise, *, runs: int, family: int) -> Plan:
    first = design(config, runs=runs, family=family)
    confirmed = design(config, runs=runs, family=family, more=config.policy.confirm)
    return Plan(
        rule.metric,
        n,
        noise,
        first=first.mde(n, noise),
        confirmed=confirmed.mde(n, noise),
    )


def design(config: Config, *, runs: int, family: int, more: int = 0) -> Design:
    """Return the gate's design with `runs` baseline runs and 1 + `more` candidate runs."""
    policy = config.policy
    return Design(
        alpha=policy.alpha,
        metrics=max(1, family),
        baseline_runs=runs,
        candidate_runs=1 + more,
        flips=policy.claim != "this-set",
        min_drop=policy.min_drop,
    )


@dataclass(frozen=True)
class Need:
    """What it takes to see one drop of one metric."""

    metric: str
    samples: int | None
    runs: int | None


def needs(config: Config, found: Sequence[Plan], drop: float) -> list[Need]:
    """Return, for each noisy metric, the samples or the baseline runs that show `drop`."""
    noisy = [plan for plan in found if not plan.exact]
    wanted = design(config, runs=config.policy.runs, family=len(noisy), more=config.policy.confirm)
    return [
        Need(
            plan.metric,
            samples_needed(drop, plan.noise, wanted),
            runs_needed(drop, plan.n, plan.noise, wanted),
        )
        for plan in noisy
    ]
