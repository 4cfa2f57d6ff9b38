"""Outputs of one pass, kept in a file: the texts of many samples would fill the memory."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, MutableMapping

from ragate.errors import StorageError
from ragate.models import SystemOutput
from ragate.models.base import lean
from ragate.models.output import bare_chunk

Outputs = MutableMapping[str, SystemOutput]
LENGTH_BITS = 40
IN_MEMORY = 4 * 1024 * 1024  # bytes; a small run needs no file


class Spool(Outputs):
    """Outputs by sample id, read anew whenever one is wanted; the file goes with the object."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}  # offset and length in one number, for it is small
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
        self._places[key] = offset << LENGTH_BITS | len(content)

    def __getitem__(self, key: str) -> SystemOutput:
        offset, length = divmod(self._places[key], 1 << LENGTH_BITS)
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


def slim(output: SystemOutput) -> SystemOutput:
    """Return the output with document ids in place of chunks."""
    chunks = tuple(bare_chunk(chunk.doc_id) for chunk in output.chunks)
    return lean(output.model_copy(update={"chunks": chunks}))
