"""Lines of ``scores.jsonl``: hashes, document ids, answers and scores, without the texts."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import Field

from ragate.errors import StorageError
from ragate.models import (
    Failure,
    Frozen,
    Record,
    Score,
    ScoreState,
    SystemOutput,
    Usage,
)
from ragate.models.output import bare_chunk
from ragate.outputs.outputs_header import MAX_BYTES
from ragate.support.foreign_files import open_regular

Cell = float | tuple[ScoreState, str] | tuple[ScoreState, str, float]
"""A value; why there is none; or a value with what is said of it."""


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
    scores: dict[str, Cell] = Field(default_factory=dict)


def record_line(record: Record) -> str:
    """Return a record as one line, without its newline."""
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
        scores=scores_json(record.scores),
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
        chunks=(),
        answer=stored.answer,
        citations=stored.citations,
        error=stored.error,
        request_hash=stored.request_hash,
        usage=stored.usage,
    ).amended(chunks=tuple(map(bare_chunk, stored.docs)))
    return Record.model_construct(
        sample_id=stored.sample_id,
        run=stored.run,
        content_hash=stored.content_hash,
        retrieval_hash=stored.retrieval_hash,
        output_hash=stored.output_hash,
        output=output,
        scores=read_scores(stored.scores),
        text_hashes=stored.text_hashes,
    )


def scores_json(scores: Mapping[str, Score]) -> dict[str, Cell]:
    """Return scores as they are written: a value, or why there is none."""
    return {name: _cell(score) for name, score in scores.items()}


def _cell(score: Score) -> Cell:
    if score.value is None:
        return score.state, score.reason
    return (score.state, score.reason, score.value) if score.reason else score.value


def read_scores(cells: Mapping[str, Any]) -> dict[str, Score]:
    """Return what `scores_json` wrote."""
    return {
        name: Score(metric=name, value=cell)
        if isinstance(cell, float | int)
        else Score(metric=name, state=ScoreState(cell[0]), reason=cell[1], value=(*cell, None)[2])
        for name, cell in cells.items()
    }
