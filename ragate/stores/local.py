"""Runs as folders below ``.ragate/runs``: outputs as they arrive, then scores and the report.

``manifest.json`` · ``outputs.jsonl`` (with full texts, readable by `decide` and `replay`) ·
``scores.jsonl`` (hashes, document ids, answers and scores: what a comparison needs, without the
texts) · ``report.json``.
"""

from __future__ import annotations

import json
import os
import secrets
import time
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from pydantic import TypeAdapter, ValidationError

from ragate.atomic import write_atomic
from ragate.errors import StorageError, UsageError
from ragate.models import Record, Report, Run, RunManifest, Sample, Score, SystemOutput
from ragate.outputs import OutputsHeader, header_line, output_line
from ragate.settings import nearest
from ragate.strict_json import loads, read_lines

SYNC_SECONDS = 1.0
_SCORES = TypeAdapter(dict[str, Score])


def new_run_id() -> str:
    """Return an id that sorts by time, to the millisecond: ``20261121-134501-250-3f9c``."""
    now = time.time()
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(now))
    return f"{stamp}-{int(now * 1000) % 1000:03d}-{secrets.token_hex(2)}"


class OutputsWriter:
    """Appends outputs as they arrive; what it wrote survives a kill of the process.

    A line is handed to the operating system at once and synced to disk at most a second later.
    """

    def __init__(self, path: Path, header: OutputsHeader) -> None:
        self.path = path
        self._header = header
        self._stream: IO[str] | None = None
        self._synced = 0.0

    def __enter__(self) -> Self:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._stream = self.path.open("w", encoding="utf-8", newline="\n")
            self._stream.write(header_line(self._header))
        except OSError as error:
            raise StorageError(f"{self.path}: cannot write: {error.strerror}") from error
        return self

    def append(self, sample: Sample, output: SystemOutput, *, run: int) -> None:
        if self._stream is None:
            raise StorageError(f"{self.path}: the outputs file is not open")
        try:
            self._stream.write(output_line(sample, output, run=run))
            self._stream.flush()
            if time.monotonic() - self._synced >= SYNC_SECONDS:
                os.fsync(self._stream.fileno())
                self._synced = time.monotonic()
        except OSError as error:
            raise StorageError(
                f"{self.path}: cannot write: {error.strerror}",
                remedy="free some space; the lines that are there can be used with `ragate decide`",
            ) from error

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._stream is not None:
            self._stream.flush()
            os.fsync(self._stream.fileno())
            self._stream.close()


class LocalStore:
    """Run folders below one state folder."""

    def __init__(self, state: Path) -> None:
        self.runs = state / "runs"

    def folder(self, run_id: str) -> Path:
        return self.runs / run_id

    def save(self, run: Run, report: Report | None = None) -> Path:
        """Write a run's manifest, scores and report; return its folder."""
        folder = self.folder(run.manifest.run_id)
        manifest = run.manifest.model_dump(mode="json")
        manifest["aggregates"] = [_scores_json(one) for one in run.aggregates]
        write_atomic(folder / "manifest.json", _json(manifest, indent=1))
        write_atomic(folder / "scores.jsonl", b"".join(map(_record_line, run.records)))
        if report is not None:
            write_atomic(folder / "report.json", report.model_dump_json(indent=1).encode())
        return folder

    def find(self, name: str) -> Path:
        """Return the folder of a run by id, by folder, or ``latest``.

        Raises:
            UsageError: no such run; names the nearest.
        """
        if name == "latest":
            known = self.list()
            if known:
                return self.folder(known[-1])
            raise UsageError(f"no run in {self.runs}", remedy="run `ragate check` first")
        for folder in (self.folder(name), Path(name)):
            if (folder / "manifest.json").is_file():
                return folder
        raise UsageError(
            f"no run {name!r} in {self.runs}{nearest(name, self.list()[-20:])}",
            remedy="`ragate check` prints the id of its run; `latest` is the newest",
        )

    def list(self) -> list[str]:
        """Return the ids of all finished runs, oldest first."""
        return sorted(path.parent.name for path in self.runs.glob("*/manifest.json"))

    def load(self, folder: Path) -> Run:
        """Read a run back, without chunk texts.

        Raises:
            StorageError: names the file, the line and what is wrong.
        """
        where = folder / "manifest.json"
        try:
            data: Any = loads(where.read_bytes(), where=str(where), error=StorageError)
            aggregates = tuple(_scores(one) for one in data.pop("aggregates", []))
            manifest = RunManifest.model_validate(data)
        except (OSError, ValidationError, AttributeError) as error:
            raise StorageError(f"{where}: not a run of this ragate: {error}") from error
        records = tuple(_read_records(folder / "scores.jsonl"))
        return Run(manifest=manifest, records=records, aggregates=aggregates)

    def load_report(self, folder: Path) -> Report:
        """Read the report of a run back."""
        where = folder / "report.json"
        try:
            return Report.model_validate_json(where.read_bytes())
        except (OSError, ValidationError) as error:
            raise StorageError(
                f"{where}: no report of this ragate",
                remedy="make it again with `ragate decide` on the run's outputs.jsonl",
            ) from error


def light(output: SystemOutput) -> SystemOutput:
    """Return `output` without texts, metadata, latency and usage: what a comparison needs."""
    chunks = tuple(chunk.model_copy(update={"text": "", "metadata": {}}) for chunk in output.chunks)
    return output.model_copy(update={"chunks": chunks})


def _record_line(record: Record) -> bytes:
    line = record.model_dump(mode="json", exclude_defaults=True, exclude={"scores", "output"})
    output = light(record.output).model_dump(mode="json", exclude_defaults=True)
    return _json({**line, "output": output, "scores": _scores_json(record.scores)})


def _read_records(path: Path) -> Iterable[Record]:
    for number, value in read_lines(path, error=StorageError):
        try:
            value["scores"] = _scores(value["scores"])
            yield Record.model_validate(value)
        except (ValidationError, KeyError, TypeError, ValueError) as error:
            raise StorageError(f"{path}:{number}: not a record of this ragate: {error}") from error


def _scores_json(scores: dict[str, Score]) -> dict[str, Any]:
    return {
        name: score.value if score.value is not None else [score.state, score.reason]
        for name, score in scores.items()
    }


def _scores(value: dict[str, Any]) -> dict[str, Score]:
    return {
        name: Score(metric=name, state=one[0], reason=one[1])
        if isinstance(one, list)
        else Score(metric=name, value=one)
        for name, one in value.items()
    }


def _json(value: Any, *, indent: int | None = None) -> bytes:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True, indent=indent)
    return text.encode() + b"\n"
