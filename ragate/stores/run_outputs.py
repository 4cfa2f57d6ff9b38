"""The outputs file of a run: begun, or gone on with where the run was interrupted."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, BinaryIO, Self

from ragate.errors import DatasetError, StorageError, UsageError
from ragate.files.atomic_files import write_lines
from ragate.files.foreign_files import open_regular
from ragate.files.strict_json import loads
from ragate.models import RunManifest, Sample, SystemOutput
from ragate.outputs.outputs_file import (
    MAX_BYTES,
    OutputsHeader,
    header_line,
    output_line,
    read_outputs,
)
from ragate.stores import OUTPUTS
from ragate.stores.begun_run import BegunRun, alone, interrupted_run
from ragate.stores.local import LocalStore

SYNC_SECONDS = 1.0


@contextmanager
def open_outputs(
    store: LocalStore, manifest: RunManifest, *, samples: int, interrupted: BegunRun | None = None
) -> Iterator[tuple[OutputsWriter, RunManifest]]:
    """Yield what keeps the outputs of a run, and its manifest; no other process may write there.

    Args:
        manifest: Of a run that begins now.
        samples: Number of samples asked in every full pass.
        interrupted: The run that goes on, which keeps its own manifest.

    Raises:
        UsageError: another process is at that run, or it ended; or the system is another one.
        StorageError: its file is damaged.
    """
    run_id = manifest.run_id if interrupted is None else interrupted.run_id
    path = store.folder(run_id) / OUTPUTS
    with alone(path.parent):
        header = OutputsHeader(manifest=manifest, samples=samples)
        if interrupted is not None:
            interrupted_run(store, run_id)
            header = mend_outputs(path)
            if header.manifest.system != manifest.system:
                raise UsageError(
                    f"--resume {run_id}: the system is not what it was, its fingerprint says",
                    remedy="put its documents and models back, or begin a new run",
                )
        with OutputsWriter(path, header, goes_on=interrupted is not None) as writer:
            yield writer, header.manifest


def mend_outputs(path: Path) -> OutputsHeader:
    """Keep the finished outputs alone, and return the header.

    A last line that was cut off is no output, and what a provider left unanswered is none either.

    Raises:
        StorageError: another line is broken, or the header is; the file is as it was.
    """
    try:
        header, _ = read_outputs(path)
    except DatasetError as error:
        raise _damaged(error) from error
    if header is None:
        raise StorageError(f"{path}:1: not begun by ragate", remedy="begin a new run")
    with open_regular(path, error=StorageError, max_bytes=MAX_BYTES) as file:
        write_lines(path, _finished(path, file))
    return header


def _finished(path: Path, file: BinaryIO) -> Iterator[str]:
    """Yield the lines to keep, without their newlines."""
    broken: DatasetError | None = None
    for number, line in enumerate(file, 1):
        if broken is not None:  # it was not the last
            raise _damaged(broken) from broken
        try:
            value = loads(line, where=f"{path}:{number}", error=DatasetError)
        except DatasetError as error:
            broken = error
            continue
        if not _unanswered(value):
            yield line.decode().rstrip("\r\n")


def _unanswered(value: object) -> bool:
    failure = value.get("error") if isinstance(value, dict) else None
    return isinstance(failure, dict) and failure.get("kind") == "provider"


def _damaged(error: DatasetError) -> StorageError:
    return StorageError(error.message, remedy="the run cannot go on: begin a new one")


# The outputs file of a run, written as outputs arrive.


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
