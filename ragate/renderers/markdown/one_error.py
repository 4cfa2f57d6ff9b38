"""An error that most samples share: told once, with their number."""

from collections.abc import Sequence

from ragate.models import Report, SampleRow
from ragate.renderers._samples import failed_alike, failed_with, sections
from ragate.renderers._tables import SENTENCE
from ragate.support.escape import code


def one_error_line(report: Report) -> str:
    """Return the error and how many samples failed with it, as safe HTML; "" for none."""
    rows = _leading(report)
    error, alike = failed_alike(rows)
    count = f"{len(alike):,} of {len(rows):,}"
    return f"<b>{count} {failed_with(error)}:</b> {code(error, SENTENCE)}" if alike else ""


def repeating_it(report: Report) -> set[str]:
    """Return the ids of the samples that say what the first of them says."""
    _, alike = failed_alike(_leading(report))
    return {row.sample_id for row in alike[1:]}


def _leading(report: Report) -> Sequence[SampleRow]:
    groups = dict(sections(report.samples))
    return groups.get("worse") or groups.get("new") or []
