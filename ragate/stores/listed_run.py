"""What a list of runs shows, without a score of them; and which of them may be removed.

A manifest holds the tables of its metrics, which may be megabytes; so a run keeps beside it what a
list shows. That file is a copy: where it is missing, or of another manifest, the manifest counts.
"""

import json
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from pathlib import Path
from typing import Any

from ragate.files.foreign_files import file_bytes, open_file
from ragate.stores import OUTPUTS, RUN_FILES

MOST_BYTES = 256 * 1024 * 1024
LISTING = "listing.json"
_HEAD_BYTES = 16 * 1024 * 1024
STILL_RUNNING_SECONDS = 24 * 3600.0
# What reading a file that may be anything raises where it is not what it should be.
UNREADABLE = (OSError, ValueError, TypeError, LookupError, AttributeError)


class RunStatus(StrEnum):
    """How a run ended: by `models.Verdict`, the first four, or why there is no verdict."""

    PASSED = "passed"
    FAILED = "failed"
    NO_DECISION = "no_decision"
    BOOTSTRAP = "bootstrap"
    RECORDED = "recorded"  # of a baseline: finished and not judged
    COLLECTED = "collected"  # outputs for `decide`: finished, without scores
    UNFINISHED = "unfinished"
    BROKEN = "broken"


VERDICTS = frozenset(list(RunStatus)[:4])
WITHOUT_SCORES = frozenset(list(RunStatus)[5:])
_OF_MANIFEST = ("created", "gate", "commit", "branch", "dataset", "description")


@dataclass(frozen=True)
class ListedRun:
    """One folder below ``runs``.

    Attributes:
        created: ISO 8601, UTC; "" where the run did not come so far.
        models: Names of the models that the system's settings hold, and who judged.
        clean: All files were as in `commit`.
        samples: Only these were run, where the run is `partial`.
        problem: Why it cannot be read, "" where it can.
        place: Where it is kept, in words; "" for the state folder alone.
        writer: The role that wrote it to the run store; "" where none did, or several.
        sent_at: When it came there, in seconds since the epoch; None where a folder here is it.
    """

    run_id: str
    folder: Path
    status: RunStatus
    created: str = ""
    gate: str = ""
    commit: str = ""
    branch: str = ""
    dataset: str = ""
    system: str = ""
    models: tuple[str, ...] = ()
    runs: int = 0
    partial: bool = False
    clean: bool = False
    description: str = ""
    meta: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""
    place: str = ""
    writer: str = ""
    sent_at: float | None = None


def read_listed_run(folder: Path) -> ListedRun:
    """Return what the folder of a run tells of it."""
    try:
        kept = _kept(folder)
        if kept is not None:
            return kept
        manifest = _manifest(folder)
        return _stored(folder, manifest, _status(folder, manifest))
    except FileNotFoundError:
        return _without_manifest(folder)
    except UNREADABLE as error:
        problem = f"manifest.json: not a run: {error}"
        return ListedRun(folder.name, folder, RunStatus.BROKEN, problem=problem)


def _without_manifest(folder: Path) -> ListedRun:
    """Return what the head of a run's outputs tells: no more stands there until it is scored."""
    status = RunStatus.UNFINISHED
    try:
        begun = json.loads(file_bytes(folder / "begun.json"))
        status = RunStatus.COLLECTED if begun["ended"] is True else status
        with open_file(folder / "outputs.jsonl", max_bytes=RUN_FILES[OUTPUTS]) as outputs:
            head = json.loads(outputs.readline(_HEAD_BYTES))
        return _stored(folder, head["manifest"], status)
    except UNREADABLE:
        return ListedRun(folder.name, folder, status)


def listing(folder: Path, manifest: dict[str, Any], text: bytes) -> bytes:
    """Return the file that a list reads in place of a manifest, which is written as `text`."""
    facts = run_facts(_stored(folder, manifest, _status(folder, manifest)))
    return json.dumps(facts | {"manifest_bytes": len(text)}, ensure_ascii=False).encode() + b"\n"


def read_listing(data: bytes, folder: Path, *, size: int = -1) -> ListedRun | None:
    """Return what a listing says; None of another ragate, or of a manifest of another `size`.

    Raises ValueError, TypeError, LookupError or AttributeError where it is no listing.
    """
    facts = json.loads(data)
    if size not in (-1, facts.pop("manifest_bytes")) or facts.keys() != _FACTS:
        return None
    facts |= {"run_id": folder.name, "status": RunStatus(facts["status"])}
    facts |= {"models": tuple(facts["models"]), "meta": dict(facts["meta"])}
    texts = *map(facts.get, _TEXTS), *facts["models"], *facts["meta"], *facts["meta"].values()
    "".join(texts)  # a TypeError where one is none
    return ListedRun(folder=folder, **facts)


def _kept(folder: Path) -> ListedRun | None:
    size = (folder / "manifest.json").stat().st_size
    try:
        return read_listing(file_bytes(folder / LISTING), folder, size=size)
    except UNREADABLE:
        return None


def _manifest(folder: Path) -> dict[str, Any]:
    manifest = json.loads(file_bytes(folder / "manifest.json", max_bytes=MOST_BYTES))
    if not isinstance(manifest, dict):
        raise TypeError("not the table of a run")
    return manifest


def _stored(folder: Path, manifest: dict[str, Any], status: RunStatus) -> ListedRun:
    system, filters = manifest["system"], manifest.get("filters") or {}
    texts: dict[str, Any] = {name: str(manifest.get(name, "")) for name in _OF_MANIFEST}
    return ListedRun(
        run_id=folder.name,
        folder=folder,
        status=status,
        system=str(system["use"]),
        models=_models(system.get("settings") or {}, manifest.get("judge_name")),
        runs=int(manifest.get("runs", 1)),
        partial=any(filters.values()) or bool(manifest.get("retrieval_only")),
        # A run of before names its state only where all files were as in the commit.
        clean=manifest.get("clean", manifest.get("evidence", "") != "") is True,
        meta={str(key): str(value) for key, value in (manifest.get("meta") or {}).items()},
        problem="report.json: no verdict" if status is RunStatus.BROKEN else "",
        **texts,
    )


def _models(settings: Mapping[str, str], judge: object) -> tuple[str, ...]:
    """Return the models of the settings, whose values are JSON, and the judge."""
    values = [
        _setting(value)
        for key, value in settings.items()
        if key.rpartition(".")[2] == "model" or key.endswith("_model")
    ]
    return tuple(dict.fromkeys(name for name in [*values, judge] if name and isinstance(name, str)))


def _setting(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:  # a list of runs is no place to refuse it
        return text


def _status(folder: Path, manifest: Mapping[str, Any]) -> RunStatus:
    """Return how the run ended: a run of before kept its verdict in its report only."""
    verdict = manifest.get("verdict")
    if verdict is None:
        try:
            verdict = json.loads(file_bytes(folder / "report.json"))["decision"]["verdict"]
        except FileNotFoundError:
            return RunStatus.RECORDED
        except (OSError, ValueError, LookupError, TypeError):
            return RunStatus.BROKEN
    return RunStatus(verdict) if verdict in VERDICTS else RunStatus.BROKEN


def run_facts(run: ListedRun) -> dict[str, Any]:
    """Return what a list shows of a run, for JSON and tables."""
    facts = {name: getattr(run, name) for name in _FACTS_IN_ORDER}
    return facts | {"status": str(run.status), "models": list(run.models), "meta": dict(run.meta)}


_BESIDE = {"folder", "place", "writer", "sent_at"}  # where it lies here is no fact of a run
_FACTS_IN_ORDER = [each.name for each in fields(ListedRun) if each.name not in _BESIDE]
_FACTS = frozenset(_FACTS_IN_ORDER)
_TEXTS = [each.name for each in fields(ListedRun) if each.type is str and each.name in _FACTS]


# Which of the stored runs are meant.


@dataclass(frozen=True)
class RunFilter:
    """Conditions that a run meets all of; an empty one is no condition.

    Attributes:
        commit: The first digits of a commit.
        since, until: Days in UTC, ISO 8601, both included.
        model: Part of a model's name, in any case.
    """

    gate: str = ""
    commit: str = ""
    branch: str = ""
    since: str = ""
    until: str = ""
    model: str = ""
    statuses: frozenset[RunStatus] = frozenset()
    meta: Mapping[str, str] = field(default_factory=dict)

    @property
    def empty(self) -> bool:
        """True where every run is meant."""
        return self == RunFilter()

    def fits(self, run: ListedRun) -> bool:
        """Return whether a run meets every condition."""
        return (
            self.gate in ("", run.gate)
            and self.branch in ("", run.branch)
            and run.commit.startswith(self.commit.lower())
            and (not self.statuses or run.status in self.statuses)
            and self._dated(run)
            and (not self.model or any(self.model.lower() in each.lower() for each in run.models))
            and all(run.meta.get(key) == value for key, value in self.meta.items())
        )

    def _dated(self, run: ListedRun) -> bool:
        if not self.since and not self.until:
            return True
        # An unfinished run has no manifest that says when; its id begins with the day.
        digits = run.run_id[:8]
        day = run.created[:10] or f"{digits[:4]}-{digits[4:6]}-{digits[6:]}"
        return self.since <= day and (not self.until or day <= self.until)


ANY_RUN = RunFilter()


def fitting(runs: Iterable[ListedRun], wanted: RunFilter) -> Iterator[ListedRun]:
    """Yield the runs that are meant, in their order."""
    return iter(runs) if wanted.empty else filter(wanted.fits, runs)


_UNSCORED = frozenset({RunStatus.COLLECTED, RunStatus.UNFINISHED})
_RUN_ID = re.compile(r"\d{8}-\d{6}(-\d{3})?-[0-9a-f]{4}")


def _last_write(run: ListedRun) -> float:
    """Return when something was last written to a run, in seconds since the epoch."""
    if run.sent_at is not None:
        return run.sent_at
    try:
        return max(path.lstat().st_mtime for path in (run.folder, *run.folder.iterdir()))
    except OSError:  # somebody is at it right now
        return time.time()


def prunable(runs: Iterable[ListedRun], *, keep: int, now: float | None = None) -> list[ListedRun]:
    """Return which of the runs may go.

    A folder without the name of a run is somebody's own. An unfinished run may go on, and what was
    collected may be judged yet: it stays until nothing was written to it for a day.

    Args:
        runs: Newest first.
        keep: So many of the newest finished ones stay, of every gate and writer: whoever invents
            newer ones lets none of another's go.
        now: Seconds since the epoch.
    """
    today = time.time() if now is None else now
    kept: dict[tuple[str, str], int] = {}
    going: list[ListedRun] = []
    for run in runs:
        if not _RUN_ID.fullmatch(run.run_id):
            continue
        if run.status in _UNSCORED:
            if _last_write(run) < today - STILL_RUNNING_SECONDS:
                going.append(run)
            continue
        group = run.gate, run.writer
        if run.status is not RunStatus.BROKEN and kept.get(group, 0) < keep:
            kept[group] = kept.get(group, 0) + 1
            continue
        going.append(run)
    return going
