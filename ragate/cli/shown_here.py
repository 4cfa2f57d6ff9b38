"""What this process may show of a report."""

import os

from ragate.cli.operations import in_ci
from ragate.core.publishable import publishable
from ragate.models import Report
from ragate.support.escape import one_line, plain


def shown_here(report: Report) -> Report:
    """Return the report as it may be shown: others read what a job of CI prints and writes."""
    return publishable(report) if in_ci(os.environ) else report


def summary(report: Report) -> str:
    """Return the verdict in one line, for when the reports go to files."""
    reasons = "; ".join(report.decision.reasons[:3])
    word = report.decision.verdict.value.replace("_", " ")
    return plain(one_line(f"{report.gate}: {word}{': ' + reasons if reasons else ''}"))
