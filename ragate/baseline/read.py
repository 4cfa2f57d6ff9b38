"""Reading a baseline file, and the retrieved texts packed beside it, strictly."""

import io
from pathlib import Path
from typing import Any, BinaryIO

from pydantic import ValidationError

from ragate.baseline.bounded import REMEDY, open_baseline, read_packed
from ragate.baseline.lines import LayoutError, Samples, by_line
from ragate.baseline.records import (
    BadSampleError,
    first_problem,
    read_scores,
    records_of,
    stored_samples,
)
from ragate.baseline.schema import (
    READABLE,
    SCHEMA_VERSION,
    WHOLE_BYTES,
    BaselineFile,
    contexts_path,
)
from ragate.errors import BaselineError, NoBaselineError
from ragate.models import Filters, Record, RetrievedChunk, Run, RunManifest
from ragate.support.spill import Spill
from ragate.support.strict_json import loads


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
        raise unreadable(where, first_problem(error)) from error
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
        raise BaselineError(error.message, remedy=REMEDY) from error
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
        dataset=file.dataset,
        system=file.system,
        judge=file.judge,
        metrics=file.metrics,
        states=file.states,
        filters=Filters(),
        runs=file.runs,
        identical=file.identical,
        accepted=file.accepted,
        eval_date=file.eval_date,
        merged=file.merged,
    )
    records = Spill(Record)
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


def _contexts(line: bytes, *, where: str) -> tuple[str, tuple[RetrievedChunk, ...]]:
    value: Any = loads(line, where=where, error=BaselineError)
    try:
        return str(value["hash"]), tuple(map(RetrievedChunk.model_validate, value["chunks"]))
    except (KeyError, TypeError, ValueError) as error:
        raise unreadable(where, f"no contexts: {error}") from error
