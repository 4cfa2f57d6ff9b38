"""Lines of ``scores.jsonl``: hashes, document ids, answers and scores, without the texts."""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import Field

from ragate.core.plain_settings import plain_settings
from ragate.core.publishable import WITHHELD
from ragate.errors import StorageError
from ragate.files.atomic_files import copy_atomic, write_atomic, write_lines
from ragate.files.foreign_files import file_bytes, open_regular
from ragate.models import (
    Failure,
    Frozen,
    Publish,
    Record,
    Report,
    Score,
    ScoreState,
    SystemOutput,
    Usage,
)
from ragate.models.output import bare_chunk
from ragate.models.score import Detail
from ragate.outputs.outputs_file import MAX_BYTES
from ragate.stores import MANIFEST, REPORT, RUN_FILES, SCORES

Cell = (
    float
    | tuple[ScoreState, str]
    | tuple[ScoreState, str, float]
    | tuple[ScoreState, str, float | None, dict[str, Detail]]
)
"""A value; why there is none; a value with what is said of it; or all with the details."""


class StoredRecord(Frozen):
    """One line of ``scores.jsonl``: a record without texts."""

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
    latency_s: float | None = None
    scores: dict[str, Cell] = Field(default_factory=dict)


_OF_RECORD = (
    "sample_id",
    "run",
    "content_hash",
    "retrieval_hash",
    "output_hash",
    "text_hashes",
)
_OF_OUTPUT = ("answer", "citations", "error", "request_hash", "usage", "latency_s")


def record_line(record: Record) -> str:
    """Return a record as one line, without its newline."""
    stored = StoredRecord(
        docs=tuple(chunk.doc_id for chunk in record.output.chunks),
        scores=scores_json(record.scores),
        **{name: getattr(record, name) for name in _OF_RECORD},
        **{name: getattr(record.output, name) for name in _OF_OUTPUT},
    )
    return stored.model_dump_json(exclude_defaults=True)


def read_records(path: Path) -> Iterator[Record]:
    """Yield the records of a ``scores.jsonl``; chunks have ids and no texts.

    Raises:
        StorageError: names the file, the line and what is wrong.
    """
    with open_regular(path, error=StorageError, max_bytes=MAX_BYTES) as file:
        for number, line in enumerate(file, 1):
            try:
                stored = StoredRecord.model_validate_json(line)
                yield _record(stored)
            except ValueError as error:
                raise StorageError(f"{path}:{number}: no record of this ragate: {error}") from error


def _record(stored: StoredRecord) -> Record:
    # Everything is validated by now.
    output = SystemOutput(
        chunks=tuple(map(bare_chunk, stored.docs)),
        **{name: getattr(stored, name) for name in _OF_OUTPUT},
    )
    return Record.model_construct(
        output=output,
        scores=read_scores(stored.scores),
        **{name: getattr(stored, name) for name in _OF_RECORD},
    )


def scores_json(scores: Mapping[str, Score]) -> dict[str, Cell]:
    """Return scores as they are written: a value, or why there is none."""
    return {name: _cell(score) for name, score in scores.items()}


def _cell(score: Score) -> Cell:
    if score.details:
        return score.state, score.reason, score.value, score.details
    if score.value is None:
        return score.state, score.reason
    return (score.state, score.reason, score.value) if score.reason else score.value


def read_scores(cells: Mapping[str, Any]) -> dict[str, Score]:
    """Return what `scores_json` wrote."""
    return {
        name: Score(name, cell) if isinstance(cell, float | int) else _score(name, *cell)
        for name, cell in cells.items()
    }


def _score(
    name: str,
    state: str,
    reason: str,
    value: float | None = None,
    details: dict[str, Detail] | None = None,
) -> Score:
    return Score(name, value, ScoreState(state), reason, details)


# A stored run as it may leave the machine, by ``[policy] publish``.


def copy_run(source: Path, target: Path, report: Report | None, *, publish: Publish) -> None:
    """Leave a stored run in `target`, without the texts that must not leave.

    What is left out of ``answers``: full outputs and recorded requests, which hold passages, and
    reasons of scores, which quote them. Of ``ids`` also answers, messages of failures, and the
    words that a metric weighs.

    Args:
        report: The run's report as it is published; None where it has none.
    """
    target.mkdir(parents=True, exist_ok=True)
    if publish == "full":
        for name in RUN_FILES:
            if (source / name).is_file():
                _link(source / name, target / name)
        return
    if report is not None:
        write_atomic(target / REPORT, report.model_dump_json(indent=1).encode())
    # Files of their own in place of links: the run at home keeps its texts.
    records = map(_without_reasons, read_records(source / SCORES))
    if publish == "ids":
        records = map(_of_ids, records)
    write_lines(target / SCORES, [record_line(record) for record in records])
    manifest = _manifest(json.loads(file_bytes(source / MANIFEST)), publish)
    write_atomic(target / MANIFEST, json.dumps(manifest, sort_keys=True).encode() + b"\n")


def _manifest(manifest: dict[str, Any], publish: Publish) -> dict[str, Any]:
    """Return the manifest with the figures of whole passes, and without why one is missing."""
    passes = manifest.get("aggregates", [])
    aggregates = [
        {
            name: [cell[0], WITHHELD, *cell[2:]] if isinstance(cell, list) else cell
            for name, cell in row.items()
        }
        for row in passes
    ]
    states = {} if publish == "ids" else manifest.get("states", {})
    system = manifest["system"]
    system = system | {"settings": plain_settings(system.get("settings", {}))}
    return manifest | {"aggregates": aggregates, "states": states, "system": system}


def _without_reasons(record: Record) -> Record:
    scores = {
        key: replace(score, reason=WITHHELD if score.reason else "", details=None)
        for key, score in record.scores.items()
    }
    return record.amended(scores=scores)


def _of_ids(record: Record) -> Record:
    output, error = record.output, record.output.error
    failure = None if error is None else error.amended(message=WITHHELD)
    return record.amended(output=output.amended(answer=None, error=failure))


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:  # another file system
        copy_atomic(source, target)
