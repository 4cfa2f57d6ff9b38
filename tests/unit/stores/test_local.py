"""Run folders: what is written is read back, and a bad name gets help."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.errors import StorageError, UsageError
from ragate.files.atomic_files import write_atomic
from ragate.models import MetricInfo, Report, Score, unscored
from ragate.renderers import console
from ragate.stores.local import LocalStore, is_run_id
from tests.factories import record_factory, report_factory, run_factory, sample_factory

FIXTURES = Path(__file__).parents[2] / "fixtures"
RUN = run_factory(
    [
        record_factory(scores={"ndcg@10": 0.5, "token_f1": unscored("token_f1", "timeout")}),
        record_factory(sample_factory("q002"), scores={"ndcg@10": 1.0}),
    ],
    metrics={"ndcg@10": MetricInfo(name="ndcg@10")},
).amended(aggregates=({"latency_p95": Score(metric="latency_p95", value=2.5)},))


def test_a_run_comes_back_with_its_scores_and_without_chunk_texts(tmp_path: Path):
    store = LocalStore(tmp_path)

    back = store.load(store.save(RUN))

    assert [record.scores for record in back.records] == [record.scores for record in RUN.records]
    assert back.manifest == RUN.manifest
    assert back.aggregates == RUN.aggregates
    assert {chunk.text for record in back.records for chunk in record.output.chunks} == {""}
    assert back.records[0].output_hash == RUN.records[0].output_hash


def test_a_report_comes_back_as_it_was(tmp_path: Path):
    store, report = LocalStore(tmp_path), report_factory()

    assert store.load_report(store.save(RUN, report)) == report


def test_a_report_of_another_schema_is_refused_and_says_what_to_do(tmp_path: Path):
    store = LocalStore(tmp_path)
    folder = store.save(RUN, report_factory())
    path = folder / "report.json"
    path.write_text(path.read_text().replace('"schema_version": 2', '"schema_version": 99', 1))

    with pytest.raises(StorageError, match="schema version 99, this ragate reads 2") as refused:
        store.load_report(folder)

    assert "ragate decide" in (refused.value.remedy or "")


def test_a_report_that_an_earlier_version_wrote_is_read_by_the_names_of_today(tmp_path: Path):
    store = LocalStore(tmp_path)
    folder = store.save(RUN, report_factory())
    (folder / "report.json").write_bytes((FIXTURES / "reports" / "ae2d4c2f.json").read_bytes())

    report = store.load_report(folder)

    rows = {row.metric: row for row in report.decision.metrics}
    assert not any(name.endswith(".checked") for name in rows)
    assert (rows["polarity"].blocks, rows["polarity"].unchecked) == (True, 20)
    assert rows["recall@10"].p_here == 1.0
    assert "all 20 answers now say" in console.render(report)
    assert ".checked" not in "".join(report.decision.reasons)
    assert Report.model_validate_json(report.model_dump_json()) == report


def test_latest_is_the_newest_run(tmp_path: Path):
    store = LocalStore(tmp_path)
    for run_id in ("20260101-000000-aaaa", "20260102-000000-aaaa"):
        manifest = RUN.manifest.amended(run_id=run_id)
        store.save(RUN.amended(manifest=manifest))

    assert store.find("latest").name == "20260102-000000-aaaa"


def test_an_unknown_run_names_the_nearest(tmp_path: Path):
    store = LocalStore(tmp_path)
    store.save(RUN)

    with pytest.raises(UsageError, match="did you mean '20261118-101500'"):
        store.find("20261118-101501")


def test_a_damaged_score_line_is_named(tmp_path: Path):
    store = LocalStore(tmp_path)
    folder = store.save(RUN)
    with (folder / "scores.jsonl").open("a") as stream:
        stream.write('{"sample_id": "q003"}\n')

    with pytest.raises(StorageError, match=r"scores\.jsonl:3"):
        store.load(folder)


def test_a_run_counts_as_finished_only_when_all_of_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    store = LocalStore(tmp_path)
    written: list[str] = []

    def last_fails(path: Path, data: bytes) -> None:
        if written:
            raise StorageError("the disk is full")
        written.append(path.name)
        write_atomic(path, data)

    monkeypatch.setattr("ragate.stores.local.write_atomic", last_fails)
    with pytest.raises(StorageError):
        store.save(RUN, report_factory())

    assert written == ["report.json"]
    assert store.list() == []
    assert store.list() == []


def test_the_latest_report_is_not_that_of_a_recording(tmp_path: Path):
    store = LocalStore(tmp_path)
    store.save(run_factory(run_id="20260101-000000-000-aaaa"), report_factory())
    store.save(run_factory(run_id="20260102-000000-000-aaaa"))

    assert store.find("latest", reported=True).name == "20260101-000000-000-aaaa"
    assert store.find("latest").name == "20260102-000000-000-aaaa"


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "7", '{"aggregates":[{"a":[]}]}', '{"aggregates":5}']
)
def test_a_damaged_manifest_is_named(tmp_path: Path, text: str):
    store = LocalStore(tmp_path)
    folder = store.save(RUN)
    (folder / "manifest.json").write_text(text)

    with pytest.raises(StorageError, match=r"manifest\.json"):
        store.load(folder)


@pytest.mark.parametrize("text", ["", "../x", "a/b", "a\n", "a b", "é", "a" * 101, ".."])
def test_what_could_lead_elsewhere_is_no_id(text: str) -> None:
    assert not is_run_id(text)


def test_an_id_of_ours_is_one() -> None:
    assert is_run_id("20261121-134501-250-3f9c")
