"""The retrieved texts that are packed beside a baseline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ragate.baseline.bounded import read_packed
from ragate.baseline.read import unreadable
from ragate.baseline.schema import contexts_path
from ragate.errors import BaselineError
from ragate.models import RetrievedChunk
from ragate.support.strict_json import loads


def load_contexts(path: Path) -> dict[str, tuple[RetrievedChunk, ...]]:
    """Return the stored contexts of the baseline at `path` by retrieval hash; {} where none.

    Raises:
        BaselineError: it is no such file, or unpacks to more than is read.
    """
    beside = contexts_path(path)
    text = read_packed(beside, error=BaselineError)
    if text is None:
        return {}
    return dict(
        _contexts(line, where=f"{beside}:{number}")
        for number, line in enumerate(text.splitlines(), 1)
    )


def _contexts(line: bytes, *, where: str) -> tuple[str, tuple[RetrievedChunk, ...]]:
    value: Any = loads(line, where=where, error=BaselineError)
    try:
        return str(value["hash"]), tuple(map(RetrievedChunk.model_validate, value["chunks"]))
    except (KeyError, TypeError, ValueError) as error:
        raise unreadable(where, f"no contexts: {error}") from error
