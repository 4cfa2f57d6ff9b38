"""The first pull request: measured, not blocking, and with floors that its rules could hold."""

import math

from ragate.models import Direction, MetricRow, Report, SuggestedFloor, Verdict

LEAST = 0.02
_ERRORS = 2.0


def bootstrapped(report: Report) -> Report:
    """Return the report of a change whose base has no configuration.

    What its own rules say stands among the reasons. A run in which nothing could be measured stays
    without a decision.
    """
    decision = report.decision
    facts = report.facts
    if facts.samples and facts.errors >= facts.samples:
        return report
    bootstrap = decision.amended(
        verdict=Verdict.BOOTSTRAP,
        reasons=("the base has no ragate.toml (looked for, and not there)", *decision.reasons),
    )
    floors = tuple(filter(None, map(suggested_floor, decision.metrics)))
    return report.amended(decision=bootstrap, suggested_floors=floors)


def suggested_floor(row: MetricRow) -> SuggestedFloor | None:
    """Return a limit below the mean by two standard errors for this many samples.

    At least two points, and rounded outward to a whole point: fresh questions of the same kind
    would keep it in all but a few draws of a hundred. None where the metric has a limit already,
    has no value, or is no fraction.
    """
    mean = row.candidate
    usable = row.gates and row.unit == "fraction" and not row.aggregate
    if mean is None or not usable or row.floor is not None or row.n < 1 or not 0 <= mean <= 1:
        return None
    room = max(LEAST, _ERRORS * math.sqrt(mean * (1 - mean) / row.n))
    if row.direction is Direction.HIGHER:
        limit = max(0.0, math.floor((mean - room) * 100 + 1e-9) / 100)
        key = "minimum"
    else:
        limit = min(1.0, math.ceil((mean + room) * 100 - 1e-9) / 100)
        key = "maximum"
    return SuggestedFloor.model_validate(
        {"metric": row.metric, "unit": row.unit, "mean": mean, "key": key, "limit": limit}
    )
