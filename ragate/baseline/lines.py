"""A baseline file as ragate writes it, sample by sample: whole it would take much memory."""

from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

from ragate.errors import BaselineError
from ragate.support.strict_json import loads

Samples = Iterable[tuple[str, Any]]
_START, _END = b'"samples":{\n', b"}\n"


class LayoutError(Exception):
    """The file is not laid out as ragate writes it; it may be right all the same."""


def by_line(file: BinaryIO) -> tuple[Any, Samples]:
    """Return what a file holds without its samples, and these as they are read.

    The samples are the last table of the file, one a line. What is read so is what any reader of
    JSON would find: the rest of the file is read as JSON, and so is every line, a comma stands
    between two of them, and no id stands twice.

    Raises:
        LayoutError: at once, or while the samples are read.
    """
    head: list[bytes] = []
    for line in file:
        if head and line == _START:
            return _read(b"".join(head) + b'"samples":{}}'), _samples(file)
        head.append(line)
    raise LayoutError


def _read(text: bytes) -> Any:
    try:
        return loads(text, where="", error=BaselineError)
    except BaselineError as error:
        raise LayoutError from error


def _samples(lines: Iterator[bytes]) -> Iterator[tuple[str, Any]]:
    sample_ids: set[str] = set()
    is_last = False
    for line in lines:
        if is_last:
            if line == _END and next(lines, b"") == _END and next(lines, None) is None:
                return
            raise LayoutError
        is_last = not line.endswith(b",\n")
        sample = _read(b"{" + line.removesuffix(b"\n").removesuffix(b",") + b"}")
        if len(sample) != 1 or not sample_ids.isdisjoint(sample):
            raise LayoutError
        sample_ids.update(sample)
        yield from sample.items()
    raise LayoutError
