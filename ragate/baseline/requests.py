"""The recorded model replies of a gate: a file beside the baseline, so that any checkout replays.

One line a request, by its digest: the question itself is not in it. Byte-stable as the baseline is.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragate.baseline.read import read_packed
from ragate.baseline.schema import contexts_path
from ragate.errors import BaselineError
from ragate.files.atomic_files import write_atomic
from ragate.files.strict_json import canonical, loads

VERSION = 1
MAX_RUNS = 1000
_KEY = re.compile(r"[0-9a-f]{16,64}")
_REMEDY = "restore the file from git, or record it anew"
Draws = dict[int, str]  # reply by run
# Of a run, in its folder: it may become a baseline.
RUN_REPLIES = "requests.jsonl.gz"


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


def baseline_paths(path: Path) -> tuple[Path, ...]:
    """Return all files that the baseline at `path` may have; not each is there."""
    return (path, contexts_path(path), requests_path(path))


def requests_path(path: Path) -> Path:
    """Return where the recorded replies of the baseline at `path` are."""
    return path.with_name(f"{path.stem}.requests.jsonl.gz")


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
    replies = Replies(runs=_header(first, f"{path}:1"))
    for number, line in enumerate(lines, start=2):
        if line.strip():
            _add(replies, line, f"{path}:{number}")
    return replies


def _header(line: bytes, where: str) -> int:
    head: Any = loads(line or b"null", where=where, error=BaselineError)
    version = head.get("ragate_requests") if isinstance(head, dict) else None
    if type(version) is not int or version != VERSION:
        raise _bad(where, f"format {version!r}, this ragate reads {VERSION}")
    runs = head.get("runs")
    if type(runs) is not int or not 1 <= runs <= MAX_RUNS:
        raise _bad(where, f"runs = {str(runs)[:40]}: a count from 1 to {MAX_RUNS}")
    return int(runs)


def _add(replies: Replies, line: bytes, where: str) -> None:
    row: Any = loads(line, where=where, error=BaselineError, max_depth=80)
    if not isinstance(row, dict) or set(row) != {"key", "model", "replies", "runs"}:
        raise _bad(where, "a line has key, model, replies and runs")
    key, model, bodies, runs = row["key"], row["model"], row["replies"], row["runs"]
    if not isinstance(key, str) or not _KEY.fullmatch(key) or key in replies.draws:
        raise _bad(where, "key must be a digest of its own")
    if not isinstance(model, str) or not isinstance(bodies, list) or not isinstance(runs, dict):
        raise _bad(where, "model must be a text, replies a list, runs a table")
    if not bodies or not all(isinstance(body, dict) for body in bodies):
        raise _bad(where, "a reply must be an object")
    texts = list(map(canonical, bodies))
    for run, reply in _places(runs, len(texts), where).items():
        if run >= replies.runs:
            raise _bad(where, f"run {run} of {replies.runs}")
        replies.add(key, run, model, texts[reply])


def _places(runs: Mapping[str, Any], count: int, where: str) -> dict[int, int]:
    numbered = {run: reply for run, reply in runs.items() if re.fullmatch(r"\d{1,4}", run)}
    whole = all(type(reply) is int and 0 <= reply < count for reply in numbered.values())
    if not runs or len(numbered) != len(runs) or not whole:
        raise _bad(where, "runs must name replies of this line")
    return {int(run): reply for run, reply in numbered.items()}


def _bad(where: str, what: str) -> BaselineError:
    return BaselineError(f"{where}: no recorded replies: {what}", remedy=_REMEDY)
