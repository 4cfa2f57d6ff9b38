"""The tables of the page that are folded: what the verdict rests on, and what is worth knowing."""

from collections.abc import Iterable, Sequence

from ragate.models import DataChanges, PassGroup, Report
from ragate.renderers._numbers import COMMENT
from ragate.support.escape import one_line

MOST_LISTED = 50
SENTENCE = 600


def folded_lists(report: Report) -> dict[str, list[list[str]]]:
    """Return the tables that are folded, by title: those without a row are left out."""
    tables = {**_on_the_decision(report), **_on_the_data(report.data)}
    return {title: bounded_cells(rows) for title, rows in tables.items()}


def _on_the_decision(report: Report) -> dict[str, Iterable[Sequence[str]]]:
    decision = report.decision
    return {
        "What the pattern suggests": (
            (row.symptom, row.likely_cause, row.action) for row in report.diagnosis
        ),
        "What the verdict rests on": ((line,) for line in decision.lines),
        "Pass rate by stage, tag and field": map(_pass_group, report.pass_groups),
        "System and judge": [
            *([("judge", report.judge)] if report.judge else []),
            *sorted(report.settings.items()),
        ],
        "Warnings": ((line,) for line in decision.warnings),
        "Must-pass questions": (
            (r.sample_id, r.metric, "met" if r.met else f"{r.failed} of {r.tries} tries failed")
            for r in decision.must_pass
        ),
        "Accepted at this commit": ((row.metric, row.by, row.reason) for row in decision.accepted),
        "Waived: shown, not counted": (
            (row.sample_id, row.metric, f"{row.owner}: {row.reason}", f"until {row.until}")
            for row in decision.waivers
        ),
        "By this change's own rules": _by_own_rules(report),
        "Unscored": (
            (row.metric, f"{count:,}", why)
            for row in decision.metrics
            for why, count in row.unscored_reasons.items()
        ),
    }


def _pass_group(group: PassGroup) -> tuple[str, ...]:
    share = group.share
    before, after = (COMMENT.value("fraction", s) for s in (share.baseline, share.candidate))
    words = [f"{group.metric} at {share.mark:g}", "required" if group.required else ""]
    of_stage = ", ".join(filter(None, words)) if group.metric else ""
    return group.kind, group.name, f"{before} → {after}", f"n = {share.n:,}", of_stage


def _by_own_rules(report: Report) -> list[tuple[str, str]]:
    proposed = report.proposed
    if proposed is None:
        return []
    verdict = proposed.verdict.value.replace("_", " ") if proposed.verdict is not None else ""
    rows = [("verdict", verdict), *(("differs", each) for each in proposed.differs)]
    rows += [("reason", each) for each in (*proposed.reasons, proposed.note)]
    return [row for row in rows if row[1]]


def _on_the_data(data: DataChanges) -> dict[str, Iterable[Sequence[str]]]:
    return {
        "Removed from the golden set": (
            (row.sample_id, ", ".join(f"{m} {v:.3f}" for m, v in row.means.items()))
            for row in data.gone
        ),
        "Renamed in the golden set": data.renamed.items(),
        "Added or edited": ((key,) for key in dict.fromkeys((*data.added, *data.edited))),
        "Expected, but not in the corpus": (
            (key, ", ".join(docs)) for key, docs in data.missing_documents.items()
        ),
        "References that may be stale": (
            (key, ", ".join(docs)) for key, docs in data.stale_evidence.items()
        ),
        "Added or edited here, and covered by no golden question": (
            (doc_id,) for doc_id in data.unasked_documents
        ),
    }


def bounded_cells(rows: Iterable[Sequence[str]]) -> list[list[str]]:
    """Return the cells on one line each; beyond `MOST_LISTED` rows one says how many there are."""
    cells = [[one_line(cell, SENTENCE) for cell in row] for row in rows]
    more = len(cells) - MOST_LISTED
    return [*cells[:MOST_LISTED], [f"… and {more:,} more"]] if more > 0 else cells
