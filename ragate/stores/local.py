"""Runs as folders below ``.ragate/runs``: outputs as they arrive, then scores and the report.

``manifest.json`` · ``outputs.jsonl`` (with full texts, readable by `decide` and `replay`) ·
``scores.jsonl`` (hashes, document ids, answers and scores: what a comparison needs, without the
texts) · ``report.json`` · ``listing.json`` (what a list of runs shows).

What reads and writes whole runs is loaded when that is done: a list needs none of it.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragate.errors import ConfigError, DatabaseError, RagateError, StorageError, UsageError
from ragate.extension import lacking, loaded, store_at
from ragate.files.atomic_files import write_atomic, write_lines
from ragate.files.foreign_files import file_bytes
from ragate.stores.listed_run import (
    LISTING,
    UNREADABLE,
    ListedRun,
    listing,
    read_listed_run,
)

if TYPE_CHECKING:
    from ragate.models import Report, Run, RunManifest, Score
    from ragate.resources.operations import Operations


_RUN_ID = re.compile(r"[0-9A-Za-z-]{1,100}")


def is_run_id(text: str) -> bool:
    """Return whether a run can have this id: it names a folder as well."""
    return _RUN_ID.fullmatch(text) is not None


def new_run_id() -> str:
    """Return an id that sorts by time, to the millisecond: ``20261121-134501-250-3f9c``."""
    seconds = time.time()
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(seconds))
    return f"{stamp}-{int(seconds * 1000) % 1000:03d}-{secrets.token_hex(2)}"


def open_store(operations: Operations) -> LocalStore:
    """Return where runs are kept: the state folder, with the run store behind it where one is.

    Raises:
        ConfigError: nothing that is installed keeps runs at the address of the run store.
    """
    if not operations.runs_url:
        return LocalStore(operations.state)
    behind = store_at(operations.runs_url)
    if behind is None:
        raise ConfigError(
            f"RAGATE_RUNS_URL: nothing that is installed keeps runs there{lacking()}",
            remedy="install what does, or leave it out: runs stay in the state folder",
        )
    store: LocalStore = loaded(*behind)(operations)
    return store


def reach_store(operations: Operations) -> str:
    """Return what the run store says of itself, before anything is paid for; "" for nothing.

    Raises:
        ConfigError: as `open_store`.
        DatabaseError: it cannot be reached or used.
    """
    try:
        return open_store(operations).reach()
    except RagateError:
        raise
    except Exception as error:
        raise DatabaseError(
            f"RAGATE_RUNS_URL: the run store failed: {type(error).__name__}: {error}",
            remedy="look at what keeps runs there, or leave it out: runs stay in the state folder",
        ) from error


def save_run(operations: Operations, run: Run, report: Report | None = None) -> None:
    """Save a run in the state folder, and send it to the run store."""
    send_run(operations, LocalStore(operations.state).save(run, report))


def send_run(operations: Operations, folder: Path) -> None:
    """Send a run that ended to the run store; whatever fails of it is only said."""
    try:
        open_store(operations).send(folder)
    except Exception as error:  # noqa: BLE001 - a store of others changes no verdict
        why = getattr(error, "message", repr(error))
        operations.say(f"warning: the run store lacks the run {folder.name}: {why}")


class LocalStore:
    """Run folders below one state folder.

    A store that machines share is a class below it: what is not here, it fetches.
    """

    def __init__(self, state: Path) -> None:
        self.runs = state / "runs"

    def folder(self, run_id: str) -> Path:
        return self.runs / run_id

    def reach(self) -> str:
        """Return what was seen of what machines share, before anything is paid for; "" for nothing.

        Raises:
            DatabaseError: it cannot be reached or used.
        """
        return ""

    def send(self, folder: Path) -> None:
        """Let other machines have a run that ended."""

    def save(self, run: Run, report: Report | None = None) -> Path:
        """Write a run's scores, report and manifest; return its folder.

        The manifest comes last: with it a run counts as finished, so it must be whole by then.
        """
        from ragate.stores.stored_record import record_line, scores_json

        folder = self.folder(run.manifest.run_id)
        manifest = run.manifest.model_dump(mode="json")
        manifest["aggregates"] = [scores_json(scores) for scores in run.aggregates]
        write_lines(folder / "scores.jsonl", map(record_line, run.records))
        if report is not None:
            manifest["verdict"] = report.decision.verdict
            write_atomic(folder / "report.json", report.model_dump_json(indent=1).encode())
        text = json.dumps(manifest, ensure_ascii=False, allow_nan=False, sort_keys=True, indent=1)
        data = f"{text}\n".encode()
        write_atomic(folder / LISTING, listing(folder, manifest, data))
        write_atomic(folder / "manifest.json", data)
        return folder

    def listed(self) -> Iterator[ListedRun]:
        """Yield what a list shows of every folder that is no link, newest first."""
        if not self.runs.is_dir():
            return
        with os.scandir(self.runs) as entries:
            names = [at.name for at in entries if at.is_dir(follow_symlinks=False)]
        for name in sorted(names, reverse=True):
            yield read_listed_run(self.runs / name)

    def remove(self, runs: Iterable[ListedRun]) -> Iterator[ListedRun]:
        """Remove folders one by one, and yield each run that is gone.

        The manifest goes first: a removal that is cut off leaves no run that looks whole.

        Raises:
            StorageError: a folder cannot be removed; those before it are gone.
        """
        for run in runs:
            try:
                (run.folder / "manifest.json").unlink(missing_ok=True)
                shutil.rmtree(run.folder)
            except OSError as error:
                raise StorageError(
                    f"{run.folder}: cannot be removed: {error.strerror}",
                    remedy="look who owns the folder; the runs before it are gone",
                ) from error
            yield run

    def find(self, name: str, *, reported: bool = False, texts: bool = False) -> Path:  # noqa: ARG002
        """Return the folder of a run by id, by folder, or ``latest``.

        Args:
            reported: ``latest`` is the newest run that was judged, not the recording of a baseline.
            texts: Its outputs are needed as well, which a folder here holds anyway.

        Raises:
            UsageError: no such run; names the nearest.
        """
        if name == "latest":
            for folder in map(self.folder, reversed(self.list())):
                if not reported or (folder / "report.json").is_file():
                    return folder
            raise UsageError(f"no run in {self.runs}", remedy="run `ragate check` first")
        for folder in (self.folder(name), Path(name)):
            if (folder / "manifest.json").is_file():
                return folder
        from ragate.settings import nearest

        raise UsageError(
            f"no run {name!r} in {self.runs}{nearest(name, self.list()[-20:])}",
            remedy="`ragate check` prints the id of its run; `latest` is the newest",
        )

    def newest_elsewhere(self, gate: str, *, texts: bool = False) -> Path | None:  # noqa: ARG002
        """Return the folder of a gate's newest whole run that other machines made; None here."""
        return None

    def fetch_interrupted(self, name: str, *, gate: str, command: str, root: Path) -> str:  # noqa: ARG002
        """Fetch an interrupted run that only other machines have; return the id of what is meant.

        Args:
            name: As of ``--resume``: an id, or ``latest``: the newest here, or else the newest
                there of this gate, this command, and the commit that is checked out at `root`.

        Raises:
            UsageError: there is none, or it ended or went on elsewhere, or it is another's.
        """
        return name

    def list(self) -> list[str]:
        """Return the ids of all finished runs, oldest first."""
        return sorted(path.parent.name for path in self.runs.glob("*/manifest.json"))

    def newest_of(self, evidence: str) -> Path | None:
        """Return the folder of the newest finished run of one state; None where there is none."""
        for run_id in reversed(self.list()):
            try:
                manifest = json.loads(file_bytes(self.folder(run_id) / "manifest.json"))
            except (OSError, ValueError):
                continue
            if isinstance(manifest, dict) and manifest.get("evidence") == evidence:
                return self.folder(run_id)
        return None

    def load(self, folder: Path) -> Run:
        """Read a run back, without chunk texts.

        Raises:
            StorageError: names the file, the line and what is wrong.
        """
        from ragate.models import Run
        from ragate.stores.stored_record import read_records

        manifest, aggregates = _read_manifest(folder / "manifest.json")
        records = list(read_records(folder / "scores.jsonl"))
        return Run(manifest=manifest, records=records, aggregates=aggregates)

    def load_manifest(self, folder: Path) -> RunManifest:
        """Read where a run comes from; raises as `load`."""
        return _read_manifest(folder / "manifest.json")[0]

    def load_report(self, folder: Path) -> Report:
        """Read the report of a run back."""
        from pydantic import ValidationError

        from ragate.core.rules.checked_metric import counts_in_metrics
        from ragate.models import REPORT_SCHEMA_VERSION, Report

        where = folder / "report.json"
        again = "make it again with `ragate decide` on the run's outputs.jsonl"
        try:
            report = Report.model_validate_json(file_bytes(where))
        except (OSError, ValidationError) as error:
            raise StorageError(f"{where}: no report of this ragate", remedy=again) from error
        if report.schema_version != REPORT_SCHEMA_VERSION:
            versions = f"{report.schema_version}, this ragate reads {REPORT_SCHEMA_VERSION}"
            raise StorageError(f"{where}: schema version {versions}", remedy=again)
        return counts_in_metrics(report)


def _read_manifest(path: Path) -> tuple[RunManifest, tuple[dict[str, Score], ...]]:
    from ragate.files.strict_json import loads
    from ragate.models import RunManifest
    from ragate.stores.stored_record import read_scores

    try:
        data: Any = loads(file_bytes(path), where=str(path), error=StorageError)
        data.pop("verdict", None)  # a list of runs reads it there; the report is what holds
        data.pop("stale_evidence", None)  # of earlier versions
        aggregates = tuple(read_scores(cells) for cells in data.pop("aggregates", []))
        return RunManifest.model_validate(data), aggregates
    except UNREADABLE as error:
        raise StorageError(f"{path}: not a run of this ragate: {error}") from error
