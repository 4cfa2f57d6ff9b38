"""Reading a baseline file, and the retrieved texts packed beside it, strictly."""

import gzip
import hashlib
import io
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from pydantic import ValidationError

from ragate.baseline.schema import (
    MAX_BYTES,
    READABLE,
    SCHEMA_VERSION,
    WHOLE_BYTES,
    BaselineFile,
    StoredOutput,
    StoredSample,
    contexts_path,
)
from ragate.errors import BaselineError, NoBaselineError, RagateError
from ragate.files.foreign_files import inside, is_there, open_regular
from ragate.files.strict_json import loads
from ragate.models import (
    Filters,
    MetricInfo,
    Record,
    RetrievedChunk,
    Run,
    RunManifest,
    Score,
    ScoreState,
    SystemOutput,
)
from ragate.models.base import lean
from ragate.models.output import bare_chunk
from ragate.models.score import shared_scores
from ragate.settings import first_fault

_PART = 1024 * 1024
CONFLICT = (
    "a merge left both sides in it: take one (`git checkout --ours FILE`) and run `ragate baseline "
    "update` on the merged tree"
)
REMEDY = "restore the file from git, or record it anew with `ragate baseline update`"

# A baseline file as ragate writes it, sample by sample: whole it would take much memory.
Samples = Iterable[tuple[str, Any]]
_START, _END = b'"samples":{\n', b"}\n"
# What it says of itself; all else is of the run that it holds.
_OF_FILE = frozenset({"schema_version", "recorded", "store", "aggregates", "samples"})


class LayoutError(Exception):
    """The file is not laid out as ragate writes it; it may be right all the same."""


def by_line(file: BinaryIO) -> tuple[Any, Samples]:
    """Return what a file holds without its samples, and these as they are read.

    The samples are the last table of the file, one a line. What is read so is what any reader of
    JSON would find: the rest of the file is read as JSON, and so is every line, a comma stands
    between two of them, and no id stands twice.

    Raises:
        LayoutError: at once, or while the samples are read.
    """
    head: list[bytes] = []
    for line in file:
        if head and line == _START:
            return _read(b"".join(head) + b'"samples":{}}'), _samples(file)
        head.append(line)
    raise LayoutError


def _read(text: bytes) -> Any:
    try:
        return loads(text, where="", error=BaselineError)
    except BaselineError as error:
        raise LayoutError from error


def _samples(lines: Iterator[bytes]) -> Iterator[tuple[str, Any]]:
    sample_ids: set[str] = set()
    is_last = False
    for line in lines:
        if is_last:
            if line == _END and next(lines, b"") == _END and next(lines, None) is None:
                return
            raise LayoutError
        is_last = not line.endswith(b",\n")
        sample = _read(b"{" + line.removesuffix(b"\n").removesuffix(b",") + b"}")
        if len(sample) != 1 or not sample_ids.isdisjoint(sample):
            raise LayoutError
        sample_ids.update(sample)
        yield from sample.items()
    raise LayoutError


def load_baseline(path: Path) -> Run:
    """Read a baseline as a run of K passes; chunks have ids and no texts.

    Raises:
        NoBaselineError: there is no such file.
        BaselineError: it is truncated, of another schema version, holds NaN, duplicate keys or
            values that do not fit; names the place. Also where it is no regular file, or too large.
    """
    file = open_baseline(path)
    if file is None:
        raise NoBaselineError(
            f"{path}: there is no baseline yet",
            remedy="record one with `ragate baseline update` and commit it",
        )
    with file:
        return _parsed(file, where=str(path))


def parse_baseline(text: bytes, *, where: str) -> Run:
    """Read a baseline from bytes; see `load_baseline`."""
    return _parsed(io.BytesIO(text), where=where)


def _parsed(file: BinaryIO, *, where: str) -> Run:
    try:
        return _made(*by_line(file), where=where)
    except LayoutError:
        file.seek(0)
        return _made(*_at_once(file.read(WHOLE_BYTES + 1), where=where), where=where)
    except OSError as error:
        raise BaselineError(f"{where}: cannot be read: {error.strerror}", remedy=REMEDY) from error


def _made(data: Any, samples: Samples, *, where: str) -> Run:
    version = data.get("schema_version") if isinstance(data, dict) else None
    if type(version) is not int or version not in READABLE:
        raise unreadable(where, f"schema version {version!r}, this ragate reads {SCHEMA_VERSION}")
    try:
        return _run(BaselineFile.model_validate(data), samples)
    except BadSampleError as error:
        raise unreadable(where, str(error)) from error.__cause__
    except ValidationError as error:
        raise unreadable(where, first_fault(error)) from error
    except (IndexError, ValueError) as error:
        raise unreadable(where, str(error)) from error


def unreadable(where: str, what: str) -> BaselineError:
    return BaselineError(f"{where}: not a baseline that can be used: {what}", remedy=REMEDY)


def _at_once(text: bytes, *, where: str) -> tuple[Any, Samples]:
    """Read the file as any JSON file: one that somebody laid out anew is right too."""
    if len(text) > WHOLE_BYTES:
        raise unreadable(where, f"over {WHOLE_BYTES} bytes, and not a sample a line")
    try:
        data: Any = loads(text, where=where, error=BaselineError)
    except BaselineError as error:
        conflict = b"\n<<<<<<< " in b"\n" + text
        raise BaselineError(error.message, remedy=CONFLICT if conflict else REMEDY) from error
    samples = data.get("samples") if isinstance(data, dict) else None
    if not isinstance(samples, dict):
        return data, ()
    return {**data, "samples": {}}, samples.items()


def _run(file: BaselineFile, samples: Samples) -> Run:
    if file.identical >= file.runs:
        raise ValueError(f"identical: {file.identical} of {file.runs} runs repeat an earlier one")
    manifest = RunManifest(
        run_id="baseline",
        created=file.recorded.date,
        seconds=file.recorded.seconds,
        commit=file.recorded.commit,
        filters=Filters(),
        **{name: fact for name, fact in file if name not in _OF_FILE},
    )
    records: list[Record] = []
    for sample_id, sample in stored_samples(samples):
        records.extend(records_of(sample_id, sample, runs=file.runs, metrics=file.metrics))
    aggregates = tuple(read_scores(scores) for scores in file.aggregates)
    return Run(manifest=manifest, records=records, aggregates=aggregates)


def load_contexts(path: Path) -> dict[str, tuple[RetrievedChunk, ...]]:
    """Return the retrieved texts packed beside the baseline at `path`, by retrieval hash.

    Raises:
        BaselineError: it is no such file, or unpacks to more than is read.
    """
    beside = contexts_path(path)
    lines = (read_packed(beside, error=BaselineError) or b"").splitlines()
    return dict(_contexts(line, where=f"{beside}:{row}") for row, line in enumerate(lines, 1))


def with_texts(record: Record, contexts: Mapping[str, tuple[RetrievedChunk, ...]]) -> Record:
    """Return a record with the texts of its chunks, where the baseline keeps them."""
    chunks = contexts.get(record.retrieval_hash)
    if chunks is None:
        return record
    return record.amended(output=record.output.amended(chunks=chunks))


def _contexts(line: bytes, *, where: str) -> tuple[str, tuple[RetrievedChunk, ...]]:
    value: Any = loads(line, where=where, error=BaselineError)
    try:
        return str(value["hash"]), tuple(map(RetrievedChunk.model_validate, value["chunks"]))
    except (KeyError, TypeError, ValueError) as error:
        raise unreadable(where, f"no contexts: {error}") from error


# From the samples of a baseline file to records.


def stored_samples(samples: Samples) -> Iterable[tuple[str, StoredSample]]:
    for sample_id, stored in samples:
        try:
            yield sample_id, StoredSample.model_validate(stored)
        except ValidationError as error:
            raise BadSampleError(first_fault(error, "samples", sample_id)) from error


def records_of(
    sample_id: str, sample: StoredSample, *, runs: int, metrics: dict[str, MetricInfo]
) -> Iterable[Record]:
    if len(sample.runs) != runs:
        raise ValueError(f"samples.{sample_id}.runs: {len(sample.runs)} passes, not {runs}")
    outputs = [_output_and_scores(stored, metrics) for stored in sample.outputs]
    for run, index in enumerate(sample.runs):
        if not 0 <= index < len(outputs):
            raise ValueError(f"samples.{sample_id}.runs: there is no output {index}")
        stored, (output, scores) = sample.outputs[index], outputs[index]
        # The parts are validated already; building each record anew would cost most of the load.
        record = Record.model_construct(
            sample_id=sample_id,
            run=run,
            content_hash=sample.hash,
            retrieval_hash=stored.retrieval,
            output_hash=stored.output,
            output=output,
            scores=scores,
            text_hashes=stored.texts,
        )
        yield lean(record)


def _output_and_scores(
    stored: StoredOutput, metrics: dict[str, MetricInfo]
) -> tuple[SystemOutput, dict[str, Score]]:
    if unknown := stored.scores.keys() - metrics.keys():
        raise ValueError(f"scores of {sorted(unknown)}, which [metrics] does not hold")
    output = SystemOutput(
        chunks=tuple(map(bare_chunk, stored.docs)),
        answer=stored.answer,
        citations=stored.citations,
        finish_reason=stored.finish_reason,
        error=stored.error,
        request_hash=stored.request,
    )
    return lean(output), read_scores(stored.scores)


def read_scores(scores: dict[str, float | str]) -> dict[str, Score]:
    return shared_scores({name: _read_score(name, value) for name, value in scores.items()})


def _read_score(name: str, value: float | str) -> Score:
    if isinstance(value, str):
        state, _, reason = value.partition(": ")
        return Score(metric=name, state=ScoreState(state), reason=reason)
    return Score(metric=name, value=float(value))


class BadSampleError(Exception):
    """One sample of the file is none."""


# The bytes of a baseline and of the packed files beside it: no pipe, no link outside, bounded.


def open_baseline(path: Path) -> BinaryIO | None:
    """Open a baseline file for reading; None where there is none.

    Raises:
        BaselineError: it is a pipe, a device or a folder, is too large, or cannot be read.
    """
    if not is_there(path, error=BaselineError):
        return None
    if path.is_dir():
        name = path.name
        raise BaselineError(
            f"{path} is a folder, and the baseline is one file",
            remedy=f'name a file in it: baseline = "{name}/main.json" below [policy]',
        )
    try:
        return open_regular(path, error=BaselineError, max_bytes=MAX_BYTES)
    except BaselineError as error:
        raise BaselineError(error.message, remedy=REMEDY) from error


def baseline_digest(path: Path) -> str | None:
    """Return what names the content of a baseline file; None where there is none.

    Raises as `open_baseline`.
    """
    file = open_baseline(path)
    if file is None:
        return None
    seen = hashlib.sha256()
    with file:
        while part := file.read(_PART):
            seen.update(part)
    return seen.hexdigest()[:16]


def read_packed(path: Path, *, error: type[RagateError]) -> bytes | None:
    """Return the content of a gzip file, at most 256 MiB packed or not; None where there is none.

    Raises:
        error: it is no regular file of that folder, is damaged, or holds more.
    """
    if not is_there(path, error=error):
        return None
    real = inside(path.parent, path.name, where=str(path), error=error)
    with open_regular(real, error=error, max_bytes=WHOLE_BYTES) as file:
        try:
            with gzip.GzipFile(fileobj=file) as stream:
                content = stream.read(WHOLE_BYTES + 1)
        except (OSError, EOFError, zlib.error) as problem:
            raise error(f"{path}: cannot be unpacked: {problem}") from problem
    if len(content) > WHOLE_BYTES:
        raise error(f"{path}: it unpacks to more than {WHOLE_BYTES} bytes")
    return content
