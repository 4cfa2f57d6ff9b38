"""The sentences of the comment that stand beside its tables, as safe HTML."""

from collections.abc import Collection, Sequence

from ragate.core.text.wording import odds
from ragate.models import ChangedPart, Direction, MetricRow, MetricVerdict, Report, SampleRow
from ragate.renderers._headline import TELLS_WHY, ReportSign, status_of
from ragate.renderers._next_steps import next_words
from ragate.renderers._numbers import COMMENT, counted, lacking, sample_counts, spending
from ragate.renderers._samples import failed_alike, failed_with, sections
from ragate.renderers._story import likely, place_of, shown_origin, story_words
from ragate.renderers._tables import (
    MOST_REASONS,
    SENTENCE,
    as_html,
    documents,
    earlier_note,
    linked,
    listing,
    means,
    sample_link,
)
from ragate.renderers._whose_rules import checked_note, floors_note, golden_set_note, proposed_note
from ragate.renderers._words import ordered
from ragate.support.escape import code, name

MOST_PARTS = 3  # of what changed
_MOST_MUST_PASS = 20  # ids; the headline counts all
_PATH, _WORDS = 60, 60
_SILENT = (ReportSign.BOOTSTRAP, ReportSign.UNCHANGED)


def figures(report: Report) -> str:
    """Return the line of counts, cost and time; what is zero is left out, except the calls."""
    facts = report.facts
    lack = [f"{count:,} {word}" for word, count in lacking(facts).items()]
    return " · ".join([*sample_counts(facts, "question"), *spending(facts), *lack])


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
        as_html(checked_note(report)),
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
    untold = {key: words for key, words in failing_must_pass(report).items() if key not in shown}
    if len(untold) <= MOST_REASONS:
        failures = listing(f"{sample_link(report, key)} {words}" for key, words in untold.items())
    else:
        failures = f"{listing(map(name, untold), _MOST_MUST_PASS)} fail"
    return f"<b>Must pass:</b> {failures}." if untold else ""


def failing_must_pass(report: Report) -> dict[str, str]:
    """Return what each failing must-pass sample fails, as safe HTML."""
    failing: dict[str, list[str]] = {}
    for row in report.decision.must_pass:
        if not row.met:
            tries = f" in {row.failed} of {row.tries} tries" if row.tries > 1 else ""
            before = "" if row.eligible else ", as in the baseline"
            words = f"{name(row.metric)}{tries}{before}"
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
    drops = listing(
        f"{name(row.metric)} by {name(row.by)}: {code(row.reason, SENTENCE)}"
        for row in report.decision.accepted
    )
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
    removed = listing([f"{name(row.sample_id)} {means(row.means)}" for row in report.data.gone])
    note = golden_set_note(report)
    return f"{note} Removed: {removed}." if removed else note


def _missing(report: Report) -> str:
    missing = report.data.missing_documents.items()
    misses = listing(f"{name(key)} expects {documents(docs)}" for key, docs in missing)
    relink = "<code>ragate dataset relink</code> proposes what answers them now"
    return f"<b>Not in the corpus, so counted as misses:</b> {misses}; {relink}." if misses else ""


def _unasked(report: Report) -> str:
    docs = report.data.unasked_documents
    who = "which this change adds or edits"
    return f"No golden question covers {documents(docs)}, {who}." if docs else ""


def _likely(report: Report) -> str:
    seen = likely(report) if status_of(report) is ReportSign.RED else None
    if seen is None:
        return ""
    cause, action = (code(text, SENTENCE) for text in (seen.likely_cause, seen.action))
    return f"<b>Likely:</b> {cause} → {action}"


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
    groups = sections(report.samples)
    return groups.get("worse") or groups.get("new") or []


def odds_line(report: Report) -> str:
    """Return how often noise alone would look like a red or a yellow verdict.

    "" of any other verdict, and where nothing moved.
    """
    rows = ordered(report.decision.rows)
    status = status_of(report)
    runs = counted(report.decision.runs_candidate, "run")
    if status is ReportSign.RED:
        lost = [row for row in rows if row.blocks and row.verdict is MetricVerdict.REGRESSED]
        chances = [p for row in lost if not row.exact and (p := _chance(report, row)) is not None]
        if chances:
            times = report.decision.runs_candidate
            start = f"Measured {times:,} times. " if report.decision.confirmed else ""
            drop = all(row.direction is Direction.HIGHER for row in lost)
            size = f"a {'fall' if drop else 'change'} this large would come up"
            return f"{start}Without a change, {size} {odds(min(chances))}."
        if lost:
            return "<b>These metrics repeat exactly, so the drop is real.</b>"
    if status is ReportSign.LOOK:
        moved = [
            r
            for r in ordered(report.decision.metrics)
            if r.verdict is MetricVerdict.CANNOT_TELL and r.p and r.change
        ]
        for row in moved[:1]:
            words = f" moved {COMMENT.points(row.unit, row.change)} in {runs}; without a change,"
            return f"{name(row.metric)}{words} that would come up {odds(row.p or 1.0)}."
    return ""


def _chance(report: Report, row: MetricRow) -> float | None:
    """Return how often an unchanged system is as bad: over the passes that made the metric red."""
    earlier = report.decision.earlier
    if earlier is not None and earlier.use == "confirm":
        pooled = {each.metric: each.p for each in earlier.metrics if each.p is not None}
        return pooled.get(row.metric, row.p)
    return row.p


def origin_line(report: Report) -> str:
    """Return what the change touched and what became of the questions; "" where nothing moved.

    Of a red verdict without any of it the line says that nothing is known.
    """
    story = as_html(story_words(report, COMMENT))
    origin = report.origin
    if not origin.parts and status_of(report) is ReportSign.RED:
        unknown = "" if story or likely(report) else "<b>Changed here:</b> not known."
        return f"<b>What happened:</b> {story}." if story else unknown
    if not origin.parts or status_of(report) in _SILENT:
        return ""
    shown = shown_origin(origin, MOST_PARTS)
    listed = ", ".join(map(_part, shown.parts)) + (
        f" and {shown.more:,} more" if shown.more else ""
    )
    if shown.alone:
        return f"<b>Because</b> of {listed}, the only difference: {story or 'see below'}."
    return f"<b>Changed here:</b> {listed}. {f'{story}.' if story else ''}".rstrip()


def _part(part: ChangedPart) -> str:
    place = place_of(part)
    words = code(part.words, _WORDS) if part.words else ""
    if not place:
        return words
    return " ".join(filter(None, (linked(code(place, _PATH), part.url), words)))
