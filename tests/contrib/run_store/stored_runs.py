"""Runs for a store, and the machine that made them."""

from __future__ import annotations

import gzip
import os
import shutil
from pathlib import Path
from typing import Any

import psycopg

from ragate.contrib.run_store.sender import send
from ragate.models import Verdict
from ragate.stores.local import LocalStore
from tests.factories import (
    decision_factory,
    output_factory,
    record_factory,
    report_factory,
    run_factory,
    sample_factory,
)

OLD, NEW = "20261117-101500-000-aaaa", "20261118-101500-000-bbbb"


def save(store: LocalStore, run_id: str, verdict: Verdict = Verdict.PASSED, **fields: Any) -> Path:
    """Write a run of two samples with its outputs; return its folder."""
    answer = fields.pop("answer", "It is so.")
    records = [
        record_factory(
            sample_factory(f"q{number}"),
            output=output_factory(answer=answer),
            scores={"mrr": score},
        )
        for number, score in enumerate((0.5, 1.0))
    ]
    day = f"{run_id[:4]}-{run_id[4:6]}-{run_id[6:8]}T10:15:00+00:00"
    run = run_factory(records, run_id=run_id, created=day, meta={"ticket": run_id[-4:]}, **fields)
    folder = store.save(run, report_factory(decision_factory(verdict), run_id=run_id))
    (folder / "outputs.jsonl").write_bytes(f'{{"id": "q0", "answer": "{answer!r}"}}\n'.encode())
    return folder


def forget(store: LocalStore) -> None:
    """Be another machine: nothing of a run is here."""
    shutil.rmtree(store.runs.parent, ignore_errors=True)


def row(url: str, query: str) -> Any:
    with psycopg.connect(url, autocommit=True) as connection:
        return connection.execute(query.encode()).fetchone()


def sent(*folders: Path) -> None:
    """Send runs to the store that the environment names, as far as they came."""
    for folder in folders:
        assert send(os.environ["RAGATE_RUNS_URL"], folder, print)


def file_there(url: str, name: str, where: str = "ended") -> str:
    """Return a file of the store's newest run that fits, unpacked."""
    query = f"SELECT {name} FROM ragate_runs.runs WHERE {where} ORDER BY sent_at DESC LIMIT 1"
    return gzip.decompress(row(url, query)[0]).decode()
