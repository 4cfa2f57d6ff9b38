"""Scorecards and what is known of their metrics."""

from __future__ import annotations

from typing import Any

from ragate.models import (
    Direction,
    MetricInfo,
    Score,
    Scorecard,
    ScorecardStage,
    not_applicable,
    unscored,
)

INFOS = {
    name: MetricInfo(name=name, fingerprint=name)
    for name in ("recall@5", "token_f1", "faithfulness", "rouge_l")
} | {
    "correctness": MetricInfo(name="correctness", low=1.0, high=5.0, unit="grade"),
    "false_refusal": MetricInfo(name="false_refusal", direction=Direction.LOWER),
}


def stage(
    metric: str, weight: float = 1.0, pass_at: float | None = 0.5, **fields: Any
) -> ScorecardStage:
    """Return a stage named as its metric."""
    return ScorecardStage(name=metric, metric=metric, weight=weight, pass_at=pass_at, **fields)


def card(*stages: ScorecardStage, **fields: Any) -> Scorecard:
    """Return a scorecard."""
    return Scorecard(stages=stages, **fields)


def scores(**values: float | str | None) -> dict[str, Score]:
    """Return scores by metric (``at`` stands for @): None is unscored, a text not applicable."""
    found = {}
    for key, value in values.items():
        name = key.replace("_at_", "@")
        if value is None:
            found[name] = unscored(name, "judge: timeout")
        elif isinstance(value, str):
            found[name] = not_applicable(name, value)
        else:
            found[name] = Score(metric=name, value=value)
    return found
