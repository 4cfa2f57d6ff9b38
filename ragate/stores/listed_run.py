"""What a list of runs shows: one small reading of each folder, and nothing of its scores."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from ragate.models import Verdict

MOST_BYTES = 256 * 1024 * 1024
_VERDICTS = frozenset(map(str, Verdict))


class RunStatus(StrEnum):
    """How a run ended: a verdict's word, or why there is none."""

    PASSED = "passed"
    FAILED = "failed"
    NO_DECISION = "no_decision"
    BOOTSTRAP = "bootstrap"
    RECORDED = "recorded"  # of a baseline, or of outputs: finished and not judged
    UNFINISHED = "unfinished"
    BROKEN = "broken"


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
    """Yield every run below a folder, newest first; what cannot be read is named, not left out.

    A link is followed by nobody: it is no folder that a run made.
    """
    if not runs.is_dir():
        return
    names = sorted((path.name for path in runs.iterdir()), reverse=True)
    for folder in map(runs.joinpath, names):
        if folder.is_dir() and not folder.is_symlink():
            yield read_listed_run(folder)


def read_listed_run(folder: Path) -> ListedRun:
    """Return what the folder of a run tells of it."""
    try:
        manifest = _manifest(folder)
        return _stored(folder, manifest, _status(folder, manifest))
    except FileNotFoundError:
        return ListedRun(folder.name, folder, RunStatus.UNFINISHED)
    except (OSError, ValueError, TypeError, LookupError, AttributeError) as error:
        problem = f"manifest.json: not a run: {error}"
        return ListedRun(folder.name, folder, RunStatus.BROKEN, problem=problem)


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
        models=_models(system.get("settings") or {}, manifest.get("judge")),
        runs=int(manifest.get("runs", 1)),
        partial=any(filters.values()) or bool(manifest.get("retrieval_only")),
        description=str(manifest.get("description", "")),
        meta={str(key): str(value) for key, value in (manifest.get("meta") or {}).items()},
        problem="report.json: no verdict" if status is RunStatus.BROKEN else "",
    )


def _models(settings: Mapping[str, str], judge: object) -> tuple[str, ...]:
    """Return the models of the settings, whose values are JSON, and the judge."""
    values = [
        json.loads(value)
        for key, value in settings.items()
        if key.rpartition(".")[2] == "model" or key.endswith("_model")
    ]
    named = [value for value in values if isinstance(value, str) and value]
    return tuple(dict.fromkeys(named + ([judge] if isinstance(judge, str) and judge else [])))


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
    return RunStatus(verdict) if verdict in _VERDICTS else RunStatus.BROKEN


def run_facts(run: ListedRun) -> dict[str, Any]:
    """Return what a list shows of a run, for JSON and tables."""
    return {
        "run_id": run.run_id,
        "status": str(run.status),
        "created": run.created,
        "gate": run.gate,
        "commit": run.commit,
        "branch": run.branch,
        "dataset": run.dataset,
        "system": run.system,
        "models": list(run.models),
        "runs": run.runs,
        "partial": run.partial,
        "description": run.description,
        "meta": dict(run.meta),
        "problem": run.problem,
    }
