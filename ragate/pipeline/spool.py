"""Outputs of one pass, kept in a file: the texts of many samples would fill the memory."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, MutableMapping

from ragate.errors import StorageError
from ragate.models import RetrievedChunk, SystemOutput
from ragate.models.base import lean

Outputs = MutableMapping[str, SystemOutput]
IN_MEMORY = 4 * 1024 * 1024  # bytes; a small run needs no file


class Spool(Outputs):
    """Outputs by sample id, read anew whenever one is wanted; the file goes with the object."""

    def __init__(self) -> None:
        self._places: dict[str, tuple[int, int]] = {}  # offset and length
        self._file = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 - see __del__

    def __del__(self) -> None:
        self._file.close()

    def __setitem__(self, key: str, output: SystemOutput) -> None:
        content = output.model_dump_json(exclude_defaults=True).encode()
        try:
            offset = self._file.seek(0, os.SEEK_END)
            self._file.write(content)
        except OSError as error:
            raise _cannot_keep(error) from error
        self._places[key] = (offset, len(content))

    def __getitem__(self, key: str) -> SystemOutput:
        offset, length = self._places[key]
        try:
            self._file.seek(offset)
            content = self._file.read(length)
        except OSError as error:
            raise _cannot_keep(error) from error
        return SystemOutput.model_validate_json(content)

    def __contains__(self, key: object) -> bool:
        return key in self._places  # without reading it

    def __delitem__(self, key: str) -> None:
        del self._places[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def _cannot_keep(error: OSError) -> StorageError:
    return StorageError(
        f"outputs cannot be kept in the temporary folder: {error.strerror}",
        remedy="free some space, or set TMPDIR to a folder with more",
    )


class Slimmer:
    """Takes the texts out of outputs; equal documents share one object."""

    def __init__(self) -> None:
        self._bare: dict[str, RetrievedChunk] = {}

    def __call__(self, output: SystemOutput) -> SystemOutput:
        """Return the output with document ids in place of chunks."""
        chunks = tuple(map(self._chunk, output.chunks))
        return lean(output.model_copy(update={"chunks": chunks}))

    def _chunk(self, chunk: RetrievedChunk) -> RetrievedChunk:
        if chunk.doc_id not in self._bare:
            self._bare[chunk.doc_id] = lean(RetrievedChunk(doc_id=chunk.doc_id))
        return self._bare[chunk.doc_id]
