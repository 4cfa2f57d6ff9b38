"""The sign of a report: what its reader sees first."""

from __future__ import annotations

from enum import Enum

from ragate.models import MetricVerdict, Report, Verdict
from ragate.renderers._words import wants_a_look


class Status(Enum):
    """What the reader sees first: a sign, and whether it asks for something."""

    BETTER = "better"
    HELD = "held"
    UNCHANGED = "unchanged"
    LOOK = "look"
    RED = "red"
    NO_DECISION = "no decision"
    BOOTSTRAP = "bootstrap"


# The metric table does not say why there is no verdict, so the reasons stand above it.
TELLS_WHY = (Status.NO_DECISION, Status.BOOTSTRAP)
# What nothing was measured for has not moved either; where it gates, there is no decision at all.
STILL = {
    MetricVerdict.UNCHANGED,
    MetricVerdict.SHOWN,
    MetricVerdict.NOT_MEASURED,
    MetricVerdict.NOT_COMPARABLE,
}
ICONS = {
    Status.BETTER: "✅",
    Status.HELD: "✅",
    Status.UNCHANGED: "✅",
    Status.LOOK: "🟡",
    Status.RED: "❌",
    Status.NO_DECISION: "⏸️",
    Status.BOOTSTRAP: "👋",
}


def status_of(report: Report) -> Status:
    """Return the sign of the report."""
    fixed = {
        Verdict.FAILED: Status.RED,
        Verdict.NO_DECISION: Status.NO_DECISION,
        Verdict.BOOTSTRAP: Status.BOOTSTRAP,
    }.get(report.decision.verdict)
    if fixed is not None:
        return fixed
    rows = [row for row in report.decision.metrics if row.level != "off"]
    if any(wants_a_look(row) for row in rows):
        return Status.LOOK
    verdicts = {row.verdict for row in rows}
    if MetricVerdict.IMPROVED in verdicts:
        return Status.BETTER
    if verdicts <= STILL:
        return Status.UNCHANGED
    return Status.HELD
