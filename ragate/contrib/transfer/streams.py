"""Standard input and output as an index's file, on a pipe to or from any program."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from ragate.contrib.transfer.index_file import MAX_FILE, Content, Header, damaged, unpack_stream
from ragate.errors import StorageError, UsageError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

STANDARD_INPUT = (Path("-"), Path("/dev/stdin"), Path("/dev/fd/0"), Path("/proc/self/fd/0"))
_INPUT, _OUTPUT = "standard input", "standard output"
_PIECE = 1024**2


def refuse_terminal_output() -> None:
    """Raise UsageError where standard output is a terminal, which the bytes would garble."""
    if sys.stdout is not None and sys.stdout.isatty():
        raise UsageError(
            f"{_OUTPUT} is a terminal, and an index is no text",
            remedy="lead it into a file or a program: `ragate index dump - > index.gz`",
        )


def write_output(data: bytes) -> None:
    """Write all of it to standard output, and nothing else.

    Raises:
        StorageError: whoever reads it has gone, or the disk behind it is full.
    """
    try:
        sys.stdout.flush()
        # Past the stream itself: to a report's reader who has seen enough nothing is owed.
        with os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0) as stream:
            rest = memoryview(data)
            while rest:
                rest = rest[stream.write(rest[:_PIECE]) :]
    except BrokenPipeError as error:
        raise StorageError(
            f"{_OUTPUT}: its reader has gone before the index was written whole",
            remedy="see what the program after the pipe says, and throw away what it kept; the "
            "index here is as it was",
        ) from error
    except OSError as error:
        raise StorageError(
            f"{_OUTPUT}: cannot write the index: {error.strerror or error}",
            remedy="make room where it leads to; the index here is as it was",
        ) from error


def read_input() -> tuple[Header, Content]:
    """Return the index that comes in, once all of it was read and checked.

    Raises:
        UsageError: nothing is led into this command.
        StorageError: as `unpack_stream`, or not a byte came in.
    """
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError(
            f"{_INPUT}: nothing is led into this command",
            remedy="ragate index restore - < index.gz",
        )
    stream = _Counted(sys.stdin.buffer)
    try:
        return unpack_stream(io.BufferedReader(stream, _PIECE), _INPUT)
    except StorageError as error:
        if stream.taken:
            raise
        raise StorageError(
            f"{_INPUT}: not a byte came in",
            remedy="see what the program before the pipe says; the index here is as it was",
        ) from error


class _Counted(io.RawIOBase):
    """Standard input, up to what a file may have: a stream need not have an end."""

    def __init__(self, stream: BinaryIO) -> None:
        super().__init__()
        self._stream = stream
        self.taken = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        with memoryview(buffer).cast("B") as place:
            piece = self._stream.read(len(place))
            place[: len(piece)] = piece
        self.taken += len(piece)
        if self.taken > MAX_FILE:
            raise damaged(_INPUT, "it is larger than any index may be")
        return len(piece)
