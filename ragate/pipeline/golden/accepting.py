"""Writing what a person accepted: labels, references, whole samples."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from ragate.dataset import Entry, GoldenFile, open_golden, read_entries
from ragate.errors import UsageError
from ragate.pipeline.golden.suggest import as_labels
from ragate.support.settings import nearest, shown

_LIST = "`ragate dataset accept` without an id lists every draft with its id"


def parse_pairs(texts: Iterable[str], ids: Iterable[str]) -> list[tuple[str, str]]:
    """Return (sample, document) of ``SAMPLE:DOCUMENT``; ids may hold colons themselves.

    Raises:
        UsageError: no sample has such an id, or two readings are possible.
    """
    sample_ids = set(ids)
    pairs_read = []
    for text in texts:
        cuts = [n for n, char in enumerate(text) if char == ":"]
        pairs = [
            (text[:n], text[n + 1 :]) for n in cuts if text[:n] in sample_ids and text[n + 1 :]
        ]
        if len(pairs) != 1:
            name = text.partition(":")[0]
            why = (
                "could mean two samples" if pairs else f"no such sample{nearest(name, sample_ids)}"
            )
            if not cuts:
                why = "must be SAMPLE:DOCUMENT"
            raise UsageError(
                f"--accept {shown(text)}: {why}",
                remedy="write the sample's id, a colon and the document: --accept q1:refunds.md",
            )
        pairs_read += pairs
    return pairs_read


def write_labels(path: Path, grades: Mapping[str, Mapping[str, int]]) -> int:
    """Add expected documents to the samples of a golden set; return how many labels are new.

    The file keeps its bytes where every label is there already.
    """
    golden = open_golden(path)
    entries = {entry.sample.id: entry for entry in read_entries(path)}
    count = 0
    for sample_id, new_grades in grades.items():
        entry = entries[sample_id]
        before = entry.sample.relevant
        new = {doc_id: grade for doc_id, grade in new_grades.items() if before.get(doc_id) != grade}
        count += len(new)
        if new:
            golden.update(entry, "relevant", as_labels({**before, **new}))
    golden.save()
    return count


def accept_drafts(path: Path, ids: Iterable[str], *, reject: bool = False) -> dict[str, str]:
    """Make drafts count, or remove them; return what became of each sample.

    Raises:
        UsageError: a sample is not there, or nothing of it is a draft.
    """
    golden = open_golden(path)
    entries = {entry.sample.id: entry for entry in read_entries(path)}
    outcomes = {}
    for sample_id in ids:
        entry = entries.get(sample_id)
        if entry is None:
            raise UsageError(
                f"no sample has the id {sample_id!r}{nearest(sample_id, entries)}", remedy=_LIST
            )
        if not entry.draft and not entry.drafted:
            raise UsageError(f"{sample_id!r} holds no draft", remedy=_LIST)
        outcomes[sample_id] = _settle(golden, entry, reject=reject)
    golden.save()
    return outcomes


def _settle(golden: GoldenFile, entry: Entry, *, reject: bool) -> str:
    if entry.draft and reject:
        golden.remove(entry)
        return "removed"
    settled = []
    if entry.drafted:
        references = [*entry.sample.references, *(() if reject else entry.drafted)]
        golden.update(entry, "references", references or None)
        count = len(entry.drafted)
        settled.append(f"{count} reference{'' if count == 1 else 's'}")
    if entry.draft:
        golden.update(entry, "draft", None)
        settled.append("the sample")
    return f"{', '.join(settled)} {'removed' if reject else 'accepted'}"
