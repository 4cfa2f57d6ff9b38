"""Reading the corpus: a folder of pages, or a BEIR ``corpus.jsonl``."""

import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragate.core.hashing import digest
from ragate.errors import ConfigError
from ragate.support.foreign_files import decode, inside, read_bytes
from ragate.support.strict_json import read_lines
from ragate.systems.pgvector.corpus.html import to_markdown

SUFFIXES = {".md": "markdown", ".markdown": "markdown", ".html": "html", ".htm": "html",
            ".txt": "text"}  # fmt: skip
MAX_PAGE_BYTES = 16 * 1024 * 1024
MAX_CORPUS_BYTES = 2 * 1024 * 1024 * 1024
WHERE = "[system] corpus"


@dataclass(frozen=True)
class Document:
    """One document as it was found; `hash` changes whenever its chunks could.

    Attributes:
        kind: ``markdown``, ``html`` or ``text``.
        metadata: Of a BEIR row; a page has its own in its text.
    """

    doc_id: str
    kind: str
    text: str
    hash: str
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Corpus:
    """All documents, in order of their ids."""

    documents: tuple[Document, ...]

    @property
    def hash(self) -> str:
        return digest([(document.doc_id, document.hash) for document in self.documents])


def read_corpus(root: Path, folder: str) -> Corpus:
    """Return the corpus in `folder`, a path relative to `root`.

    Raises:
        ConfigError: the folder is absent, outside `root` or empty, or a file in it cannot be
            read: a link that leads out of it, no regular file, too large, not UTF-8, or a line of
            ``corpus.jsonl`` that is no document.
    """
    top = inside(root, folder, where=WHERE, error=ConfigError)
    if not top.is_dir():
        raise ConfigError(
            f"{WHERE} = {folder!r}: there is no folder {top}",
            remedy="write the folder of your documents, relative to ragate.toml",
        )
    beir = top / "corpus.jsonl"
    unsorted = _read_beir(beir) if beir.exists() else _read_pages(top)
    documents = tuple(sorted(unsorted, key=lambda one: one.doc_id))
    if not documents:
        raise ConfigError(
            f"{WHERE} = {folder!r}: {top} holds no document",
            remedy=f"put files with the endings {', '.join(SUFFIXES)} there, or a corpus.jsonl",
        )
    return Corpus(documents)


def read_texts(root: Path, folder: str) -> dict[str, str]:
    """Return the text of each document of the corpus in `folder`, by id; HTML without its tags.

    Raises:
        ConfigError: as `read_corpus`.
    """
    pages = read_corpus(root, folder).documents
    return {page.doc_id: readable(page.text, page.kind) for page in pages}


def readable(text: str, kind: str) -> str:
    """Return the text of a page as a reader sees it."""
    return to_markdown(text)[1] if kind == "html" else text


def _read_pages(top: Path) -> Iterator[Document]:
    for path in _pages(top):
        name = path.relative_to(top).as_posix()
        try:
            name.encode()
        except UnicodeEncodeError as error:
            raise ConfigError(f"{WHERE}: the name of {name!r} is not UTF-8") from error
        if not path.resolve().is_relative_to(top):
            raise ConfigError(
                f"{WHERE}: {path} is a link that leads out of the corpus, to {path.resolve()}",
                remedy="remove the link, or put a copy of the page there",
            )
        content = read_bytes(path, error=ConfigError, max_bytes=MAX_PAGE_BYTES)
        text = decode(content, where=str(path), error=ConfigError)
        kind = SUFFIXES[path.suffix.lower()]
        yield _document(name, kind, text.replace("\r\n", "\n"), where=str(path))


def _pages(top: Path) -> Iterator[Path]:
    """Yield the files that are pages; hidden ones and linked folders are passed over."""
    for folder, folders, files in os.walk(top):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if not name.startswith(".") and Path(name).suffix.lower() in SUFFIXES:
                yield Path(folder, name)


def _read_beir(path: Path) -> Iterator[Document]:
    if not path.resolve().is_relative_to(path.parent):
        raise ConfigError(f"{WHERE}: {path} is a link that leads out of the corpus")
    lines: dict[str, int] = {}
    for number, row in read_lines(path, error=ConfigError, max_bytes=MAX_CORPUS_BYTES):
        where = f"{path}:{number}"
        doc_id = _field(row, "_id", where)
        if doc_id in lines:
            raise ConfigError(f"{where}: _id {doc_id!r} stands on line {lines[doc_id]} already")
        lines[doc_id] = number
        title, text = _field(row, "title", where, default=""), _field(row, "text", where)
        fields = row.get("metadata")
        if not isinstance(fields, dict):
            fields = {}
        yield _document(doc_id, "text", f"{title}\n{text}".strip(), where=where, metadata=fields)


def _field(row: Any, key: str, where: str, *, default: str | None = None) -> str:
    if not isinstance(row, dict):
        raise ConfigError(f"{where}: not an object with _id, title and text")
    value = row.get(key, default)
    if key == "_id" and isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or (key == "_id" and not value):
        raise ConfigError(f"{where}: {key!r} is {value!r}, not a text")
    return value


def _document(
    doc_id: str, kind: str, text: str, *, where: str, metadata: Mapping[str, Any] | None = None
) -> Document:
    if "\0" in text or "\0" in doc_id:
        raise ConfigError(
            f"{where}: holds a NUL character, so it is not text",
            remedy="move it out of the corpus, or give it another ending",
        )
    content = hashlib.sha256(f"{kind}\0{doc_id}\0{text}".encode()).hexdigest()[:32]
    if metadata:
        content = digest([content, dict(metadata)])
    return Document(doc_id, kind, text, content, metadata or {})
