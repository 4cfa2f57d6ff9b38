"""The one reader of a project's files: regular files only, below a size, inside a folder.

Whoever made the project may have put a pipe, a device, a link to one or a huge file anywhere in it.
"""

import errno
import io
import os
import stat
from collections.abc import Generator
from pathlib import Path
from typing import BinaryIO

from ragate.errors import ConfigError, RagateError

MAX_BYTES = 256 * 1024 * 1024
_UTF_16 = "; it is UTF-16 now, which > writes in PowerShell"
# A pipe without a writer would block an open for ever; Windows would rewrite line ends.
_OPEN = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_REMEDIES = {
    errno.EINVAL: "put a regular file there, or remove it",
    errno.EFBIG: "put a smaller file there, or remove it",
}


def inside(root: Path, value: str, *, where: str, error: type[RagateError]) -> Path:
    """Return the real path of `value`, which is relative to `root`; it need not exist.

    Symlinks are followed before the check, so that none leads out of the folder.

    Args:
        where: What names the path, for the message, such as ``[policy] dataset``.

    Raises:
        error: it is empty, holds a NUL character, or lies outside `root`.
    """
    if not value.strip() or "\0" in value:
        raise error(f"{where} = {value!r}: not a path", remedy="give a path below the folder")
    try:
        top = root.resolve()
        path = (top / value).resolve()
    except (OSError, RuntimeError, ValueError) as problem:
        raise error(f"{where} = {value!r}: {problem}") from problem
    if not path.is_relative_to(top):
        raise error(
            f"{where} = {value!r} leads to {path}, which is outside {top}",
            remedy="paths start at the folder of ragate.toml and stay inside it",
        )
    return path


def refuse_unwritable_path(path: Path) -> None:
    """Refuse a path that no report, database or log can name.

    Raises:
        ConfigError: it holds bytes that are not UTF-8.
    """
    try:
        str(path).encode()
    except UnicodeEncodeError as problem:
        raise ConfigError(
            f"{str(path)!r}: holds bytes that are not UTF-8",
            remedy="rename the folder, or move the project",
        ) from problem


def open_file(path: Path, *, max_bytes: int = MAX_BYTES) -> BinaryIO:
    """Open `path` for reading, for callers to which a file that cannot be read is an answer.

    Raises:
        OSError: it is not there, a pipe, a device or a folder, or larger than `max_bytes`.
    """
    handle = os.open(path, _OPEN)
    facts = os.fstat(handle)
    problem = None
    if not stat.S_ISREG(facts.st_mode):
        problem = OSError(errno.EINVAL, "not a regular file")
    elif facts.st_size > max_bytes:
        problem = OSError(errno.EFBIG, f"{facts.st_size} bytes, and the limit is {max_bytes}")
    if problem is not None:
        os.close(handle)
        raise problem
    return os.fdopen(handle, "rb")


def is_there(path: Path, *, error: type[RagateError]) -> bool:
    """Return whether anything stands at a path, a link that leads nowhere included.

    Raises:
        error: that cannot be seen: a folder on the way may not be entered, or is a file.
    """
    try:
        path.lstat()
    except FileNotFoundError:
        return False
    except NotADirectoryError as problem:
        file = next(above for above in path.parents if above.exists() and not above.is_dir())
        raise error(
            f"{path}: {file} is a file where a folder must be",
            remedy="remove or rename it, or name another place",
        ) from problem
    except OSError as problem:
        raise error(
            f"{path}: {problem.strerror or problem}",
            remedy="give this user access to the folders on the way",
        ) from problem
    return True


def file_bytes(path: Path, *, max_bytes: int = MAX_BYTES) -> bytes:
    """Return the content of a regular file.

    Raises:
        OSError: as `open_file`.
    """
    with open_file(path, max_bytes=max_bytes) as file:
        content = file.read(max_bytes + 1)  # a file may grow while it is read
    if len(content) > max_bytes:
        raise OSError(errno.EFBIG, f"more than {max_bytes} bytes")
    return content


def first_bytes(path: Path | str, most: int) -> bytes:
    """Return the beginning of whatever `path` is, in a third of the time of `file_bytes`.

    Raises:
        OSError: it cannot be opened or read, such as a folder.
    """
    handle = os.open(path, _OPEN)
    try:
        return os.read(handle, most)
    finally:
        os.close(handle)


def start_of(path: Path, most: int) -> str:
    """Return the first `most` bytes of a file as text, "" for a link or what cannot be read."""
    try:
        content = b"" if path.is_symlink() else first_bytes(path, most)
    except OSError:
        return ""
    return content.decode("utf-8", errors="replace")


def open_regular(path: Path, *, error: type[RagateError], max_bytes: int = MAX_BYTES) -> BinaryIO:
    """Open `path` for reading; a pipe, a device, a folder or a file over the cap is refused.

    Raises:
        error: names the path, and why it cannot be read.
    """
    try:
        return open_file(path, max_bytes=max_bytes)
    except (OSError, ValueError) as problem:
        raise _unreadable(path, problem, error) from problem


def read_bytes(path: Path, *, error: type[RagateError], max_bytes: int = MAX_BYTES) -> bytes:
    """Return the content of a regular file.

    Raises:
        error: it cannot be read, or is over the cap.
    """
    try:
        return file_bytes(path, max_bytes=max_bytes)
    except (OSError, ValueError) as problem:
        raise _unreadable(path, problem, error) from problem


def _unreadable(path: Path, problem: OSError | ValueError, error: type[RagateError]) -> RagateError:
    reason = getattr(problem, "strerror", None) or str(problem)
    remedy = _REMEDIES.get(getattr(problem, "errno", None) or 0, "")
    return error(f"{path}: {reason if remedy else f'cannot be read: {reason}'}", remedy=remedy)


def read_text(path: Path, *, error: type[RagateError], max_bytes: int = MAX_BYTES) -> str:
    """Return the content of a UTF-8 file; a byte order mark is dropped, line ends are kept.

    Raises:
        error: it cannot be read, is over the cap, or is not UTF-8 (names the line).
    """
    return decode(read_bytes(path, error=error, max_bytes=max_bytes), where=str(path), error=error)


def text_lines(
    path: Path, *, error: type[RagateError], max_bytes: int
) -> Generator[str, None, None]:
    """Yield the lines of a UTF-8 file with their ends, LF or a lone CR, as they are read.

    Raises:
        error: as `read_text`.
    """
    with open_regular(path, error=error, max_bytes=max_bytes) as file:
        for number, line in enumerate(file, start=1):
            text = decode(line, where=str(path), error=error, first_line=number)
            if "\r" in text.removesuffix("\r\n"):
                yield from io.StringIO(text, newline="")
            else:
                yield text


def decode(content: bytes, *, where: str, error: type[RagateError], first_line: int = 1) -> str:
    """Return UTF-8 `content` as text; a byte order mark is dropped.

    Args:
        first_line: Number of the line that it begins with.

    Raises:
        error: names the line and the byte.
    """
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = content.count(b"\n", 0, problem.start) + first_line
        byte = content[problem.start]
        # A place that ends in a line's number has but that line.
        place = "" if where.rpartition(":")[2].isdigit() else f"line {line}: "
        wide = content[:2] in {b"\xff\xfe", b"\xfe\xff"}
        raise error(
            f"{where}: {place}byte 0x{byte:02x} is not UTF-8",
            remedy=f"save the file as UTF-8{_UTF_16 if wide else ''}",
        ) from problem
