"""The tables [policy.metrics.<name>] and [policy.judge]: rules, and who judges what they name."""

from collections.abc import Mapping
from difflib import get_close_matches
from math import inf
from typing import Any

from ragate import plugins
from ragate.config.model import JudgeSettings, Policy
from ragate.errors import ConfigError
from ragate.models import Direction, MetricInfo, Needs, Rule
from ragate.protocols import KnownCriteria
from ragate.removed import gone_key
from ragate.settings import nearest, read_settings, shown
from ragate.version import MANUAL

JUDGE = "[policy.judge]"
OWN = "criterion."  # how the names of metrics begin that a configuration words
_EXAMPLE = (
    'add [policy.judge] with use = "rubric", provider (a table of [policy.providers]) and model, '
    f"or remove the metric: {MANUAL}/judge.md"
)
_SHARED = frozenset(JudgeSettings.model_fields) - {"settings"}
RULE_KEYS = frozenset(Rule.model_fields) - {"metric"}
EMBEDDER = "embedder"
MOST_REWORDED = 0.005  # a metric that falls by more under harmless rewording does not gate unasked
_HOLDS = frozenset({"level", "minimum", "maximum", "max_drop", "pass_rate"})
_SLACK = 1e-9


def read_rules(
    tables: Mapping[str, Any],
    *,
    judge: JudgeSettings | None,
    embedder: Mapping[str, Any] | None,
    of_scores: bool = False,
) -> tuple[tuple[Rule, ...], dict[str, dict[str, Any]]]:
    """Return one rule for each table, in the order of the file, and each metric's own keys.

    A built-in metric is made here once, so that a wrong cut-off, setting or limit is found before
    anything runs. One of foreign code is not: a configuration is read without running any.

    Args:
        judge: Who scores the metrics that need a judge.
        of_scores: An evaluator's scores are gated: every name is one of its metrics.
        embedder: ``[policy.embedder]``, for metrics on embeddings that name none of their own.

    Raises:
        ConfigError: there is no table, a metric is unknown, or a key or value is wrong.
    """
    if not tables:
        raise ConfigError(
            "[policy.metrics] is missing: the gate has nothing to hold",
            remedy='write what is gated, such as [policy.metrics."recall@10"] (expected documents)'
            f" or [policy.metrics.token_f1] (reference answers): {MANUAL}/metrics.md",
        )
    rules = []
    settings = {}
    for name, table in tables.items():
        where = metric_table(name)
        if not isinstance(table, dict):
            raise ConfigError(
                f"policy.metrics.{name} = {shown(table)}: must be a table: {where}",
                remedy=f'write {where} on a line of its own, and below it level = "error"',
            )
        table = table if of_scores else _with_embedder(name, table, embedder)
        mine = {key: value for key, value in table.items() if key in RULE_KEYS}
        settings[name] = {key: value for key, value in table.items() if key not in RULE_KEYS}
        if not of_scores:
            _refuse_unknown(name, settings[name], where)
        rule = read_settings(Rule, {**mine, "metric": name}, where=where, strict=True)
        if of_scores:  # its name and its keys are held against no other metric
            from ragate.scores.reported_metric import ReportedMetric

            check_rule(rule, ReportedMetric(name, settings[name], where).info)
        elif plugins.is_builtin_metric(name):
            rule = _checked(rule, plugins.metric(name, settings=settings[name]), judge)
        rules.append(rule)
    return tuple(rules), settings


def metric_table(name: str) -> str:
    """Return a metric's table as ragate.toml writes it."""
    return f"[policy.metrics.{name}]" if name.isidentifier() else f'[policy.metrics."{name}"]'


def _with_embedder(
    name: str, table: Mapping[str, Any], embedder: Mapping[str, Any] | None
) -> Mapping[str, Any]:
    """Return a metric's table with the policy's embedder, where it takes one and has none."""
    base, _ = plugins.split_metric(name)
    if not embedder or EMBEDDER in table or not plugins.is_builtin("metrics", base):
        return table
    model = plugins.settings_model("metrics", base)
    takes_one = model is not None and EMBEDDER in model.model_fields
    return {**table, EMBEDDER: dict(embedder)} if takes_one else table


def _checked(rule: Rule, metric: Any, judge: JudgeSettings | None) -> Rule:
    """Return the rule of a built-in metric, which warns where harmless rewording lowers it."""
    if metric.info.falls_reworded > MOST_REWORDED and not _HOLDS & rule.model_fields_set:
        rule = rule.amended(level="warn")
    check_rule(rule, metric.info)
    if rule.level != "off":
        check_judged(metric, judge, metric_table(rule.metric))
    return rule


def _refuse_unknown(name: str, settings: Mapping[str, Any], where: str) -> None:
    """Refuse an unknown metric, and keys that neither it nor its rule has.

    Keys of foreign code it reads itself.
    """
    base, _ = plugins.split_metric(name)
    plugins.locate("metrics", base)
    if not settings or not plugins.is_builtin("metrics", base):
        return
    model = plugins.settings_model("metrics", base)
    fields = set(model.model_fields) if model is not None else set()
    for key in settings.keys() - fields:
        if gone := gone_key(where, key):
            raise ConfigError(f"{where}: {gone}")
        if model is not None or get_close_matches(key, RULE_KEYS, n=1):
            raise ConfigError(
                f"{where}: unknown key {key!r}{nearest(key, RULE_KEYS | fields)}",
                remedy=f"{MANUAL}/configuration.md lists every key",
            )


def check_rule(rule: Rule, info: MetricInfo) -> None:
    """Check that a rule fits its metric; a foreign metric is only known once it is made.

    Raises:
        ConfigError: a limit on the wrong side or outside the range, or a key that does not apply.
    """
    where = metric_table(rule.metric)
    for key in ("minimum", "maximum", "pass_at"):
        check_limit(where, key, getattr(rule, key), info)
    _check_max_drop(rule, info, where)
    if rule.pass_rate is not None and (rule.pass_at is None or info.aggregate or info.is_expense):
        raise ConfigError(
            f"{where}: pass_rate: there is no pass mark whose reaching it could count",
            remedy="write pass_at beside it, on a metric with scores of single samples",
        )
    relative = info.is_expense or (info.aggregate and info.unit == "seconds")
    if rule.max_increase is not None and not relative:
        raise ConfigError(
            f"{where}: max_increase = {rule.max_increase}: it holds tokens, cost and latency only",
            remedy=f"write {_floor(info)}, or max_drop",
        )
    if info.aggregate:
        _check_aggregate(rule, where, limit=_floor(info))
    elif info.is_expense:
        _check_expense(rule, where)


def _floor(info: MetricInfo) -> str:
    """Return the key that holds a metric's worst value."""
    return "minimum" if info.direction is Direction.HIGHER else "maximum"


def check_limit(where: str, key: str, value: float | None, info: MetricInfo) -> None:
    """Check that a limit is on the right side of a metric's values, and one of them.

    Raises:
        ConfigError: it is not; names the place, the key and the value.
    """
    if value is None:
        return
    if key in {"minimum", "maximum"} - {_floor(info)}:
        raise ConfigError(
            f"{where}: {key} = {value}: {info.direction} is better in {info.name}",
            remedy=f"write {_floor(info)}",
        )
    high = inf if info.high is None else info.high
    if not info.low - _SLACK <= value <= high + _SLACK:
        upper_end = "and up" if info.high is None else f"to {info.high:g}"
        percent = info.high == 1.0 and 1.0 < value <= 100.0
        raise ConfigError(
            f"{where}: {key} = {value}: values go from {info.low:g} {upper_end}",
            remedy=f"write {value / 100:g} for {value:g} %" if percent else "",
        )


def _check_max_drop(rule: Rule, info: MetricInfo, where: str) -> None:
    """Refuse a drop as wide as the metric's range: no run could fail by it."""
    if info.high is None or rule.max_drop is None:
        return
    width = info.high - info.low
    if not rule.max_drop < width:
        percent = width == 1.0 and rule.max_drop <= 100.0
        raise ConfigError(
            f"{where}: max_drop = {rule.max_drop:g}: no drop is that large, values go from "
            f"{info.low:g} to {info.high:g}",
            remedy=f"write {rule.max_drop / 100:g} for {rule.max_drop:g} %"
            if percent and rule.max_drop > 1
            else 'write less, or level = "warn" to show the metric only',
        )


def _check_aggregate(rule: Rule, where: str, *, limit: str) -> None:
    """Refuse keys about single samples, and a gating value over the whole run without a limit."""
    for key in ("max_drop", "pass_at"):
        if key in rule.model_fields_set:
            raise ConfigError(f"{where}: {key} does not apply to a value over the whole run")
    if rule.level == "error" and rule.max_increase is not None:
        raise ConfigError(
            f"{where}: max_increase = {rule.max_increase} of a latency can only warn: times of "
            "another day and machine prove nothing",
            remedy='write level = "warn" there, or maximum in place of max_increase',
        )
    if rule.level == "error" and getattr(rule, limit) is None:
        raise ConfigError(
            f"{where}: a value over the whole run can only fail by a limit, and there is none",
            remedy=f'write {limit}, or level = "warn" to show it only',
        )


def _check_expense(rule: Rule, where: str) -> None:
    """Refuse drops of tokens and cost, which have no range, and gating them without a limit."""
    if rule.max_drop is not None:
        raise ConfigError(f"{where}: max_drop does not apply here", remedy="write max_increase")
    if rule.level == "error" and rule.max_increase is None and rule.maximum is None:
        raise ConfigError(
            f"{where}: it can only fail by a limit, and there is none",
            remedy='write max_increase or maximum, or level = "warn" to show it only',
        )


# The table [policy.judge], and whether it and the judged metrics fit together.


def read_judge(table: Mapping[str, Any]) -> JudgeSettings:
    """Return the judge; the keys of a built-in one are checked, foreign code is not run.

    Raises:
        ConfigError: a key is unknown or has a wrong value.
    """
    if "criteria" in table:
        raise ConfigError(
            f"{JUDGE} criteria: a criterion is a metric with a question of its own",
            remedy=f'write [policy.metrics."criterion.<name>"] with ask and scale: '
            f"{MANUAL}/judge.md",
        )
    shared = {key: value for key, value in table.items() if key in _SHARED}
    settings = {key: value for key, value in table.items() if key not in _SHARED}
    judge = read_settings(JudgeSettings, {**shared, "settings": settings}, where=JUDGE, strict=True)
    plugins.locate("judges", judge.use)
    if plugins.is_builtin("judges", judge.use):
        model = plugins.settings_model("judges", judge.use)
        if model is not None:
            read_settings(model, judge.own, where=JUDGE, strict=True)
    return judge


def with_own_criteria(
    judge: JudgeSettings | None, settings: Mapping[str, Mapping[str, Any]]
) -> JudgeSettings | None:
    """Return the judge with the criteria that the policy's metrics word.

    Args:
        settings: By metric, the keys of its table that are its own.
    """
    criteria = {}
    for name, table in settings.items():
        if name.startswith(OWN):
            metric: Any = plugins.metric(name, settings=table)
            criteria[metric.criterion] = dict(table)
    if judge is None or not criteria:
        return judge
    return judge.amended(settings={**judge.settings, "criteria": criteria})


def check_judge(policy: Policy) -> None:
    """Check that the judge's provider has a table.

    Raises:
        ConfigError: names the provider and those that are there.
    """
    judge = policy.judge
    if judge is None or not judge.provider or judge.provider in policy.providers:
        return
    raise ConfigError(
        f"{JUDGE} provider = {judge.provider!r}: there is no table [policy.providers."
        f"{judge.provider}]{nearest(judge.provider, policy.providers)}",
        remedy="add the table with base_url and key_env",
    )


def check_judged(metric: Any, judge: JudgeSettings | None, where: str) -> None:
    """Check that a metric that a judge scores has a judge that knows its criterion.

    Raises:
        ConfigError: there is none, or it does not.
    """
    if metric.info.needs is not Needs.JUDGE:
        return
    if judge is None:
        raise ConfigError(f"{where}: needs a judge, and there is no {JUDGE}", remedy=_EXAMPLE)
    if not plugins.is_builtin("judges", judge.use):
        return
    module = plugins.load("judges", judge.use)
    if metric.info.name.startswith(OWN):
        if "criteria" not in module.Settings.model_fields:
            raise ConfigError(
                f"{where}: the judge {judge.use!r} takes no criterion of your own",
                remedy='set [policy.judge] use = "rubric"',
            )
        return
    if isinstance(module, KnownCriteria) and metric.criterion not in module.CRITERIA:
        raise ConfigError(
            f"{where}: the judge {judge.use!r} does not know the criterion {metric.criterion!r}",
            remedy=f"it knows {', '.join(sorted(module.CRITERIA))}",
        )
