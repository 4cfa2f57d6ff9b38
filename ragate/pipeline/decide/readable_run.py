"""What a reader asks of a run: who passes, what came of each sample, and what was run."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel

from ragate import plugins
from ragate.config import JudgeSettings
from ragate.core.plain_settings import plain_settings
from ragate.core.rules.metric_case import read_cases
from ragate.core.scorecard.pass_groups import pass_groups
from ragate.core.scorecard.sample_outcomes import sample_outcomes
from ragate.models import PassGroup, Report
from ragate.pipeline.decide.compare_and_decide import Decided


def with_samples(report: Report, decided: Decided) -> Report:
    """Return the report with every sample's outcome, who passes, and which models were at work."""
    comparison, config = decided.comparison, decided.setup.config
    judge = config.policy.judge
    judged = decided.candidate.manifest.judge is not None and judge is not None
    outcomes = sample_outcomes(
        decided.setup.samples,
        comparison.baseline.tries,
        comparison.candidate.tries,
        decided.rules,
        comparison.candidate_run.manifest.metrics,
    )
    return report.amended(
        pass_groups=passing_groups(decided),
        outcomes=tuple(outcomes),
        judge=_named(judge) if judged and judge is not None else "",
        settings=readable_settings(
            config.system.use, report.system.settings or dict(_flat(config.system.settings))
        ),
    )


def _named(judge: JudgeSettings) -> str:
    return " ".join(filter(None, (judge.use, judge.provider, judge.model)))


def readable_settings(use: str, settings: Mapping[str, str]) -> dict[str, str]:
    """Return numbers, switches, models, and words that ragate's own systems choose from.

    Free text is none of them, at whatever ``publish``: an address or a template may hold a secret.

    Args:
        settings: JSON by dotted key.
    """
    model = plugins.settings_model("systems", use) if plugins.is_builtin("systems", use) else None
    words = dict(_words(model)) if model is not None else {}
    told = {key: value for key, value in settings.items() if value in words.get(key, ())}
    return plain_settings(settings) | told


def _words(model: type[BaseModel], above: str = "") -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the keys of a built-in system that take one of a few words, with these as JSON."""
    for name, field in model.model_fields.items():
        kind = field.annotation
        if get_origin(kind) is Literal:
            yield f"{above}{name}", frozenset(map(json.dumps, get_args(kind)))
        elif isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from _words(kind, f"{above}{name}.")


def _flat(table: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    """Yield the single values of a table as JSON, by dotted key."""
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{above}{key}.")
        elif isinstance(value, str | int | float):
            yield f"{above}{key}", json.dumps(value)


def passing_groups(decided: Decided) -> tuple[PassGroup, ...]:
    """Return the pass rate by stage, tag and field; nothing where there is no scorecard."""
    setup, comparison = decided.setup, decided.comparison
    policy = setup.config.policy
    if policy.scorecard is None:
        return ()
    cases = read_cases(decided.rules, comparison, policy.waivers, setup.today)
    return tuple(pass_groups(policy.scorecard, cases, comparison))
