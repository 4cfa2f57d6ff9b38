"""The sign of a report: what its reader sees first."""

from enum import Enum

from ragate.models import MetricVerdict, Report, Verdict
from ragate.renderers._words import unsure_slices, wants_a_look


class ReportSign(Enum):
    """What the reader sees first: a sign, and whether it asks for something."""

    BETTER = "better"
    HELD = "held"
    UNCHANGED = "unchanged"
    LOOK = "look"
    RED = "red"
    NO_DECISION = "no decision"
    BOOTSTRAP = "bootstrap"


# The metric table does not say why there is no verdict, so the reasons stand above it.
TELLS_WHY = (ReportSign.NO_DECISION, ReportSign.BOOTSTRAP)
# What nothing was measured for has not moved either; where it gates, there is no decision at all.
STILL = {
    MetricVerdict.UNCHANGED,
    MetricVerdict.SHOWN,
    MetricVerdict.NOT_MEASURED,
    MetricVerdict.NOT_COMPARABLE,
}
ICONS = {
    ReportSign.BETTER: "✅",
    ReportSign.HELD: "✅",
    ReportSign.UNCHANGED: "✅",
    ReportSign.LOOK: "🟡",
    ReportSign.RED: "❌",
    ReportSign.NO_DECISION: "⏸️",
    ReportSign.BOOTSTRAP: "👋",
}


def status_of(report: Report) -> ReportSign:
    """Return the sign of the report."""
    fixed = {
        Verdict.FAILED: ReportSign.RED,
        Verdict.NO_DECISION: ReportSign.NO_DECISION,
        Verdict.BOOTSTRAP: ReportSign.BOOTSTRAP,
    }.get(report.decision.verdict)
    if fixed is not None:
        return fixed
    if any(wants_a_look(row) for row in report.decision.rows if row.level != "off"):
        return ReportSign.LOOK
    if unsure_slices(report.decision):
        return ReportSign.LOOK
    rows = [row for row in report.decision.metrics if row.level != "off"]
    verdicts = {row.verdict for row in rows}
    if any(row.verdict is MetricVerdict.IMPROVED and row.better >= row.worse for row in rows):
        return ReportSign.BETTER
    if verdicts <= STILL:
        return ReportSign.UNCHANGED
    return ReportSign.HELD


def is_unaffected(report: Report) -> bool:
    """Whether a change did nothing that a reader has to hear of.

    What was low in the baseline already is a look on every change, and no news where this one
    reaches no sample and brings no rules or samples of its own.
    """
    if status_of(report) is ReportSign.UNCHANGED:
        return True
    data = report.data
    has_own = report.proposed is not None or data.added or data.removed or data.renamed
    is_plain = report.decision.verdict is Verdict.PASSED and not report.decision.accepted
    return is_plain and report.facts.affected == 0 and not has_own and not report.samples
