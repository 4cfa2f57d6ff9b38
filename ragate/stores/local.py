"""Runs as folders below ``.ragate/runs``: outputs as they arrive, then scores and the report.

``manifest.json`` · ``outputs.jsonl`` (with full texts, readable by `decide` and `replay`) ·
``scores.jsonl`` (hashes, document ids, answers and scores: what a comparison needs, without the
texts) · ``report.json``.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from ragate.errors import StorageError, UsageError
from ragate.models import (
    Failure,
    Frozen,
    Record,
    Report,
    RetrievedChunk,
    Run,
    RunManifest,
    Score,
    ScoreState,
    SystemOutput,
    Usage,
)
from ragate.support.atomic_files import write_atomic, write_lines
from ragate.support.foreign_files import open_regular
from ragate.support.settings import nearest
from ragate.support.spill import Spill
from ragate.support.strict_json import loads


def new_run_id() -> str:
    """Return an id that sorts by time, to the millisecond: ``20261121-134501-250-3f9c``."""
    now = time.time()
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(now))
    return f"{stamp}-{int(now * 1000) % 1000:03d}-{secrets.token_hex(2)}"


class LocalStore:
    """Run folders below one state folder."""

    def __init__(self, state: Path) -> None:
        self.runs = state / "runs"

    def folder(self, run_id: str) -> Path:
        return self.runs / run_id

    def save(self, run: Run, report: Report | None = None) -> Path:
        """Write a run's scores, report and manifest; return its folder.

        The manifest comes last: with it a run counts as finished, so it must be whole by then.
        """
        folder = self.folder(run.manifest.run_id)
        manifest = run.manifest.model_dump(mode="json")
        manifest["aggregates"] = [_scores_json(one) for one in run.aggregates]
        write_lines(folder / "scores.jsonl", map(_record_line, run.records))
        if report is not None:
            write_atomic(folder / "report.json", report.model_dump_json(indent=1).encode())
        write_atomic(folder / "manifest.json", _json(manifest, indent=1))
        return folder

    def find(self, name: str, *, reported: bool = False) -> Path:
        """Return the folder of a run by id, by folder, or ``latest``.

        Args:
            reported: ``latest`` is the newest run that was judged, not the recording of a baseline.

        Raises:
            UsageError: no such run; names the nearest.
        """
        if name == "latest":
            known = [
                run_id
                for run_id in self.list()
                if not reported or (self.folder(run_id) / "report.json").is_file()
            ]
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

    def newest_of(self, evidence: str) -> Path | None:
        """Return the folder of the newest finished run of one state; None where there is none."""
        for run_id in reversed(self.list()):
            try:
                manifest = json.loads((self.folder(run_id) / "manifest.json").read_bytes())
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
        manifest, aggregates = _read_manifest(folder / "manifest.json")
        records = Spill(Record, _read_records(folder / "scores.jsonl"))
        return Run(manifest=manifest, records=records, aggregates=aggregates)

    def load_manifest(self, folder: Path) -> RunManifest:
        """Read where a run comes from; raises as `load`."""
        return _read_manifest(folder / "manifest.json")[0]

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


def _read_manifest(path: Path) -> tuple[RunManifest, tuple[dict[str, Score], ...]]:
    try:
        data: Any = loads(path.read_bytes(), where=str(path), error=StorageError)
        aggregates = tuple(_scores(one) for one in data.pop("aggregates", []))
        return RunManifest.model_validate(data), aggregates
    except (OSError, ValueError, TypeError, LookupError, AttributeError) as error:
        raise StorageError(f"{path}: not a run of this ragate: {error}") from error


class StoredRecord(Frozen):
    """One line of ``scores.jsonl``: a record without texts, latency and usage."""

    sample_id: str
    run: int = 0
    content_hash: str
    retrieval_hash: str
    output_hash: str
    text_hashes: str = ""
    docs: tuple[str, ...] = ()
    answer: str | None = None
    citations: tuple[int, ...] | None = None
    error: Failure | None = None
    request_hash: str | None = None
    usage: Usage | None = None
    scores: dict[str, float | tuple[ScoreState, str]] = Field(default_factory=dict)


def _record_line(record: Record) -> str:
    output = record.output
    stored = StoredRecord(
        sample_id=record.sample_id,
        run=record.run,
        content_hash=record.content_hash,
        retrieval_hash=record.retrieval_hash,
        output_hash=record.output_hash,
        text_hashes=record.text_hashes,
        docs=tuple(chunk.doc_id for chunk in output.chunks),
        answer=output.answer,
        citations=output.citations,
        error=output.error,
        request_hash=output.request_hash,
        usage=output.usage,
        scores=_scores_json(record.scores),
    )
    return stored.model_dump_json(exclude_defaults=True)


def _read_records(path: Path) -> Iterator[Record]:
    chunks: dict[str, RetrievedChunk] = {}
    with open_regular(path, error=StorageError) as file:
        for number, line in enumerate(file, 1):
            try:
                stored = StoredRecord.model_validate_json(line)
                yield _record(stored, chunks)
            except ValueError as error:
                raise StorageError(f"{path}:{number}: no record of this ragate: {error}") from error


def _record(stored: StoredRecord, chunks: dict[str, RetrievedChunk]) -> Record:
    # Everything is validated by now; a chunk without text is its id, so equal ones are shared.
    for doc_id in stored.docs:
        if doc_id not in chunks:
            chunks[doc_id] = RetrievedChunk(doc_id=doc_id)
    output = SystemOutput(
        chunks=(),
        answer=stored.answer,
        citations=stored.citations,
        error=stored.error,
        request_hash=stored.request_hash,
        usage=stored.usage,
    ).amended(chunks=tuple(chunks[doc_id] for doc_id in stored.docs))
    return Record.model_construct(
        sample_id=stored.sample_id,
        run=stored.run,
        content_hash=stored.content_hash,
        retrieval_hash=stored.retrieval_hash,
        output_hash=stored.output_hash,
        output=output,
        scores=_scores(stored.scores),
        text_hashes=stored.text_hashes,
    )


def _scores_json(scores: Mapping[str, Score]) -> dict[str, float | tuple[ScoreState, str]]:
    return {
        name: score.value if score.value is not None else (score.state, score.reason)
        for name, score in scores.items()
    }


def _scores(value: Mapping[str, Any]) -> dict[str, Score]:
    return {
        name: Score(metric=name, value=one)
        if isinstance(one, float | int)
        else Score(metric=name, state=ScoreState(one[0]), reason=one[1])
        for name, one in value.items()
    }


def _json(value: Any, *, indent: int | None = None) -> bytes:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True, indent=indent)
    return text.encode() + b"\n"
