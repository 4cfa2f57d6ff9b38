"""Outputs of one pass, kept in a file: the texts of many samples would fill the memory."""

import os
import sys
import tempfile
import threading
from collections.abc import Iterator, MutableMapping

from ragate.errors import StorageError
from ragate.models import SystemOutput
from ragate.models.base import lean
from ragate.models.output import bare_chunk

Outputs = MutableMapping[str, SystemOutput]
IN_MEMORY = 4 * 1024 * 1024  # bytes; less than this needs no file
_LENGTH = 8  # bytes of the number that stands before each content


class Scratch:
    """Contents in a file without a name, each found again by its place; it goes with the object."""

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 - see __del__
        self._lock = threading.Lock()  # a place is found and read in two steps

    def __del__(self) -> None:
        self._file.close()

    def put(self, content: bytes) -> int:
        """Keep `content` and return its place.

        Raises:
            StorageError: the temporary folder is full.
        """
        try:
            with self._lock:
                offset = self._file.seek(0, os.SEEK_END)
                self._file.write(len(content).to_bytes(_LENGTH))
                self._file.write(content)
        except OSError as error:
            raise _cannot_keep(error) from error
        return offset

    def get(self, offset: int) -> bytes:
        """Return what was put at `offset`; raises as `put`."""
        try:
            with self._lock:
                self._file.seek(offset)
                return self._file.read(int.from_bytes(self._file.read(_LENGTH)))
        except OSError as error:
            raise _cannot_keep(error) from error


def _cannot_keep(error: OSError) -> StorageError:
    return StorageError(
        f"what does not fit into memory cannot be kept in the temporary folder: {error.strerror}",
        remedy="free some space, or set TMPDIR to a folder with more",
    )


class Spool(Outputs):
    """Outputs by sample id, read anew whenever one is wanted; the file goes with the object."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._scratch = Scratch()

    def __setitem__(self, key: str, output: SystemOutput) -> None:
        content = output.model_dump_json(exclude_defaults=True)
        # The same id stands in every table of a run: one text for all.
        self._places[sys.intern(key)] = self._scratch.put(content.encode())

    def __getitem__(self, key: str) -> SystemOutput:
        return SystemOutput.model_validate_json(self._scratch.get(self._places[key]))

    def __contains__(self, key: object) -> bool:
        return key in self._places  # without reading it

    def __delitem__(self, key: str) -> None:
        del self._places[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def slim(output: SystemOutput) -> SystemOutput:
    """Return the output with document ids in place of chunks."""
    return lean(output, chunks=tuple(bare_chunk(chunk.doc_id) for chunk in output.chunks))
