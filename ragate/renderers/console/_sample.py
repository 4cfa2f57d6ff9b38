"""One sample in full: expected, retrieved, answered, scores and cause, with what was before."""

from collections.abc import Sequence

from ragate.models import SampleRow
from ragate.renderers._lines import wrapped
from ragate.renderers._samples import rank_words, scores
from ragate.renderers.console._page import Page

_FIELD = 14


def long(row: SampleRow, page: Page, colour: str = "") -> list[str]:
    """Return everything: expected, retrieved, answered, scores and cause, with what was before."""
    fields = [*_earlier(row, page), ("question", page.foreign(row.query, 200))]
    fields += _retrieval(row, page)
    fields += [*_answers(row, page), ("scores", page.words(scores(row)))]
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
    sides = [side for side in (row.baseline, row.candidate) if side is not None]
    if row.candidate is not None and (row.expected or any(side.docs for side in sides)):
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
        change = changes.get(doc)
        alone = row.baseline is None or (change is not None and change.before == change.after)
        rank = f" ({rank_words(change, alone)})" if change is not None else ""
        shown.append(page.foreign(doc, 50) + rank)
    return ", ".join(shown) + _and_more(len(row.expected) - 3)


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


def _named(row: SampleRow, page: Page, colour: str) -> str:
    marks = ["must-pass"] if row.must_pass else []
    marks += [", ".join(page.foreign(tag, 30) for tag in row.tags[:3])] if row.tags else []
    title = page.paint(page.foreign(row.sample_id, 60), colour)
    return "  ".join([f"  {title}", *marks])
