"""The file of an index: documents, chunks and vectors, so that they need not be embedded again.

It is gzip-compressed JSON Lines: a header, one row a line, and the SHA-256 of all lines before it.
Nothing in it is ever run, and nothing of it counts before the whole file was checked.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import Field

from ragate.core.hashing import digest
from ragate.models import Frozen
from ragate.systems.pgvector.corpus.chunking import Chunk

if TYPE_CHECKING:
    import numpy.typing as npt

FORMAT_VERSION = 1
MAX_FILE = 4 * 1024**3
MAX_UNPACKED = 8 * 1024**3
MAX_LINE = 64 * 1024**2
MAX_ROWS = 5_000_000


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
