"""A baseline file as ragate writes it, sample by sample: whole it would take much memory."""

from collections.abc import Iterable, Iterator
from typing import Any

from ragate.errors import BaselineError
from ragate.support.strict_json import loads

Samples = Iterable[tuple[str, Any]]
_START, _END = b'\n"samples":{\n', b"\n}\n}\n"


class LayoutError(Exception):
    """The file is not laid out as ragate writes it; it may be right all the same."""


def by_line(text: bytes) -> tuple[Any, Samples]:
    """Return the file without its samples, and these.

    The samples are the last table of the file, one a line. What is read so is what any reader of
    JSON would find: the rest of the file is read as JSON, and so is every line, a comma stands
    between two of them, and no id stands twice.

    Raises:
        LayoutError: at once, or while the samples are read.
    """
    start = text.find(_START)
    if start < 0 or not text.endswith(_END) or start + len(_START) + len(_END) > len(text):
        raise LayoutError
    return _read(text[:start] + b'\n"samples":{}}'), _samples(text, start + len(_START))


def _read(text: bytes) -> Any:
    try:
        return loads(text, where="", error=BaselineError)
    except BaselineError as error:
        raise LayoutError from error


def _samples(text: bytes, start: int) -> Iterator[tuple[str, Any]]:
    sample_ids: set[str] = set()
    last = len(text) - len(_END)
    while start <= last:
        end = text.index(b"\n", start)
        line = text[start:end]
        if end < last and not line.endswith(b","):
            raise LayoutError
        sample = _read(b"{" + (line[:-1] if end < last else line) + b"}")
        if len(sample) != 1 or not sample_ids.isdisjoint(sample):
            raise LayoutError
        sample_ids.update(sample)
        yield from sample.items()
        start = end + 1
