"""Reading a baseline file, strictly."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ragate.baseline.bounded import REMEDY, baseline_bytes, read_packed
from ragate.baseline.lines import LayoutError, Samples, by_line
from ragate.baseline.schema import (
    MAX_BYTES,
    READABLE,
    SCHEMA_VERSION,
    BaselineFile,
    StoredOutput,
    StoredSample,
    contexts_path,
)
from ragate.errors import BaselineError, NoBaselineError
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
from ragate.support.spill import Spill
from ragate.support.strict_json import loads


def load_baseline(path: Path) -> Run:
    """Read a baseline as a run of K passes; chunks have ids and no texts.

    Raises:
        NoBaselineError: there is no such file.
        BaselineError: it is truncated, of another schema version, holds NaN, duplicate keys or
            values that do not fit; names the place. Also where it is no regular file, or too large.
    """
    text = baseline_bytes(path)
    if text is None:
        raise NoBaselineError(
            f"{path}: there is no baseline yet",
            remedy="record one with `ragate baseline update` and commit it",
        )
    return parse_baseline(text, where=str(path))


def parse_baseline(text: bytes, *, where: str) -> Run:
    """Read a baseline from bytes; see `load_baseline`."""
    if len(text) > MAX_BYTES:
        raise _bad(where, f"{len(text)} bytes, at most {MAX_BYTES} are read")
    try:
        return _made(*by_line(text), where=where)
    except LayoutError:
        return _made(*_at_once(text, where=where), where=where)


def _made(data: Any, samples: Samples, *, where: str) -> Run:
    version = data.get("schema_version") if isinstance(data, dict) else None
    if type(version) is not int or version not in READABLE:
        raise _bad(where, f"schema version {version!r}, this ragate reads {SCHEMA_VERSION}")
    try:
        return _run(BaselineFile.model_validate(data), samples)
    except _SampleError as error:
        raise _bad(where, str(error)) from error.__cause__
    except ValidationError as error:
        raise _bad(where, _first(error)) from error
    except (IndexError, ValueError) as error:
        raise _bad(where, str(error)) from error


def _bad(where: str, what: str) -> BaselineError:
    return BaselineError(
        f"{where}: not a baseline that can be used: {what}",
        remedy=REMEDY,
    )


class _SampleError(Exception):
    """One sample of the file is none."""


def _first(error: ValidationError, *above: str) -> str:
    problem = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in (*above, *problem["loc"]))
    return f"{place}: {problem['msg']} (got {str(problem['input'])[:60]!r})"


def _at_once(text: bytes, *, where: str) -> tuple[Any, Samples]:
    """Read the file as any JSON file: one that somebody laid out anew is right too."""
    try:
        data: Any = loads(text, where=where, error=BaselineError)
    except BaselineError as error:
        raise BaselineError(error.message, remedy=REMEDY) from error
    samples = data.get("samples") if isinstance(data, dict) else None
    if not isinstance(samples, dict):
        return data, ()
    return {**data, "samples": {}}, samples.items()


def _stored(samples: Samples) -> Iterable[tuple[str, StoredSample]]:
    for sample_id, stored in samples:
        try:
            yield sample_id, StoredSample.model_validate(stored)
        except ValidationError as error:
            raise _SampleError(_first(error, "samples", sample_id)) from error


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
    )
    records = Spill(Record)
    for sample_id, sample in _stored(samples):
        records.extend(_records(sample_id, sample, runs=file.runs, metrics=file.metrics))
    aggregates = tuple(_read_scores(one) for one in file.aggregates)
    return Run(manifest=manifest, records=records, aggregates=aggregates)


def _records(
    sample_id: str, sample: StoredSample, *, runs: int, metrics: dict[str, MetricInfo]
) -> Iterable[Record]:
    if len(sample.runs) != runs:
        raise ValueError(f"samples.{sample_id}.runs: {len(sample.runs)} passes, not {runs}")
    made = [_output_and_scores(one, metrics) for one in sample.outputs]
    for run, index in enumerate(sample.runs):
        if not 0 <= index < len(made):
            raise ValueError(f"samples.{sample_id}.runs: there is no output {index}")
        stored, (output, scores) = sample.outputs[index], made[index]
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
        error=stored.error,
        request_hash=stored.request,
    )
    return lean(output), _read_scores(stored.scores)


def load_contexts(path: Path) -> dict[str, tuple[RetrievedChunk, ...]]:
    """Return the stored contexts of the baseline at `path` by retrieval hash; {} where none.

    Raises:
        BaselineError: it is no such file, or unpacks to more than is read.
    """
    beside = contexts_path(path)
    text = read_packed(beside, error=BaselineError)
    if text is None:
        return {}
    return dict(
        _contexts(line, where=f"{beside}:{number}")
        for number, line in enumerate(text.splitlines(), 1)
    )


def _contexts(line: bytes, *, where: str) -> tuple[str, tuple[RetrievedChunk, ...]]:
    value: Any = loads(line, where=where, error=BaselineError)
    try:
        return str(value["hash"]), tuple(map(RetrievedChunk.model_validate, value["chunks"]))
    except (KeyError, TypeError, ValueError) as error:
        raise _bad(where, f"no contexts: {error}") from error


def _read_scores(scores: dict[str, float | str]) -> dict[str, Score]:
    return shared_scores({name: _read_score(name, value) for name, value in scores.items()})


def _read_score(name: str, value: float | str) -> Score:
    if isinstance(value, str):
        state, _, reason = value.partition(": ")
        return Score(metric=name, state=ScoreState(state), reason=reason)
    return Score(metric=name, value=float(value))
