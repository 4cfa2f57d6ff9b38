"""What happened to one sample, in one sentence: what was expected, what came, and why."""

from collections.abc import Sequence
from itertools import takewhile

from ragate.core.rules.checked_metric import metric_of
from ragate.models import Cause, CauseKind, RankChange, Report, SampleRow
from ragate.renderers._numbers import counted
from ragate.renderers._words import (
    DocumentId,
    ForeignText,
    Name,
    Words,
    joined,
    leading,
    listed,
    said,
)

MOST_DOCUMENTS = 2
_WORDS_BEFORE = 3  # of an answer, left in front of its first changed word
_KINDS = {CauseKind.GENERATION: "same documents", CauseKind.UNKNOWN: "cause unknown"}
_OTHER_DOCUMENTS = (CauseKind.RETRIEVAL, CauseKind.UNKNOWN)


def sections(samples: Sequence[SampleRow]) -> dict[str, list[SampleRow]]:
    """Return the samples that got worse, that are new, that got better, if any.

    They keep the order of the report, which is that of the harm. Samples with equal scores are
    only counted: see `equal_scores`.
    """
    groups = {
        "worse": [row for row in samples if row.got_worse],
        "new": [row for row in samples if row.change == "new"],
        "better": [row for row in samples if row.change == "better"],
    }
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
        kind = row.cause.kind if row.cause is not None else None
        firsts.setdefault((kind, *row.tags[:1]), row.sample_id)
    different = set(firsts.values())

    def place(row: SampleRow) -> tuple[bool, bool]:
        return row.sample_id not in missed, row.sample_id not in different

    return sorted(rows, key=place)


def first_ones(report: Report) -> list[SampleRow]:
    """Return the rows that a reader sees first: those that got worse, else those that are new."""
    groups = sections(report.samples)
    return worst_first(report, groups.get("worse") or groups.get("new") or [])


def shown_above(report: Report) -> list[SampleRow]:
    """Return `first_ones`, of those that failed with one error only the first."""
    rows = first_ones(report)
    _, alike = failed_alike(rows)
    repeated = {row.sample_id for row in alike[1:]}
    return [row for row in rows if row.sample_id not in repeated]


def sample_name(report: Report, sample_id: str) -> ForeignText:
    """Return a sample's name, which leads to its line in the golden set."""
    return leading(Name(sample_id), report.links.samples.get(sample_id, ""))


def failed_alike(rows: Sequence[SampleRow]) -> tuple[str, list[SampleRow]]:
    """Return the one error that most of `rows` failed with, and these: it is told once.

    "" and no row where fewer failed alike.
    """
    by_error: dict[str, list[SampleRow]] = {}
    for row in rows:
        if row.candidate and row.candidate.error:
            by_error.setdefault(row.candidate.error, []).append(row)
    error, alike = max(by_error.items(), key=lambda item: len(item[1]), default=("", []))
    are_most = len(alike) > 1 and 2 * len(alike) > len(rows)
    return (error, alike) if are_most else ("", [])


def asked(row: SampleRow) -> str:
    """Return the question, with the number of turns that stand before it."""
    before = f"(after {counted(len(row.messages), 'turn')}) " if row.messages else ""
    return before + row.query


def equal_scores(samples: Sequence[SampleRow]) -> int:
    """Return how many samples retrieved or answered something else with equal scores."""
    return sum(row.change == "same" and row.baseline != row.candidate for row in samples)


def happened(row: SampleRow, *, wide: bool = True) -> Words:
    """Return the sentence for one cell: failure, cause, ranks, answers or scores."""
    if row.candidate is not None and row.candidate.error is not None:
        return ["failed: ", ForeignText(row.candidate.error)]
    if row.baseline is None:
        return joined([ranks(row), answers(row)]) or scores(row) or ["new"]
    if row.cause is not None:
        return _caused(row, row.cause, wide)
    words = joined([ranks(row), came(row)]) or answers(row) or scores(row)
    return words or ["outputs differ"]


def _caused(row: SampleRow, cause: Cause, wide: bool) -> Words:
    kind, both = cause.kind, answers(row)
    is_of_documents = kind in _OTHER_DOCUMENTS and not row.unnamed
    if is_of_documents and row.fewer and not ranks(row):
        return [f"fewer documents ({arrow(*row.fewer)}): ", *(both or scores(row))]
    if kind is CauseKind.UNKNOWN and cause.edited:
        edited = ForeignText(", ".join(cause.edited[:MOST_DOCUMENTS]))
        return ["other text in ", edited, ": ", *(both or scores(row))]

    if kind is CauseKind.GENERATION or row.unnamed:
        words = both
    elif kind is CauseKind.JUDGE:
        words = joined([["same output, another verdict"], scores(row)])
    elif is_of_documents:
        words = _other_documents(row, cause, wide)
    else:
        evidence = ForeignText(cause.evidence.partition("; ")[0])
        beside = [] if wide else _beside(row, evidence)
        words = joined([[evidence], beside, both])
    title = "documents not known" if row.unnamed else _KINDS.get(kind, kind.words)
    return [f"{title}: ", *(words or [ForeignText(cause.evidence)])]


def _other_documents(row: SampleRow, cause: Cause, wide: bool) -> Words:
    """Return where the expected documents went, and what came instead or was answered."""
    # Not linked: the page to open is the expected one.
    pushed = ForeignText(", ".join(cause.displaced_by[:MOST_DOCUMENTS]))
    instead: Words = ["pushed out by ", pushed] if pushed else came(row)
    moved, both = ranks(row), answers(row)
    if not moved:
        return joined([instead, both])
    # Beside two documents, and on a terminal, is no room for answers: --explain shows them.
    has_room = wide and sum(isinstance(word, DocumentId) for word in moved) < 2
    return joined([moved, both if has_room and both else instead])


def _beside(row: SampleRow, evidence: str) -> Words:
    """Return what the evidence leaves open: other ranks, or what came for a document it names."""
    moved = [change.doc_id for change in row.ranks if change.before != change.after]
    if not moved or not all(doc_id in evidence for doc_id in moved):
        return ranks(row)
    instead = came(row)
    is_named = any(word in evidence for word in instead if isinstance(word, DocumentId))
    return [] if is_named else instead


def ranks(row: SampleRow) -> Words:
    """Return what became of the expected documents, the lost ones first; empty if none moved."""
    alone = row.baseline is None
    moved = [change for change in row.ranks if alone or change.before != change.after]
    moved.sort(key=_loss, reverse=True)
    clauses = [[DocumentId(change.doc_id), f", {rank_words(change, alone)}"] for change in moved]
    return said("expected {}", listed(clauses, MOST_DOCUMENTS, "; "))


def _loss(change: RankChange) -> float:
    never = 1e9
    return (change.after or never) - (change.before or never)


def rank_words(change: RankChange, alone: bool) -> str:
    """Return ``rank 3 → gone``; ``rank 3`` where nothing is beside it."""
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
    docs = row.candidate.docs
    before = row.baseline.docs if row.baseline else ()
    if not docs:
        return ["nothing came"] if before else []
    not_instead = {*row.expected, *before}
    instead = [DocumentId(doc_id) for doc_id in docs if doc_id not in not_instead]
    if instead:
        return said("came instead: {}", listed(instead[:MOST_DOCUMENTS]))
    if len(docs) < len(before):
        return [f"documents retrieved: {arrow(len(before), len(docs))}"]
    return []


def arrow(before: int, now: int) -> str:
    return f"{before:,} → {now:,}"


def answers(row: SampleRow) -> Words:
    """Return both answers; empty where they are equal or there is none."""
    before = row.baseline.answer if row.baseline else None
    after = row.candidate.answer if row.candidate else None
    if after is None or before == after:
        return []
    if before is None:
        return ["answers ", ForeignText(after)]

    refused_before = row.baseline is not None and row.baseline.refused
    refuses_now = row.candidate is not None and row.candidate.refused
    if refused_before and not refuses_now:
        return ["refused before, now answers ", ForeignText(after)]
    if refuses_now and not refused_before:
        return ["answered ", ForeignText(before), " before, now refuses"]
    old, new = _from_the_change(before, after)
    return ["was ", ForeignText(old), " now ", ForeignText(new) if new.strip() else "no answer"]


def _from_the_change(before: str, after: str) -> tuple[str, str]:
    """Return both texts without the words that they begin with alike, but for the last few.

    A line holds their beginning only: what changed must stand in it.
    """
    old, new = before.split(), after.split()
    pairs = zip(old, new, strict=False)
    alike = list(takewhile(lambda pair: pair[0] == pair[1], pairs))
    start = len(alike) - _WORDS_BEFORE
    if start <= 1:
        return before, after
    return f"… {' '.join(old[start:])}", f"… {' '.join(new[start:])}"


def scores(row: SampleRow) -> Words:
    """Return each score that moved, by metric; every score where there is no baseline."""
    clauses = list[Words]()
    is_alone = row.baseline is None
    for change in row.scores:
        if not is_alone and change.before == change.after:
            continue
        metric = metric_of(change.metric)
        if metric != change.metric:  # the column of what it had to check
            clause = " has more to check" if change.after else " has nothing left to check"
        else:
            before = "" if is_alone else f"{score(change.before)} → "
            clause = f" {before}{score(change.after)}{pass_words(change.passed, change.passes)}"
        clauses.append([Name(metric), clause])
    return joined(clauses, ", ")


def pass_words(before: bool | None, after: bool | None) -> str:
    """Return `` (PASS → FAIL)``, `` (FAIL)`` where nothing is beside it, "" without a pass mark."""
    words = ["PASS" if each else "FAIL" for each in (before, after) if each is not None]
    return f" ({' → '.join(words)})" if words else ""


def score(value: float | None) -> str:
    """Return one sample's score, whose unit the report does not say: short, or ``unscored``."""
    if value is None:
        return "unscored"
    return f"{value:.2f}".rstrip("0").rstrip(".")
