"""The folded part of the comment: how it was decided, and all figures."""

from collections.abc import Iterable
from functools import partial

from ragate.models import Diagnosis, MetricRow, MustPassRow, PassGroup, Report, WaiverRow
from ragate.renderers._numbers import COMMENT
from ragate.renderers._status import TELLS_WHY, status_of
from ragate.renderers._tables import (
    MOST_REASONS,
    MOST_ROWS,
    SENTENCE,
    Section,
    documents,
    listing,
    means,
    metric_cells,
)
from ragate.renderers._words import ordered, shown_rows, visible_from
from ragate.support.escape import code, name

_HEAD = ("metric", "before → now", "verdict")
_cells = partial(metric_cells, full=True)


def details(report: Report) -> list[Section]:
    """Return the folded sections on the decision and the data, each of bounded length."""
    decision, data = report.decision, report.data
    rows = shown_rows(decision)
    slices = ordered(decision.slices)
    changed = dict.fromkeys((*data.added, *data.edited))
    missing = data.missing_documents.items()
    tables: list[tuple[str, Iterable[list[str]]]] = [
        ("All metrics", map(_cells, rows)),
        ("What the verdict rests on", map(_sentence, decision.lines)),
        ("Slices", map(_cells, slices)),
        ("Pass rate by stage, tag and field", map(_pass_group, report.pass_groups)),
        ("System and judge", _set_up(report)),
        ("Each metric", map(_metric_detail, [*ordered(decision.metrics), *slices])),
        ("Reasons", map(_sentence, _folded_reasons(report))),
        ("Warnings", map(_sentence, decision.warnings)),
        ("What the pattern suggests", map(_diagnosis, report.diagnosis)),
        ("Must-pass questions", map(_must_pass, decision.must_pass)),
        ("Waived: shown, not counted", map(_waiver, decision.waivers)),
        (
            "Removed from the golden set",
            ([name(r.sample_id), means(r.means)] for r in data.gone),
        ),
        ("Added or edited", ([name(sample_id)] for sample_id in changed)),
        (
            "Expected, but not in the corpus",
            ([name(key), documents(docs)] for key, docs in missing),
        ),
    ]
    sections = [_section(title, list(cells)) for title, cells in tables if cells]
    return [section for section in sections if section.rows]


def _folded_reasons(report: Report) -> tuple[str, ...]:
    """Return the reasons, unless the notes above the fold tell all of them already."""
    reasons = report.decision.reasons
    return () if status_of(report) in TELLS_WHY and len(reasons) <= MOST_REASONS else reasons


def _section(title: str, rows: list[list[str]]) -> Section:
    head = _HEAD if title in ("All metrics", "Slices") else ()
    return Section(title, rows[:MOST_ROWS], max(0, len(rows) - MOST_ROWS), head)


def _sentence(text: str) -> list[str]:
    return [code(text, SENTENCE)]


def _metric_detail(row: MetricRow) -> list[str]:
    facts = [f"n = {row.n:,}"]
    facts += [f"p = {row.p:.2g}"] if row.p is not None else []
    facts += [f"other claim p = {row.p_other:.2g}"] if row.p_other is not None else []
    least = visible_from(row)
    facts += [f"shows drops from {COMMENT.size(row.unit, least)}"] if least is not None else []
    facts += [f"{row.better:,} better, {row.worse:,} worse"] if row.better or row.worse else []
    facts += [f"{row.not_applicable:,} not applicable"] if row.not_applicable else []
    reasons = [f"{count:,} x {code(why, 60)}" for why, count in row.unscored_reasons.items()]
    facts += [f"unscored: {listing(reasons)}"] if reasons else []
    return [name(row.key), ", ".join(facts), code(row.reason, SENTENCE) if row.reason else ""]


def _diagnosis(row: Diagnosis) -> list[str]:
    return [code(text, SENTENCE) for text in (row.symptom, row.likely_cause, row.action)]


def _set_up(report: Report) -> list[list[str]]:
    rows = [[name(key), code(value, 80)] for key, value in sorted(report.settings.items())]
    judge = [["judge", code(report.judge, 80)]] if report.judge else []
    return [*judge, *rows]


def _pass_group(group: PassGroup) -> list[str]:
    share = group.share
    before, after = (COMMENT.value("fraction", s) for s in (share.baseline, share.candidate))
    facts = [f"n = {share.n:,}"]
    if group.metric:
        facts += [f"{name(group.metric)} at {share.mark:g}", f"weight {group.weight or 0:g}"]
        facts += ["required"] if group.required else []
    return [code(group.kind, 40), name(group.name), f"{before} → {after}", ", ".join(facts)]


def _must_pass(row: MustPassRow) -> list[str]:
    outcome = "met" if row.met else f"{row.failed:,} of {row.tries:,} tries failed"
    before = "passed every baseline run" if row.eligible else "did not pass every baseline run"
    if row.false_red is not None:
        before += f", fails by chance in {COMMENT.value('fraction', row.false_red)} of runs"
    return [name(row.sample_id), name(row.metric), outcome, before]


def _waiver(row: WaiverRow) -> list[str]:
    why = code(f"{row.owner}: {row.reason}", SENTENCE)
    return [name(row.sample_id), name(row.metric), why, f"until {code(row.until, 20)}"]
