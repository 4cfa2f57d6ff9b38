"""Rates and percentiles over a whole run, on both sides."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ragate.models import MetricInfo, Run, Score


@dataclass(frozen=True)
class AggregatePair:
    """A rate or percentile over the whole run: the mean over its passes, None where unscored.

    Attributes:
        reason: Why the run has none; beside a value what the metric says of it, such as how many
            samples it left out.
    """

    info: MetricInfo
    baseline: float | None
    candidate: float | None
    reason: str = ""


def pair_aggregates(
    infos: Mapping[str, MetricInfo], baseline: Run | None, candidate: Run
) -> dict[str, AggregatePair]:
    """Return a pair for each of `infos` that is an aggregate."""
    pairs = {}
    for name, info in infos.items():
        if info.aggregate:
            after, reason = _mean_of(name, candidate.aggregates)
            before, _ = _mean_of(name, baseline.aggregates if baseline else ())
            if before is None and baseline is not None:
                before = baseline.manifest.seconds.get(name)
            pairs[name] = AggregatePair(info, before, after, reason)
    return pairs


def _mean_of(name: str, passes: Iterable[Mapping[str, Score]]) -> tuple[float | None, str]:
    """Return the mean over the passes; one pass without a value leaves none."""
    scores = [each[name] for each in passes if name in each]
    values = [score.value for score in scores if score.value is not None]
    if not scores:
        return None, f"{name} was not measured"
    if len(values) < len(scores):
        return None, next(score.reason for score in scores if score.value is None)
    return sum(values) / len(values), next((s.reason for s in scores if s.reason), "")
