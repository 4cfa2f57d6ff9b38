"""The upper half of the page: the verdict, why, the metrics, and what else must be known."""

from collections.abc import Iterable, Sequence
from typing import Any

from ragate.models import DataChanges, MetricRow, PassGroup, Report
from ragate.renderers._headline import TELLS_WHY, ReportSign, headline, status_of
from ragate.renderers._next_steps import compared, compared_runs, next_words
from ragate.renderers._numbers import COMMENT, NOTHING, duration, lacking
from ragate.renderers._samples import equal_scores, happened, sections, worse_count, worst_first
from ragate.renderers._story import place_of, shown_origin, story_words
from ragate.renderers._tables import plain_address
from ragate.renderers._whose_rules import checked_note, checkout_note, golden_set_note
from ragate.renderers._words import (
    ForeignText,
    in_one_line,
    label,
    ordered,
    passes,
    shown_rows,
    tone,
    verdict_text,
    visible_from,
)
from ragate.support.escape import one_line

MOST_ORIGINS = 5
_WORDS = {
    ReportSign.BETTER: "Passed",
    ReportSign.HELD: "Passed",
    ReportSign.UNCHANGED: "Passed",
    ReportSign.LOOK: "Passed, look",
    ReportSign.RED: "Failed",
    ReportSign.NO_DECISION: "No decision",
    ReportSign.BOOTSTRAP: "First run",
}


def verdict_view(report: Report) -> dict[str, Any]:
    """Return what the page's template shows of the report, texts as they are: it escapes them."""
    status, step = status_of(report), next_words(report, COMMENT)
    return {
        "gate": one_line(report.gate, 120),
        "sign": status.value.replace(" ", "-"),
        "word": _WORDS[status],
        "headline": one_line(_head(report), 1000),
        "verdict": report.decision.verdict.words,
        "rules": _rules(report),
        "origin": _origin(report),
        "tiles": _tiles(report),
        "reasons": _sentences(report.decision.reasons) if status in TELLS_WHY else [],
        "next": [(isinstance(word, ForeignText), word) for word in step],
        "first": _first_three(report),
        "remedies": _sentences(each for each in report.decision.remedies if each not in step),
        "metrics": [_metric(row) for row in shown_rows(report.decision)],
        "slices": [_metric(row) for row in ordered(report.decision.slices)],
        "lists": [(title, rows) for title, rows in folded_lists(report).items() if rows],
        "footer": _footer(report),
    }


def _first_three(report: Report) -> list[tuple[int, str, str, str]]:
    """Return place, id, question and what happened of the three to look at first."""
    places = {row.sample_id: place for place, row in enumerate(report.samples)}
    worse = [row for row in report.samples if row.got_worse]
    return [
        (
            places[row.sample_id],
            one_line(row.sample_id, 80),
            one_line(row.query, 140),
            in_one_line(happened(row, COMMENT), 70),
        )
        for row in worst_first(report, worse)[:3]
    ]


def _rules(report: Report) -> str:
    checked = one_line("".join(checked_note(report)), 300)
    told = (checkout_note(report), golden_set_note(report), f"{checked}." if checked else "")
    return " ".join(filter(None, told))


def _head(report: Report) -> str:
    """Return line 1 without the gate, which stands above it, each name cut to a sensible length."""
    return in_one_line(headline(report, COMMENT)[1:], 200).lstrip(" :,")


def _origin(report: Report) -> dict[str, Any]:
    """Return what of the system is not as it was: place, address and words of each part."""
    origin = shown_origin(report.origin, MOST_ORIGINS)
    parts = [
        (one_line(place_of(part), 120), plain_address(part.url), one_line(part.words, 120))
        for part in origin.parts
    ]
    lead = "Because of" if origin.alone else "Changed here:"
    story = one_line("".join(story_words(report, COMMENT)), 400)
    return {"lead": lead, "parts": parts, "more": origin.more, "story": story}


def _tiles(report: Report) -> list[tuple[str, str]]:
    """Return the figures that are read first, each with its name."""
    groups = sections(report.samples)
    facts, equal = report.facts, equal_scores(report.samples)
    tiles = [
        ("questions", f"{facts.samples:,}"),
        ("worse", f"{worse_count(report):,}"),
        ("better", f"{len(groups.get('better', [])):,}"),
        ("other words, equal scores", f"{equal:,}"),
    ]
    tiles += [("affected", f"{facts.affected:,}")] if facts.affected is not None else []
    tiles += [(name, f"{count:,}") for name, count in lacking(facts).items()]
    tiles.append(("model calls", f"{facts.model_calls:,}"))
    tiles += [("cost", f"${facts.cost_usd:,.2f}")] if facts.cost_usd is not None else []
    tiles += [("time", duration(facts.duration_s))] if facts.duration_s is not None else []
    return tiles


def _metric(row: MetricRow) -> dict[str, Any]:
    unit = row.unit
    interval = "exact" if row.exact and row.change is not None else NOTHING
    if row.interval is not None:
        interval = " … ".join(COMMENT.change(unit, end) for end in row.interval)
    return {
        "name": one_line("".join(label(row, COMMENT)), 120),
        "passes": passes(row, COMMENT),
        "before": COMMENT.value(unit, row.baseline),
        "now": COMMENT.value(unit, row.candidate),
        "change": COMMENT.change(unit, row.change),
        "allowed": COMMENT.allowed(unit, row.allowed),
        "visible": NOTHING if (least := visible_from(row)) is None else COMMENT.size(unit, least),
        "interval": interval,
        "n": f"{row.n:,}",
        "moved": f"{row.worse:,} / {row.better:,}" if row.worse or row.better else NOTHING,
        "verdict": verdict_text(row, COMMENT),
        "tone": tone(row),
    }


def _sentences(lines: Iterable[str]) -> list[str]:
    return [row[0] for row in bounded_cells([line] for line in lines)]


def _footer(report: Report) -> list[str]:
    parts = [
        compared(report),
        compared_runs(report.decision),
        f"baseline of {report.baseline_recorded[:10]}" if report.baseline_recorded else "",
        f"run {report.run_id}" if report.run_id else "",
        report.created[:16].replace("T", " "),
        report.dataset,
        f"ragate {report.ragate_version}" if report.ragate_version else "",
    ]
    return [one_line(part, 120) for part in parts if part]


# What the page folds: how it was decided, and what else differs.

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
    verdict = proposed.verdict.words if proposed.verdict is not None else ""
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
