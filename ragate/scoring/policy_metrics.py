"""The policy's metrics: made once a run, each with the count of what it checks."""

from collections.abc import Mapping, Sequence

from ragate import plugins
from ragate.config import Config, check_rule, check_slice_metric, check_stage
from ragate.config.rules import metric_table
from ragate.core.rules.checked_metric import checked_name
from ragate.errors import ConfigError, PluginError
from ragate.models import Needs, Sample, ScoreState, failed_output
from ragate.protocols import (
    NO_CLIENTS,
    Aggregate,
    Judged,
    Metric,
    MetricClients,
    MetricOfAPart,
)
from ragate.scores.reported_metric import ReportedMetric
from ragate.version import MANUAL

_AT_ONCE = 200
# A metric leaves a sample out before it looks at the output; every other one is unscored by this.
_NOT_ASKED = failed_output("provider", "not asked")


def make_metrics(
    config: Config,
    samples: Sequence[Sample],
    *,
    states: Mapping[str, Mapping[str, float]],
    clients: MetricClients = NO_CLIENTS,
    eval_date: str = "",
) -> list[Metric | Aggregate]:
    """Return the metrics that the policy asks for, without the ones of level ``off``.

    Args:
        states: The baseline's tables by metric: a metric takes its own rather than fit a new one.
        clients: What metrics that ask a model get.
        eval_date: As of which arguments of calls are read, "" for today.

    Raises:
        ConfigError: a metric lacks a key that it cannot do without.
    """
    metrics: list[Metric | Aggregate] = []
    for rule in config.policy.metrics:
        if rule.level == "off":
            continue
        if config.policy.of_scores:
            metrics.append(reported_metric(config, rule.metric))
            continue
        metric = plugins.metric(
            rule.metric,
            settings=config.metric_settings.get(rule.metric, {}),
            samples=samples,
            state=states.get(rule.metric),
            clients=clients,
            eval_date=eval_date,
        )
        if metric.info.name != rule.metric:
            raise PluginError(
                f"metric {rule.metric!r} calls itself {metric.info.name!r}",
                remedy="a metric's name is the one it is asked for: MetricRequest.name",
            )
        if why := getattr(metric, "unusable", ""):
            raise ConfigError(why, remedy=f"{MANUAL}/metrics.md says what {rule.metric} needs")
        check_rule(rule, metric.info)
        check_slice_metric(config.policy.slices, metric.info)
        check_stage(config.policy.scorecard, metric.info)
        metrics.append(metric)
    return metrics


def reported_metric(config: Config, name: str) -> ReportedMetric:
    """Return a metric whose scores stand in the outputs."""
    metric = ReportedMetric(name, config.metric_settings.get(name, {}), metric_table(name))
    check_slice_metric(config.policy.slices, metric.info)
    check_stage(config.policy.scorecard, metric.info)
    return metric


def judged_metrics(metrics: Sequence[Metric | Aggregate]) -> list[Judged]:
    """Return those that a judge scores."""
    return [m for m in metrics if m.info.needs is Needs.JUDGE and isinstance(m, Judged)]


def with_counts(metrics: Sequence[Metric | Aggregate]) -> list[Metric | Aggregate]:
    """Return the metrics, each with the count of what it had to check, where it has one."""
    with_checked: list[Metric | Aggregate] = []
    for metric in metrics:
        with_checked.append(metric)
        checked = metric.checked if isinstance(metric, MetricOfAPart) else None
        if not isinstance(checked, Metric):
            continue  # a foreign metric may have an attribute of that name
        if checked.info.name != checked_name(metric.info.name):
            raise PluginError(
                f"metric {metric.info.name!r} counts what it checks as {checked.info.name!r}",
                remedy=f"name it {checked_name(metric.info.name)!r}",
            )
        with_checked.append(checked)
    return with_checked


# Which samples a metric can speak about: known before anything is asked.


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
        and (plugins.is_builtin_metric(metric.info.name) or config.policy.of_scores)
        and not applies(metric, samples)
    ]
