"""What happened to one sample, in one sentence: what was expected, what came, and why."""

from collections import Counter
from collections.abc import Sequence

from ragate.core.publishable import WITHHELD
from ragate.models import Cause, CauseKind, RankChange, Report, SampleRow
from ragate.renderers._numbers import Numbers
from ragate.renderers._words import DocumentId, ForeignText, Name, Words, joined

MOST_DOCUMENTS = 2
_WORDS_BEFORE = 3  # of an answer, left in front of its first changed word
_KINDS = {CauseKind.GENERATION: "same documents", CauseKind.UNKNOWN: "cause unknown"}
_OTHER_DOCUMENTS = (CauseKind.RETRIEVAL, CauseKind.UNKNOWN)


def sections(samples: Sequence[SampleRow]) -> dict[str, list[SampleRow]]:
    """Return the samples that got worse, that are new, that got better, if any.

    They keep the order of the report, which is that of the harm. Samples with equal scores are
    only counted: see `equal_scores`.
    """
    groups: dict[str, list[SampleRow]] = {"worse": [], "new": [], "better": []}
    for row in samples:
        key = "worse" if row.got_worse else row.change
        if key in groups:
            groups[key].append(row)
    return {key: rows for key, rows in groups.items() if rows}


def worse_count(report: Report) -> int:
    """Return how many samples got worse, also those that have no row."""
    return max(report.story.worse, sum(row.got_worse for row in report.samples))


def worst_first(report: Report, rows: Sequence[SampleRow]) -> list[SampleRow]:
    """Return `rows` with those in front that a reader should see if he reads three.

    First the must-pass samples that fail, then the first of each cause and tag, so that those in
    front differ, then the others; each part in the order of the report.
    """
    missed = {row.sample_id for row in report.decision.must_pass if row.is_red}
    firsts: dict[tuple[object, ...], str] = {}
    for row in rows:
        firsts.setdefault((row.cause and row.cause.kind, *row.tags[:1]), row.sample_id)
    different = set(firsts.values())
    return sorted(
        rows, key=lambda row: (row.sample_id not in missed, row.sample_id not in different)
    )


def failed_alike(rows: Sequence[SampleRow]) -> tuple[str, list[SampleRow]]:
    """Return the one error that most of `rows` failed with, and these: it is told once.

    "" and no row where fewer failed alike.
    """
    errors = Counter(row.candidate.error for row in rows if row.candidate and row.candidate.error)
    for error, count in errors.most_common(1):
        if count > 1 and 2 * count > len(rows):
            return error, [row for row in rows if row.candidate and row.candidate.error == error]
    return "", []


def failed_with(error: str) -> str:
    """Return how samples of one error failed; of messages that stayed at home that is not known."""
    return "failed" if error == WITHHELD else "failed with one error"


def asked(row: SampleRow) -> str:
    """Return the question, with the number of turns that stand before it."""
    if not row.messages:
        return row.query
    count = len(row.messages)
    return f"(after {count} {'turn' if count == 1 else 'turns'}) {row.query}"


def equal_scores(samples: Sequence[SampleRow]) -> int:
    """Return how many samples retrieved or answered something else with equal scores."""
    return sum(row.change == "same" and row.baseline != row.candidate for row in samples)


def happened(row: SampleRow, numbers: Numbers) -> Words:
    """Return the sentence for one cell: failure, cause, ranks, answers or scores."""
    if row.candidate is not None and row.candidate.error is not None:
        return ["failed: ", ForeignText(row.candidate.error)]
    if row.baseline is None:
        return joined([ranks(row), answers(row)]) or scores(row, numbers) or ["new"]
    if row.cause is not None:
        return _caused(row, row.cause, numbers)
    words = joined([ranks(row), came(row)]) or answers(row) or scores(row, numbers)
    return words or ["outputs differ"]


def _caused(row: SampleRow, cause: Cause, numbers: Numbers) -> Words:
    kind, both = cause.kind, answers(row)
    if kind is CauseKind.GENERATION:
        words = both
    elif kind is CauseKind.JUDGE:
        words = joined([["same output, another verdict"], scores(row, numbers)])
    elif kind in _OTHER_DOCUMENTS:
        # Not linked: the page to open is the expected one.
        pushed = ForeignText(", ".join(cause.displaced_by[:MOST_DOCUMENTS]))
        instead: Words = ["pushed out by ", pushed] if pushed else came(row)
        moved = ranks(row)
        # Beside two documents, and on a terminal, is no room for answers: --explain shows them.
        is_wide = numbers.percent and sum(isinstance(word, DocumentId) for word in moved) < 2
        rest = (both if is_wide else []) or (instead if moved else both)
        words = joined([moved or instead, rest])
    else:
        words = joined([[ForeignText(cause.evidence.partition("; ")[0])], both])
    shown = _KINDS.get(kind, kind.words)
    return [f"{shown}: ", *(words or [ForeignText(cause.evidence)])]


def ranks(row: SampleRow) -> Words:
    """Return what became of the expected documents, the lost ones first; empty if none moved."""
    alone = row.baseline is None
    moved = sorted((r for r in row.ranks if alone or r.before != r.after), key=_loss, reverse=True)
    words: Words = []
    for change in moved[:MOST_DOCUMENTS]:
        words += [
            "; " if words else "expected ",
            DocumentId(change.doc_id),
            f", {_move(change, alone)}",
        ]
    if len(moved) > MOST_DOCUMENTS:
        words.append(f" and {len(moved) - MOST_DOCUMENTS} more")
    return words


def _loss(change: RankChange) -> float:
    never = 1e9
    return (change.after or never) - (change.before or never)


def _move(change: RankChange, alone: bool) -> str:
    if alone:
        return f"rank {change.after}" if change.after else "not found"
    if change.before is None:
        return f"not found → rank {change.after}"
    return f"rank {change.before} → {change.after or 'gone'}"


def came(row: SampleRow) -> Words:
    """Return what was retrieved in place of an expected document that is lost.

    What came before as well came in no document's place: then fewer came.
    """
    if row.candidate is None or all(change.after for change in row.ranks):
        return []
    docs, before = row.candidate.docs, row.baseline.docs if row.baseline else ()
    if not docs:
        return ["nothing came"]
    instead = [doc_id for doc_id in docs if doc_id not in {*row.expected, *before}]
    if instead:
        return ["came instead: ", *listed(instead)]
    return [f"documents retrieved: {len(before)} → {len(docs)}"] if len(docs) < len(before) else []


def answers(row: SampleRow) -> Words:
    """Return both answers; empty where they are equal or there is none."""
    before = row.baseline.answer if row.baseline else None
    after = row.candidate.answer if row.candidate else None
    if after is None or before == after:
        return []
    if before is None:
        return ["answers ", ForeignText(after)]
    refused = tuple(side is not None and side.refused for side in (row.baseline, row.candidate))
    if refused == (True, False):
        return ["refused before, now answers ", ForeignText(after)]
    if refused == (False, True):
        return ["answered ", ForeignText(before), " before, now refuses"]
    old, new = _from_the_change(before, after)
    return ["was ", ForeignText(old), " now ", ForeignText(new) if new.strip() else "no answer"]


def _from_the_change(before: str, after: str) -> tuple[str, str]:
    """Return both texts without the words that they begin with alike, but for the last few.

    A line holds their beginning only: what changed must stand in it.
    """
    old, new = before.split(), after.split()
    pairs, shorter = zip(old, new, strict=False), min(len(old), len(new))
    alike = next((n for n, (a, b) in enumerate(pairs) if a != b), shorter)
    if alike <= _WORDS_BEFORE + 1:
        return before, after
    start = alike - _WORDS_BEFORE
    return f"… {' '.join(old[start:])}", f"… {' '.join(new[start:])}"


def scores(row: SampleRow, numbers: Numbers) -> Words:
    """Return each score that moved, by metric; every score where there is no baseline."""
    words: Words = []
    for change in row.scores:
        shown = score(change.after, numbers)
        if row.baseline is not None:
            shown = f"{score(change.before, numbers)} → {shown}"
        if row.baseline is None or change.before != change.after:
            mark = pass_words(change.passed, change.passes)
            words += [", " if words else "", Name(change.metric), f" {shown}{mark}"]
    return words


def pass_words(before: bool | None, after: bool | None) -> str:
    """Return `` (PASS → FAIL)``, `` (FAIL)`` where nothing is beside it, "" without a pass mark."""
    words = ["PASS" if each else "FAIL" for each in (before, after) if each is not None]
    return f" ({' → '.join(words)})" if words else ""


def score(value: float | None, numbers: Numbers) -> str:
    """Return one sample's score, whose unit the report does not say: short, or ``unscored``."""
    if value is None:
        return "unscored"
    return f"{value:.2f}".rstrip("0").rstrip(".") if numbers.percent else f"{value:.3f}"


def listed(doc_ids: Sequence[str]) -> Words:
    """Return the first ids with commas; empty if there is none."""
    words: Words = []
    for doc_id in doc_ids[:MOST_DOCUMENTS]:
        words += [", ", DocumentId(doc_id)] if words else [DocumentId(doc_id)]
    return words
