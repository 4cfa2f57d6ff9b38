"""The outputs file of a run, written as outputs arrive."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Self

from ragate.errors import StorageError
from ragate.models import Sample, SystemOutput
from ragate.outputs.outputs_file import OutputsHeader, header_line, output_line

SYNC_SECONDS = 1.0


class OutputsWriter:
    """Appends outputs as they arrive; what it wrote survives a kill of the process.

    A line is handed to the operating system at once and synced to disk at most a second later.

    Args:
        goes_on: The file is there, with its header, and is added to.
    """

    def __init__(self, path: Path, header: OutputsHeader, *, goes_on: bool = False) -> None:
        self.path = path
        self._header = header
        self._goes_on = goes_on
        self._stream: IO[str] | None = None
        self._synced = 0.0

    def __enter__(self) -> Self:
        with self._given_up_on_failure():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            mode = "a" if self._goes_on else "w"
            self._stream = self.path.open(mode, encoding="utf-8", newline="\n")
        if not self._goes_on:
            self._write(header_line(self._header))
        return self

    def append(self, sample: Sample, output: SystemOutput, *, run: int) -> None:
        self._write(output_line(sample, output, run=run))

    def _write(self, line: str) -> None:
        if self._stream is None:
            raise StorageError(f"{self.path}: the outputs file is not open")
        with self._given_up_on_failure():
            self._stream.write(line)
            self._stream.flush()
            if time.monotonic() - self._synced >= SYNC_SECONDS:
                os.fsync(self._stream.fileno())
                self._synced = time.monotonic()

    def __exit__(self, *_exception: object) -> None:
        if self._stream is None:
            return
        with self._given_up_on_failure():
            self._stream.flush()
            os.fsync(self._stream.fileno())
            self._stream.close()

    @contextmanager
    def _given_up_on_failure(self) -> Iterator[None]:
        """Close without what could not be written: another attempt would only fail again."""
        try:
            yield
        except OSError as error:
            stream, self._stream = self._stream, None
            if stream is not None:
                with suppress(OSError):
                    stream.close()
            raise StorageError(
                f"{self.path}: cannot write: {error.strerror}",
                remedy="free some space, or set RAGATE_STATE_DIR to a folder that is writable; the "
                "lines that are there can be used with `ragate decide`",
            ) from error
