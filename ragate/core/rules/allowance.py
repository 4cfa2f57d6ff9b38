"""The allowed drop: how large a proven drop of a noisy metric must be to fail the gate."""

from ragate.core.rules.metric_family import GENERALISE, THIS_SET
from ragate.models import DecisionSettings, Rule

# Under this-set a harmless rewording truly moves some metric of the set, so more is allowed there.
DEFAULT_ALLOWANCE = {GENERALISE: 0.01, THIS_SET: 0.02}


def allowed_drop(rule: Rule, settings: DecisionSettings, *, claim: str, span: float) -> float:
    """Return the smallest drop that can be red, as a share of the metric's range.

    The rule's own `min_drop` wins over that of the policy, which holds for both claims, and that
    over the default of the claim.

    Args:
        claim: ``generalise`` or ``this-set``.
        span: Width of the metric's range, in which the rule's `min_drop` is written.
    """
    if rule.min_drop is not None:
        return rule.min_drop / span
    if settings.min_drop is not None:
        return settings.min_drop
    return DEFAULT_ALLOWANCE[claim]
