"""The bytes of a baseline and of the packed files beside it: no pipe, no link outside, bounded."""

import gzip
import os
import zlib
from pathlib import Path

from ragate.baseline.schema import MAX_BYTES
from ragate.errors import BaselineError, RagateError
from ragate.support.foreign_files import inside, open_regular, read_bytes

REMEDY = "restore the file from git, or record it anew with `ragate baseline update`"


def baseline_bytes(path: Path) -> bytes | None:
    """Return the content of a baseline file; None where there is none.

    Raises:
        BaselineError: it is a pipe, a device or a folder, is too large, or cannot be read.
    """
    if not os.path.lexists(path):
        return None
    if path.is_dir():
        name = path.name
        raise BaselineError(
            f"{path} is a folder, and the baseline is one file",
            remedy=f'name a file in it: baseline = "{name}/main.json" below [policy]',
        )
    try:
        return read_bytes(path, error=BaselineError, max_bytes=MAX_BYTES)
    except BaselineError as error:
        raise BaselineError(error.message, remedy=REMEDY) from error


def read_packed(path: Path, *, error: type[RagateError]) -> bytes | None:
    """Return the content of a gzip file, at most 256 MiB packed or not; None where there is none.

    Raises:
        error: it is no regular file of that folder, is damaged, or holds more.
    """
    if not os.path.lexists(path):
        return None
    real = inside(path.parent, path.name, where=str(path), error=error)
    with open_regular(real, error=error, max_bytes=MAX_BYTES) as file:
        try:
            with gzip.GzipFile(fileobj=file) as stream:
                content = stream.read(MAX_BYTES + 1)
        except (OSError, EOFError, zlib.error) as problem:
            raise error(f"{path}: cannot be unpacked: {problem}") from problem
    if len(content) > MAX_BYTES:
        raise error(f"{path}: it unpacks to more than {MAX_BYTES} bytes")
    return content
