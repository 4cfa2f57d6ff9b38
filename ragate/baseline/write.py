"""Writing a baseline file: equal runs give equal bytes."""

import gzip
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ragate.baseline.schema import (
    MAX_BYTES,
    SCHEMA_VERSION,
    Recorded,
    Store,
    StoredOutput,
    contexts_path,
)
from ragate.core.lookup import SampleTries, passes_of
from ragate.files.atomic_files import write_atomic, write_parts
from ragate.files.foreign_files import open_file
from ragate.files.strict_json import canonical
from ragate.models import Record, Run, RunManifest, Score, SystemInfo

Rows = Iterable[tuple[str, Any]]  # a key and its value each
_TABLES = ("metrics", "states")  # parts of the head that take a line each row
MACHINE_UNITS = frozenset({"seconds"})


def dump_baseline(run: Run, *, store: Store, recorded: Recorded) -> bytes:
    """Return the file's bytes; equal runs give equal bytes."""
    return b"".join(baseline_lines(run, store=store, recorded=recorded))


def baseline_lines(run: Run, *, store: Store, recorded: Recorded) -> Iterator[bytes]:
    """Yield the file's bytes, part by part: that of a large golden set does not fit into memory."""
    # What a machine's speed decides would make every recording another file.
    stable = {
        name: info for name, info in run.manifest.metrics.items() if info.unit not in MACHINE_UNITS
    }
    metrics = {
        name: info.model_dump(mode="json", exclude_defaults=True) | {"name": name}
        for name, info in stable.items()
    }
    aggregates = [
        _write_scores({name: score for name, score in scores.items() if name in stable})
        for scores in run.aggregates
    ]
    head = _head(run.manifest, store=store, recorded=recorded)
    head |= {"aggregates": aggregates, "metrics": metrics, "states": run.manifest.states}
    return file_lines(head, _samples(run.records, store=store))


def file_lines(head: Mapping[str, Any], samples: Rows) -> Iterator[bytes]:
    """Yield a file: each fact of its head on a line, tables and samples one row a line."""
    facts = [f'"{key}":{canonical(value)}' for key, value in head.items() if key not in _TABLES]
    yield ("{\n" + ",\n".join(facts)).encode()
    tables: list[tuple[str, Rows]] = [(key, sorted(head[key].items())) for key in _TABLES]
    for key, rows in [*tables, ("samples", samples)]:
        yield f',\n"{key}":'.encode()
        yield from _table(rows)
    yield b"\n}\n"


def is_written(path: Path, lines: Iterable[bytes]) -> bool:
    """Return whether a file holds exactly these bytes."""
    with open_file(path, max_bytes=MAX_BYTES) as file:
        return all(file.read(len(line)) == line for line in lines) and not file.read(1)


def recorded_now(run: Run, *, date: str) -> Recorded:
    """Return the facts of a new recording."""
    metrics = run.manifest.metrics
    timed = {name for name, info in metrics.items() if info.unit in MACHINE_UNITS}
    values: dict[str, list[float]] = {}
    for scores in run.aggregates:
        for name, score in scores.items():
            if name in timed and score.value is not None:
                values.setdefault(name, []).append(score.value)
    seconds = {name: round(sum(passes) / len(passes), 3) for name, passes in sorted(values.items())}
    return Recorded(commit=run.manifest.commit, date=date, seconds=seconds)


def recorded_before(baseline: Run) -> Recorded:
    """Return the facts of a baseline that keeps its recording, whatever is written of it anew."""
    manifest = baseline.manifest
    return Recorded(commit=manifest.commit, date=manifest.created, seconds=manifest.seconds)


def _head(manifest: RunManifest, *, store: Store, recorded: Recorded) -> dict[str, Any]:
    """Return what holds for the whole file, in order; what is absent in most files is left out."""
    facts = recorded.model_dump()
    if not recorded.seconds:
        del facts["seconds"]
    head: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "recorded": facts,
        "dataset": manifest.dataset,
        "store": store,
        "system": _system(manifest.system),
        "judge": manifest.judge,
        "runs": manifest.runs,
        "identical": manifest.identical,
    }
    if manifest.own_sessions:
        head["own_sessions"] = True
    if manifest.eval_date:
        head["eval_date"] = manifest.eval_date
    if manifest.accepted:
        head["accepted"] = [row.model_dump(exclude_defaults=True) for row in manifest.accepted]
    if manifest.moved is not None:
        head["moved"] = manifest.moved.model_dump()
    if manifest.merged is not None:
        head["merged"] = manifest.merged.written()
    return head


def _system(system: SystemInfo) -> dict[str, Any]:
    facts = system.model_dump(mode="json") | {"deterministic": sorted(system.deterministic)}
    if not system.settings:
        del facts["settings"]
    return facts


def save_again(path: Path, old: Run, new: Run, *, store: Store, contexts: bool) -> None:
    """Write other scores of a recording in its place.

    Args:
        contexts: Whether it holds any; without them none can be written beside it.
    """
    if store == "full" and not contexts:
        store = "answers"
    lines = baseline_lines(new, store=store, recorded=recorded_before(old))
    save_baseline(path, lines, new, store)


def save_baseline(path: Path, lines: Iterable[bytes], run: Run, store: Store) -> None:
    """Write the baseline, and with ``store = "full"`` the contexts beside it.

    Args:
        lines: As of `baseline_lines`.
    """
    beside = contexts_path(path)
    if store == "full":
        write_atomic(beside, _contexts(run.records))
    write_parts(path, lines)
    if store != "full":
        beside.unlink(missing_ok=True)


def _samples(records: Sequence[Record], *, store: Store) -> Rows:
    """Yield the samples in order of id."""
    by_sample = SampleTries(passes_of(records))
    return ((key, _sample(by_sample[key], store=store)) for key in sorted(by_sample))


def _sample(records: Sequence[Record], *, store: Store) -> dict[str, Any]:
    """Return the distinct outputs of a sample, and which of them each run gave."""
    outputs: list[dict[str, Any]] = []
    runs = []
    for record in records:
        stored = _stored(record, store=store)
        if stored not in outputs:
            outputs.append(stored)
        runs.append(outputs.index(stored))
    return {"hash": records[0].content_hash, "outputs": outputs, "runs": runs}


def _stored(record: Record, *, store: Store) -> dict[str, Any]:
    output = record.output
    stored = StoredOutput(
        output=record.output_hash,
        retrieval=record.retrieval_hash,
        texts=record.text_hashes,
        request=output.request_hash,
        docs=tuple(chunk.doc_id for chunk in output.chunks),
        answer=None if store == "hashes" else output.answer,
        citations=output.citations,
        finish_reason=output.finish_reason if output.cut_off else "",
        error=output.error,
        scores=_write_scores(record.scores),
    )
    return stored.model_dump(mode="json", exclude_defaults=True)


def _contexts(records: Iterable[Record]) -> bytes:
    """Return the file of contexts: each distinct retrieval on a line, in order of its hash."""
    lines = {record.retrieval_hash: _context_line(record) for record in records}
    text = "".join(lines[key] for key in sorted(lines))
    return gzip.compress(text.encode(), mtime=0)


def _context_line(record: Record) -> str:
    chunks = [{"doc_id": chunk.doc_id, "text": chunk.text} for chunk in record.output.chunks]
    return canonical({"hash": record.retrieval_hash, "chunks": chunks}) + "\n"


def _write_scores(scores: dict[str, Score]) -> dict[str, float | str]:
    return {name: _write_score(score) for name, score in scores.items()}


def _write_score(score: Score) -> float | str:
    """Return its value, or why it has none."""
    if score.value is None:
        return f"{score.state}: {score.reason}"
    return round(score.value, 6)


def _table(rows: Rows) -> Iterator[bytes]:
    """Yield an object of JSON, one row a line."""
    between = "{\n"
    for key, value in rows:
        yield f"{between}{canonical(key)}:{canonical(value)}".encode()
        between = ",\n"
    is_empty = between == "{\n"
    yield b"{}" if is_empty else b"\n}"
