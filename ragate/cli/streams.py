"""Standard output and error that never decide a verdict: a reader may leave, a disk may be full."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class _RewrittenLine:
    """The line of a terminal that shows progress: it gives way to whatever else is printed."""

    waits = False

    def give_way(self) -> None:
        """Clear it."""
        self.waits = False
        with suppress(OSError):
            os.write(2, b"\r\x1b[K")


class _Outlet(io.FileIO):
    """A descriptor whose first failed write is told at most once; the rest goes nowhere.

    What Python has buffered is written again at every flush, the one at exit included, which would
    end the process with a code of its own.
    """

    def __init__(self, descriptor: int, name: str, line: _RewrittenLine, *, silent: bool) -> None:
        super().__init__(descriptor, "wb", closefd=False)
        self._name = name
        self._line = line
        self._silent = silent
        self._gone = False

    def write(self, data: ReadableBuffer, /) -> int:
        text = memoryview(data).tobytes()
        if self._line.waits and not text.startswith(b"\r"):
            self._line.give_way()
        if not self._gone:
            try:
                written = super().write(data)
            except BrokenPipeError:
                # The reader has seen enough (a pager, `head`); that is no failure.
                self._gone = True
            except OSError as error:
                self._gone = True
                if not self._silent:
                    raise _failed(self._name, error) from error
            else:
                self._line.waits = text.endswith(b"\r") and self.isatty()
                return written
        return len(text)


def _failed(name: str, error: OSError) -> Exception:
    from ragate.errors import StorageError

    return StorageError(
        f"{name}: cannot write: {error.strerror}",
        remedy="the run is kept: `ragate report` shows it again",
    )


def guard_streams() -> None:
    """Replace the standard streams by ones that outlive their readers."""
    line = _RewrittenLine()
    sys.stdout = _guarded(sys.stdout, "standard output", line, silent=False)
    sys.stderr = _guarded(sys.stderr, "standard error", line, silent=True)


def _guarded(stream: TextIO | None, name: str, line: _RewrittenLine, *, silent: bool) -> TextIO:
    if stream is None:  # closed by the caller: `>&-`
        return Path(os.devnull).open("w", encoding="utf-8")
    outlet = _Outlet(stream.fileno(), name, line, silent=silent)
    return io.TextIOWrapper(
        io.BufferedWriter(outlet),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=True,
    )
