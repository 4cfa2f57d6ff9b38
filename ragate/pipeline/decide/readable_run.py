"""What a reader asks of a run: who passes, what came of each sample, and what was run."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ragate.config import JudgeSettings
from ragate.core.rules.metric_case import read_cases
from ragate.core.scorecard.pass_groups import pass_groups
from ragate.core.scorecard.sample_outcomes import sample_outcomes
from ragate.models import PassGroup, Report
from ragate.pipeline.decide.compare_and_decide import Decided

_SECRET = ("header", "key", "token", "secret", "password", "env")


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
        settings=report.system.settings or dict(_flat(config.system.settings)),
    )


def _named(judge: JudgeSettings) -> str:
    return " ".join(filter(None, (judge.use, judge.provider, judge.model)))


def _flat(table: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, str]]:
    """Yield the single values of a table by dotted key; what may hold a secret is left out."""
    for key, value in table.items():
        name = f"{path}{key}"
        if any(word in key.lower() for word in _SECRET) or "@" in str(value):
            continue
        if isinstance(value, Mapping):
            yield from _flat(value, f"{name}.")
        elif isinstance(value, str | int | float | bool):
            yield name, json.dumps(value)


def passing_groups(decided: Decided) -> tuple[PassGroup, ...]:
    """Return the pass rate by stage, tag and field; nothing where there is no scorecard."""
    setup, comparison = decided.setup, decided.comparison
    policy = setup.config.policy
    if policy.scorecard is None:
        return ()
    cases = read_cases(decided.rules, comparison, policy.waivers, setup.today)
    return tuple(pass_groups(policy.scorecard, cases, comparison))
