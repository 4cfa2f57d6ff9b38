"""The sentences of the comment that stand beside its tables, as safe HTML."""

from __future__ import annotations

import re
import shlex
from html import escape

from ragate.core.rules.wording import odds
from ragate.models import MetricRow, MetricVerdict, Report, SampleRow
from ragate.renderers._earlier import earlier_note
from ragate.renderers._headline import TELLS_WHY, Status, status_of
from ragate.renderers._numbers import COMMENT, counted, duration, spending
from ragate.renderers._proposed import floors_note, proposed_note
from ragate.renderers._tables import (
    MOST_REASONS,
    SENTENCE,
    acceptance,
    documents,
    listing,
    means,
)
from ragate.renderers._words import ordered
from ragate.support.escape import code, name, one_line, short_sha

_ID = re.compile(r"[^\s,\x00-\x1f]{1,80}")


def figures(report: Report) -> str:
    """Return the line of counts, cost and time; what is zero is left out, except the calls."""
    facts = report.facts
    parts = [counted(facts.samples, "question")]
    if facts.affected is not None and facts.reused is not None:
        parts.append(f"{facts.affected:,} affected, {facts.reused:,} reused")
    parts += spending(facts)
    if facts.duration_s is not None:
        parts.append(duration(facts.duration_s))
    counts = {"failed": facts.errors, "unscored": facts.unscored, "unjudged": facts.unjudged}
    parts += [f"{count:,} {word}" for word, count in counts.items() if count]
    return " · ".join(parts)


def notes(report: Report) -> list[str]:
    """Return what must be known beside the figures, one sentence each."""
    found = [_evidence(report), earlier_note(report), _accepted(report), _scope(report)]
    found += [_must_pass(report)]
    found += [*_reasons(report), proposed_note(report), floors_note(report)]
    return [note for note in [*found, _data(report), _missing(report), _likely(report)] if note]


def _evidence(report: Report) -> str:
    rows = ordered(report.decision.metrics)
    status = status_of(report)
    runs = counted(report.decision.runs_candidate, "run")
    if status is Status.RED:
        lost = [row for row in rows if row.blocks and row.verdict is MetricVerdict.REGRESSED]
        chances = [p for row in lost if not row.exact and (p := _chance(report, row)) is not None]
        if chances:
            start = f"Confirmed in {runs}; an" if report.decision.confirmed else "An"
            return f"<b>{start} unchanged system looks like this {odds(min(chances))}.</b>"
        if lost:
            return "<b>Measured without noise: an unchanged system would not move at all.</b>"
    if status is Status.LOOK:
        moved = [r for r in rows if r.verdict is MetricVerdict.CANNOT_TELL and r.p and r.change]
        for row in moved[:1]:
            words = f" moved {COMMENT.points(row.unit, row.change)} in {runs}; an unchanged system"
            return f"{name(row.metric)}{words} does that {odds(row.p or 1.0)}."
    return ""


def _chance(report: Report, row: MetricRow) -> float | None:
    """Return how often an unchanged system is as bad: over the passes that made the metric red."""
    earlier = report.decision.earlier
    if earlier is not None and earlier.use == "confirm":
        pooled = {each.metric: each.p for each in earlier.metrics if each.p is not None}
        return pooled.get(row.metric, row.p)
    return row.p


def _scope(report: Report) -> str:
    found = []
    if report.partial and (report.filters.narrows or not report.filters.skip):
        shown = _filters(report)
        found.append(
            f"Only part of the golden set was run{shown}: this says nothing about the rest."
        )
    if report.filters.skip:
        told = listing(name(metric) for metric in report.filters.skip)
        found.append(f"Left out on demand: {told}. This says nothing about what they measure.")
    if report.retrieval_only:
        found.append("Retrieval only: no answer was asked for.")
    return " ".join(found)


def _filters(report: Report) -> str:
    filters = report.filters
    parts = []
    if filters.tags:
        parts.append("tags " + listing([name(tag) for tag in filters.tags]))
    if filters.ids:
        parts.append(counted(len(filters.ids), "id"))
    parts += [f"where {code(condition, 80)}" for condition in filters.where]
    if filters.limit is not None:
        parts.append(f"the first {filters.limit:,}")
    parts += [f"profile {name(filters.profile)}"] if filters.profile else []
    return f" ({', '.join(parts)})" if parts else ""


def _must_pass(report: Report) -> str:
    failing = [row for row in report.decision.must_pass if not row.met]
    told = [
        f"{name(row.sample_id)} fails {name(row.metric)} in {row.failed} of "
        f"{counted(row.tries, 'try', 'tries')} (pass mark {row.pass_at:g})"
        for row in failing
    ]
    return f"<b>Must pass:</b> {listing(told)}." if told else ""


def _accepted(report: Report) -> str:
    told = listing(acceptance(row) for row in report.decision.accepted)
    return f"<b>Accepted at this commit only:</b> {told}." if told else ""


def _reasons(report: Report) -> list[str]:
    """Return the reasons where the table does not tell them."""
    if status_of(report) not in TELLS_WHY:
        return []
    told = [
        f"<b>Why:</b> {code(reason, SENTENCE)}" for reason in report.decision.reasons[:MOST_REASONS]
    ]
    more = len(report.decision.reasons) - MOST_REASONS
    return [*told, f"… and {more} more reasons below"] if more > 0 else told


def _data(report: Report) -> str:
    data = report.data
    counts = {"added": len(data.added), "edited": len(data.edited), "removed": len(data.removed)}
    parts = [f"{count:,} {word}" for word, count in counts.items() if count]
    if not parts:
        return ""
    gone = listing([f"{name(row.sample_id)} {means(row.means)}" for row in data.removed])
    return f"<b>Golden set:</b> {', '.join(parts)}{': ' + gone if gone else ''}."


def _missing(report: Report) -> str:
    missing = report.data.missing_documents.items()
    told = listing(f"{name(key)} expects {documents(docs)}" for key, docs in missing)
    return f"<b>Not in the corpus, so counted as misses:</b> {told}." if told else ""


def _likely(report: Report) -> str:
    if status_of(report) is not Status.RED or not report.diagnosis:
        return ""
    first = report.diagnosis[0]
    return f"<b>Likely:</b> {code(first.likely_cause, SENTENCE)} → {code(first.action, SENTENCE)}"


def commands(report: Report, worse: list[SampleRow]) -> list[str]:
    """Return what to type next, ready to paste: reproduce the worst, then the remedies."""
    command = reproduce(report, worse)
    lines = [f"<b>Reproduce:</b> {code(command, SENTENCE)}"] if command else []
    remedies = report.decision.remedies
    if not remedies and status_of(report) in (Status.BETTER, Status.HELD, Status.UNCHANGED):
        lines.insert(0, "Nothing to do.")
    lines += [acceptable(report)] if acceptable(report) else []
    return [*lines, *(f"<b>Next:</b> {code(r, SENTENCE)}" for r in remedies[:MOST_REASONS])]


def acceptable(report: Report) -> str:
    """Return how a maintainer accepts the drop, "" where nothing can be accepted."""
    blocking = [row.metric for row in ordered(report.decision.metrics) if row.blocks]
    head = short_sha(report.head)
    if report.pull is None or not head or not blocking:
        return ""
    command = f'/ragate accept {head} {" ".join(blocking)} "reason"'
    return f"<b>Accept:</b> a maintainer writes {code(command, SENTENCE)}; at this commit only."


def reproduce(report: Report, worse: list[SampleRow]) -> str:
    """Return the command that runs the worst samples again; "" where no id can be typed."""
    ids = [row.sample_id for row in worse if _typeable(row.sample_id)][:MOST_REASONS]
    if not ids:
        return ""
    option = " --retrieval-only" if report.retrieval_only else ""
    return f"ragate check --ids {shlex.quote(','.join(ids))}{option}"


def _typeable(sample_id: str) -> bool:
    """Ids are a pull request's text: one that the filter would change is left out of a command."""
    return bool(_ID.fullmatch(sample_id)) and one_line(sample_id, 80) == sample_id


def footer(report: Report) -> str:
    """Return what was compared with what: commits, files, runs, version, link."""
    head, base = short_sha(report.head), short_sha(report.base)
    compared = f"{head} against {base}" if head and base else head
    parts = [compared, _runs(report)]
    parts.append(code(report.dataset, 80) if report.dataset else "")
    waived = len(report.decision.waivers)
    parts.append(f"{waived:,} waived" if waived else "")
    parts.append(proof(report))
    parts.append(f"ragate {code(report.ragate_version, 20)}" if report.ragate_version else "")
    if re.fullmatch(r"https://[^\s\"'<>`]{1,500}", report.report_url):
        parts.append(f'<a href="{escape(report.report_url)}">report</a>')
    return " · ".join(part for part in parts if part)


def proof(report: Report) -> str:
    """Return when the gate last proved that it can fail, "" where it never did."""
    drill = report.drill
    if drill is None or not re.fullmatch(r"\d{4}-\d{2}-\d{2}", drill.date):
        return ""
    return f"last drill {drill.date}: {drill.caught} of {drill.planted} planted breaks caught"


def _runs(report: Report) -> str:
    decision = report.decision
    text = counted(decision.runs_candidate, "run")
    if decision.runs_baseline:
        text += f" against {counted(decision.runs_baseline, 'baseline run')}"
    if re.match(r"\d{4}-\d{2}-\d{2}", report.baseline_recorded):
        text += f" of {report.baseline_recorded[:10]}"
    return text
