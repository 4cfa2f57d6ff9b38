"""Annotations on the changed lines that may explain what got worse, and on no other line."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragate.core.publishable import published_line
from ragate.github.publish.changed_sources import (
    Sources,
    changed_keys,
    document_paths,
    first_changed,
)
from ragate.github.publish.workflow_commands import Level
from ragate.models import Report, SampleRow, Verdict
from ragate.renderers._numbers import counted
from ragate.support.escape import one_line

MOST = 10
MOST_IDS = 3
_LONGEST = 120


@dataclass(frozen=True)
class Annotation:
    """A remark on a changed line that explains a flip."""

    path: str
    line: int
    title: str
    message: str
    level: Level = "warning"


def annotations_for(
    report: Report, changed: Sequence[str], sources: Sources
) -> tuple[Annotation, ...]:
    """Return the remarks on changed lines; none where no question got worse."""
    worse = [row for row in report.samples if row.change in {"worse", "failed", "mixed"}]
    if not worse:
        return ()
    failed = report.decision.verdict is Verdict.FAILED
    title = f"{report.gate}: may explain the change"
    ids = _listed([row.sample_id for row in worse])
    fallen = [one_line(row.key, _LONGEST) for row in report.decision.slices if row.blocks]
    on_slices = f" (slices that fell: {', '.join(fallen[:MOST_IDS])})" if fallen else ""
    why = f"{counted(len(worse), 'question')} got worse{on_slices}: {ids}"
    remarks = [
        *_keys(report, changed, sources, why),
        *_named(changed, sources, why),
        *_documents(changed, sources, worse),
    ]
    return tuple(
        Annotation(path, line, title, message, "error" if failed else "warning")
        for path, line, message in remarks[:MOST]
    )


def _listed(ids: Sequence[str]) -> str:
    unlisted = f" and {len(ids) - MOST_IDS} more" if len(ids) > MOST_IDS else ""
    return ", ".join(one_line(key, 40) for key in ids[:MOST_IDS]) + unlisted


def _keys(
    report: Report, changed: Sequence[str], sources: Sources, why: str
) -> Iterator[tuple[str, int, str]]:
    for line, text in changed_keys(changed, sources):
        shown = text if report.publish == "full" else published_line(text)
        yield sources.config, line, f"{shown}; {why}"


def _named(changed: Sequence[str], sources: Sources, why: str) -> Iterator[tuple[str, int, str]]:
    for path in changed:
        if path in sources.named:
            yield path, first_changed(sources, path), f"[system] reads this file; {why}"


def _documents(
    changed: Sequence[str], sources: Sources, worse: Sequence[SampleRow]
) -> Iterator[tuple[str, int, str]]:
    """Yield changed documents that left the results, displaced others or came back otherwise.

    Those of most questions come first.
    """
    affected: dict[tuple[str, str], list[str]] = {}
    for row in worse:
        cause = row.cause
        for effect, docs in (
            ("left the results in", cause.lost if cause else ()),
            ("took the place of an expected document in", cause.displaced_by if cause else ()),
            ("came back with other text in", cause.edited if cause else ()),
        ):
            for path in document_paths(docs, changed, sources.corpus):
                affected.setdefault((path, effect), []).append(row.sample_id)
    for (path, effect), ids in sorted(affected.items(), key=lambda item: -len(item[1])):
        remark = f"{effect} {counted(len(ids), 'question')}: {_listed(ids)}"
        yield path, first_changed(sources, path), remark
