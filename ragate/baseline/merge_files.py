"""The files that git's merge driver is called with: a baseline, or what is packed beside one."""

import gzip
from pathlib import Path
from typing import Any

from ragate.baseline.bounded import read_packed
from ragate.baseline.merge import MergedBaseline, merge_baselines
from ragate.baseline.requests import Replies, dump_replies, load_replies
from ragate.baseline.schema import WHOLE_BYTES
from ragate.errors import BaselineError
from ragate.support.atomic_files import write_atomic
from ragate.support.foreign_files import read_bytes
from ragate.support.strict_json import loads

CONTEXTS, REQUESTS = ".contexts.jsonl.gz", ".requests.jsonl.gz"


def merge_files(before: Path, ours: Path, theirs: Path, *, name: str) -> MergedBaseline:
    """Write the merged file in place of `ours`.

    Args:
        name: The file in the repository; its ending says what it is.

    Raises:
        BaselineError: a file cannot be read, or the two do not go together; `ours` is as it was.
    """
    if name.endswith(CONTEXTS):
        merged = MergedBaseline(_contexts(ours, theirs))
    elif name.endswith(REQUESTS):
        merged = MergedBaseline(_requests(ours, theirs, name))
    else:
        old, a, b = (
            read_bytes(path, error=BaselineError, max_bytes=WHOLE_BYTES)
            for path in (before, ours, theirs)
        )
        merged = merge_baselines(old, a, b, name=name)
    write_atomic(ours, merged.content)
    return merged


def _contexts(ours: Path, theirs: Path) -> bytes:
    """Return the passages of both: each stands under the hash of what it holds."""
    by_hash: dict[str, bytes] = {}
    for path in (ours, theirs):
        packed = read_packed(path, error=BaselineError) or b""
        for number, line in enumerate(packed.splitlines(), 1):
            where = f"{path}:{number}"
            row: Any = loads(line, where=where, error=BaselineError)
            if not isinstance(row, dict) or not isinstance(row.get("hash"), str):
                raise BaselineError(f"{where}: no contexts of a baseline")
            by_hash.setdefault(row["hash"], line)
    text = b"".join(by_hash[key] + b"\n" for key in sorted(by_hash))
    return gzip.compress(text, mtime=0)


def _requests(ours: Path, theirs: Path, name: str) -> bytes:
    """Return the replies of both, without those that were given otherwise on each side."""
    a, b = load_replies(ours), load_replies(theirs)
    if a.runs != b.runs:
        raise BaselineError(
            f"{name}: {a.runs} passes on one side, {b.runs} on the other: not merged",
            remedy="take either side, then run `ragate baseline update`",
        )
    merged = Replies(runs=a.runs)
    for key in sorted({*a.draws, *b.draws}):
        if key in a.draws and key in b.draws and a.draws[key] != b.draws[key]:
            continue
        side = a if key in a.draws else b
        for run, text in side.draws[key].items():
            merged.add(key, run, side.models[key], text)
    return dump_replies(merged)
