"""The table [policy.judge], and whether it and the judged metrics fit together."""

from collections.abc import Mapping
from typing import Any

from ragate import plugins
from ragate.config.model import JudgeSettings, Policy
from ragate.errors import ConfigError
from ragate.models import Needs
from ragate.protocols import KnownCriteria
from ragate.support.settings import nearest, read_settings

WHERE = "[policy.judge]"
OWN = "criterion."  # how the names of metrics begin that a configuration words
_EXAMPLE = (
    'add [policy.judge] with use = "rubric", provider (a table of [policy.providers]) and model, '
    "or remove the metric: docs/judge.md"
)


def read_judge(table: Mapping[str, Any]) -> JudgeSettings:
    """Return the judge; the keys of a built-in one are checked, foreign code is not run.

    Raises:
        ConfigError: a key is unknown or has a wrong value.
    """
    if "criteria" in table:
        raise ConfigError(
            f"{WHERE} criteria: a criterion is a metric with a question of its own",
            remedy='write [policy.metrics."criterion.<name>"] with ask and scale: docs/judge.md',
        )
    shared = {key: value for key, value in table.items() if key in _SHARED}
    settings = {key: value for key, value in table.items() if key not in _SHARED}
    judge = read_settings(JudgeSettings, {**shared, "settings": settings}, where=WHERE, strict=True)
    plugins.locate("judges", judge.use)
    if plugins.is_builtin("judges", judge.use):
        model = plugins.settings_model("judges", judge.use)
        if model is not None:
            read_settings(model, judge.own, where=WHERE, strict=True)
    return judge


_SHARED = frozenset(JudgeSettings.model_fields) - {"settings"}


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
        f"{WHERE} provider = {judge.provider!r}: there is no table [policy.providers."
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
        raise ConfigError(f"{where}: needs a judge, and there is no {WHERE}", remedy=_EXAMPLE)
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
