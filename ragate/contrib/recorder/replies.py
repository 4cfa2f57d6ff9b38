"""The recorded model replies of a gate: a file beside the baseline, so that any checkout replays.

One line a request, by its digest: the question itself is not in it. Byte-stable as the baseline is.
"""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import Field, ValidationError

from ragate.baseline.read import read_packed
from ragate.baseline.schema import requests_path
from ragate.errors import BaselineError
from ragate.files.atomic_files import write_atomic
from ragate.files.strict_json import canonical, loads
from ragate.models import Frozen
from ragate.settings import first_fault

M = TypeVar("M", bound=Frozen)
VERSION = 1
MAX_RUNS = 1000
_REMEDY = "restore the file from git, or record it anew"
Draws = dict[int, str]  # reply by run


class _Head(Frozen):
    """The first line."""

    ragate_requests: int = Field(ge=VERSION, le=VERSION)
    runs: int = Field(ge=1, le=MAX_RUNS)


class _Line(Frozen):
    """Every other one: the distinct replies to a request, and which of them each run got."""

    key: str = Field(pattern=r"^[0-9a-f]{16,64}$")
    model: str
    replies: list[dict[str, Any]] = Field(min_length=1)
    runs: dict[Annotated[str, Field(pattern=r"^[0-9]{1,4}$")], Annotated[int, Field(ge=0)]] = Field(
        min_length=1
    )


@dataclass
class Replies:
    """Replies by request and run.

    Attributes:
        runs: Passes that were recorded.
        models: Model by request.
        draws: Canonical JSON of a reply, by request and run.
    """

    runs: int = 1
    models: dict[str, str] = field(default_factory=dict)
    draws: dict[str, Draws] = field(default_factory=dict)

    def add(self, key: str, run: int, model: str, text: str) -> None:
        """Keep one reply; the latest of a run stays."""
        self.models[key] = model
        self.draws.setdefault(key, {})[run] = text
        self.runs = max(self.runs, run + 1)

    def without(self, run: int) -> Replies:
        """Return all but the replies of one run."""
        left = Replies(runs=self.runs)
        for key, draws in self.draws.items():
            for number, text in draws.items():
                if number != run:
                    left.add(key, number, self.models[key], text)
        return left

    def of_run(self, run: int) -> dict[str, tuple[str, ...]]:
        """Return the replies of one run alone."""
        return {key: (draws[run],) for key, draws in self.draws.items() if run in draws}

    def by_pass(self) -> dict[str, tuple[str, ...]]:
        """Return a reply for every pass: its own, else another's of the same request."""
        return {key: _padded(draws, self.runs) for key, draws in self.draws.items()}


def _padded(draws: Draws, runs: int) -> tuple[str, ...]:
    recorded = [draws[run] for run in sorted(draws)]
    return tuple(draws.get(run, recorded[run % len(recorded)]) for run in range(runs))


def dump_replies(replies: Replies) -> bytes:
    """Return the file's bytes; equal replies give equal bytes."""
    lines = [canonical({"ragate_requests": VERSION, "runs": replies.runs})]
    for key in sorted(replies.draws):
        draws = replies.draws[key]
        distinct = list(dict.fromkeys(draws[run] for run in sorted(draws)))
        line = {
            "key": key,
            "model": replies.models[key],
            "replies": [json.loads(text) for text in distinct],
            "runs": {str(run): distinct.index(draws[run]) for run in sorted(draws)},
        }
        lines.append(canonical(line))
    return gzip.compress("".join(f"{line}\n" for line in lines).encode(), mtime=0)


def save_replies(path: Path, replies: Replies) -> None:
    """Write the file.

    Raises:
        StorageError: it cannot be written; one that was there is unchanged.
    """
    write_atomic(path, dump_replies(replies))


def load_replies(path: Path) -> Replies:
    """Return the recorded replies; none where there is no file.

    Raises:
        BaselineError: it is no such file, is damaged, or unpacks to more than is read.
    """
    content = read_packed(path, error=BaselineError)
    if content is None:
        return Replies()
    first, *lines = content.split(b"\n")
    replies = Replies(runs=_read(_Head, first or b"null", f"{path}:1").runs)
    for number, line in enumerate(lines, start=2):
        if line.strip():
            where = f"{path}:{number}"
            _add(replies, _read(_Line, line, where), where)
    return replies


def _read(model: type[M], line: bytes, where: str) -> M:
    row = loads(line, where=where, error=BaselineError, max_depth=80)
    try:
        return model.model_validate(row, strict=True)
    except ValidationError as error:
        raise _bad(where, first_fault(error)) from error


def _add(replies: Replies, line: _Line, where: str) -> None:
    if line.key in replies.draws:
        raise _bad(where, f"the key {line.key} stands twice")
    texts = list(map(canonical, line.replies))
    for run, reply in line.runs.items():
        if int(run) >= replies.runs or reply >= len(texts):
            raise _bad(where, f"run {run} of {replies.runs} has reply {reply} of {len(texts)}")
        replies.add(line.key, int(run), line.model, texts[reply])


def _bad(where: str, what: str) -> BaselineError:
    return BaselineError(f"{where}: no recorded replies: {what}", remedy=_REMEDY)


def check_replies(path: Path) -> None:
    """Refuse recorded replies beside the baseline at `path` that cannot be read.

    Raises:
        BaselineError: as `load_replies`.
    """
    load_replies(requests_path(path))
