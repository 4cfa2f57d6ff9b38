"""What a list of runs shows: one small reading of each folder, and nothing of its scores.

A manifest holds the tables of its metrics, which may be megabytes; so a run keeps beside it what a
list shows. That file is a copy: where it is missing, or of another manifest, the manifest counts.
"""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from ragate.stores.named_models import named_models

MOST_BYTES = 256 * 1024 * 1024
LISTING = "listing.json"
_LISTING_BYTES, _HEAD_BYTES = 64 * 1024, 16 * 1024 * 1024


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


@dataclass(frozen=True)
class ListedRun:
    """One folder below ``runs``.

    Attributes:
        created: ISO 8601, UTC; "" where the run did not come so far.
        models: Names of the models that the system's settings hold, and the judge's fingerprint.
        samples: Only these were run, where the run is `partial`.
        problem: Why it cannot be read, "" where it can.
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
    description: str = ""
    meta: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""


def listed_runs(runs: Path) -> Iterator[ListedRun]:
    """Yield every run below a folder, no link, newest first; what cannot be read is named."""
    if not runs.is_dir():
        return
    with os.scandir(runs) as entries:
        names = [at.name for at in entries if at.is_dir(follow_symlinks=False)]
    for name in sorted(names, reverse=True):
        yield read_listed_run(runs / name)


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
    except (OSError, ValueError, TypeError, LookupError, AttributeError) as error:
        problem = f"manifest.json: not a run: {error}"
        return ListedRun(folder.name, folder, RunStatus.BROKEN, problem=problem)


def _without_manifest(folder: Path) -> ListedRun:
    """Return what the head of a run's outputs tells: no more stands there until it is scored."""
    status = RunStatus.UNFINISHED
    try:
        begun = json.loads((folder / "begun.json").read_bytes())
        status = RunStatus.COLLECTED if begun["ended"] is True else status
        with (folder / "outputs.jsonl").open("rb") as outputs:
            head = json.loads(outputs.readline(_HEAD_BYTES))
        return _stored(folder, head["manifest"], status)
    except (OSError, ValueError, TypeError, LookupError, AttributeError):
        return ListedRun(folder.name, folder, status)


def listing(folder: Path, manifest: dict[str, Any], text: bytes) -> bytes:
    """Return the file that a list reads in place of a manifest, which is written as `text`."""
    facts = run_facts(_stored(folder, manifest, _status(folder, manifest)))
    return json.dumps(facts | {"manifest_bytes": len(text)}, ensure_ascii=False).encode() + b"\n"


def read_listing(data: bytes, folder: Path, *, size: int = -1) -> ListedRun | None:
    """Return what a listing says; None of another ragate, or of a manifest of another `size`.

    Raises ValueError, TypeError, LookupError or AttributeError where it is no listing.
    """
    facts = from_json(data)  # a third of what `json.loads` takes, ten thousand times
    if size not in (-1, facts.pop("manifest_bytes")) or facts.keys() != _FACTS:
        return None
    facts |= {"run_id": folder.name, "status": RunStatus(facts["status"])}
    facts |= {"models": tuple(facts["models"]), "meta": dict(facts["meta"])}
    texts = *map(facts.get, _TEXTS), *facts["models"], *facts["meta"], *facts["meta"].values()
    "".join(texts)  # a TypeError where one is none
    run = object.__new__(ListedRun)  # of all fields, in a third of the time
    run.__dict__.update(facts, folder=folder)
    return run


def _kept(folder: Path) -> ListedRun | None:
    at = os.fspath(folder)  # a path object each is half the time of ten thousand runs
    size = os.stat(f"{at}/manifest.json").st_size  # noqa: PTH116
    try:
        return read_listing(_whole(f"{at}/{LISTING}"), folder, size=size)
    except (OSError, ValueError, TypeError, LookupError, AttributeError):
        return None


def _whole(path: str) -> bytes:
    """Read a small file: a third of what `open` costs."""
    file = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        return os.read(file, _LISTING_BYTES)  # of a longer one a part is no JSON
    finally:
        os.close(file)


def _manifest(folder: Path) -> dict[str, Any]:
    path = folder / "manifest.json"
    content = path.read_bytes()
    if len(content) > MOST_BYTES:
        raise ValueError(f"more than {MOST_BYTES} bytes")
    manifest = json.loads(content)
    if not isinstance(manifest, dict):
        raise TypeError("not the table of a run")
    return manifest


def _stored(folder: Path, manifest: dict[str, Any], status: RunStatus) -> ListedRun:
    system, filters = manifest["system"], manifest.get("filters") or {}
    return ListedRun(
        run_id=folder.name,
        folder=folder,
        status=status,
        created=str(manifest.get("created", "")),
        gate=str(manifest.get("gate", "")),
        commit=str(manifest.get("commit", "")),
        branch=str(manifest.get("branch", "")),
        dataset=str(manifest.get("dataset", "")),
        system=str(system["use"]),
        models=named_models(system.get("settings") or {}, manifest.get("judge")),
        runs=int(manifest.get("runs", 1)),
        partial=any(filters.values()) or bool(manifest.get("retrieval_only")),
        description=str(manifest.get("description", "")),
        meta={str(key): str(value) for key, value in (manifest.get("meta") or {}).items()},
        problem="report.json: no verdict" if status is RunStatus.BROKEN else "",
    )


def _status(folder: Path, manifest: Mapping[str, Any]) -> RunStatus:
    """Return how the run ended: a run of before kept its verdict in its report only."""
    verdict = manifest.get("verdict")
    if verdict is None:
        try:
            verdict = json.loads((folder / "report.json").read_bytes())["decision"]["verdict"]
        except FileNotFoundError:
            return RunStatus.RECORDED
        except (OSError, ValueError, LookupError, TypeError):
            return RunStatus.BROKEN
    return RunStatus(verdict) if verdict in VERDICTS else RunStatus.BROKEN


def run_facts(run: ListedRun) -> dict[str, Any]:
    """Return what a list shows of a run, for JSON and tables."""
    facts = {name: getattr(run, name) for name in _FACTS_IN_ORDER}
    return facts | {"status": str(run.status), "models": list(run.models), "meta": dict(run.meta)}


_FACTS_IN_ORDER = [each.name for each in fields(ListedRun) if each.name != "folder"]
_FACTS = frozenset(_FACTS_IN_ORDER)
_TEXTS = [each.name for each in fields(ListedRun) if each.type is str]
