"""The texts of one sample's contexts, by their hashes: what stayed and what did not."""

from collections.abc import Collection, Sequence

from ragate.core.diagnosis.sample_diff import SampleDiff
from ragate.core.hashing import TEXT_DIGITS, text_hashes
from ragate.models import Record, RetrievedChunk

Texts = tuple[tuple[str, str], ...]  # document and text hash of each chunk, by rank
TEXTS_UNKNOWN = "the contexts' texts are not known"


def texts_of(record: Record) -> Texts | None:
    """Return document and text hash of each chunk; None where the texts were not recorded."""
    chunks = record.output.chunks
    digits = record.text_hashes or text_hashes(record.output)
    if len(digits) != TEXT_DIGITS * len(chunks):
        return None
    starts = range(0, len(digits), TEXT_DIGITS)
    hashes = (digits[start : start + TEXT_DIGITS] for start in starts)
    return tuple(zip((chunk.doc_id for chunk in chunks), hashes, strict=True))


def texts_known(diff: SampleDiff) -> bool:
    """Return True where the texts of every run of both sides are known."""
    return all(texts_of(record) is not None for record in (*diff.before, *diff.after))


def ids_and_texts_equal(diff: SampleDiff) -> bool:
    """Return True where equal hashes of the retrieval are equal texts, not equal ids alone."""
    chunks = diff.after[0].output.chunks
    records = (*diff.before, *diff.after)
    return not chunks or any(texts_of(record) is not None for record in records)


def _basis(diff: SampleDiff) -> frozenset[str]:
    """Return the documents that the answer rests on: the expected and the cited ones."""
    return diff.sample.expected | frozenset(
        record.output.chunks[number - 1].doc_id
        for record in diff.before
        for number in record.output.citations or ()
        if 1 <= number <= len(record.output.chunks)
    )


def basis_kept(diff: SampleDiff) -> bool:
    """Return True where each candidate run has every passage that an earlier run rested on.

    An answer rests on the expected and on the cited documents. False where the texts are not
    known, or where nothing of those documents was there.
    """
    basis = _basis(diff)
    before, after = (_passages(records, basis) for records in (diff.before, diff.after))
    if before is None or after is None:
        return False
    return all(any(old and old <= new for old in before) for new in after)


def _passages(
    records: Sequence[Record], doc_ids: Collection[str]
) -> list[set[tuple[str, str]]] | None:
    runs = [texts_of(record) for record in records]
    if any(texts is None for texts in runs):
        return None
    return [{pair for pair in texts or () if pair[0] in doc_ids} for texts in runs]


def new_chunks(diff: SampleDiff, record: Record) -> list[RetrievedChunk]:
    """Return the chunks of a candidate's run whose text no run of the baseline had."""
    before = {pair for old in diff.before for pair in texts_of(old) or ()}
    chunks = record.output.chunks
    pairs = texts_of(record) or [(chunk.doc_id, "") for chunk in chunks]
    return [chunk for chunk, pair in zip(chunks, pairs, strict=True) if pair not in before]


def edited_documents(diff: SampleDiff) -> tuple[str, ...]:
    """Return the documents that came back on both sides without any text in common."""
    before, after = _by_document(diff.before), _by_document(diff.after)
    return tuple(
        doc_id
        for doc_id, texts in after.items()
        if doc_id in before and texts.isdisjoint(before[doc_id])
    )


def renamed_documents(diff: SampleDiff) -> dict[str, str]:
    """Return expected documents that are gone while another, new one holds their very texts."""
    before, after = _by_document(diff.before), _by_document(diff.after)
    return {
        doc_id: new_id
        for doc_id in sorted(diff.sample.expected & before.keys() - after.keys())
        for new_id, texts in after.items()
        if new_id not in before and before[doc_id] <= texts
    }


def same_ranking(diff: SampleDiff) -> bool:
    """Return True where each run's chunks came in an order of documents that a run had before."""
    old, new = (
        [[chunk.doc_id for chunk in record.output.chunks] for record in records]
        for records in (diff.before, diff.after)
    )
    return bool(new[0]) and all(doc_ids in old for doc_ids in new)


def _by_document(records: Sequence[Record]) -> dict[str, set[str]]:
    """Return the hashes of each document's texts; those of unknown texts are left out."""
    hashes: dict[str, set[str]] = {}
    for record in records:
        for doc_id, text_hash in texts_of(record) or ():
            hashes.setdefault(doc_id, set()).add(text_hash)
    return hashes
