"""The samples that changed: those that got worse with what happened, the others counted."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from ragate.models import CauseKind, MustPassRow, RankChange, Report, SampleRow
from ragate.renderers._lines import wrapped
from ragate.renderers._numbers import NOTHING, TERMINAL, counted
from ragate.renderers._samples import (
    asked,
    came,
    equal_scores,
    failed_alike,
    failed_with,
    happened,
    ranks,
    scores,
    sections,
    worse_count,
    worst_first,
)
from ragate.renderers.console._page import Page, at_most

TITLES = {"worse": "Worse", "new": "Measured", "better": "Better"}
_ALIKE = 3  # so many failures with one error are said once
_NAMED = 5
_SCORES = 2
_INDENT = "    "
Entry = list[str]


def changed_briefly(report: Report, page: Page, colour: str, room: int) -> list[str]:
    """Return the samples that got worse in at most `room` lines; what does not fit is counted."""
    lines: list[str] = []
    by_kind = sections(report.samples)
    rest = at_most(_rest(report, by_kind, page), 2)
    for kind in ("worse", "new"):
        rows = by_kind.get(kind, [])
        if not rows:
            continue
        lines.append(_title(kind, len(rows), report, page))
        entries = _entries(rows, report, page, colour if kind == "worse" else "")
        run = page.foreign(report.run_id) or "RUN"
        everything = f"ragate report {run} --verbose"
        lines += _fitting(entries, room - len(lines) - len(rest), everything)
    return (lines + rest)[:room]


def changed_fully(report: Report, page: Page, colour: str) -> list[str]:
    """Return every changed sample with all that the report holds of it."""
    lines: list[str] = []
    by_kind = sections(report.samples)
    for kind, rows in by_kind.items():
        lines.append(_title(kind, len(rows), report, page))
        painted = colour if kind == "worse" else ""
        for row in rows:
            lines += long(row, page, painted) if kind in ("worse", "new") else short(row, page)
    return lines + _rest(report, {}, page)


def _title(kind: str, rows: int, report: Report, page: Page) -> str:
    count = worse_count(report) if kind == "worse" else rows
    return page.paint(f"{TITLES[kind]}: {counted(count, 'sample')}", "", bold=True)


def _rest(report: Report, by_kind: dict[str, list[SampleRow]], page: Page) -> list[str]:
    """Return the samples that are only counted."""
    better, equal = by_kind.get("better", []), equal_scores(report.samples)
    names = _some([row.sample_id for row in better], page)
    words = [f"better: {counted(len(better), 'sample')} ({names})"] if better else []
    words += [f"other outputs with equal scores: {counted(equal, 'sample')}"] if equal else []
    words += [f"not listed: {report.left_out:,} changed ones"] if report.left_out else []
    text = "; ".join(words)
    return wrapped(text[:1].upper() + text[1:])


def _fitting(entries: Sequence[tuple[int, Entry]], room: int, everything: str) -> list[str]:
    """Return the first entries that fit, the first one in any case, and how many samples do not."""
    lines: list[str] = []
    left = sum(samples for samples, _ in entries)
    for samples, entry in entries:
        more = left > samples
        if lines and len(lines) + len(entry) + more > room:
            break
        lines += entry[: max(1, room - more)]
        left -= samples
    return [*lines, f"  and {left:,} more: {everything}"] if left else lines


def _entries(
    rows: Sequence[SampleRow], report: Report, page: Page, colour: str
) -> list[tuple[int, Entry]]:
    """Return the number of samples and the lines of each entry; failures of one error are one."""
    by_error: dict[str, list[SampleRow]] = defaultdict(list)
    for row in rows:
        if row.candidate is not None and row.candidate.error is not None:
            by_error[row.candidate.error].append(row)
    most, _ = failed_alike(rows)
    alike = {e: same for e, same in by_error.items() if len(same) >= _ALIKE or e == most}
    entries = [
        (len(same), _failures(error, same, len(rows), page, colour))
        for error, same in sorted(alike.items(), key=lambda pair: -len(pair[1]))
    ]
    grouped = {row.sample_id for same in alike.values() for row in same}
    missed = {row.sample_id: row for row in report.decision.must_pass if row.is_red}
    # Must-pass samples that fail stand first, also before failures that many share.
    single = worst_first(report, [row for row in rows if row.sample_id not in grouped])
    alone = [(1, _entry(row, missed, page, colour)) for row in single]
    failing = sum(row.sample_id in missed for row in single)
    return [*alone[:failing], *entries, *alone[failing:]]


def _failures(error: str, rows: Sequence[SampleRow], among: int, page: Page, colour: str) -> Entry:
    title = f"{len(rows):,} of {among:,} {failed_with(error)}"
    marked = [row.sample_id for row in rows if row.must_pass]
    names = _some([*marked, *(row.sample_id for row in rows if not row.must_pass)], page)
    must = f"must-pass among them: {_some(marked, page)}" if marked else names
    text = [*wrapped(page.foreign(error, 140), first=_INDENT, rest=_INDENT)]
    return [f"  {page.paint(title, colour)}", *text, *wrapped(must, first=_INDENT, rest=_INDENT)]


def _entry(row: SampleRow, missed: dict[str, MustPassRow], page: Page, colour: str) -> Entry:
    """Return who, what was asked, what happened, and the scores."""
    words = page.words(happened(row, TERMINAL), 60).rstrip(" :")  # of texts that stay at home
    moved = page.words(scores(row, TERMINAL), 40)
    few = _first_scores(moved)
    lines = [_named(row, page, colour)]
    must = missed.get(row.sample_id)
    said = [page.foreign(asked(row), 76), words, _instead(row, page, words)]
    said += [few] if moved != words else []
    said += [_missed(must, page)] if must is not None else []
    for text in filter(None, said):
        lines += at_most(wrapped(text, first=_INDENT, rest=_INDENT + "  "), 2)
    return lines


def _named(row: SampleRow, page: Page, colour: str) -> str:
    marks = ["must-pass"] if row.must_pass else []
    marks += [", ".join(page.foreign(tag, 30) for tag in row.tags[:3])] if row.tags else []
    title = page.paint(page.foreign(row.sample_id, 60), colour)
    return "  ".join([f"  {title}", *marks])


def _instead(row: SampleRow, page: Page, told: str) -> str:
    """Return what was retrieved in place of an expected document, where no cause has said it."""
    if row.cause is not None and row.cause.kind is CauseKind.RETRIEVAL:
        return ""
    parts = (page.words(words, 60) for words in (ranks(row), came(row)))
    return "; ".join(part for part in parts if part and part not in told)


def _first_scores(moved: str) -> str:
    first, rest = moved.split(", ")[:_SCORES], moved.split(", ")[_SCORES:]
    return ", ".join(first) + (f" and {len(rest)} more" if rest else "")


def _missed(row: MustPassRow, page: Page) -> str:
    tries = counted(row.tries, "try", "tries")
    missed = f"{page.foreign(row.metric, 60)} below its pass mark {row.pass_at:g}"
    return f"{missed} in {row.failed} of {tries}: a must-pass question"


def _some(names: Iterable[str], page: Page) -> str:
    """Name the first; the others are counted."""
    everyone = [page.foreign(name, 40) for name in names]
    more = len(everyone) - _NAMED
    shown = ", ".join(everyone[:_NAMED])
    return f"{shown} and {more:,} more" if more > 0 else shown


# Samples in full, each with its answers and scores.

_FIELD = 14


def short(row: SampleRow, page: Page) -> list[str]:
    """Return what was asked and which scores moved."""
    moved = page.words(scores(row, TERMINAL)) or "outputs differ"
    text = f"{page.foreign(row.sample_id, 40)}  {page.foreign(asked(row), 50)}  {moved}"
    return wrapped(text, first="  ", rest="    ")


def long(row: SampleRow, page: Page, colour: str = "") -> list[str]:
    """Return everything: expected, retrieved, answered, scores and cause, with what was before."""
    fields = [*_earlier(row, page), ("question", page.foreign(row.query, 200))]
    fields += _retrieval(row, page)
    fields += [*_answers(row, page), ("scores", page.words(scores(row, TERMINAL)))]
    if row.cause is not None:
        fields.append(("cause", f"{row.cause.kind.words}: {page.foreign(row.cause.evidence, 200)}"))
    lines = [_named(row, page, colour)]
    for name, text in fields:
        rest = " " * _FIELD
        lines += wrapped(text, first=f"    {name:<10}", rest=rest) if text else []
    return lines


def _earlier(row: SampleRow, page: Page) -> list[tuple[str, str]]:
    """Return the last turn before the question, and how many there were before it."""
    if not row.messages:
        return []
    last, more = row.messages[-1], len(row.messages) - 1
    before = f"  ({more:,} before it)" if more else ""
    return [("earlier", f"{last.role}: {page.foreign(last.content, 120)}{before}")]


def _retrieval(row: SampleRow, page: Page) -> list[tuple[str, str]]:
    fields = [("expected", _expected(row, page))] if row.expected else []
    if row.candidate is not None:
        after = _ranking(row.candidate.docs, row.expected, page)
        fields.append(("retrieved", after or "nothing"))
        if row.baseline is not None and row.baseline.docs != row.candidate.docs:
            before = _ranking(row.baseline.docs, row.expected, page)
            fields.append(("  before", before or "nothing"))
    return fields


def _expected(row: SampleRow, page: Page) -> str:
    changes = {change.doc_id: change for change in row.ranks}
    shown = []
    for doc in row.expected[:3]:
        rank = f" ({_rank(changes[doc], alone=row.baseline is None)})" if doc in changes else ""
        shown.append(page.foreign(doc, 50) + rank)
    return ", ".join(shown) + _and_more(len(row.expected) - 3)


def _rank(change: RankChange, *, alone: bool) -> str:
    if alone or change.before == change.after:
        return f"rank {change.after}" if change.after else "not retrieved"
    return f"rank {change.before or NOTHING} → {change.after or 'gone'}"


def _ranking(docs: Sequence[str], expected: Sequence[str], page: Page) -> str:
    """Return the first documents with their ranks; an asterisk marks an expected one."""
    shown = [
        f"{rank} {page.foreign(doc, 40)}{'*' if doc in expected else ''}"
        for rank, doc in enumerate(docs[:4], start=1)
    ]
    return "  ".join(shown) + _and_more(len(docs) - 4)


def _and_more(count: int) -> str:
    return f" and {count} more" if count > 0 else ""


def _answers(row: SampleRow, page: Page) -> list[tuple[str, str]]:
    after, before = row.candidate, row.baseline
    if after is None:
        return []
    if after.error is not None:
        return [("failed", page.foreign(after.error, 200))]
    answer = "" if after.answer is None else page.foreign(after.answer, 200) or "(empty)"
    fields = [("answer", answer)]
    if before is not None and before.answer is not None and before.answer != after.answer:
        fields.append(("  before", page.foreign(before.answer, 200) or "(empty)"))
    return fields
