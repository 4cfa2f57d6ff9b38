"""Which documents questions expect, and which a change touches."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from ragate.core.doc_ids.spelling import folded, tails
from ragate.dataset import Entry
from ragate.pipeline.coverage.changed_documents import ChangedDocuments
from ragate.pipeline.run.corpus_texts import Texts


@dataclass(frozen=True)
class Coverage:
    """Documents beside the questions of a golden set; drafts are no questions yet.

    Attributes:
        documents: How many were looked at: those that a change adds or edits, or all.
        unasked: Those of them that no question expects.
        drafted: Those of `unasked` that a draft expects.
        touched: By question, the changed documents that it expects.
        removed: By question, the documents that it expects and the change removes.
    """

    documents: int
    unasked: tuple[str, ...]
    drafted: tuple[str, ...] = ()
    touched: dict[str, tuple[str, ...]] | None = None
    removed: dict[str, tuple[str, ...]] | None = None


def coverage(
    entries: Sequence[Entry], texts: Texts, changed: ChangedDocuments | None = None
) -> Coverage:
    """Return what questions expect of the documents.

    An expected id that names no document is taken for one that is written otherwise: without its
    folder or ending, or as a URL.

    Args:
        changed: Only the documents of this change; None looks at all.
    """
    kinds = changed.kinds if changed is not None else {}
    gone = sorted(doc_id for doc_id, kind in kinds.items() if kind == "removed")
    subject = sorted(kinds.keys() - set(gone) if changed is not None else texts)
    index = _Index(subject, {*texts, *gone})
    asked = [entry for entry in entries if not entry.draft]
    covered = index.expected_by(asked)
    unasked = tuple(doc_id for doc_id in subject if doc_id not in covered)
    drafts = index.expected_by(entry for entry in entries if entry.draft)
    found = Coverage(len(subject), unasked, tuple(sorted(drafts.intersection(unasked))))
    if changed is None:
        return found
    removed = _Index(gone, {*texts, *gone})
    return replace(found, touched=index.by_question(asked), removed=removed.by_question(asked))


def to_draft_for(
    entries: Sequence[Entry], texts: Texts, changed: ChangedDocuments
) -> tuple[str, ...]:
    """Return the documents of a change that neither a question nor a draft expects."""
    found = coverage(entries, texts, changed)
    return tuple(doc_id for doc_id in found.unasked if doc_id not in found.drafted)


class _Index:
    """Some documents, by every way in which an expected id may mean one of them.

    Args:
        known: All documents: an id that is one of them means that one and no other.
    """

    def __init__(self, documents: Sequence[str], known: Collection[str]) -> None:
        self._documents, self._known = frozenset(documents), known
        self._by_name: dict[str, list[str]] = defaultdict(list)
        self._by_tail: dict[str, list[str]] = defaultdict(list)
        for doc_id in documents:
            name = folded(doc_id)
            self._by_name[name].append(doc_id)
            for tail in tails(name):
                self._by_tail[tail].append(doc_id)

    def expected_by(self, entries: Iterable[Entry]) -> set[str]:
        """Return the documents that any of the samples expects."""
        return {doc for entry in entries for doc in self._of(entry.sample.expected)}

    def by_question(self, entries: Iterable[Entry]) -> dict[str, tuple[str, ...]]:
        """Return, by sample, the documents that it expects; samples without any are left out."""
        found = {entry.sample.id: tuple(self._of(entry.sample.expected)) for entry in entries}
        return {sample_id: docs for sample_id, docs in found.items() if docs}

    def _of(self, expected: Iterable[str]) -> list[str]:
        meant: dict[str, None] = {}
        for doc_id in sorted(expected):
            if doc_id in self._known:
                meant |= dict.fromkeys([doc_id] if doc_id in self._documents else [])
                continue
            name = folded(doc_id)
            ends = (doc for tail in tails(name) for doc in self._by_name.get(tail, ()))
            meant |= dict.fromkeys([*self._by_tail.get(name, ()), *ends])
        return list(meant)
