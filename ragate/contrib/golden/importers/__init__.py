"""Questions of other tools as rows of a golden set: what imports take of `ragate.tables`."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from ragate.contrib.golden.importers import _bfcl, _logs, _promptfoo
from ragate.contrib.golden.importers._notes import Notes, said_that_day, scalar
from ragate.contrib.golden.quoted_passages import normalise
from ragate.dataset._values import MAX_TURNS
from ragate.errors import DatasetError
from ragate.models import MetadataValue
from ragate.tables.containers import open_container
from ragate.tables.formats import preset_of
from ragate.tables.names import part_of
from ragate.tables.reading import export_rows, read_export
from ragate.tables.traced import Exchange
from ragate.version import MANUAL

__all__ = ["KINDS", "Notes", "PlacementCounts", "Resolver", "kind_of", "read_foreign"]

# Traces tell what was asked and answered that day, not what is right: their questions are drafts.
TRACES = ("langfuse", "phoenix", "otel")
_READERS: dict[str, Callable[[Path, Notes, Mapping[str, str]], Iterator[Exchange]]] = {
    "promptfoo": _promptfoo.read,
    "bfcl": _bfcl.read,
    "logs": _logs.read,
}
KINDS = ("table", "ragas", "deepeval", "promptfoo", "llamaindex", "bfcl", "logs", *TRACES)
_LOOKED_AT = 20  # rows
_CALLED = {"query": "question", "references": "right answer", "relevant": "expected documents"}


def read_foreign(
    kind: str, path: Path, notes: Notes, columns: Mapping[str, str] | None = None
) -> Iterator[Exchange]:
    """Yield the questions of a file of another tool.

    Args:
        kind: One of `KINDS`.
        notes: Gets what could not be taken.
        columns: The fields that somebody named, by what they hold.

    Raises:
        DatasetError: the file cannot be read; names the place.
    """
    if path.is_dir() and kind != "logs":
        raise DatasetError(f"{path}: a folder, and {kind} writes a file", remedy="name the file")
    if kind in _READERS:
        exchanges = _READERS[kind](path, notes, columns or {})
    else:
        exchanges = read_export(kind, path, columns=columns)
    for exchange in _asked_once(exchanges, notes) if kind in TRACES else exchanges:
        if exchange.query:
            yield exchange
        else:
            notes.add("left out: a conversational golden without a turn of the user")


def kind_of(path: Path) -> str:
    """Return the kind of a file, or of a folder, by what is in it; "table" where no tool shows."""
    if path.is_dir():
        return "beir" if (path / "qrels").is_dir() else "logs"
    try:
        opened = open_container(path)
        if isinstance(opened.value, Mapping) and _is_of_promptfoo(opened.value):
            return "promptfoo"
        rows = [row for _, row in islice(export_rows(path), _LOOKED_AT)]
    except DatasetError:
        return "table"
    first = rows[0] if rows else {}
    if "vars" in first or "__expected" in first:
        return "promptfoo"
    if isinstance(first.get("question"), list) and "function" in first:
        return "bfcl"
    names = {str(name) for row in rows for name in row}
    own = not opened.of_cells and all(
        part_of(name) or name.startswith("metadata.") for name in names
    )
    return preset_of(first) or ("golden" if own and "id" in names else "table")


def _is_of_promptfoo(value: Mapping[str, Any]) -> bool:
    """Whether an object is a configuration, or results beside one."""
    config = value.get("config")
    tests = config.get("tests") if isinstance(config, Mapping) else value.get("tests")
    first = tests[0] if isinstance(tests, list) and tests else tests
    return isinstance(first, str) or (isinstance(first, Mapping) and "vars" in first)


def _asked_once(exchanges: Iterator[Exchange], notes: Notes) -> Iterator[Exchange]:
    """Yield each question of traces once: as a draft, unless it has a reference."""
    asked: set[tuple[str, tuple[tuple[str, str], ...]]] = set()
    for exchange in exchanges:
        words = (" ".join(exchange.query.split()).casefold(), exchange.turns)
        if words in asked:
            notes.add("left out: a question that was asked before in this file")
        elif len(exchange.turns) > MAX_TURNS:
            notes.add(f"left out: a conversation of more than {MAX_TURNS} turns")
        else:
            asked.add(words)
            ids = (one.doc_id for one in exchange.passages or () if one.doc_id)
            metadata = {**exchange.metadata, **said_that_day(exchange.answer, ids)}
            draft = {} if exchange.references else {"draft": True}
            yield replace(exchange, metadata=metadata, own=draft)


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
    document is expected, with grade 1. A passage that no document holds stays as
    metadata ``reference_contexts`` and labels nothing.

    Attributes:
        texts: The corpus by document id, None where it is not known.
        notes: Gets what could not be taken, and what was read as what.
    """

    texts: Mapping[str, str] | None
    notes: Notes = field(default_factory=Notes)
    count: PlacementCounts = field(default_factory=PlacementCounts)
    _normal: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._normal = {doc_id: normalise(text) for doc_id, text in (self.texts or {}).items()}

    def row(self, question: Exchange) -> dict[str, Any]:
        """Return one row."""
        self._note(question)
        passages = self._passages(question)
        relevant = self._relevant(question, passages)
        self.count.placed += bool(relevant)
        rest = {name: scalar(value) for name, value in question.rest.items()}
        metadata = {**rest, **question.metadata, **self._unplaced(question, relevant)}
        row = {
            "id": question.id,
            "messages": [{"role": role, "content": text} for role, text in question.turns],
            "query": question.query,
            "relevant": relevant,
            "references": list(question.references),
            "metadata": {key: value for key, value in metadata.items() if value is not None},
        }
        return {**{key: value for key, value in row.items() if value}, **question.own}

    def _note(self, question: Exchange) -> None:
        for name in question.recorded:
            self.notes.add(f"left out: {name}, a recorded output ({MANUAL}/replay.md)")
        for what in question.left_out:
            self.notes.add(f"left out: {what}")
        for part, name in question.named.items():
            if part in _CALLED and name != part and name != _CALLED[part]:
                self.notes.add(f"{name!r} is read as {_CALLED[part]}")

    def _passages(self, question: Exchange) -> dict[str, str]:
        """Return a passage by document; it is "" for a file that is only named."""
        passages: dict[str, str] = {}
        for text in question.evidence:
            for doc_id in self._holding(text):
                passages.setdefault(doc_id, text)
        for name in question.files:
            if doc_id := self._document(name):
                passages.setdefault(doc_id, "")
        return passages

    def _relevant(self, question: Exchange, passages: Mapping[str, str]) -> dict[str, int]:
        """Return the grades: as the tool names documents, or of those that were found."""
        of_corpus = self.texts is None or question.relevant.keys() <= self.texts.keys()
        if question.relevant and of_corpus:
            return dict(question.relevant)
        if passages or question.evidence:
            return dict.fromkeys(passages, 1)
        return dict(question.relevant)

    def _unplaced(
        self, question: Exchange, relevant: Mapping[str, int]
    ) -> dict[str, MetadataValue]:
        """Return what stands in no document as metadata, and count it."""
        metadata: dict[str, MetadataValue] = {}
        if self.texts is not None or not relevant:
            contexts = [text for text in question.evidence if not any(self._holding(text))]
            if contexts:
                metadata["reference_contexts"] = scalar(contexts)
                self.count.contexts += len(contexts)
        named = (name for name in question.files if name and name not in relevant)
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


def _same_file(doc_id: str, name: str) -> bool:
    path = name.replace("\\", "/")
    known = {doc_id, doc_id.rpartition(".")[0]} - {""}  # people leave out the ending
    return path.endswith(f"/{doc_id}") or any(f"/{each}".endswith(f"/{path}") for each in known)
