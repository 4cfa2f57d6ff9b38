"""Stored runs as a table: a row a run with its means, a row for each sample, or for each score."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from ragate.config import Config
from ragate.core.decision.scorecard import means_of
from ragate.core.publishable import published_question
from ragate.errors import UsageError
from ragate.installed import install_line
from ragate.models import AnsweredQuestion, Publish, Scorecard
from ragate.runs.run_details import AnsweredQuestions, read_run
from ragate.stores.listed_run import VERDICTS, WITHOUT_SCORES, ListedRun, run_facts
from ragate.stores.local import LocalStore

_QUESTION = TypeAdapter(AnsweredQuestion)
Row = dict[str, Any]
# What a spreadsheet takes for a formula when it stands at the start of a cell.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def run_rows(
    store: LocalStore,
    runs: Iterable[ListedRun],
    *,
    gate: str = "",
    card: Scorecard | None = None,
) -> Iterator[Row]:
    """Yield a row a run: what a list shows, and the mean of every metric over samples and passes.

    Runs of `gate` have what its scorecard makes of them; a run that cannot be read has no means.

    Raises:
        StorageError: the scores of a finished run are damaged.
    """
    for run in runs:
        own_card = card if run.gate == gate else None
        means = {} if run.status in WITHOUT_SCORES else means_of(store.load(run.folder), own_card)
        yield run_facts(run) | {"means": means}


def score_rows(store: LocalStore, runs: Iterable[ListedRun]) -> Iterator[Row]:
    """Yield a row for each score: run, sample, pass, metric, value, and the state without one.

    No answer, no passage and no reason is in it.

    Raises:
        StorageError: the scores of a finished run are damaged.
    """
    for run in runs:
        if run.status in WITHOUT_SCORES:
            continue
        head = {"run_id": run.run_id, "gate": run.gate, "commit": run.commit}
        for record in store.load(run.folder).records:
            for name, score in record.scores.items():
                value = {"metric": name, "value": score.value, "state": str(score.state)}
                yield head | {"sample_id": record.sample_id, "pass": record.run} | value


def sample_rows(
    config: Config, store: LocalStore, runs: Iterable[ListedRun], publish: Publish
) -> Iterator[Row]:
    """Yield a row for each sample and pass of the judged runs: what ``questions`` of a report has.

    Args:
        publish: What may be in it.

    Raises:
        StorageError: the scores of a finished run are damaged.
    """
    for run in runs:
        if run.status not in VERDICTS:
            continue
        head = {"run_id": run.run_id, "gate": run.gate, "commit": run.commit}
        report = store.load_report(run.folder)
        read = read_run(config, store, run.folder)
        for question in AnsweredQuestions(config, read, report):
            yield head | _QUESTION.dump_python(published_question(question, publish), mode="json")


def as_jsonl(rows: Iterable[Row]) -> Iterator[str]:
    """Yield the rows as lines of JSON, without newlines."""
    for row in rows:
        yield json.dumps(row, ensure_ascii=False, allow_nan=False)


def as_csv(rows: Sequence[Row]) -> str:
    """Return the rows as CSV (RFC 4180) with a head; nested values have columns of their own.

    A text that a spreadsheet would run as a formula gets an apostrophe before it.
    """
    flat, names = _flat(rows)
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, names, restval="")
    writer.writeheader()
    writer.writerows({name: _harmless(value) for name, value in row.items()} for row in flat)
    return text.getvalue()


def write_parquet(rows: Sequence[Row], path: Path) -> None:
    """Write the rows as Parquet; nested values have columns of their own.

    Raises:
        UsageError: the extra is not installed.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise UsageError(
            "--format parquet needs pyarrow, which is not installed",
            remedy=f"{install_line('parquet')}, or take --format csv",
        ) from error
    flat, names = _flat(rows)
    table = pyarrow.table({name: [row.get(name) for row in flat] for name in names})
    pyarrow.parquet.write_table(table, path)


def _flat(rows: Sequence[Row]) -> tuple[list[Row], list[str]]:
    """Return the rows without nesting, and the names of all columns in the order of their coming.

    A mean stands in ``mean.NAME``, a note in ``meta.KEY``.
    """
    flat = [dict(_cells(row)) for row in rows]
    names = dict.fromkeys(name for row in flat for name in row)
    plain = [name for name in names if not name.startswith(("meta.", "mean."))]
    return flat, plain + sorted(names.keys() - set(plain))


def _cells(row: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in row.items():
        if isinstance(value, Mapping):
            prefix = "mean" if name == "means" else name
            yield from ((f"{prefix}.{key}", cell) for key, cell in _cells(value))
        elif isinstance(value, list):
            yield name, " ".join(_words(each) for each in value)
        else:
            yield name, value


def _words(value: Any) -> str:
    return ":".join(map(str, value.values())) if isinstance(value, Mapping) else str(value)


def _harmless(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
