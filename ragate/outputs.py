"""Recorded outputs as JSON lines: the cut between collect and decide, and what replay reads.

One object a line: ``{"id" or "question", "answer", "contexts" or "chunks", ...}``. A first line
``{"ragate_outputs": 1, ...}`` is written by ragate itself and says where the outputs come from;
the user's own files have none.
"""

from __future__ import annotations

import difflib
import json
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any
from zlib import crc32

from pydantic import AliasChoices, ConfigDict, Field, ValidationError, model_validator

from ragate.core.hashing import content_hash, digest
from ragate.errors import DatasetError
from ragate.models import (
    Failure,
    Frozen,
    RetrievedChunk,
    RunManifest,
    Sample,
    SystemOutput,
    ToolCall,
    Usage,
)
from ragate.support.foreign_files import open_regular
from ragate.support.strict_json import loads, read_lines

OUTPUTS_VERSION = 1
# Other fields are the user's own and are left alone, unless they look like a slip of these.
_KNOWN = frozenset(
    {"id", "question", "query", "run", "hash", "answer", "contexts", "chunks", "citations"}
    | {"tool_calls", "usage", "latency", "latency_s", "error", "request_hash"}
)
MAX_BYTES = 2 * 1024**3


class OutputsHeader(Frozen):
    """First line of a file that ragate wrote.

    Attributes:
        manifest: Of the collecting run; it holds no metrics yet.
        samples: Number of samples asked in every full pass.
    """

    ragate_outputs: int = OUTPUTS_VERSION
    manifest: RunManifest
    samples: int = 0


class RecordedChunk(Frozen):
    """A chunk as users write it; without a document id its text is its identity."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)

    doc_id: str = Field(default="", validation_alias=AliasChoices("doc_id", "id", "document_id"))
    text: str = ""
    score: float | None = None
    metadata: dict[str, str | int | float | bool | None] = {}

    def chunk(self) -> RetrievedChunk:
        doc_id = self.doc_id or f"text:{digest(self.text)}"
        return RetrievedChunk(
            doc_id=doc_id, text=self.text, score=self.score, metadata=self.metadata
        )


class RecordedOutput(Frozen):
    """One line of recorded outputs; `id` or `question` says which sample it answers."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)

    id: Annotated[str, Field(coerce_numbers_to_str=True)] = ""
    question: str = Field(default="", validation_alias=AliasChoices("question", "query"))
    run: int | None = Field(default=None, ge=0, le=1000)
    hash: str = ""
    answer: str | None = None
    chunks: tuple[RecordedChunk, ...] = ()
    citations: tuple[int | str, ...] | None = None
    tool_calls: tuple[ToolCall, ...] | None = None
    usage: Usage | None = None
    latency: float | None = Field(
        default=None, ge=0, validation_alias=AliasChoices("latency", "latency_s")
    )
    error: Failure | None = None
    request_hash: str | None = None
    first_stage: tuple[str, ...] | None = None

    @model_validator(mode="before")
    @classmethod
    def _friendly(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        data = dict(data)
        for key in data.keys() - _KNOWN:
            if close := difflib.get_close_matches(key, _KNOWN, n=1, cutoff=0.8):
                raise ValueError(f"unknown field {key!r}; did you mean {close[0]!r}?")
        if "contexts" in data and "chunks" in data:
            raise ValueError("give contexts or chunks, not both")
        name = "contexts" if "contexts" in data else "chunks"
        given = data.pop(name, None)
        if given is not None and not isinstance(given, list | tuple):
            # A text is a sequence too: each of its characters would be a passage.
            raise ValueError(f"{name} is a list of texts or objects")
        data["chunks"] = [{"text": item} if isinstance(item, str) else item for item in given or ()]
        if isinstance(data.get("error"), str):
            data["error"] = {"kind": "system", "message": data["error"]} if data["error"] else None
        return data

    @model_validator(mode="after")
    def _named(self) -> RecordedOutput:
        if not self.id and not self.question:
            raise ValueError("neither id nor question says which sample this is")
        return self

    def output(self) -> SystemOutput:
        """Return the output; citations by document id become 1-based chunk numbers, 0 if none."""
        chunks = tuple(chunk.chunk() for chunk in self.chunks)
        return SystemOutput(
            chunks=chunks,
            answer=self.answer,
            citations=_numbers(self.citations, chunks),
            tool_calls=self.tool_calls,
            usage=self.usage,
            latency_s=self.latency,
            error=self.error,
            request_hash=self.request_hash,
            first_stage=self.first_stage,
        )


def _numbers(
    citations: tuple[int | str, ...] | None, chunks: tuple[RetrievedChunk, ...]
) -> tuple[int, ...] | None:
    if citations is None:
        return None
    place = {chunk.doc_id: rank for rank, chunk in reversed(list(enumerate(chunks, 1)))}
    return tuple(
        (cited if 1 <= cited <= len(chunks) else 0)
        if isinstance(cited, int)
        else place.get(cited, 0)
        for cited in citations
    )


def header_line(header: OutputsHeader) -> str:
    """Return the first line of an outputs file."""
    return _dump(header.model_dump(mode="json"))


def output_line(sample: Sample, output: SystemOutput, *, run: int) -> str:
    """Return one output as a line that `read_outputs` and the replay system understand."""
    line = {
        "id": sample.id,
        "run": run,
        "hash": content_hash(sample),
        "question": sample.query,
        **output.model_dump(mode="json", exclude_defaults=True, exclude={"latency_s"}),
    }
    if output.latency_s is not None:
        line["latency"] = round(output.latency_s, 6)
    return _dump(line)


def read_outputs(path: Path) -> tuple[OutputsHeader | None, Iterator[tuple[int, RecordedOutput]]]:
    """Return the header, if there is one, and the outputs with their line numbers.

    Raises:
        DatasetError: names the file, the line and what is wrong with it.
    """
    lines = read_lines(path, error=DatasetError, max_bytes=MAX_BYTES)
    first = next(lines, None)
    if first is None:
        raise DatasetError(f"{path}: no recorded output in it")
    if isinstance(first[1], dict) and "ragate_outputs" in first[1]:
        return _header(path, first[1]), _outputs(path, lines)
    return None, _outputs(path, lines, first)


@dataclass(frozen=True, slots=True)
class OutputLocation:
    """Where one recorded output stands, so that its texts need not stay in memory."""

    path: Path
    number: int
    offset: int
    check: int

    def read(self) -> RecordedOutput:
        """Return the output.

        Raises:
            DatasetError: the file cannot be read, or is no longer what it was.
        """
        with open_regular(self.path, error=DatasetError, max_bytes=MAX_BYTES) as file:
            file.seek(self.offset)
            line = file.readline()
        if crc32(line) != self.check:
            raise DatasetError(
                f"{self.path}:{self.number}: the file changed while it was read",
                remedy="let nothing write to recorded outputs while they are judged",
            )
        where = f"{self.path}:{self.number}"
        return _output(self.path, self.number, loads(line, where=where, error=DatasetError))


class OutputLocations:
    """Many places in little memory, each under the number that it got."""

    def __init__(self) -> None:
        self._paths: dict[Path, int] = {}
        self._rows = array("Q")  # the path's number, and three fields, of one place after another

    def add(self, place: OutputLocation) -> int:
        """Keep `place` and return its number."""
        path = self._paths.setdefault(place.path, len(self._paths))
        self._rows.extend((path, place.number, place.offset, place.check))
        return len(self._rows) // 4 - 1

    def get(self, number: int) -> OutputLocation:
        path, *fields = self._rows[4 * number : 4 * number + 4]
        return OutputLocation(list(self._paths)[path], *fields)


def read_locations(path: Path) -> Iterator[tuple[OutputLocation, RecordedOutput]]:
    """Yield the outputs of a file, header left out, each with the place where it stands.

    Raises:
        DatasetError: names the file, the line and what is wrong with it.
    """
    offset = count = 0
    with open_regular(path, error=DatasetError, max_bytes=MAX_BYTES) as file:
        for number, line in enumerate(file, start=1):
            place = OutputLocation(path, number, offset, crc32(line))
            offset += len(line)
            if not line.strip():
                continue
            count += 1
            value = loads(line, where=f"{path}:{number}", error=DatasetError)
            if count == 1 and isinstance(value, dict) and "ragate_outputs" in value:
                _header(path, value)
            else:
                yield place, _output(path, number, value)
    if not count:
        raise DatasetError(f"{path}: no recorded output in it")


def _header(path: Path, value: dict[str, Any]) -> OutputsHeader:
    if value["ragate_outputs"] != OUTPUTS_VERSION:
        raise DatasetError(
            f"{path}:1: outputs of format {value['ragate_outputs']!r}; this ragate reads "
            f"{OUTPUTS_VERSION}",
            remedy="collect them again with the same version of ragate on both sides",
        )
    try:
        return OutputsHeader.model_validate(value)
    except ValidationError as error:
        raise _bad_line(path, 1, error) from error


def _outputs(
    path: Path, lines: Iterator[tuple[int, Any]], first: tuple[int, Any] | None = None
) -> Iterator[tuple[int, RecordedOutput]]:
    if first is not None:
        yield first[0], _output(path, *first)
    for number, value in lines:
        yield number, _output(path, number, value)


def _output(path: Path, number: int, value: Any) -> RecordedOutput:
    try:
        return RecordedOutput.model_validate(value)
    except ValidationError as error:
        raise _bad_line(path, number, error) from error


def _bad_line(path: Path, number: int, error: ValidationError) -> DatasetError:
    problem = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in problem["loc"])
    value = repr(problem["input"])[:80]
    return DatasetError(
        f"{path}:{number}: {place + ': ' if place else ''}{problem['msg']} (got {value})",
        remedy="docs/replay.md shows the format of a line",
    )


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False) + "\n"
