"""What did it, as the second line of the comment."""

from ragate.models import ChangedPart, Report
from ragate.renderers._links import linked
from ragate.renderers._origin import place_of, shown_origin
from ragate.renderers._status import ReportSign, status_of
from ragate.support.escape import code

MOST_PARTS = 3
_PATH, _WORDS = 60, 60
_SILENT = (ReportSign.BOOTSTRAP, ReportSign.UNCHANGED)


def origin_line(report: Report) -> str:
    """Return what did it, "" where nothing is known and a likely cause, or no red, stands."""
    origin = report.origin
    if not origin.parts and status_of(report) is ReportSign.RED and not report.diagnosis:
        return "<b>Changed here:</b> not known."
    if not origin.parts or status_of(report) in _SILENT:
        return ""
    shown = shown_origin(origin, MOST_PARTS)
    listed = ", ".join(map(_part, shown.parts)) + (
        f" and {shown.more:,} more" if shown.more else ""
    )
    if shown.alone:
        return f"<b>Because</b> of {listed}: nothing else differs."
    return f"<b>Changed here:</b> {listed}."


def _part(part: ChangedPart) -> str:
    place = place_of(part)
    words = code(part.words, _WORDS) if part.words else ""
    if not place:
        return words
    return " ".join(filter(None, (linked(code(place, _PATH), part.url), words)))
