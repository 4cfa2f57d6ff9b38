"""SARIF 2.1.0: what code scanning and editors show at the line that a finding belongs to.

One result a metric, slice, must-pass sample and worse sample that asks for a look: *error* where it
blocks, *warning* where it should be looked at, *note* for a sample alone. No decision is no result:
the run says of itself that it did not succeed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from ragate.core.hashing import digest
from ragate.models import (
    MetricRow,
    MetricVerdict,
    MustPassRow,
    Report,
    SampleRow,
    SliceRow,
    SourceLines,
    Verdict,
)
from ragate.renderers._headline import headline
from ragate.renderers._next_steps import CONFIG_NAME
from ragate.renderers._numbers import TERMINAL, counted
from ragate.renderers._samples import happened, sections
from ragate.renderers._whose_rules import checkout_note
from ragate.renderers._words import (
    QUIET,
    ForeignText,
    Words,
    in_one_line,
    ordered,
    verdict_text,
    wants_a_look,
)
from ragate.renderers.json import written
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


# The findings, one result each.


MOST_SAMPLES = 100
MOST_MUST_PASS = 100
_LONG = 1000
_TEXT = 200
_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_LIMIT, _MUST_PASS, _SAMPLE = "beyond-limit", "must-pass", "sample-worse"
_METRIC_RULES = {
    MetricVerdict.REGRESSED: "regressed",
    MetricVerdict.WORSE_HERE: "worse-on-this-set",
    MetricVerdict.CANNOT_TELL: "cannot-tell",
    MetricVerdict.NOT_MEASURED: "not-measured",
    MetricVerdict.NOT_COMPARABLE: "not-compared",
}
_RULES = {
    "regressed": "A metric dropped by more than the policy allows.",
    _LIMIT: "A metric does not keep its minimum or maximum.",
    "worse-on-this-set": "A metric is worse on these samples; fresh ones may not be.",
    "cannot-tell": "Neither a drop of a metric nor its absence is shown.",
    "not-measured": "Too little of a metric was scored to say anything.",
    "not-compared": "A metric's baseline was measured in another way.",
    _MUST_PASS: "A must-pass sample fails.",
    _SAMPLE: "A sample got worse.",
}
_Json = dict[str, Any]


def render(report: Report) -> str:
    """Return the report as SARIF, the same bytes for the same report."""
    places = Places(report)
    rules = [{"id": key, "shortDescription": {"text": text}} for key, text in _RULES.items()]
    driver: _Json = {"name": "ragate", "rules": rules}
    if report.ragate_version:
        driver["version"] = one_line(report.ragate_version, _TEXT)
    run: _Json = {
        "tool": {"driver": driver},
        "automationDetails": {"id": f"ragate/{one_line(report.gate, _TEXT).replace('/', '-')}/"},
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(report)],
        "results": [*_metrics(report, places), *_samples(report, places)],
    }
    return written({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _invocation(report: Report) -> _Json:
    decided = report.decision.verdict is not Verdict.NO_DECISION
    whys = report.decision.reasons or ("no decision",)
    told = [] if decided else [_notification(reason, "error") for reason in whys]
    told.append(_notification(in_one_line(headline(report, TERMINAL), _TEXT), "note"))
    told += [_notification(text, "note") for text in (_left_out(report), checkout_note(report))]
    return {
        "executionSuccessful": decided,
        "exitCode": report.decision.exit_code,
        "toolExecutionNotifications": [each for each in told if each["message"]["text"]],
    }


def _left_out(report: Report) -> str:
    """Return how many samples have no result of their own, "" where all have."""
    must_pass = max(0, len(_failing(report)) - MOST_MUST_PASS)
    worse = max(0, len(_worse(report)) - MOST_SAMPLES)
    clauses = [f"{counted(must_pass, 'more must-pass sample')} failed"] if must_pass else []
    clauses += [f"{counted(worse, 'more sample')} got worse"] if worse else []
    if report.left_out:
        clauses.append(f"{counted(report.left_out, 'changed sample')} beyond those of the report")
    return f"not listed: {'; '.join(clauses)}" if clauses else ""


def _notification(text: str, level: str) -> _Json:
    return {"level": level, "message": {"text": plain_text(text, _LONG)}}


def _metrics(report: Report, places: Places) -> Iterator[_Json]:
    for row in (*ordered(report.decision.metrics), *ordered(report.decision.slices)):
        if row.blocks or wants_a_look(row):
            rule = _LIMIT if row.verdict in QUIET else _METRIC_RULES[row.verdict]
            blamed = [_metric_text(row), *places.changes]
            where = (*places.changed, places.rule(row))
            level = "error" if row.blocks else "warning"
            yield _result(report, rule, level, row.key, ". ".join(blamed), where)


def _metric_text(row: MetricRow) -> str:
    figures = [
        f"before {TERMINAL.value(row.unit, row.baseline)}",
        f"now {TERMINAL.value(row.unit, row.candidate)}",
        f"change {TERMINAL.change(row.unit, row.change)}",
        f"allowed {TERMINAL.allowed(row.unit, row.allowed)}",
    ]
    reason = f"; {row.reason}" if row.reason else ""
    return f"{row.key}: {verdict_text(row, TERMINAL)}{reason} ({', '.join(figures)})"


def _samples(report: Report, places: Places) -> Iterator[_Json]:
    rows = {row.sample_id: row for row in report.samples}
    for failing in _failing(report)[:MOST_MUST_PASS]:
        text = _must_pass_text(failing, rows.get(failing.sample_id))
        where = (places.sample(failing.sample_id), *places.changed)
        level = "error" if failing.is_red else "warning"
        key = f"{failing.sample_id}:{failing.metric}"
        yield _result(report, _MUST_PASS, level, key, text, where)
    for row in _worse(report)[:MOST_SAMPLES]:
        text = f"{row.sample_id}: {in_one_line(happened(row, TERMINAL), _TEXT)}"
        where = (places.sample(row.sample_id), *places.changed)
        yield _result(report, _SAMPLE, "note", row.sample_id, text, where)


def _failing(report: Report) -> list[MustPassRow]:
    rows = [row for row in report.decision.must_pass if not row.met]
    return sorted(rows, key=lambda row: not row.is_red)


def _worse(report: Report) -> list[SampleRow]:
    """Return the samples that got worse and are not told as must-pass samples already."""
    told = {row.sample_id for row in _failing(report)}
    worse = sections(report.samples).get("worse", [])
    return [row for row in worse if row.sample_id not in told]


def _must_pass_text(failing: MustPassRow, row: SampleRow | None) -> str:
    text = (
        f"must-pass {failing.sample_id} fails {failing.metric} in {failing.failed} of "
        f"{failing.tries} tries, pass mark {failing.pass_at:g}"
    )
    return text if row is None else f"{text}; {in_one_line(happened(row, TERMINAL), _TEXT)}"


def _result(
    report: Report, rule: str, level: str, key: str, text: str, where: tuple[Place, ...]
) -> _Json:
    """Return one result; its fingerprint holds from run to run, whatever the figures are."""
    place, *related = where
    result: _Json = {
        "ruleId": rule,
        "level": level,
        "message": {"text": plain_text(f"{report.gate}: {text}", _LONG)},
        "locations": [place.location()],
        # The name that code scanning reads; its own would be one for all findings of a line.
        "partialFingerprints": {"primaryLocationLineHash": digest([report.gate, rule, key])},
    }
    if related:
        result["relatedLocations"] = [each.location() for each in related]
    return result
