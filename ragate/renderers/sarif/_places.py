"""Places of findings in the project's files, as SARIF writes them."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from ragate.models import MetricRow, Report, SliceRow, SourceLines
from ragate.renderers._next_steps import CONFIG_NAME
from ragate.support.escape import one_line

MOST_CHANGES = 3
_WORDS = 120


@dataclass(frozen=True)
class Place:
    """A file, from the repository's top, and a line in it where that is known."""

    path: str
    line: int | None = None
    words: str = ""

    def location(self) -> dict[str, Any]:
        """Return it as a SARIF location, its path percent-encoded."""
        uri = quote(self.path, safe="/", errors="replace")
        physical: dict[str, Any] = {"artifactLocation": {"uri": uri, "uriBaseId": "%SRCROOT%"}}
        if self.line is not None:
            physical["region"] = {"startLine": self.line}
        shown = {"message": {"text": self.words}} if self.words else {}
        return {"physicalLocation": physical, **shown}


class Places:
    """The places of one report's findings.

    Attributes:
        changed: What of the system is not as it was, where a file tells it.
        changes: The same as a sentence, empty where nothing is known.
    """

    def __init__(self, report: Report) -> None:
        self._lines = report.lines or SourceLines(report.links.config or CONFIG_NAME)
        in_files = [part for part in report.origin.parts if part.path]
        parts = (in_files or self._lines.changed)[:MOST_CHANGES]
        self.changed = [Place(part.path, part.line, plain_text(part.words)) for part in parts]
        words = [plain_text(part.words or part.path) for part in parts or report.origin.parts]
        self.changes = [f"Changed here: {'; '.join(words[:MOST_CHANGES])}"] if words else []

    def rule(self, row: MetricRow) -> Place:
        """Return the table of the configuration that a metric or slice is held to."""
        known = self._lines
        line = known.slices.get(row.slice) if isinstance(row, SliceRow) else None
        return Place(known.config, line or known.metrics.get(row.rated or row.metric))

    def sample(self, sample_id: str) -> Place:
        """Return a sample's line in the golden set; the configuration where that is not known."""
        found = self._lines.samples.get(sample_id)
        return Place(*found) if found else Place(self._lines.config)


def plain_text(text: str, most: int = _WORDS) -> str:
    """Return one line in which foreign text forms no link: SARIF's plain text has ``[a](b)``."""
    return one_line(text, most).replace("](", "] (")
