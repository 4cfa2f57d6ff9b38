"""Golden sets that other tools wrote, brought into ours. One module a form of file."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from ragate.core.text.quoted_passages import normalise, passage_hash
from ragate.dataset._importers import (
    _bfcl,
    _goldens,
    _llamaindex,
    _logs,
    _promptfoo,
    _table,
    _traces,
)
from ragate.dataset._importers._common import Imported, Notes, scalar
from ragate.dataset._importers._table import looks_like_questions
from ragate.dataset._values import generated_id
from ragate.errors import DatasetError, UsageError
from ragate.models import MetadataValue

__all__ = [
    "KINDS",
    "Imported",
    "Notes",
    "PlacementCounts",
    "Resolver",
    "looks_like_questions",
    "read_foreign",
]

_READERS: dict[str, Callable[[Path, Notes], Iterator[Imported]]] = {
    "table": _table.read,
    "ragas": _goldens.read_ragas,
    "deepeval": _goldens.read_deepeval,
    "promptfoo": _promptfoo.read,
    "llamaindex": _llamaindex.read,
    "bfcl": _bfcl.read,
    "logs": _logs.read,
    **{kind: partial(_traces.read, kind) for kind in _traces.KINDS},
}
KINDS = tuple(_READERS)


def read_foreign(
    kind: str, path: Path, notes: Notes, *, query_name: str = ""
) -> Iterator[Imported]:
    """Yield the questions of a file of another tool.

    Args:
        kind: One of `KINDS`.
        notes: Gets what could not be taken.
        query_name: For promptfoo, the variable that holds the question.

    Raises:
        DatasetError: the file cannot be read; names the place.
    """
    if path.is_dir() and kind != "logs":
        raise DatasetError(f"{path}: a folder, and {kind} writes a file", remedy="name the file")
    if kind == "promptfoo":
        return _promptfoo.read(path, notes, query_name=query_name)
    if query_name:
        raise UsageError("--query-var is for promptfoo; the other formats name the question")
    return _READERS[kind](path, notes)


@dataclass
class PlacementCounts:
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
    count: PlacementCounts = field(default_factory=PlacementCounts)
    _normal: dict[str, str] = field(default_factory=dict)
    _ids: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._normal = {doc_id: normalise(text) for doc_id, text in (self.texts or {}).items()}

    def row(self, question: Imported) -> dict[str, Any]:
        """Return one row; an id that is taken already gets a number."""
        passages = self._passages(question)
        relevant = self._relevant(question, passages)
        self.count.placed += bool(relevant)
        metadata = {**question.metadata, **self._unplaced(question, relevant)}
        graded = any(grade != 1 for grade in relevant.values())
        row = {
            "id": self._id(question),
            "messages": [turn.model_dump() for turn in question.messages],
            "query": question.query,
            "relevant": relevant if graded else list(relevant),
            "references": list(question.references),
            "metadata": {key: value for key, value in metadata.items() if value is not None},
            "evidence": {
                doc_id: {"quote": text, "hash": passage_hash(text)}
                for doc_id, text in passages.items()
                if text
            },
            "draft": question.draft,
            "tools": list(question.tools),
        }
        filled = {key: value for key, value in row.items() if value}
        if question.expected_calls is not None:
            filled["expected_calls"] = list(question.expected_calls)
        answerable = question.answerable
        return filled if answerable is None else {**filled, "answerable": answerable}

    def _passages(self, question: Imported) -> dict[str, str]:
        """Return a passage by document; it is "" for a file that is only named."""
        passages: dict[str, str] = {}
        for text in question.contexts:
            for doc_id in self._holding(text):
                passages.setdefault(doc_id, text)
        for name in question.sources:
            if doc_id := self._document(name):
                passages.setdefault(doc_id, "")
        return passages

    def _relevant(self, question: Imported, passages: Mapping[str, str]) -> dict[str, int]:
        """Return the grades: of the documents that were found, or as the tool names them."""
        of_corpus = self.texts is None or question.relevant.keys() <= self.texts.keys()
        if passages or (question.contexts and not of_corpus):
            return dict.fromkeys(passages, 1)
        return dict(question.relevant)

    def _unplaced(
        self, question: Imported, relevant: Mapping[str, int]
    ) -> dict[str, MetadataValue]:
        """Return what stands in no document as metadata, and count it."""
        metadata: dict[str, MetadataValue] = {}
        if self.texts is not None or not relevant:
            contexts = [text for text in question.contexts if not any(self._holding(text))]
            if contexts:
                metadata["reference_contexts"] = scalar(contexts)
                self.count.contexts += len(contexts)
        named = (name for name in question.sources if name and name not in relevant)
        sources = [name for name in named if not self._document(name)]
        if sources:
            metadata["source_file"] = "; ".join(sources)
            self.count.sources += len(sources)
        return metadata

    def _holding(self, text: str) -> Iterator[str]:
        """Yield the documents that hold a passage."""
        passage = normalise(text)
        if passage:
            yield from (doc_id for doc_id, page in self._normal.items() if passage in page)

    def _document(self, name: str) -> str:
        """Return the one document that a file name stands for, "" where there is none, or two."""
        doc_ids = [doc_id for doc_id in self._normal if _same_file(doc_id, name)]
        return doc_ids[0] if len(doc_ids) == 1 else ""

    def _id(self, question: Imported) -> str:
        name = question.id or generated_id(question.query, question.messages)
        self._ids[name] += 1
        return name if self._ids[name] == 1 else f"{name}-{self._ids[name]}"


def _same_file(doc_id: str, name: str) -> bool:
    path = name.replace("\\", "/")
    known = {doc_id, doc_id.rpartition(".")[0]} - {""}  # people leave out the ending
    return path.endswith(f"/{doc_id}") or any(f"/{each}".endswith(f"/{path}") for each in known)
