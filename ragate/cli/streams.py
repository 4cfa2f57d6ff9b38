"""Standard output and error: a closed pipe, a full disk or an encoding changes no verdict."""

from __future__ import annotations

import codecs
import io
import os
import sys
from collections.abc import Coroutine
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

Result = TypeVar("Result")
_STANDARD_OUTPUT = (Path("-"), Path("/dev/stdout"), Path("/dev/fd/1"), Path("/proc/self/fd/1"))

# What reports write beyond ASCII, for streams of other encodings.
_IN_ASCII = {
    **dict.fromkeys("–−‑", "-"),
    **dict.fromkeys("‘’", "'"),
    **dict.fromkeys("“”„", '"'),
    "…": "...",
    "→": "->",
    "·": "|",
    "•": "*",
    "×": "x",
    "±": "+-",
}

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
        self.line = line
        self._silent = silent
        self._gone = False

    def write(self, data: ReadableBuffer, /) -> int:
        text = memoryview(data).tobytes()
        if self.line.waits and not text.startswith(b"\r"):
            self.line.give_way()
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
                self.line.waits = text.endswith(b"\r") and self.isatty()
                return written
        return len(text)


def _failed(name: str, error: OSError) -> Exception:
    from ragate.errors import StorageError

    return StorageError(
        f"{name}: cannot write: {error.strerror}",
        remedy="the run is kept: `ragate report` shows it again",
    )


def guard_streams() -> None:
    """Replace the standard streams by ones that outlive their readers, and write any text.

    A terminal may be cp1252, cp850 or latin-1: an arrow there becomes ``->``, a foreign letter
    ``?``, and no sign is an error.
    """
    codecs.register_error("ragate.ascii", _in_ascii)
    line = _RewrittenLine()
    sys.stdout = _guarded(sys.stdout, "standard output", line, silent=False)
    sys.stderr = _guarded(sys.stderr, "standard error", line, silent=True)


def _guarded(stream: TextIO | None, name: str, line: _RewrittenLine, *, silent: bool) -> TextIO:
    if stream is None:  # closed by the caller: `>&-`
        return Path(os.devnull).open("w", encoding="utf-8")
    return _text(_Outlet(stream.fileno(), name, line, silent=silent), stream.encoding)


def _text(outlet: _Outlet, encoding: str) -> TextIO:
    return io.TextIOWrapper(
        io.BufferedWriter(outlet), encoding, errors="ragate.ascii", line_buffering=True
    )


def _in_ascii(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    signs = error.object[error.start : error.end]
    return "".join(_IN_ASCII.get(sign, "?") for sign in signs), error.end


def file_or_stdout(path: Path | None) -> Path | None:
    """Return the file that an option names, None for standard output, which ``-`` stands for.

    So does the system's own name, as descriptor 1 leads elsewhere once a run began.
    """
    return None if path in _STANDARD_OUTPUT else path


def run_aside(work: Coroutine[Any, Any, Result]) -> Result:
    """Return what `work` comes to; what plugins and libraries print is no report.

    It goes to standard error, also from threads and from libraries in C: what stands on standard
    output is ragate's alone, and can be read by a program.
    """
    import asyncio

    _keep_report_apart()
    with redirect_stdout(sys.stderr):
        return asyncio.run(work)


def _keep_report_apart() -> None:
    """Give the report a descriptor of its own, and let 1 lead to standard error for good.

    Only where both are the streams of this process.
    """
    outlet, beside = _outlet(sys.stdout), _outlet(sys.stderr)
    if outlet is None or beside is None or (outlet.fileno(), beside.fileno()) != (1, 2):
        return
    sys.stdout.flush()
    kept = _Outlet(os.dup(1), "standard output", outlet.line, silent=False)
    os.dup2(2, 1)
    sys.stdout = _text(kept, sys.stdout.encoding)


def _outlet(stream: TextIO) -> _Outlet | None:
    """Return what a stream that `guard_streams` made ends in, None for any other."""
    raw = getattr(getattr(stream, "buffer", None), "raw", None)
    return raw if isinstance(raw, _Outlet) else None
