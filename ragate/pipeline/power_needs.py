"""What it takes to see a wanted drop: more samples, or more baseline runs."""

from collections.abc import Sequence
from dataclasses import dataclass

from ragate.config import Config
from ragate.core.statistics.power_search import runs_needed, samples_needed
from ragate.pipeline.power_tables import MetricPower


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
