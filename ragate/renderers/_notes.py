"""Every sentence that stands beside the figures of a report, the same in each renderer."""

from collections.abc import Collection, Iterable, Mapping

from ragate.core.publishable import WITHHELD
from ragate.core.text.wording import odds
from ragate.models import ChangedPart, Direction, EarlierFigure, MetricRow, MetricVerdict, Report
from ragate.renderers import _numbers as numbers
from ragate.renderers._headline import TELLS_WHY, ReportSign, status_of
from ragate.renderers._next_steps import next_words
from ragate.renderers._numbers import counted
from ragate.renderers._samples import failed_alike, first_ones, sample_name
from ragate.renderers._story import likely, story_words
from ragate.renderers._words import (
    DocumentId,
    ForeignText,
    Name,
    Words,
    as_sentence,
    foreign,
    joined,
    leading,
    listed,
    ordered,
    said,
)

MOST_REASONS = 3
SENTENCE = 240
_MOST_PARTS = 3  # of what changed
_MOST_MUST_PASS = 20  # ids; the headline counts all
_MOST_FIGURES = 6
_MOST_DIFFERENCES = 5
_SILENT = (ReportSign.BOOTSTRAP, ReportSign.UNCHANGED)


def notes(report: Report, shown: Collection[str]) -> list[Words]:
    """Return what happened, why, and what to do, one sentence each.

    Args:
        shown: Samples that have a row of their own.
    """
    sentences = (
        _origin(report),
        _one_error(report),
        _odds(report),
        _accepted(report),
        _must_pass(report, shown),
        *_reasons(report),
        _unscored(report),
        _likely(report),
        said("**Next:** {}", next_words(report)),
    )
    return [sentence for sentence in sentences if sentence]


def asides(report: Report) -> list[Words]:
    """Return what else must be known beside the figures, one sentence each."""
    sentences = (
        _collected(report),
        _earlier(report),
        _scope(report),
        _succeeded(report),
        _other_rules(report),
        _floors(report),
        _data(report),
        _missing(report),
        _unasked(report),
    )
    return [sentence for sentence in sentences if sentence]


def whose_rules(report: Report) -> str:
    """Return whose rules judged, in words of ours; "" where the base's did."""
    rules = report.checkout_rules
    if rules is None:
        return ""
    if not rules.base_read:
        return (
            "Judged by this checkout's own policy, golden set and baseline. On a pull request "
            "those of the base branch count, which could not be read here."
        )
    *first, last = rules.changed or ("policy",)
    changed = f"{', '.join(first)} and {last}" if first else last
    count = "On a pull request those of the base branch count."
    return f"Judged by this checkout's own {changed}. {count}"


# What happened, and why.


def _origin(report: Report) -> Words:
    """Return what the change touched and what became of the questions; [] where nothing moved.

    Of a red verdict without any of it the line says that nothing is known.
    """
    story, status, origin = story_words(report), status_of(report), report.origin
    is_red = status is ReportSign.RED
    if not origin.parts:
        if story and (is_red or (status is ReportSign.LOOK and not _odds(report))):
            return said("**What happened:** {}.", story)
        is_open = is_red and not (story or likely(report))
        return said("**Changed here:** not known.") if is_open else []
    parts = joined([*map(_part, origin.parts[:_MOST_PARTS])], ", ")
    if status in _SILENT or not parts:
        return []
    more = origin.more + max(0, len(origin.parts) - _MOST_PARTS)
    parts += [f" and {more:,} more"] if more else []
    if origin.alone and not more and len(origin.parts) == 1:
        because = said("**Because** of {}, the only difference", parts)
        return [*because, *said(": {}", story), "."]
    then = said(" {}.", [as_sentence(story[0]), *story[1:]]) if story else []
    return [*said("**Changed here:** {}.", parts), *then]


def _part(part: ChangedPart) -> Words:
    place = leading(foreign(f"{part.path}:{part.line}" if part.line else part.path, 60), part.url)
    words = foreign(part.words, 60)
    return joined([[place] if place else [], [words] if words else []], " ")


def _one_error(report: Report) -> Words:
    """Return the error that most samples failed with; [] for none."""
    rows = first_ones(report)
    error, alike = failed_alike(rows)
    if not alike:
        return []
    how = "failed" if error == WITHHELD else "failed with one error"
    of_all = f"**{len(alike):,} of {len(rows):,} {how}:** {{}}"
    must = listed(sample_name(report, row.sample_id) for row in alike if row.must_pass)
    return [
        *said(of_all, foreign(error, SENTENCE)),
        *said("; must-pass among them: {}", must),
    ]


def _odds(report: Report) -> Words:
    """Return how often noise alone would look like a red or a yellow verdict.

    [] of any other verdict, and where nothing moved.
    """
    status, decision = status_of(report), report.decision
    if status is ReportSign.RED:
        rows = ordered(decision.rows)
        tested = (each for row in rows if row.blocks for each in (row, row.checked) if each)
        lost = [row for row in tested if row.verdict is MetricVerdict.REGRESSED]
        chances = [p for row in lost if not row.exact and (p := _chance(report, row)) is not None]
        if chances:
            times = f"Measured {decision.runs_candidate:,} times. " if decision.confirmed else ""
            is_drop = all(row.direction is Direction.HIGHER for row in lost)
            size = f"a {'fall' if is_drop else 'change'} this large would come up"
            return [f"{times}Without a change, {size} {odds(min(chances))}."]
        is_exact = lost and all(row.exact for row in lost)
        return said("**These metrics repeat exactly, so the drop is real.**") if is_exact else []
    if status is ReportSign.LOOK:
        unsure = (r for r in ordered(decision.metrics) if r.verdict is MetricVerdict.CANNOT_TELL)
        for row in unsure:
            if row.p and row.has_fallen:
                runs = counted(decision.runs_candidate, "run")
                moved = f"moved {numbers.points(row.unit, row.change)} in {runs}"
                chance = f"without a change, that would come up {odds(row.p)}."
                return [Name(row.metric), f" {moved}; {chance}"]
    return []


def _chance(report: Report, row: MetricRow) -> float | None:
    """Return how often an unchanged system is as bad: over the passes that made the metric red."""
    earlier = report.decision.earlier
    if earlier is not None and earlier.use == "confirm":
        pooled = {each.metric: each.p for each in earlier.metrics if each.p is not None}
        return pooled.get(row.metric, row.p)
    return row.p


def _accepted(report: Report) -> Words:
    drops = listed(
        [Name(row.metric), " by ", Name(row.by), ": ", foreign(row.reason, SENTENCE)]
        for row in report.decision.accepted
    )
    return said("**Accepted at this commit only:** {}.", drops)


def _must_pass(report: Report, shown: Collection[str]) -> Words:
    """Return the failing must-pass samples that have no row in the table."""
    untold = {key: words for key, words in failing_must_pass(report).items() if key not in shown}
    failures = listed([sample_name(report, key), " ", *words] for key, words in untold.items())
    if len(untold) > MOST_REASONS:
        failures = [*listed(map(Name, untold), _MOST_MUST_PASS), " fail"]
    return said("**Must pass:** {}.", failures)


def failing_must_pass(report: Report) -> dict[str, Words]:
    """Return what each failing must-pass sample fails."""
    failing: dict[str, list[Words]] = {}
    for row in report.decision.must_pass:
        if not row.met:
            tries = f" in {row.failed} of {row.tries} tries" if row.tries > 1 else ""
            before = "" if row.eligible else ", as in the baseline"
            failing.setdefault(row.sample_id, []).append([Name(row.metric), f"{tries}{before}"])
    return {key: ["fails ", *listed(words, 2)] for key, words in failing.items()}


def _reasons(report: Report) -> list[Words]:
    """Return the reasons that neither table nor notes tell."""
    status, decision = status_of(report), report.decision
    if status not in (ReportSign.RED, *TELLS_WHY):
        return []
    told_starts = ["there is no baseline"] if status is ReportSign.BOOTSTRAP else []
    told_starts += [f"must-pass {row.sample_id}:" for row in decision.must_pass]
    if status is ReportSign.RED:
        blocking = [row for row in decision.rows if row.blocks]
        told_starts += [start for row in blocking for start in (f"{row.key} ", row.reason) if start]
    untold = [each for each in decision.reasons if not each.startswith(tuple(told_starts))]
    shown = [said("**Why:** {}", foreign(each, SENTENCE)) for each in untold[:MOST_REASONS]]
    hidden = len(untold) - MOST_REASONS
    return [*shown, [f"… and {counted(hidden, 'more reason')} below"]] if hidden > 0 else shown


def _unscored(report: Report) -> Words:
    """Return how many samples a metric has no score of, and mostly why; [] where it is told."""
    rows = [
        row
        for row in report.decision.metrics
        if row.unscored_reasons and (row.unscored_candidate or row.unscored_baseline)
    ]
    if not rows:
        return []
    row = max(rows, key=lambda each: (each.unscored_candidate, each.unscored_baseline))
    reason = max(row.unscored_reasons, key=lambda each: (row.unscored_reasons[each], each))
    told = (*report.decision.reasons, *report.decision.warnings)
    if any(reason in sentence for sentence in told):
        return []
    where = "" if row.unscored_candidate else " of the baseline"
    many = counted(row.unscored_candidate or row.unscored_baseline, numbers.NOUN)
    mostly = "mostly " if len(row.unscored_reasons) > 1 else ""
    sentence = f"**Unscored:** {{}} in {many}{where}: {mostly}{{}}."
    return said(sentence, [Name(row.metric)], foreign(reason, 60))


def _likely(report: Report) -> Words:
    seen = likely(report)
    texts = (seen.likely_cause, seen.action) if seen else ("", "")
    return said("**Likely:** {} → {}", *(foreign(text, SENTENCE) for text in texts))


# What else must be known.


def _collected(report: Report) -> Words:
    """Return who measured, where that was a fork's own workflow."""
    links = report.links
    return said(
        "**Measured by** a run of the fork {}, which has no keys. This verdict was made by a job "
        "that runs none of its code.",
        leading(foreign(links.collected_by, 80), links.collected_url),
    )


def _earlier(report: Report) -> Words:
    """Return the passes of earlier runs in one sentence, [] where there are none."""
    earlier = report.decision.earlier
    if earlier is None:
        return []
    rows = {row.metric: row for row in report.decision.metrics}
    known = [each for each in earlier.metrics if each.metric in rows]
    shown = listed((_of_earlier(each, rows[each.metric]) for each in known), _MOST_FIGURES)
    note = foreign(earlier.note, SENTENCE)
    return [*said("**Earlier runs:** {}", note), *said("; {}.", shown)]


def _of_earlier(figure: EarlierFigure, row: MetricRow) -> Words:
    newest, earlier, pooled = (
        numbers.value(row.unit, value) for value in (figure.newest, figure.earlier, figure.pooled)
    )
    chance = "" if figure.p is None else f" (an unchanged system {odds(figure.p)})"
    return [Name(row.metric), f" {newest} now, {earlier} earlier, {pooled} together{chance}"]


def _scope(report: Report) -> Words:
    filters, sentences = report.filters, list[Words]()
    others = filters.skip or filters.settings
    if filters.narrows or (report.retrieval_only and not others):
        sentences += [
            ["Only part of the golden set was run"],
            said(" ({})", _filters(report)),
            [": this says nothing about the rest."],
        ]
        sentences = [joined(sentences, "")]
    left_out = "Left out on demand: {}. This says nothing about what they measure."
    sentences.append(said(left_out, listed(map(Name, filters.skip))))
    if filters.top_k is not None:
        first = counted(filters.top_k, "passage")
        sentences.append([f"Of what was retrieved only the first {first} counted (--top-k)."])
    keys = listed(foreign(each, 80) for each in filters.settings)
    sentences.append(said("Set for this run alone: {}. It makes no baseline.", keys))
    if report.retrieval_only:
        sentences.append(["Retrieval only: no answer was asked for."])
    return joined(sentences, " ")


def _succeeded(report: Report) -> Words:
    """Return the means without the questions that failed, which count at their worst above."""
    shown = listed(
        (
            [Name(row.metric), " ", numbers.value(row.unit, report.succeeded[row.metric])]
            for row in report.decision.metrics
            if row.metric in report.succeeded
        ),
        _MOST_FIGURES,
    )
    asked = report.facts.samples
    of_all = f"{asked - report.facts.errors:,} of {counted(asked, numbers.NOUN)}"
    return said(f"**Of the {of_all} that succeeded:** {{}}.", shown)


def _filters(report: Report) -> Words:
    filters = report.filters
    conditions = [
        said("tags {}", listed(map(Name, filters.tags))),
        [counted(len(filters.ids), "id")] if filters.ids else [],
        *(["where ", foreign(where, 80)] for where in filters.where),
        [f"the first {filters.limit:,}"] if filters.limit is not None else [],
        said("profile {}", Name(filters.profile or "")),
    ]
    return joined(conditions, ", ")


def _other_rules(report: Report) -> Words:
    """Return where the change's own rules differ, [] where they are the base's."""
    differs = listed((foreign(each, SENTENCE) for each in report.rules_differ), _MOST_DIFFERENCES)
    return said("**The base's rules decide; this change has others:** {}.", differs)


def _floors(report: Report) -> Words:
    """Return the floors that what was measured would keep, [] where there are none."""
    floors = [
        [
            Name(floor.metric),
            f" {floor.key} {floor.limit:g} (now {numbers.value(floor.unit, floor.mean)})",
        ]
        for floor in report.suggested_floors[:_MOST_FIGURES]
    ]
    return said("**Suggested limits:** {}.", joined(floors, ", "))


def _data(report: Report) -> Words:
    """Return how many questions are not the baseline's, and which are gone; [] where all are."""
    data = report.data
    counts = {
        "removed and not asked": len(data.gone),
        "reworded or with other references": len(data.edited),
        "renamed": len(data.renamed),
        "added": len(data.new),
    }
    words = [f"{count:,} {word}" for word, count in counts.items() if count]
    if not words:
        return []
    noun = "question" if words[0].startswith("1 ") else "questions"
    told = ", ".join([words[0].replace(" ", f" {noun} ", 1), *words[1:]])
    if data.edited or data.renamed or data.new:
        failing = len(data.failing)
        told += f"; {failing or 'none'} of them fail{'s' if failing < 2 else ''} today"
    removed = listed(
        [Name(row.sample_id), *said(" ({} in the baseline)", means(row.means))] for row in data.gone
    )
    return [f"The golden set is not the baseline's: {told}.", *said(" Removed: {}.", removed)]


def means(values: Mapping[str, float]) -> Words:
    """Return the first two means of a removed sample."""
    return listed([Name(metric), f" {mean:.2f}"] for metric, mean in [*values.items()][:2])


def _missing(report: Report) -> Words:
    misses = listed(
        [Name(key), " expects ", *documents(docs)]
        for key, docs in report.data.missing_documents.items()
    )
    title = "**Not in the corpus, so counted as misses:** {}; {} proposes what answers them now."
    return said(title, misses, ForeignText("ragate dataset relink"))


def _unasked(report: Report) -> Words:
    docs = documents(report.data.unasked_documents)
    return said("No golden question covers {}, which this change adds or edits.", docs)


def documents(doc_ids: Iterable[str]) -> Words:
    """Return the first two ids."""
    return listed((DocumentId(foreign(doc_id, 80)) for doc_id in doc_ids), 2)
