"""The tables [[policy.slices]]: parts of the golden set with rules of their own."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from ragate import plugins
from ragate.config.model import Policy
from ragate.config.rules import check_limit
from ragate.core.conditions import read_conditions
from ragate.errors import ConfigError
from ragate.models import OVERALL, PASSES, MetricInfo, Rule, Slice, pass_name
from ragate.settings import nearest
from ragate.version import MANUAL


def refuse_one_table(policy: Mapping[str, Any]) -> None:
    """Raise where a list of tables is written with one pair of brackets: TOML reads one table.

    Raises:
        ConfigError: names the table, and how it is written.
    """
    for key in ("slices", "waivers"):
        if isinstance(policy.get(key), dict):
            raise ConfigError(
                f"[policy.{key}]: one table, where a list of tables belongs",
                remedy=f"write [[policy.{key}]], with two brackets, once for each of them",
            )


def refuse_without_rule(metrics: Iterable[str], known: Collection[str], *, where: str) -> None:
    """Refuse metrics that the policy has no rule for.

    Raises:
        ConfigError: names the first, and the nearest that is known.
    """
    for metric in metrics:
        if metric not in known:
            raise ConfigError(
                f"{where}: metric {metric!r} has no table [policy.metrics]{nearest(metric, known)}"
            )


def check_slices(
    policy: Policy, metric_settings: Mapping[str, Mapping[str, Any]]
) -> tuple[Slice, ...]:
    """Return the slices, each with the metrics that are held on it.

    Which samples a slice holds is seen where the golden set is read.

    Raises:
        ConfigError: a name is there twice, a condition is none or missing, a metric is not of
            single samples or has no rule, or a floor has no one metric or does not fit it.
    """
    slices, rules = policy.slices, policy.rules
    for name, times in Counter(each.name for each in slices).items():
        if times > 1:
            raise ConfigError(f"[[policy.slices]] {name}: {times} slices have this name")
    infos = {
        rule.metric: known_info(rule, metric_settings, of_scores=policy.of_scores)
        for rule in rules
        if rule.level != "off"
    }
    for rule in rules:
        if rule.metric in infos and rule.pass_at is not None:
            name = pass_name(rule.metric)
            infos[name] = MetricInfo(name=name)
    return tuple(_checked(each, rules, infos) for each in slices)


def known_info(
    rule: Rule, metric_settings: Mapping[str, Mapping[str, Any]], *, of_scores: bool
) -> MetricInfo:
    """Return what is known of a metric before anything runs; of foreign code only its name is.

    Args:
        of_scores: It is an evaluator's, though one of ours may have its name.
    """
    if of_scores:
        from ragate.scores.reported_metric import ReportedMetric

        settings = metric_settings.get(rule.metric, {})
        return ReportedMetric(rule.metric, settings, f"policy.metrics.{rule.metric}").info
    if rule.metric in {PASSES, OVERALL} or not plugins.is_builtin_metric(rule.metric):
        return MetricInfo(name=rule.metric)
    return plugins.metric(rule.metric, settings=metric_settings.get(rule.metric, {})).info


def _checked(part: Slice, rules: Sequence[Rule], infos: Mapping[str, MetricInfo]) -> Slice:
    where = _place(part)
    if not part.tags and not part.where:
        raise ConfigError(
            f"{where}: it has no tags and no where, so it would be the whole golden set",
            remedy=f'write tags = ["billing"] or where = ["source=forum"]: '
            f"{MANUAL}/configuration.md",
        )
    read_conditions(part.tags, part.where, place=f"{where}: where", error=ConfigError)
    metrics = part.metrics or _first_gated(where, rules, infos)
    refuse_without_rule(metrics, infos, where=where)
    for metric in metrics:
        _refuse_totals(where, infos[metric])
    if len(set(metrics)) < len(metrics):
        raise ConfigError(f"{where}: metrics = {list(metrics)}: one is there twice")
    _check_floor(part, where, [infos[metric] for metric in metrics])
    return part.amended(metrics=tuple(metrics))


def check_slice_metric(slices: Sequence[Slice], info: MetricInfo) -> None:
    """Check a metric that slices name; a foreign one is only known once it is made.

    Raises:
        ConfigError: it is not of single samples, or a floor does not fit it.
    """
    for part in slices:
        if info.name in part.metrics:
            _refuse_totals(_place(part), info)
            _check_floor(part, _place(part), [info])


def _place(part: Slice) -> str:
    return f"[[policy.slices]] {part.name}"


def _refuse_totals(where: str, info: MetricInfo) -> None:
    if not _is_of_samples(info):
        raise ConfigError(
            f"{where}: {info.name} is a value over the whole run or counts what answers take: "
            "a slice holds scores of single samples"
        )


def _first_gated(
    where: str, rules: Sequence[Rule], infos: Mapping[str, MetricInfo]
) -> tuple[str, ...]:
    for rule in rules:
        if rule.level == "error" and _is_of_samples(infos[rule.metric]):
            return (rule.metric,)
    raise ConfigError(f"{where}: no metric gates", remedy="name one: metrics = [...]")


def _is_of_samples(info: MetricInfo) -> bool:
    return not info.aggregate and not info.is_expense


def _check_floor(part: Slice, where: str, infos: Sequence[MetricInfo]) -> None:
    for key in ("minimum", "maximum"):
        limit = getattr(part, key)
        if limit is not None and len(infos) != 1:
            raise ConfigError(
                f"{where}: {key} = {limit}: a limit is in the unit of one metric, and this slice "
                f"has {len(infos)}",
                remedy="make it a slice of its own, with one metric",
            )
        check_limit(where, key, limit, infos[0])
