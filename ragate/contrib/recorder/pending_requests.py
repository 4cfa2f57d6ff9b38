"""The file of pending requests: what a run without a key would have asked."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragate.contrib.recorder.proxy.request_identity import (
    Endpoint,
    UnansweredRequest,
    checked_request,
)
from ragate.errors import StorageError, UsageError
from ragate.files.strict_json import read_lines

PENDING_NAME = "pending.jsonl"
VERSION = 1
MAX_BYTES = 256 * 1024**2
_FIELDS = {"key", "draw", "occurrence", "provider", "path", "body"}
_MOST = 1000


@dataclass
class PendingFile:
    """Collects pending requests; the file of an earlier run goes at the first one.

    Attributes:
        count: Requests in it.
    """

    path: Path
    count: int = 0

    def add(self, pending: UnansweredRequest) -> None:
        """Write one more.

        Raises:
            StorageError: it cannot be written.
        """
        row = {
            "key": pending.key,
            "draw": pending.draw,
            "occurrence": pending.occurrence,
            "provider": pending.provider,
            "path": pending.request.kind.value,
            "body": pending.request.content,
        }
        lines = [_line({"ragate_pending": VERSION})] if self.count == 0 else []
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a" if self.count else "w", encoding="utf-8") as stream:
                stream.writelines([*lines, _line(row)])
        except OSError as error:
            raise StorageError(f"{self.path}: cannot write: {error.strerror}") from error
        self.count += 1


def read_pending(path: Path) -> Iterator[UnansweredRequest]:
    """Yield the requests of a file that anybody may have written.

    Raises:
        UsageError: it is no such file; a line is no request, or its key is not that of the request.
    """
    if not path.is_file():  # nothing is pending, or another folder was meant
        raise UsageError(
            f"{path}: no such file",
            remedy="a run without a key writes .ragate/pending.jsonl when it has to ask",
        )
    lines = read_lines(path, error=UsageError, max_bytes=MAX_BYTES)
    first = next(lines, None)
    if first is None or first[1] != {"ragate_pending": VERSION}:
        raise UsageError(
            f"{path}: no pending requests of this version",
            remedy="`ragate collect` without a key writes such a file",
        )
    for number, row in lines:
        yield _pending(row, f"{path}:{number}")


def _pending(row: Any, where: str) -> UnansweredRequest:
    if not isinstance(row, dict) or set(row) != _FIELDS or not isinstance(row["body"], dict):
        raise UsageError(f"{where}: a line has {', '.join(sorted(_FIELDS))}")
    kind = next((kind for kind in Endpoint if kind.value == row["path"]), None)
    if kind is None or not isinstance(row["provider"], str):
        raise UsageError(f"{where}: path must be one of {', '.join(Endpoint)}, provider a name")
    counts = (row["draw"], row["occurrence"])
    if not all(type(count) is int and 0 <= count < _MOST for count in counts):
        raise UsageError(f"{where}: draw and occurrence must be counts")
    try:
        request = checked_request(kind, row["body"])
    except UsageError as error:
        raise UsageError(f"{where}: {error.message}") from error
    if row["key"] != request.key(row["provider"], row["occurrence"]):
        raise UsageError(f"{where}: the key is not that of this request")
    return UnansweredRequest(row["key"], row["draw"], row["occurrence"], row["provider"], request)


def _line(row: dict[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False, allow_nan=False, sort_keys=True) + "\n"
