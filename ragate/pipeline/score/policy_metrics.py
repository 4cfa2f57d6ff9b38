"""The policy's metrics: made once a run, each with the count of what it checks."""

from collections.abc import Mapping, Sequence

from ragate import plugins
from ragate.config import Config, check_rule, check_slice_metric, check_stage
from ragate.core.rules.checked_metric import checked_name
from ragate.errors import ConfigError, PluginError
from ragate.models import Needs, Sample
from ragate.protocols import (
    NO_CLIENTS,
    NO_RANKINGS,
    Aggregate,
    EarlierRankings,
    Judged,
    Metric,
    MetricClients,
    MetricOfAPart,
)


def make_metrics(
    config: Config,
    samples: Sequence[Sample],
    *,
    states: Mapping[str, Mapping[str, float]],
    clients: MetricClients = NO_CLIENTS,
    eval_date: str = "",
    earlier: EarlierRankings = NO_RANKINGS,
) -> list[Metric | Aggregate]:
    """Return the metrics that the policy asks for, without the ones of level ``off``.

    Args:
        states: The baseline's tables by metric: a metric takes its own rather than fit a new one.
        clients: What metrics that ask a model get.
        eval_date: As of which arguments of calls are read, "" for today.
        earlier: What the baseline retrieved.

    Raises:
        ConfigError: a metric lacks a key that it cannot do without.
    """
    metrics: list[Metric | Aggregate] = []
    for rule in config.policy.metrics:
        if rule.level == "off":
            continue
        metric = plugins.metric(
            rule.metric,
            settings=config.metric_settings.get(rule.metric, {}),
            samples=samples,
            state=states.get(rule.metric),
            clients=clients,
            eval_date=eval_date,
            earlier=earlier,
        )
        if metric.info.name != rule.metric:
            raise PluginError(
                f"metric {rule.metric!r} calls itself {metric.info.name!r}",
                remedy="a metric's name is the one it is asked for: MetricRequest.name",
            )
        if why := getattr(metric, "unusable", ""):
            raise ConfigError(why, remedy=f"docs/metrics.md says what {rule.metric} needs")
        check_rule(rule, metric.info)
        check_slice_metric(config.policy.slices, metric.info)
        check_stage(config.policy.scorecard, metric.info)
        metrics.append(metric)
    return metrics


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
