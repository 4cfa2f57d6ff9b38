"""The texts of one sample's contexts, by their hashes: what stayed and what did not."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ragate.core.diagnosis.sample_diff import SampleDiff
from ragate.core.hashing import TEXT_DIGITS, text_hashes
from ragate.models import Record, RetrievedChunk

Texts = tuple[tuple[str, str], ...]  # document and text hash of each chunk, by rank
UNKNOWN = "the contexts' texts are not known"


def texts_of(record: Record) -> Texts | None:
    """Return document and text hash of each chunk; None where the texts were not recorded."""
    chunks = record.output.chunks
    digits = record.text_hashes or text_hashes(record.output)
    if len(digits) != TEXT_DIGITS * len(chunks):
        return None
    places = range(0, len(digits), TEXT_DIGITS)
    hashes = (digits[place : place + TEXT_DIGITS] for place in places)
    return tuple(zip((chunk.doc_id for chunk in chunks), hashes, strict=True))


def known(case: SampleDiff) -> bool:
    """Return True where the texts of every run of both sides are known."""
    return all(texts_of(record) is not None for record in (*case.before, *case.after))


def equal(case: SampleDiff) -> bool:
    """Return True where equal hashes of the retrieval are equal texts, not equal ids alone."""
    chunks = case.after[0].output.chunks
    both = (*case.before, *case.after)
    return not chunks or any(texts_of(record) is not None for record in both)


def basis(case: SampleDiff) -> frozenset[str]:
    """Return the documents that the answer rests on: the expected and the cited ones."""
    return case.sample.expected | frozenset(
        record.output.chunks[number - 1].doc_id
        for record in case.before
        for number in record.output.citations or ()
        if 1 <= number <= len(record.output.chunks)
    )


def kept(case: SampleDiff) -> bool:
    """Return True where each candidate run has every passage of the basis that a run had before.

    False where the texts are not known, or where nothing of the basis was there.
    """
    wanted = basis(case)
    before, after = (_passages(side, wanted) for side in (case.before, case.after))
    if before is None or after is None:
        return False
    return all(any(old and old <= now for old in before) for now in after)


def _passages(
    records: Sequence[Record], doc_ids: Collection[str]
) -> list[set[tuple[str, str]]] | None:
    sides = [texts_of(record) for record in records]
    if any(side is None for side in sides):
        return None
    return [{one for one in side or () if one[0] in doc_ids} for side in sides]


def new_chunks(case: SampleDiff, record: Record) -> list[RetrievedChunk]:
    """Return the chunks of a candidate's run whose text no run of the baseline had."""
    before = {one for each in case.before for one in texts_of(each) or ()}
    chunks = record.output.chunks
    pairs = texts_of(record) or [(chunk.doc_id, "") for chunk in chunks]
    return [chunk for chunk, pair in zip(chunks, pairs, strict=True) if pair not in before]


def edited(case: SampleDiff) -> tuple[str, ...]:
    """Return the documents that came back on both sides without any text in common."""
    before, after = _by_document(case.before), _by_document(case.after)
    return tuple(
        doc_id
        for doc_id, now in after.items()
        if doc_id in before and now.isdisjoint(before[doc_id])
    )


def renamed(case: SampleDiff) -> dict[str, str]:
    """Return expected documents that are gone while another, new one holds their very texts."""
    before, after = _by_document(case.before), _by_document(case.after)
    return {
        doc_id: other
        for doc_id in sorted(case.sample.expected & before.keys() - after.keys())
        for other, now in after.items()
        if other not in before and before[doc_id] <= now
    }


def _by_document(records: Sequence[Record]) -> dict[str, set[str]]:
    """Return the hashes of each document's texts; those of unknown texts are left out."""
    found: dict[str, set[str]] = {}
    for record in records:
        for doc_id, text in texts_of(record) or ():
            found.setdefault(doc_id, set()).add(text)
    return found
