"""Which documents passages come from: those that hold them word for word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ragate.core.hashing import digest
from ragate.core.text.quoted_passages import normalise, passage_hash
from ragate.dataset._importers._common import Imported, scalar


@dataclass
class Unplaced:
    """Counts of what was placed in documents and what was not."""

    placed: int = 0
    contexts: int = 0
    sources: int = 0


@dataclass
class Resolver:
    """Turns imported questions into rows of a golden set.

    A passage belongs to every document that holds it word for word, but for layout and case; such a
    document is expected, with grade 1 and the passage as evidence. A passage that no document
    holds stays as metadata ``reference_contexts`` and labels nothing.

    Attributes:
        texts: The corpus by document id, None where it is not known.
    """

    texts: Mapping[str, str] | None
    count: Unplaced = field(default_factory=Unplaced)
    _normal: dict[str, str] = field(default_factory=dict)
    _ids: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._normal = {doc_id: normalise(text) for doc_id, text in (self.texts or {}).items()}

    def row(self, one: Imported) -> dict[str, Any]:
        """Return one row; an id that is taken already gets a number."""
        relevant, evidence, metadata = dict(one.relevant), {}, dict(one.metadata)
        if self.texts is not None:
            placed = self._place(one)
            if placed or (one.contexts and not relevant.keys() <= self.texts.keys()):
                relevant = {doc_id: 1 for doc_id, _ in placed}
            evidence = {
                doc_id: {"quote": text, "hash": passage_hash(text)}
                for doc_id, text in placed
                if text
            }
        lost = [] if relevant and self.texts is None else self._unplaced(one)
        if lost:
            metadata["reference_contexts"] = scalar(lost)
            self.count.contexts += len(lost)
        unknown = [name for name in one.sources if name and not self._document(name)]
        if unknown:
            metadata["source_file"] = "; ".join(unknown)
            self.count.sources += len(unknown)
        self.count.placed += bool(relevant)
        row = {
            "id": self._id(one),
            "query": one.query,
            "relevant": relevant if any(g != 1 for g in relevant.values()) else list(relevant),
            "references": list(one.references),
            "metadata": {key: value for key, value in metadata.items() if value is not None},
            "evidence": evidence,
        }
        kept = {key: value for key, value in row.items() if value}
        return kept if one.answerable is None else {**kept, "answerable": one.answerable}

    def _place(self, one: Imported) -> list[tuple[str, str]]:
        """Return (document, passage) pairs; the passage is "" for a file that is named."""
        named = [(doc_id, "") for name in one.sources if (doc_id := self._document(name))]
        held = [(doc_id, text) for text in one.contexts for doc_id in self._holding(text)]
        first: dict[str, str] = {}
        for doc_id, text in [*held, *named]:
            first.setdefault(doc_id, text)
        return list(first.items())

    def _holding(self, text: str) -> Iterator[str]:
        wanted = normalise(text)
        if wanted:
            yield from (doc_id for doc_id, page in self._normal.items() if wanted in page)

    def _unplaced(self, one: Imported) -> list[str]:
        return [text for text in one.contexts if not any(self._holding(text))]

    def _document(self, name: str) -> str:
        """Return the one document that a file name stands for, "" where there is none, or two."""
        found = [doc_id for doc_id in self._normal if _same_file(doc_id, name)]
        return found[0] if len(found) == 1 else ""

    def _id(self, one: Imported) -> str:
        name = one.id or f"q-{digest(one.query)[:12]}"
        self._ids[name] += 1
        return name if self._ids[name] == 1 else f"{name}-{self._ids[name]}"


def _same_file(doc_id: str, name: str) -> bool:
    path = name.replace("\\", "/")
    return doc_id == path or path.endswith(f"/{doc_id}") or doc_id.endswith(f"/{path}")
