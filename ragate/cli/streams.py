"""Standard output and error that never decide a verdict: a reader may leave, a disk may be full."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class _Outlet(io.FileIO):
    """A descriptor whose first failed write is told at most once; the rest goes nowhere.

    What Python has buffered is written again at every flush, the one at exit included, which would
    end the process with a code of its own.
    """

    def __init__(self, descriptor: int, name: str, *, silent: bool) -> None:
        super().__init__(descriptor, "wb", closefd=False)
        self._name = name
        self._silent = silent
        self._gone = False

    def write(self, data: ReadableBuffer, /) -> int:
        if not self._gone:
            try:
                return super().write(data)
            except BrokenPipeError:
                # The reader has seen enough (a pager, `head`); that is no failure.
                self._gone = True
            except OSError as error:
                self._gone = True
                if not self._silent:
                    raise _failed(self._name, error) from error
        return memoryview(data).nbytes


def _failed(name: str, error: OSError) -> Exception:
    from ragate.errors import StorageError

    return StorageError(
        f"{name}: cannot write: {error.strerror}",
        remedy="the run is kept: `ragate report` shows it again",
    )


def guard_streams() -> None:
    """Replace the standard streams by ones that outlive their readers."""
    sys.stdout = _guarded(sys.stdout, "standard output", silent=False)
    sys.stderr = _guarded(sys.stderr, "standard error", silent=True)


def _guarded(stream: TextIO | None, name: str, *, silent: bool) -> TextIO:
    if stream is None:  # closed by the caller: `>&-`
        return Path(os.devnull).open("w", encoding="utf-8")
    outlet = _Outlet(stream.fileno(), name, silent=silent)
    return io.TextIOWrapper(
        io.BufferedWriter(outlet),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=True,
    )
