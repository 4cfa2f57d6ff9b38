"""Writing files so that a reader sees the old one or the new one, never half of one."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from ragate.errors import StorageError
from ragate.files.foreign_files import open_file

_DEVICES = frozenset({Path("/dev"), Path("/dev/fd")})


def write_atomic(path: Path, data: bytes) -> None:
    """Replace `path` by `data`: temporary file beside it, fsync, rename.

    Raises:
        StorageError: the disk is full, or the folder is not writable; the old file is whole.
    """
    with _replacing(path) as stream:
        stream.write(data)


def write_output(path: Path, parts: Iterable[bytes]) -> None:
    """Write to what a user named: a file is replaced, a device or a pipe is written to.

    Args:
        parts: What need not fit into memory.

    Raises:
        StorageError: as for `write_atomic`.
    """
    if not (_is_device(path) or path.is_fifo()):
        write_parts(path, parts)
        return
    try:
        # Appended: where the shell led it into a file, what stands there stays.
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_APPEND), "wb") as stream:
            stream.writelines(parts)
    except BrokenPipeError:
        return  # its reader has seen enough
    except OSError as error:
        raise StorageError(
            f"{path}: cannot write: {error.strerror or error}", remedy="name a file"
        ) from error


def write_lines(path: Path, lines: Iterable[str]) -> int:
    """Replace `path` by lines that need not fit into memory; return how many.

    Raises:
        StorageError: as for `write_atomic`.
    """
    count = 0
    with _replacing(path) as stream:
        for line in lines:
            stream.write(line.encode("utf-8") + b"\n")
            count += 1
    return count


def write_parts(path: Path, parts: Iterable[bytes]) -> None:
    """Replace `path` by bytes that need not fit into memory.

    Raises:
        StorageError: as for `write_atomic`.
    """
    with _replacing(path) as stream:
        stream.writelines(parts)


def copy_atomic(source: Path, path: Path) -> None:
    """Replace `path` by a copy of `source`.

    Raises:
        StorageError: as for `write_atomic`.
    """
    with _replacing(path) as stream, open_file(source, max_bytes=sys.maxsize) as reading:
        shutil.copyfileobj(reading, stream)


@contextmanager
def _replacing(path: Path) -> Iterator[BinaryIO]:
    if _is_device(path):  # root may replace the machine's own /dev/null
        raise StorageError(f"{path}: is a device", remedy="name a file")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            Path(name).chmod(_mode(path))
            Path(name).replace(path)
            _sync_folder(path.parent)
        finally:
            Path(name).unlink(missing_ok=True)
    except OSError as error:
        raise StorageError(
            f"{path}: cannot write: {error.strerror or error}",
            remedy=_remedy(path)
            or "free some space or choose another place; the file that was there is unchanged",
        ) from error


def _remedy(path: Path) -> str:
    """Return what to do where a file stands in the place of a folder, "" where none does."""
    file = next((each for each in path.parents if each.exists() and not each.is_dir()), None)
    return "" if file is None else f"{file} is a file where a folder must be: remove or rename it"


def _is_device(path: Path) -> bool:
    return path.absolute().parent in _DEVICES


def _mode(path: Path) -> int:
    # mkstemp makes 0600; a committed file should look like its neighbours.
    try:
        return path.stat().st_mode & 0o777
    except FileNotFoundError:
        return 0o644


def _sync_folder(folder: Path) -> None:
    if not hasattr(os, "O_DIRECTORY"):  # Windows opens no folder; its rename is in its own journal
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
