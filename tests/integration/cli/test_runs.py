"""``ragate runs``: listed, removed and exported as the options say."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from ragate.cli.main import run
from ragate.models import Verdict
from ragate.stores.local import LocalStore
from tests.factories import (
    decision_factory,
    output_factory,
    record_factory,
    report_factory,
    run_factory,
    sample_row_factory,
)

OLD, NEW = "20261117-101500-000-aaaa", "20261118-101500-000-bbbb"
NEWEST = "20261119-101500-000-cccc"


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LocalStore:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ragate.toml").write_text(
        '[policy]\ndataset = "g.jsonl"\nbaseline = "b.json"\nsystems = ["replay"]\n'
        '[policy.metrics.mrr]\n[system]\nuse = "replay"\npath = "o.jsonl"\n'
    )
    made = LocalStore(tmp_path / ".ragate")
    for run_id, verdict in ((OLD, Verdict.FAILED), (NEW, Verdict.PASSED)):
        scored = run_factory(
            [record_factory(scores={"mrr": 0.5})],
            run_id=run_id,
            created=f"{run_id[:4]}-{run_id[4:6]}-{run_id[6:8]}T10:15:00+00:00",
            meta={"ticket": run_id[-4:]},
        )
        made.save(scored, report_factory(decision_factory(verdict)))
    return made


def test_list_shows_a_line_a_run_newest_first(
    store: LocalStore, capsys: pytest.CaptureFixture[str]
):
    assert run(["runs", "list"]) == 0

    first, second = capsys.readouterr().out.splitlines()
    assert first.split()[:2] == [NEW, "passed"]
    assert second.split()[:2] == [OLD, "failed"]


@pytest.mark.parametrize(
    "options", [["--status", "failed"], ["--meta", "ticket=aaaa"], ["--until", "2026-11-17"]]
)
def test_list_shows_only_what_fits(
    options: list[str], store: LocalStore, capsys: pytest.CaptureFixture[str]
):
    run(["runs", "list", "--json", *options])

    assert [each["run_id"] for each in json.loads(capsys.readouterr().out)] == [OLD]


def test_list_says_where_nothing_fits(store: LocalStore, capsys: pytest.CaptureFixture[str]):
    assert run(["runs", "list", "--gate", "other"]) == 0

    assert "no run that fits in" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--commit", "main"], "no commit"),
        (["--meta", "ticket"], "not KEY=VALUE"),
        (["--since", "2026-11-02", "--until", "2026-11-01"], "lies before --since"),
    ],
)
def test_a_filter_that_is_none_is_refused(
    options: list[str], message: str, store: LocalStore, capsys: pytest.CaptureFixture[str]
):
    assert run(["runs", "list", *options]) == 2

    assert message in capsys.readouterr().err


def test_prune_keeps_the_newest(store: LocalStore):
    assert run(["runs", "prune", "--keep", "1", "--yes"]) == 0

    assert store.list() == [NEW]


def test_prune_removes_what_the_filters_name(store: LocalStore):
    assert run(["runs", "prune", "--status", "passed", "--yes"]) == 0

    assert store.list() == [OLD]


def test_a_dry_run_names_and_removes_nothing(store: LocalStore, capsys: pytest.CaptureFixture[str]):
    assert run(["runs", "prune", "--keep", "1", "--dry-run"]) == 0

    assert OLD in (shown := capsys.readouterr().out)
    assert NEW not in shown
    assert store.list() == [OLD, NEW]


@pytest.mark.parametrize(
    ("options", "message"), [([], "told which runs"), (["--keep", "0"], "nobody is there to ask")]
)
def test_prune_removes_nothing_unasked(
    options: list[str], message: str, store: LocalStore, capsys: pytest.CaptureFixture[str]
):
    assert run(["runs", "prune", *options]) == 2

    assert message in capsys.readouterr().err
    assert store.list() == [OLD, NEW]


def test_export_writes_a_row_a_run(store: LocalStore, tmp_path: Path):
    file = tmp_path / "runs.csv"

    assert run(["runs", "export", "--format", "csv", "--output", str(file)]) == 0

    rows = list(csv.DictReader(file.read_text().splitlines()))
    assert [(row["run_id"], row["mean.mrr"]) for row in rows] == [(NEW, "0.5"), (OLD, "0.5")]


def test_export_writes_a_row_for_each_score(store: LocalStore, capsys: pytest.CaptureFixture[str]):
    assert run(["runs", "export", "--rows", "scores"]) == 0

    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(row["run_id"], row["metric"], row["value"]) for row in rows] == [
        (NEW, "mrr", 0.5),
        (OLD, "mrr", 0.5),
    ]


def test_parquet_wants_a_file(store: LocalStore, capsys: pytest.CaptureFixture[str]):
    assert run(["runs", "export", "--format", "parquet"]) == 2

    assert "writes a file" in capsys.readouterr().err


def test_a_report_lists_only_what_got_worse_where_it_is_asked_to(
    store: LocalStore, capsys: pytest.CaptureFixture[str]
):
    rows = tuple(sample_row_factory(change, change=change) for change in ("worse", "better"))
    report = report_factory(decision_factory(Verdict.FAILED), samples=rows)
    store.save(run_factory([record_factory(scores={"mrr": 0.5})], run_id=NEW), report)
    capsys.readouterr()

    run(["report", NEW, "--failed", "--format", "json"])

    shown = json.loads(capsys.readouterr().out)
    assert [row["sample_id"] for row in shown["samples"]] == ["worse"]


def test_json_and_the_rows_of_samples_hold_every_question_with_what_came_back(
    store: LocalStore, capsys: pytest.CaptureFixture[str]
):
    record = record_factory(output=output_factory(answer="For 30 days."), scores={"mrr": 0.5})
    store.save(run_factory([record], run_id=NEWEST), report_factory(run_id=NEWEST))
    capsys.readouterr()

    run(["report", NEWEST, "--format", "json"])
    (told,) = json.loads(capsys.readouterr().out)["questions"]
    assert run(["runs", "export", "--rows", "samples"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    assert (told["sample_id"], told["answer"], told["verdict"]) == ("q001", "For 30 days.", "PASS")
    assert told["retrieved"][0]["rank"] == 1
    assert told["scores"]["mrr"]["value"] == 0.5
    row = next(row for row in rows if row["run_id"] == NEWEST)
    assert {key: row[key] for key in told} == told


def test_a_job_of_ci_exports_no_text_that_is_not_to_be_published(
    store: LocalStore, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    record = record_factory(output=output_factory(answer="For 30 days."), scores={"mrr": 0.5})
    store.save(run_factory([record], run_id=NEWEST), report_factory(run_id=NEWEST))
    config = Path("ragate.toml")
    config.write_text(config.read_text().replace("[policy]", '[policy]\npublish = "ids"', 1))
    monkeypatch.setenv("CI", "1")

    assert run(["runs", "export", "--rows", "samples"]) == 0

    shown = capsys.readouterr().out
    assert '"q001"' in shown
    assert "For 30 days." not in shown
