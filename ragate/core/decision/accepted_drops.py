"""Drops that a maintainer accepted: shown in full, and not blocking."""

from collections.abc import Sequence
from dataclasses import replace

from ragate.core.rules.metric_case import RuleOutcome
from ragate.models import Acceptance, MetricRow


def by_metric(accepted: Sequence[Acceptance]) -> dict[str, Acceptance]:
    """Return the acceptances by metric; of two for the same metric the later one counts."""
    return {acceptance.metric: acceptance for acceptance in accepted}


def excuse(
    row: MetricRow, outcomes: Sequence[RuleOutcome], taken: Acceptance | None
) -> tuple[MetricRow, list[RuleOutcome]]:
    """Return a metric's row and outcomes with what is red in them turned into warnings.

    Only what was measured and is red can be accepted: a metric that could not be decided stays
    without a decision.
    """
    if taken is None or not row.blocks:
        return row, list(outcomes)
    shown = row.amended(blocks=False, accepted=True)
    return shown, [_as_warning(outcome, taken) for outcome in outcomes]


def _as_warning(outcome: RuleOutcome, taken: Acceptance) -> RuleOutcome:
    reasons = tuple(f"accepted by {taken.by} ({taken.reason}): {reason}" for reason in outcome.red)
    return replace(outcome, red=(), warnings=(*outcome.warnings, *reasons))
