"""The outputs file of a run, written as outputs arrive."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from ragate.errors import StorageError
from ragate.models import Sample, SystemOutput
from ragate.outputs.outputs_file import OutputsHeader, header_line, output_line

SYNC_SECONDS = 1.0


class OutputsWriter:
    """Appends outputs as they arrive; what it wrote survives a kill of the process.

    A line is handed to the operating system at once and synced to disk at most a second later.
    """

    def __init__(self, path: Path, header: OutputsHeader) -> None:
        self.path = path
        self._header = header
        self._stream: IO[str] | None = None
        self._synced = 0.0

    def __enter__(self) -> Self:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._stream = self.path.open("w", encoding="utf-8", newline="\n")
        except OSError as error:
            raise _cannot_write(self.path, error) from error
        self._write(header_line(self._header))
        return self

    def append(self, sample: Sample, output: SystemOutput, *, run: int) -> None:
        self._write(output_line(sample, output, run=run))

    def _write(self, line: str) -> None:
        if self._stream is None:
            raise StorageError(f"{self.path}: the outputs file is not open")
        try:
            self._stream.write(line)
            self._stream.flush()
            if time.monotonic() - self._synced >= SYNC_SECONDS:
                os.fsync(self._stream.fileno())
                self._synced = time.monotonic()
        except OSError as error:
            self._discard()
            raise _cannot_write(self.path, error) from error

    def _discard(self) -> None:
        """Close without what could not be written: another attempt would only fail again."""
        if self._stream is not None:
            stream, self._stream = self._stream, None
            with suppress(OSError):
                stream.close()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._stream is None:
            return
        try:
            self._stream.flush()
            os.fsync(self._stream.fileno())
            self._stream.close()
        except OSError as error:
            self._discard()
            raise _cannot_write(self.path, error) from error


def _cannot_write(path: Path, error: OSError) -> StorageError:
    return StorageError(
        f"{path}: cannot write: {error.strerror}",
        remedy="free some space, or set RAGATE_STATE_DIR to a folder that is writable; the lines "
        "that are there can be used with `ragate decide`",
    )
