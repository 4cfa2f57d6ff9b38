"""The file of an index: documents, chunks and vectors, so that they need not be embedded again.

A file of the texts alone has no vectors, and of what the index depends on it lacks `OF_VECTORS`.

It is gzip-compressed JSON Lines: a header, one row a line, and the SHA-256 of all lines before it.
Nothing in it is ever run, and nothing of it counts before the whole file was checked.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from pydantic import Field

from ragate.core.hashing import digest
from ragate.errors import StorageError
from ragate.files.foreign_files import open_regular
from ragate.files.strict_json import loads
from ragate.guards.escape import one_line
from ragate.models import Frozen
from ragate.systems.pgvector.chunking import Chunk

if TYPE_CHECKING:
    import numpy.typing as npt


FORMAT_VERSION = 1
MAX_FILE = 4 * 1024**3
MAX_UNPACKED = 8 * 1024**3
MAX_LINE = 64 * 1024**2
MAX_ROWS = 5_000_000
OF_VECTORS = frozenset({"embedder", "graph"})


class Header(Frozen):
    """What a file holds.

    Attributes:
        parts: What the index depends on besides the documents, by name; see `index_parts`.
        corpus_hash: Of the documents: their ids and the hashes of their contents.
        dimension: Of the vectors; None without any.
    """

    ragate_index: int
    parts: dict[str, str]
    corpus_hash: str
    dimension: int | None = Field(default=None, ge=1, le=16_000)
    documents: int = Field(ge=0, le=MAX_ROWS)
    parents: int = Field(ge=0, le=MAX_ROWS)
    chunks: int = Field(ge=0, le=MAX_ROWS)


@dataclass
class Content:
    """The rows of an index.

    Attributes:
        documents: (id, hash of the content, metadata).
        vectors: One for each chunk, in order; empty without any.
    """

    documents: list[tuple[str, str, Mapping[str, list[str]]]] = field(default_factory=list)
    parents: list[Chunk] = field(default_factory=list)
    chunks: list[Chunk] = field(default_factory=list)
    vectors: list[npt.NDArray[np.float32]] = field(default_factory=list)

    @property
    def corpus_hash(self) -> str:
        return digest([(doc_id, content) for doc_id, content, _ in self.documents])


def pack(content: Content, parts: Mapping[str, str]) -> bytes:
    """Return the file; the same content gives the same bytes."""
    header = Header(
        ragate_index=FORMAT_VERSION,
        parts=dict(parts),
        corpus_hash=content.corpus_hash,
        dimension=len(content.vectors[0]) if content.vectors else None,
        documents=len(content.documents),
        parents=len(content.parents),
        chunks=len(content.chunks),
    )
    target, checksum = io.BytesIO(), hashlib.sha256()
    with gzip.GzipFile(fileobj=target, mode="wb", compresslevel=6, mtime=0) as file:
        for row in (header.model_dump(), *_rows(content)):
            line = json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
            checksum.update(line)
            file.write(line)
        file.write(json.dumps({"sha256": checksum.hexdigest()}).encode() + b"\n")
    return target.getvalue()


def _rows(content: Content) -> Iterator[list[Any]]:
    yield from (["d", *document] for document in content.documents)
    yield from (["p", *_fields(parent)] for parent in content.parents)
    for number, chunk in enumerate(content.chunks):
        row = ["c", *_fields(chunk)]
        if content.vectors:
            vector = np.asarray(content.vectors[number], dtype="<f4")
            row.append(base64.b64encode(vector.tobytes()).decode())
        yield row


def _fields(chunk: Chunk) -> tuple[Any, ...]:
    return chunk.doc_id, chunk.position, chunk.title, chunk.section, chunk.text, chunk.parent


# Reading the file of an index, which anybody may have written: strictly, and bounded.


def unpack(path: Path) -> tuple[Header, Content]:
    """Return what a file holds; raises as `unpack_stream`, and where it cannot be opened."""
    with open_regular(path, error=StorageError, max_bytes=MAX_FILE) as file:
        return unpack_stream(file, str(path))


def unpack_stream(file: BinaryIO, where: str) -> tuple[Header, Content]:
    """Return what a stream holds, once all of it was read and checked.

    Args:
        where: What it is called in messages.

    Raises:
        StorageError: it is no such file, of another version, damaged or cut off, larger than any
            index may be, or its rows do not belong together.
    """
    lines = _lines(file, where)
    try:
        header = _header(next(lines, b""), where)
        content = Content()
        for line in lines:
            _add(loads(line, where=where, error=StorageError), header, content)
    except (ValueError, TypeError, KeyError) as error:
        raise damaged(where, str(error)) from error
    _check(header, content, where)
    return header, content


def _lines(file: BinaryIO, where: str) -> Iterator[bytes]:
    """Yield all lines but the last, which is compared with them."""
    checksum, last, size = hashlib.sha256(), b"", 0
    try:
        with gzip.GzipFile(fileobj=file) as stream:
            while line := stream.readline(MAX_LINE + 1):
                size += len(line)
                if len(line) > MAX_LINE or size > MAX_UNPACKED:
                    raise damaged(where, "it is larger than any index may be")
                if last:
                    checksum.update(last)
                    yield last
                last = line
    except (OSError, EOFError, zlib.error) as error:
        raise damaged(where, str(error)) from error
    if last != json.dumps({"sha256": checksum.hexdigest()}).encode() + b"\n":
        raise damaged(where, "its checksum is missing or wrong")


def _header(line: bytes, where: str) -> Header:
    value = loads(line, where=where, error=StorageError) if line else None
    version = value.get("ragate_index") if isinstance(value, dict) else None
    if version != FORMAT_VERSION:
        raise StorageError(
            f"{where}: not an index file of this version ({FORMAT_VERSION})",
            remedy="write one with `ragate index dump` of this version",
        )
    return Header.model_validate(value, strict=True)


def _add(row: Any, header: Header, content: Content) -> None:
    """Take one row; one that is none raises ValueError, TypeError or KeyError."""
    if not isinstance(row, list) or len(content.chunks) > header.chunks:
        raise ValueError("a row is no list, or there are more than announced")
    kind, *fields = row
    if kind == "d":
        content.documents.append(_Document.of(fields))
    elif kind == "p":
        content.parents.append(_chunk(fields))
    elif kind == "c":
        if header.dimension:
            content.vectors.append(_vector(fields.pop(), header.dimension))
        content.chunks.append(_chunk(fields))
    else:
        raise ValueError(f"unknown kind of row {str(kind)[:20]!r}")


class _Document(Frozen):
    doc_id: str = Field(min_length=1)
    hash: str = Field(pattern=r"^[0-9a-f]{16,64}$")
    metadata: dict[str, list[str]]

    @classmethod
    def of(cls, fields: list[Any]) -> tuple[str, str, Mapping[str, list[str]]]:
        doc_id, content, metadata = fields
        document = cls.model_validate(
            {"doc_id": doc_id, "hash": content, "metadata": metadata}, strict=True
        )
        _no_nul(
            document.doc_id,
            *document.metadata,
            *(v for values in document.metadata.values() for v in values),
        )
        return document.doc_id, document.hash, document.metadata


def _chunk(fields: list[Any]) -> Chunk:
    doc_id, position, title, section, text, parent = fields
    if not all(isinstance(cell, str) for cell in (doc_id, title, section, text)):
        raise ValueError("a text of a chunk is none")
    for number in (position, parent):
        if type(number) is not int or not 0 <= number < 2**31:
            raise ValueError("a position is no number of one")
    _no_nul(doc_id, title, section, text)
    return Chunk(doc_id, position, text, title, section, parent)


def _no_nul(*texts: str) -> None:
    if any("\0" in text for text in texts):
        raise ValueError("a text holds a NUL character")


def _vector(text: Any, dimension: int) -> npt.NDArray[np.float32]:
    if not isinstance(text, str):
        raise ValueError("a vector is no text")  # noqa: TRY004 - one kind of error for a bad row
    vector = np.frombuffer(base64.b64decode(text, validate=True), dtype="<f4")
    if len(vector) != dimension or not np.isfinite(vector).all():
        raise ValueError(f"a vector is not {dimension} finite numbers")
    return vector.astype(np.float32)


def _check(header: Header, content: Content, where: str) -> None:
    """Raise StorageError where rows are missing, doubled or belong to nothing."""
    doc_ids = {doc_id for doc_id, _, _ in content.documents}
    places = {(chunk.doc_id, chunk.position) for chunk in content.chunks}
    passages = {(chunk.doc_id, chunk.position) for chunk in content.parents}
    counts = (len(content.documents), len(content.parents), len(content.chunks))
    if counts != (header.documents, header.parents, header.chunks):
        raise damaged(where, "it holds another number of rows than it says")
    if (len(doc_ids), len(passages), len(places)) != counts:
        raise damaged(where, "a document or a chunk stands in it twice")
    if not {doc_id for doc_id, _ in places | passages} <= doc_ids:
        raise damaged(where, "a chunk belongs to no document of it")
    if passages and not {(chunk.doc_id, chunk.parent) for chunk in content.chunks} <= passages:
        raise damaged(where, "a chunk belongs to no passage of it")
    if content.corpus_hash != header.corpus_hash:
        raise damaged(where, "its documents are not those it was made from")


def damaged(where: str, reason: str) -> StorageError:
    """Return the error of what is no index, or only a part of one."""
    return StorageError(
        f"{where}: no sound index file: {one_line(reason, 120)}",
        remedy="write it again with `ragate index dump`; the index that was here is as it was",
    )
