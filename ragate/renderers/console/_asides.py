"""What stands beside figures and samples: warnings, changed data, other rules, earlier runs."""

from collections.abc import Sequence
from itertools import groupby

from ragate.models import PassGroup, Report, Verdict
from ragate.renderers._headline import ReportSign, status_of
from ragate.renderers._lines import wrapped
from ragate.renderers._numbers import TERMINAL, counted
from ragate.renderers._story import place_of, shown_origin, story_words
from ragate.renderers._tables import earlier_lines
from ragate.renderers._whose_rules import proposed_lines
from ragate.renderers._words import as_sentence
from ragate.renderers.console._page import Page, bullets

_SENTENCE = 300
_NAMED = 3
_REASON = 45  # with all that stands beside it a line of 80


def why_unscored(report: Report, page: Page) -> list[str]:
    """Return the most frequent reason why samples are unscored, as a line; [] where it is told."""
    counts: dict[str, int] = {}
    for row in report.decision.rows:
        for reason, count in row.unscored_reasons.items():
            counts[reason] = max(count, counts.get(reason, 0))
    if not counts:
        return []
    reason = max(counts, key=lambda each: (counts[each], each))
    if any(reason in told for told in (*report.decision.warnings, *report.decision.reasons)):
        return []
    others = f", and {counted(len(counts) - 1, 'other reason')}" if len(counts) > 1 else ""
    return [f"unscored: {counts[reason]:,} × {page.foreign(reason, _REASON)}{others}"]


def briefly(report: Report, page: Page) -> list[list[str]]:
    """Return the notes, most important first, each as its lines; a list names its first items."""
    notes = [
        *(f"Warning: {page.foreign(text, _SENTENCE)}" for text in report.decision.warnings),
        *(_one_line(title, items, page) for title, items in _lists(report).items() if items),
        *(_proposed(report, page)),
    ]
    earlier = earlier_lines(report, page.foreign)
    notes += earlier[:1]
    notes += [stages] if (stages := stages_briefly(report, page)) else []
    lines = [page.foreign(line, _SENTENCE) for line in report.decision.lines]
    passed = report.decision.verdict is Verdict.PASSED
    notes += [f"Certainty: {' · '.join(lines)}"] if lines and passed else []
    for seen in report.diagnosis if passed else ():
        symptom, cause = (page.foreign(text, 160) for text in (seen.symptom, seen.likely_cause))
        notes.append(f"What the pattern suggests: {symptom}: {cause}")
    return [wrapped(note) for note in notes]


def fully(report: Report, page: Page) -> list[str]:
    """Return all of them."""
    lines: list[str] = []
    lists = _lists(report) | {
        "Certainty": report.decision.lines,
        "What the pattern suggests": [
            f"{each.symptom}: {each.likely_cause}. {as_sentence(each.action)}"
            for each in report.diagnosis
        ],
        "Warnings": report.decision.warnings,
    }
    for title, items in lists.items():
        if items:
            lines.append(page.paint(f"{title}: {len(items):,}", "", bold=True))
            lines += bullets([page.foreign(item, _SENTENCE) for item in items])
    for line in (*earlier_lines(report, page.foreign), *proposed_lines(report, page.foreign)):
        first = "  - " if line.startswith("  - ") else ""
        lines += wrapped(line.removeprefix(first), first=first, rest="    ")
    return lines


def changed_here(report: Report, page: Page) -> str:
    """Return what of the system is not as it was, and what became of the samples; "" of neither.

    A part is a cause only where nothing else differs and chance is ruled out.
    """
    story = page.words(story_words(report, TERMINAL), 60)
    origin = shown_origin(report.origin, _NAMED)
    if status_of(report) is ReportSign.UNCHANGED:
        return ""
    if not origin.parts:
        return f"what happened: {story}" if story else ""
    parts = [
        " ".join(page.foreign(text, 100) for text in (place_of(part), part.words) if text)
        for part in origin.parts
    ]
    parts += [f"{origin.more:,} more"] if origin.more else []
    listed = ", ".join(parts)
    if origin.alone:
        return f"because of {listed}, the only difference" + (f": {story}" if story else "")
    return f"changed here: {listed}" + (f". {as_sentence(story)}" if story else "")


def _lists(report: Report) -> dict[str, Sequence[str]]:
    data = report.data
    return {
        "Accepted": [f"{a.metric} by {a.by}: {a.reason}" for a in report.decision.accepted],
        "Not in the corpus, so counted as misses": [
            f"{key} expects {', '.join(docs)}" for key, docs in data.missing_documents.items()
        ],
        "Removed from the golden set": [
            f"{row.sample_id} ({', '.join(f'{m} {v:.3f}' for m, v in row.means.items())})"
            for row in data.gone
        ],
        "Renamed in the golden set": [f"{old} → {new}" for old, new in data.renamed.items()],
        "Edited in the golden set": data.edited,
        "Added to the golden set": data.new,
        "Waived": [
            f"{w.sample_id} {w.metric} until {w.until}: {w.reason}" for w in report.decision.waivers
        ],
    }


def _one_line(title: str, items: Sequence[str], page: Page) -> str:
    shown = [page.foreign(item, 100) for item in items[:_NAMED]]
    more = [f"{len(items) - _NAMED:,} more"] if len(items) > _NAMED else []
    return f"{title}: {'; '.join([*shown, *more])}"


def _proposed(report: Report, page: Page) -> list[str]:
    """Return the verdict by the change's own rules, and the limits that a new gate could have."""
    lines = proposed_lines(report, page.foreign)
    return [line for line in lines if not line.startswith("  ")]


# Who passes a scorecard: its stages, then tags and fields.


def stages_briefly(report: Report, page: Page) -> str:
    """Return the share that passes each stage in one sentence, "" without a scorecard."""
    stages = [group for group in report.pass_groups if group.kind == "stage"]
    if not stages:
        return ""
    shares = [f"{page.foreign(each.name, 40)} {_share(each)}" for each in stages]
    return f"Stages passed: {', '.join(shares)}"


def passing(report: Report, page: Page) -> list[str]:
    """Return the share that passes in every group."""
    lines: list[str] = []
    for kind, groups in groupby(report.pass_groups, key=lambda group: group.kind):
        lines.append(page.paint(f"Pass rate by {page.foreign(kind, 40)}", "", bold=True))
        for each in groups:
            facts = [_share(each), counted(each.share.n, "sample")]
            if each.share.interval is not None:
                ends = (TERMINAL.value("fraction", end) for end in each.share.interval)
                facts.append(f"95 % interval {' … '.join(ends)}")
            text = f"{page.foreign(each.name, 60)}: {', '.join([*facts, *_of_stage(each, page)])}"
            lines += wrapped(text, first="  ", rest="    ")
    return lines


def _share(group: PassGroup) -> str:
    after = TERMINAL.value("fraction", group.share.candidate)
    before = group.share.baseline
    if before is None or before == group.share.candidate:
        return after
    return f"{TERMINAL.value('fraction', before)} → {after}"


def _of_stage(group: PassGroup, page: Page) -> list[str]:
    if not group.metric:
        return []
    metric = "" if group.metric == group.name else f"{page.foreign(group.metric, 60)} "
    words = [f"{metric}at {group.share.mark:g}"]
    words += [f"weight {group.weight:g}"] if group.weight is not None else []
    return words + (["required"] if group.required else [])
