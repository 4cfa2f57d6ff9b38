"""Finding what an earlier run left of one commit: only runs that a stranger cannot have written."""

import io
import re
import stat
import zipfile
import zlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from ragate.errors import StorageError
from ragate.github.rest.api import unless_absent
from ragate.github.rest.repository import Json, Repository, gate_statuses

MOST_RUNS = 30  # each workflow of the repository adds one to a commit
MOST_ENTRIES = 200
MOST_BYTES = 512 * 1024 * 1024
_PIECE = 1024 * 1024
# Of one commit, these run the repository's own branches; a fork's run is of the fork's making.
_OWN_EVENTS = frozenset({"pull_request", "push", "merge_group", "workflow_dispatch", "schedule"})
# The workflow file of these comes from the default branch, and no code of a pull request runs.
_TRUSTED_EVENTS = frozenset({"workflow_run"})


def _prefix(gate: str, sha: str) -> str:
    """Return what the name of a result's artifact begins with; the attempt's number follows."""
    return f"ragate-{gate}-{sha}-"


def find_results(repository: Repository, gate: str, sha: str) -> Iterator[tuple[int, Json]]:
    """Yield run and artifact of each result of one gate at one commit, the newest of a run first.

    The runs are found by the status that they set, and by the commit itself. Neither is believed:
    a run counts only where GitHub says that it belongs to this repository and to this commit, or
    that it ran the default branch's workflow (`is_trusted`).
    """
    prefix = _prefix(gate, sha)
    for run_id in _run_ids(repository, gate, sha):
        run = unless_absent(partial(repository.run, run_id), None)  # it may be deleted since
        if run is None or not is_trusted(run, repository.name, sha):
            continue
        listed = [
            (attempt, artifact)
            for artifact in repository.run_artifacts(run_id)
            if not artifact.get("expired") and (attempt := _attempt(artifact, prefix)) is not None
        ]
        for _, artifact in sorted(listed, key=lambda pair: pair[0], reverse=True):
            yield run_id, artifact


def is_trusted(run: Json, repository: str, sha: str) -> bool:
    """Return True where what the run left was not written by a fork or for another commit."""
    if _name(run.get("repository")) != repository:
        return False
    if _name(run.get("head_repository")) != repository:
        return False
    if run.get("event") in _TRUSTED_EVENTS:
        return True
    return run.get("event") in _OWN_EVENTS and run.get("head_sha") == sha


def runs_with_results(repository: Repository, gate: str, sha: str) -> list[Json]:
    """Return the runs at `sha` that left outputs or a result of this gate, newest first.

    Running one of them again is all that comes of it, so that a fork's run is listed as well.
    """
    name = re.compile(
        rf"(?:{re.escape(_prefix(gate, sha))}|ragate-outputs-{re.escape(gate)}-)[0-9]{{1,6}}"
    )  # whole: another gate's name may begin with this one's
    return [
        run
        for run in repository.runs_of(sha)[:MOST_RUNS]
        if any(
            name.fullmatch(str(artifact.get("name", "")))
            for artifact in repository.run_artifacts(int(run["id"]))
        )
    ]


def _run_ids(repository: Repository, gate: str, sha: str) -> list[int]:
    page = re.compile(rf"https://[^/\s]+/{re.escape(repository.name)}/actions/runs/([0-9]{{1,18}})")
    by_status = [
        int(match[1])
        for status in gate_statuses(repository, gate, sha)
        if (match := page.match(str(status.get("target_url") or "")))
    ]
    by_commit = [int(run["id"]) for run in repository.runs_of(sha)]
    by_status = list(dict.fromkeys(by_status))  # a run sets its status more than once
    return list(dict.fromkeys([*by_status[:MOST_RUNS], *by_commit[:MOST_RUNS]]))


def _attempt(artifact: Json, prefix: str) -> int | None:
    name = str(artifact.get("name", ""))
    number = name.removeprefix(prefix)
    return int(number) if name != number and re.fullmatch(r"[0-9]{1,6}", number) else None


def _name(repository: Any) -> str:
    return str(repository.get("full_name", "")) if isinstance(repository, dict) else ""


def unpack(data: bytes, folder: Path) -> None:
    """Unpack a zip file below `folder`.

    Raises:
        StorageError: it is no zip file, too large, or holds anything but plain files inside it.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            _unpack(archive, folder)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise StorageError(f"the artifact is no zip file that can be read: {error}") from error


def _unpack(archive: zipfile.ZipFile, folder: Path) -> None:
    entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    if len(entries) > MOST_ENTRIES:
        raise StorageError(f"the artifact holds {len(entries)} files; at most {MOST_ENTRIES}")
    paths: set[PurePosixPath] = set()
    room = MOST_BYTES
    for entry in entries:
        path = _checked(entry)
        if path in paths:
            raise StorageError(f"the artifact holds {str(path)!r} twice")
        paths.add(path)
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        with archive.open(entry) as source, target.open("xb") as file:
            # The size that the archive states is a claim: what comes out is counted.
            while piece := source.read(_PIECE):
                room -= len(piece)
                if room < 0:
                    raise StorageError(f"the artifact unpacks to more than {MOST_BYTES} bytes")
                file.write(piece)


def _checked(entry: zipfile.ZipInfo) -> PurePosixPath:
    path = PurePosixPath(entry.filename)
    mode = entry.external_attr >> 16
    plain = not mode or stat.S_IFMT(mode) in (0, stat.S_IFREG)
    inside = bool(path.parts) and not path.is_absolute() and ".." not in path.parts
    if not plain or not inside or "\\" in entry.filename or not entry.filename.isprintable():
        raise StorageError(f"the artifact holds {entry.filename!r}, which is no plain file inside")
    return path
