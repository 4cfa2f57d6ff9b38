"""Which samples a metric can speak about: known before anything is asked."""

from collections.abc import Sequence

from ragate import plugins
from ragate.config import Config
from ragate.models import Failure, Sample, ScoreState, SystemOutput
from ragate.protocols import Aggregate, Metric

_AT_ONCE = 200
# A metric leaves a sample out before it looks at the output; every other one is unscored by this.
_NOT_ASKED = SystemOutput(error=Failure(kind="provider", message="not asked"))


def applicable(metric: Metric | Aggregate, samples: Sequence[Sample]) -> list[Sample]:
    """Return the samples that a metric can speak about; all for a rate that some sample allows."""
    pairs = [(sample, _NOT_ASKED) for sample in samples]
    if metric.info.aggregate:
        score = metric.aggregate(pairs)  # type: ignore[union-attr]  # told by info.aggregate
        return [] if score.state is ScoreState.NOT_APPLICABLE else list(samples)
    scores = metric.score_samples(pairs)  # type: ignore[union-attr]
    return [
        sample
        for sample, score in zip(samples, scores, strict=True)
        if score.state is not ScoreState.NOT_APPLICABLE
    ]


def applies(metric: Metric | Aggregate, samples: Sequence[Sample]) -> bool:
    """Return whether there is a sample that a metric can speak about.

    It mostly is among the first: a large golden set is not read to its end, nor held.
    """
    if metric.info.aggregate:
        return bool(applicable(metric, samples))
    return any(
        applicable(metric, samples[start : start + _AT_ONCE])
        for start in range(0, len(samples), _AT_ONCE)
    )


def inapplicable_gates(
    config: Config, metrics: Sequence[Metric | Aggregate], samples: Sequence[Sample]
) -> list[str]:
    """Return the gated metrics that no sample has what they need for; foreign ones are not asked.

    Such a metric is never measured, and `check` ends without a decision for it.
    """
    gated = {rule.metric for rule in config.policy.metrics if rule.level == "error"}
    return [
        metric.info.name
        for metric in metrics
        if metric.info.name in gated
        and plugins.is_builtin("metrics", plugins.split_metric(metric.info.name)[0])
        and not applies(metric, samples)
    ]
