"""The sentences of the comment that stand beside its tables, as safe HTML."""

from collections.abc import Collection

from ragate.models import Report
from ragate.renderers._earlier import earlier_note
from ragate.renderers._links import linked, sample_link
from ragate.renderers._next_steps import next_words
from ragate.renderers._numbers import COMMENT, counted, duration, spending
from ragate.renderers._status import TELLS_WHY, ReportSign, status_of
from ragate.renderers._tables import (
    MOST_REASONS,
    SENTENCE,
    acceptance,
    as_html,
    documents,
    listing,
    means,
)
from ragate.renderers._whose_rules import floors_note, proposed_note
from ragate.renderers.markdown.odds_line import odds_line
from ragate.renderers.markdown.one_error import one_error_line
from ragate.renderers.markdown.origin import origin_line
from ragate.support.escape import code, name


def figures(report: Report) -> str:
    """Return the line of counts, cost and time; what is zero is left out, except the calls."""
    facts = report.facts
    words = [counted(facts.samples, "question")]
    if facts.affected is not None and facts.reused is not None:
        words.append(f"{facts.affected:,} affected, {facts.reused:,} reused")
    words += spending(facts)
    if facts.duration_s is not None:
        words.append(duration(facts.duration_s))
    counts = {"failed": facts.errors, "unscored": facts.unscored, "unjudged": facts.unjudged}
    words += [f"{count:,} {word}" for word, count in counts.items() if count]
    return " · ".join(words)


def notes(report: Report, shown: Collection[str]) -> list[str]:
    """Return what must be known beside the figures, one sentence each.

    Args:
        shown: Samples of the table above the fold.
    """
    sentences = (
        origin_line(report),
        one_error_line(report),
        odds_line(report),
        _collected(report),
        earlier_note(report),
        _accepted(report),
        _scope(report),
        _must_pass(report, shown),
        *_reasons(report),
        proposed_note(report),
        floors_note(report),
        _data(report),
        _missing(report),
        _unasked(report),
        _likely(report),
        _next(report),
    )
    return [sentence for sentence in sentences if sentence]


def _next(report: Report) -> str:
    words = next_words(report, COMMENT)
    return f"<b>Next:</b> {as_html(words, SENTENCE)}" if words else ""


def _scope(report: Report) -> str:
    sentences = []
    if report.partial and (report.filters.narrows or not report.filters.skip):
        shown = _filters(report)
        sentences.append(
            f"Only part of the golden set was run{shown}: this says nothing about the rest."
        )
    if report.filters.skip:
        skipped = listing(name(metric) for metric in report.filters.skip)
        sentences.append(
            f"Left out on demand: {skipped}. This says nothing about what they measure."
        )
    if report.retrieval_only:
        sentences.append("Retrieval only: no answer was asked for.")
    return " ".join(sentences)


def _filters(report: Report) -> str:
    filters = report.filters
    conditions = []
    if filters.tags:
        conditions.append("tags " + listing([name(tag) for tag in filters.tags]))
    if filters.ids:
        conditions.append(counted(len(filters.ids), "id"))
    conditions += [f"where {code(where, 80)}" for where in filters.where]
    if filters.limit is not None:
        conditions.append(f"the first {filters.limit:,}")
    conditions += [f"profile {name(filters.profile)}"] if filters.profile else []
    return f" ({', '.join(conditions)})" if conditions else ""


def _must_pass(report: Report, shown: Collection[str]) -> str:
    """Return the failing must-pass samples that have no row in the table."""
    failures = [
        f"{sample_link(report, key)} {words}"
        for key, words in failing_must_pass(report).items()
        if key not in shown
    ]
    return f"<b>Must pass:</b> {listing(failures)}." if failures else ""


def failing_must_pass(report: Report) -> dict[str, str]:
    """Return what each failing must-pass sample fails, as safe HTML."""
    failing: dict[str, list[str]] = {}
    for row in report.decision.must_pass:
        if not row.met:
            tries = counted(row.tries, "try", "tries")
            words = f"{name(row.metric)} in {row.failed} of {tries}"
            failing.setdefault(row.sample_id, []).append(words)
    return {key: f"fails {listing(words, 2)}" for key, words in failing.items()}


def _collected(report: Report) -> str:
    """Return who measured, where that was a fork's own workflow."""
    links = report.links
    if not links.collected_by:
        return ""
    run = linked("a run", links.collected_url)
    return (
        f"<b>Measured by</b> {run} of the fork {code(links.collected_by, 80)}, which has no keys. "
        "This verdict was made by a job that runs none of its code."
    )


def _accepted(report: Report) -> str:
    drops = listing(acceptance(row) for row in report.decision.accepted)
    return f"<b>Accepted at this commit only:</b> {drops}." if drops else ""


def _reasons(report: Report) -> list[str]:
    """Return the reasons where the table does not tell them."""
    if status_of(report) not in TELLS_WHY:
        return []
    reasons = report.decision.reasons
    shown = [f"<b>Why:</b> {code(reason, SENTENCE)}" for reason in reasons[:MOST_REASONS]]
    hidden = len(reasons) - MOST_REASONS
    return [*shown, f"… and {hidden} more reasons below"] if hidden > 0 else shown


def _data(report: Report) -> str:
    data = report.data
    counts = {"added": len(data.added), "edited": len(data.edited), "removed": len(data.removed)}
    changes = [f"{count:,} {word}" for word, count in counts.items() if count]
    if not changes:
        return ""
    gone = listing([f"{name(row.sample_id)} {means(row.means)}" for row in data.removed])
    return f"<b>Golden set:</b> {', '.join(changes)}{': ' + gone if gone else ''}."


def _missing(report: Report) -> str:
    missing = report.data.missing_documents.items()
    misses = listing(f"{name(key)} expects {documents(docs)}" for key, docs in missing)
    return f"<b>Not in the corpus, so counted as misses:</b> {misses}." if misses else ""


def _unasked(report: Report) -> str:
    docs = report.data.unasked_documents
    return f"<b>Edited here, and no question expects:</b> {documents(docs)}." if docs else ""


def _likely(report: Report) -> str:
    guessed = not report.origin.parts  # where the change is known nobody has to guess
    if status_of(report) is not ReportSign.RED or not report.diagnosis or not guessed:
        return ""
    diagnosis = report.diagnosis[0]
    cause, action = (code(text, SENTENCE) for text in (diagnosis.likely_cause, diagnosis.action))
    return f"<b>Likely:</b> {cause} → {action}"
