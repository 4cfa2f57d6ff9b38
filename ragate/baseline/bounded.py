"""The bytes of a baseline and of the packed files beside it: no pipe, no link outside, bounded."""

import codecs
import gzip
import hashlib
import json
import os
import zlib
from pathlib import Path
from typing import BinaryIO

from ragate.baseline.schema import MAX_BYTES, WHOLE_BYTES
from ragate.errors import BaselineError, RagateError
from ragate.support.foreign_files import inside, open_regular

_PART = 1024 * 1024
REMEDY = "restore the file from git, or record it anew with `ragate baseline update`"


def open_baseline(path: Path) -> BinaryIO | None:
    """Open a baseline file for reading; None where there is none.

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
        return open_regular(path, error=BaselineError, max_bytes=MAX_BYTES)
    except BaselineError as error:
        raise BaselineError(error.message, remedy=REMEDY) from error


def baseline_digest(path: Path) -> str | None:
    """Return what names the content of a baseline file, part by part; None where there is none.

    It is `digest` of its text. Raises as `open_baseline`.
    """
    file = open_baseline(path)
    if file is None:
        return None
    seen = hashlib.sha256(b'"')
    with file:
        for part in codecs.iterdecode(iter(lambda: file.read(_PART), b""), "utf-8", "replace"):
            seen.update(json.dumps(part, ensure_ascii=False)[1:-1].encode())
    seen.update(b'"')
    return seen.hexdigest()[:16]


def read_packed(path: Path, *, error: type[RagateError]) -> bytes | None:
    """Return the content of a gzip file, at most 256 MiB packed or not; None where there is none.

    Raises:
        error: it is no regular file of that folder, is damaged, or holds more.
    """
    if not os.path.lexists(path):
        return None
    real = inside(path.parent, path.name, where=str(path), error=error)
    with open_regular(real, error=error, max_bytes=WHOLE_BYTES) as file:
        try:
            with gzip.GzipFile(fileobj=file) as stream:
                content = stream.read(WHOLE_BYTES + 1)
        except (OSError, EOFError, zlib.error) as problem:
            raise error(f"{path}: cannot be unpacked: {problem}") from problem
    if len(content) > WHOLE_BYTES:
        raise error(f"{path}: it unpacks to more than {WHOLE_BYTES} bytes")
    return content
