"""Two baselines of one ancestor become one: the recording of one side, whole.

Sample by sample a merge would take the odd one out of three recordings, and samples that differ by
chance differ downwards more often than upwards: such a file's means lie 2 to 4 points too low. So
every pass comes from one side, which no score has a say in: the side that alone changed the system,
since its system is the merged one; else the target branch's. The file notes both recordings, and
the questions that only the other side recorded.
"""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ragate.baseline.read import REMEDY, parse_baseline, read_packed
from ragate.baseline.requests import Replies, dump_replies, load_replies
from ragate.baseline.schema import WHOLE_BYTES, Store
from ragate.baseline.write import dump_baseline, recorded_before
from ragate.errors import BaselineError
from ragate.models import Merged, Recording, Run
from ragate.support.atomic_files import write_atomic
from ragate.support.foreign_files import read_bytes
from ragate.support.strict_json import loads

Side = Literal["ours", "theirs"]

_CONTEXTS, _REQUESTS = ".contexts.jsonl.gz", ".requests.jsonl.gz"


@dataclass(frozen=True)
class MergedBaseline:
    """What became of two baselines.

    Attributes:
        content: The file.
        taken: The side whose recording it holds; None where nothing had to be chosen.
        why: Why that side, in words; empty without one.
        neither: Questions as only the other side recorded them, sorted: nothing is held of these.
    """

    content: bytes
    taken: Side | None = None
    why: str = ""
    neither: tuple[str, ...] = ()


def merge_files(
    before: Path, ours: Path, theirs: Path, *, name: str, target: Side
) -> MergedBaseline:
    """Write the merged file in place of `ours`, as git expects of a merge driver.

    Args:
        name: The file in the repository; its ending says whether it is a baseline, or the passages
            or replies packed beside one.
        target: Which side is the branch that is merged into in the end.

    Raises:
        BaselineError: a file cannot be read, or packed replies are of unequal numbers of passes;
            `ours` is as it was.
    """
    if name.endswith(_CONTEXTS):
        merged = MergedBaseline(_contexts(ours, theirs))
    elif name.endswith(_REQUESTS):
        merged = MergedBaseline(_requests(ours, theirs, name))
    else:
        old, a, b = (
            read_bytes(path, error=BaselineError, max_bytes=WHOLE_BYTES)
            for path in (before, ours, theirs)
        )
        merged = merge_baselines(old, a, b, name=name, target=target)
    write_atomic(ours, merged.content)
    return merged


def merge_baselines(
    before: bytes, ours: bytes, theirs: bytes, *, name: str, target: Side
) -> MergedBaseline:
    """Return the baseline of two that came from one.

    Args:
        before: What both came from, empty where there was none.
        name: The file, for messages.
        target: Which side is the branch that is merged into in the end.

    Raises:
        BaselineError: one of them cannot be read.
    """
    if ours == theirs or before == theirs:
        return MergedBaseline(ours)
    if before == ours:
        return MergedBaseline(theirs)
    old = _read(before, f"{name} (before)") if before.strip() else None
    sides: dict[Side, Run] = {
        "ours": _read(ours, f"{name} (ours)"),
        "theirs": _read(theirs, f"{name} (theirs)"),
    }
    taken, why = _side_of_merged_system(old, sides, target=target)
    side, other = sides[taken], sides["theirs" if taken == "ours" else "ours"]
    neither = _only_of_other(old, side, other)
    note = Merged(neither=neither, recordings=_recordings(side, other))
    # What was accepted stays accepted, whichever side is taken.
    accepted = dict.fromkeys((*side.manifest.accepted, *other.manifest.accepted))
    manifest = side.manifest.amended(merged=note, accepted=tuple(accepted))
    store = _store(ours if taken == "ours" else theirs)
    recorded = recorded_before(side)
    content = dump_baseline(side.amended(manifest=manifest), store=store, recorded=recorded)
    return MergedBaseline(content, taken, why, neither)


def _read(content: bytes, where: str) -> Run:
    try:
        return parse_baseline(content, where=where)
    except BaselineError as error:
        raise BaselineError(error.message, remedy=error.remedy or REMEDY) from error


def _store(content: bytes) -> Store:
    """Return what a baseline that was read already keeps of texts."""
    data: Any = loads(content, where="baseline", error=BaselineError)
    store: Store = data.get("store", "answers")
    return store


def _side_of_merged_system(
    old: Run | None, sides: Mapping[Side, Run], *, target: Side
) -> tuple[Side, str]:
    """Return the side whose system the merged tree has, and why.

    Dates play no part: a date is its author's to choose.
    """
    before = old.manifest.system.fingerprint if old is not None else ""
    prints = {name: run.manifest.system.fingerprint for name, run in sides.items()}
    changed = [name for name, text in prints.items() if text != before]
    if before and all(prints.values()) and len(changed) == 1:
        return changed[0], "only this side changed the system"
    if len(set(prints.values())) > 1:
        return target, "both changed the system, or it has no fingerprint: the target branch's"
    return target, "the target branch's"


def _only_of_other(old: Run | None, side: Run, other: Run) -> tuple[str, ...]:
    """Return the questions of the merged golden set that `side` did not record as they are there.

    They are those that the other side added or edited, and what an earlier merge lacked still.
    """
    before, held, changed = (_contents(run) for run in (old, side, other))
    lacking = {key for key, text in changed.items() if text not in (held.get(key), before.get(key))}
    for run in (side, other):
        merged = run.manifest.merged
        lacking.update(set(merged.neither if merged else ()) - held.keys())
    return tuple(sorted(lacking))


def _contents(run: Run | None) -> dict[str, str]:
    """Return the content hash of every question that a run holds."""
    return {record.sample_id: record.content_hash for record in (run.records if run else ())}


def _recordings(*sides: Run) -> tuple[Recording, ...]:
    """Return what was merged, by date; of a side that was merged before, its recordings."""
    recordings: dict[tuple[str, str], Recording] = {}
    for manifest in (run.manifest for run in sides):
        own = Recording(commit=manifest.commit, date=manifest.created)
        for recording in manifest.merged.recordings if manifest.merged else (own,):
            recordings[recording.date, recording.commit] = recording
    return tuple(recordings[key] for key in sorted(recordings))


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
