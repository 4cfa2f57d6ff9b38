"""Runs as a table: figures only, and no cell that a spreadsheet would run."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from ragate.errors import UsageError
from ragate.models import unscored
from ragate.runs.runs_table import as_csv, as_jsonl, run_rows, score_rows, write_parquet
from ragate.stores.local import LocalStore
from tests.factories import record_factory, run_factory, sample_factory

RUN_ID = "20261118-101500-000-aaaa"


@pytest.fixture
def store(tmp_path: Path) -> LocalStore:
    made = LocalStore(tmp_path)
    records = [
        record_factory(scores={"mrr": 0.5, "f1": unscored("f1", "timeout: secret words")}),
        record_factory(sample_factory("q002"), scores={"mrr": 1.0, "f1": 0.25}),
    ]
    made.save(run_factory(records, run_id=RUN_ID, meta={"who": "ann"}, description="=1+1"))
    return made


def rows_of(store: LocalStore) -> list[dict[str, Any]]:
    return list(run_rows(store, store.listed()))


def test_a_run_has_the_means_of_its_metrics(store: LocalStore):
    (row,) = rows_of(store)

    assert row["run_id"] == RUN_ID
    assert row["means"] == {"f1": 0.25, "mrr": 0.75}


def test_a_broken_run_keeps_its_row(store: LocalStore):
    (store.folder(RUN_ID) / "manifest.json").write_text("{")

    (row,) = rows_of(store)

    assert (row["status"], row["means"]) == ("broken", {})
    assert row["problem"].startswith("manifest.json: ")


def test_every_score_has_a_row_and_no_reason(store: LocalStore):
    rows = list(score_rows(store, store.listed()))

    assert [(row["sample_id"], row["pass"], row["metric"], row["value"]) for row in rows] == [
        ("q001", 0, "mrr", 0.5),
        ("q001", 0, "f1", None),
        ("q002", 0, "mrr", 1.0),
        ("q002", 0, "f1", 0.25),
    ]
    assert "secret" not in json.dumps(rows)


def test_a_line_of_json_is_a_row(store: LocalStore):
    assert [json.loads(line) for line in as_jsonl(rows_of(store))] == rows_of(store)


def test_csv_has_a_column_for_each_mean_and_note(store: LocalStore):
    (row,) = csv.DictReader(as_csv(rows_of(store)).splitlines())

    assert (row["mean.mrr"], row["meta.who"]) == ("0.75", "ann")


def test_csv_holds_no_formula(store: LocalStore):
    (row,) = csv.DictReader(as_csv(rows_of(store)).splitlines())

    assert row["description"] == "'=1+1"


def test_a_column_that_only_one_run_has_is_empty_in_the_others():
    text = as_csv([{"a": 1, "means": {"x": 1.0}}, {"a": 2, "means": {}}])

    assert text.splitlines() == ["a,mean.x", "1,1.0", "2,"]


def test_parquet_reads_back(store: LocalStore, tmp_path: Path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="the extra parquet is not installed")
    path = tmp_path / "runs.parquet"

    write_parquet(rows_of(store), path)

    (row,) = parquet.read_table(path).to_pylist()
    assert (row["run_id"], row["mean.mrr"], row["meta.who"]) == (RUN_ID, 0.75, "ann")


def test_parquet_without_its_library_says_what_to_install(
    store: LocalStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)

    with pytest.raises(UsageError, match="needs pyarrow"):
        write_parquet(rows_of(store), tmp_path / "runs.parquet")
