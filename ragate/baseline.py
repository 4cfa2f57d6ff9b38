"""The baseline file: one committed JSON that is the gate's memory.

Byte-stable: the same run gives the same bytes (sorted keys, six decimals, LF), and every sample
stands on one line of its own, so that a diff reads and two branches seldom conflict. A sample's
equal outputs are stored once; ``runs`` says which pass gave which output. In memory a baseline is
a `Run` whose records share these outputs.

Latency, usage and cost differ between machines and stay in the run's own folder.
"""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from ragate.atomic import write_atomic
from ragate.errors import BaselineError, NoBaselineError
from ragate.models import (
    Failure,
    Filters,
    Frozen,
    MetricInfo,
    Record,
    RetrievedChunk,
    Run,
    RunManifest,
    Score,
    ScoreState,
    SystemInfo,
    SystemOutput,
)
from ragate.strict_json import loads

SCHEMA_VERSION = 1
MAX_BYTES = 256 * 1024**2
Store = Literal["full", "answers", "hashes"]
_MACHINE_UNITS = frozenset({"seconds"})


class Recorded(Frozen):
    """When and from what the baseline was recorded; kept while the scores stay the same."""

    commit: str = ""
    date: str = ""


class StoredOutput(Frozen):
    """One distinct output of a sample."""

    output: str
    retrieval: str
    request: str | None = None
    docs: tuple[str, ...] = ()
    answer: str | None = None
    citations: tuple[int, ...] | None = None
    error: Failure | None = None
    scores: dict[str, float | str] = {}


class StoredSample(Frozen):
    """One sample: its content hash, its distinct outputs and the output of each pass."""

    hash: str
    outputs: tuple[StoredOutput, ...] = Field(min_length=1)
    runs: tuple[int, ...] = Field(min_length=1)


class BaselineFile(Frozen):
    """The whole file."""

    schema_version: int
    recorded: Recorded
    dataset: str = ""
    store: Store = "answers"
    system: SystemInfo
    judge: str | None = None
    metrics: dict[str, MetricInfo] = {}
    states: dict[str, dict[str, float]] = {}
    runs: int = Field(ge=1)
    identical: int = Field(default=0, ge=0)
    aggregates: tuple[dict[str, float | str], ...] = ()
    samples: dict[str, StoredSample] = {}


def contexts_path(path: Path) -> Path:
    """Return where ``store = "full"`` keeps the contexts of the baseline at `path`."""
    return path.with_name(f"{path.stem}.contexts.jsonl.gz")


def load_baseline(path: Path) -> Run:
    """Read a baseline as a run of K passes; chunks have ids and no texts.

    Raises:
        NoBaselineError: there is no such file.
        BaselineError: it is truncated, of another schema version, holds NaN, duplicate keys or
            values that do not fit; names the place.
    """
    try:
        text = path.read_bytes()
    except FileNotFoundError as error:
        raise NoBaselineError(
            f"{path}: there is no baseline yet",
            remedy="record one with `ragate baseline update` and commit it",
        ) from error
    except OSError as error:
        raise BaselineError(f"{path}: cannot read: {error.strerror}") from error
    return parse_baseline(text, where=str(path))


def parse_baseline(text: bytes, *, where: str) -> Run:
    """Read a baseline from bytes; see `load_baseline`."""
    if len(text) > MAX_BYTES:
        raise _bad(where, f"{len(text)} bytes, at most {MAX_BYTES} are read")
    data = loads(text, where=where, error=BaselineError)
    version = data.get("schema_version") if isinstance(data, dict) else None
    if version != SCHEMA_VERSION:
        raise _bad(where, f"schema version {version!r}, this ragate reads {SCHEMA_VERSION}")
    try:
        file = BaselineFile.model_validate(data)
        return _run(file)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in problem["loc"])
        raise _bad(
            where, f"{place}: {problem['msg']} (got {str(problem['input'])[:60]!r})"
        ) from error
    except (IndexError, ValueError) as error:
        raise _bad(where, str(error)) from error


def _bad(where: str, what: str) -> BaselineError:
    return BaselineError(
        f"{where}: not a baseline that can be used: {what}",
        remedy="restore the file from git, or record it anew with `ragate baseline update`",
    )


def _run(file: BaselineFile) -> Run:
    manifest = RunManifest(
        run_id="baseline",
        created=file.recorded.date,
        commit=file.recorded.commit,
        dataset=file.dataset,
        system=file.system,
        judge=file.judge,
        metrics=file.metrics,
        states=file.states,
        filters=Filters(),
        runs=file.runs,
        identical=file.identical,
    )
    records = [
        record
        for sample_id, sample in file.samples.items()
        for record in _records(sample_id, sample, runs=file.runs, metrics=file.metrics)
    ]
    aggregates = tuple(_read_scores(one) for one in file.aggregates)
    return Run(manifest=manifest, records=tuple(records), aggregates=aggregates)


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
        yield Record.model_construct(
            sample_id=sample_id,
            run=run,
            content_hash=sample.hash,
            retrieval_hash=stored.retrieval,
            output_hash=stored.output,
            output=output,
            scores=scores,
        )


@lru_cache(maxsize=100_000)
def _chunk(doc_id: str) -> RetrievedChunk:
    # A chunk without text is its id, so that equal ones can be shared: there are very many.
    return RetrievedChunk(doc_id=doc_id)


def _output_and_scores(
    stored: StoredOutput, metrics: dict[str, MetricInfo]
) -> tuple[SystemOutput, dict[str, Score]]:
    if unknown := stored.scores.keys() - metrics.keys():
        raise ValueError(f"scores of {sorted(unknown)}, which [metrics] does not hold")
    output = SystemOutput(
        chunks=tuple(map(_chunk, stored.docs)),
        answer=stored.answer,
        citations=stored.citations,
        error=stored.error,
        request_hash=stored.request,
    )
    return output, _read_scores(stored.scores)


def dump_baseline(run: Run, *, store: Store, recorded: Recorded) -> bytes:
    """Return the file's bytes; equal runs give equal bytes."""
    manifest = run.manifest
    head: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "recorded": recorded.model_dump(),
        "dataset": manifest.dataset,
        "store": store,
        "system": {
            **manifest.system.model_dump(mode="json"),
            "deterministic": sorted(manifest.system.deterministic),
        },
        "judge": manifest.judge,
        "runs": manifest.runs,
        "identical": manifest.identical,
    }
    machine = {name for name, info in manifest.metrics.items() if info.unit in _MACHINE_UNITS}
    metrics = {
        name: info.model_dump(mode="json", exclude_defaults=True) | {"name": name}
        for name, info in manifest.metrics.items()
        if name not in machine
    }
    aggregates = [
        {name: value for name, value in _write_scores(one).items() if name not in machine}
        for one in run.aggregates
    ]
    lines = [f'"{key}":{_line(value)}' for key, value in head.items()]
    lines.append(f'"aggregates":{_line(aggregates)}')
    lines.append('"metrics":' + _table(metrics))
    lines.append('"states":' + _table(manifest.states))
    lines.append('"samples":' + _table(_samples(run.records, store=store)))
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def save_baseline(path: Path, data: bytes, run: Run, store: Store) -> None:
    """Write the baseline, and with ``store = "full"`` the contexts beside it."""
    beside = contexts_path(path)
    if store == "full":
        write_atomic(beside, _contexts(run.records))
    write_atomic(path, data)
    if store != "full":
        beside.unlink(missing_ok=True)


def load_contexts(path: Path) -> dict[str, tuple[RetrievedChunk, ...]]:
    """Return the stored contexts of the baseline at `path` by retrieval hash; {} where none."""
    try:
        text = gzip.decompress(contexts_path(path).read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, EOFError) as error:
        raise _bad(str(contexts_path(path)), str(error)) from error
    found: dict[str, tuple[RetrievedChunk, ...]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        where = f"{contexts_path(path)}:{number}"
        value: Any = loads(line, where=where, error=BaselineError)
        found[value["hash"]] = tuple(RetrievedChunk.model_validate(one) for one in value["chunks"])
    return found


def _samples(records: Iterable[Record], *, store: Store) -> dict[str, Any]:
    by_sample: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        by_sample[record.sample_id].append(record)
    return {
        sample_id: _sample(sorted(found, key=lambda one: one.run), store=store)
        for sample_id, found in by_sample.items()
    }


def _sample(records: list[Record], *, store: Store) -> dict[str, Any]:
    outputs: list[dict[str, Any]] = []
    for record in records:
        stored = _stored(record, store=store)
        if stored not in outputs:
            outputs.append(stored)
    runs = [outputs.index(_stored(record, store=store)) for record in records]
    return {"hash": records[0].content_hash, "outputs": outputs, "runs": runs}


def _stored(record: Record, *, store: Store) -> dict[str, Any]:
    output = record.output
    stored = StoredOutput(
        output=record.output_hash,
        retrieval=record.retrieval_hash,
        request=output.request_hash,
        docs=tuple(chunk.doc_id for chunk in output.chunks),
        answer=None if store == "hashes" else output.answer,
        citations=output.citations,
        error=output.error,
        scores=_write_scores(record.scores),
    )
    return stored.model_dump(mode="json", exclude_defaults=True)


def _contexts(records: Iterable[Record]) -> bytes:
    lines = {
        record.retrieval_hash: _line(
            {
                "hash": record.retrieval_hash,
                "chunks": [
                    {"doc_id": chunk.doc_id, "text": chunk.text} for chunk in record.output.chunks
                ],
            }
        )
        for record in records
    }
    text = "".join(lines[key] + "\n" for key in sorted(lines))
    return gzip.compress(text.encode(), mtime=0)


def _write_scores(scores: dict[str, Score]) -> dict[str, float | str]:
    return {
        name: round(score.value, 6) if score.value is not None else f"{score.state}: {score.reason}"
        for name, score in scores.items()
    }


def _read_scores(scores: dict[str, float | str]) -> dict[str, Score]:
    return {name: _read_score(name, value) for name, value in scores.items()}


def _read_score(name: str, value: float | str) -> Score:
    if isinstance(value, str):
        state, _, reason = value.partition(": ")
        return Score(metric=name, state=ScoreState(state), reason=reason)
    return Score(metric=name, value=float(value))


def _table(rows: dict[str, Any]) -> str:
    lines = [f"{_line(key)}:{_line(rows[key])}" for key in sorted(rows)]
    return "{\n" + ",\n".join(lines) + "\n}" if lines else "{}"


def _line(value: Any) -> str:
    return json.dumps(
        value, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
    )
