"""What doctor says of ids that are written in two ways."""

from __future__ import annotations

from pathlib import Path

from ragate.cli.doctor import document_ids
from ragate.cli.finding import Finding, Status
from ragate.config import Config, parse_config
from ragate.models import MetricInfo, Reads, RetrievedChunk, Run, Sample, SystemOutput
from ragate.stores.local import LocalStore
from tests.unit.cli.doctor.doctor_factories import CONFIG, run_of, said, sample, statuses

RECALL = {"recall@5": MetricInfo(name="recall@5", reads=Reads.RETRIEVAL)}


def config(root: Path) -> Config:
    return parse_config(CONFIG, where="ragate.toml", root=root)


def output(*docs: str) -> SystemOutput:
    return SystemOutput(answer="Yes.", chunks=tuple(RetrievedChunk(doc_id=doc) for doc in docs))


def recorded(root: Path, asked: Sample, *docs: str) -> list[Finding]:
    return list(document_ids.of_recordings(config(root), [asked], {asked.id: output(*docs)}))


def run(created: str, *docs: str, metrics: dict[str, MetricInfo] | None = None) -> Run:
    run = run_of([sample()], runs=1, metrics=RECALL if metrics is None else metrics)
    records = tuple(record.amended(output=output(*docs)) for record in run.records)
    manifest = run.manifest.amended(run_id="r1", created=created)
    return run.amended(records=records, manifest=manifest)


def test_recordings_that_write_ids_otherwise_are_told_from_a_system_that_finds_nothing(
    tmp_path: Path,
) -> None:
    otherwise = recorded(tmp_path, sample(), "docs/a.md")
    unnamed = recorded(tmp_path, sample(), "text:0123")

    assert "expected a.md; came back docs/a.md: the folder differs" in said(
        otherwise, Status.WARNING
    )
    assert "no document ids" in said(unnamed, Status.WARNING)
    assert "chunks" in unnamed[0].remedy
    assert statuses(recorded(tmp_path, sample(), "a.md", "b.md")) == ["ok"]


def test_a_baseline_that_never_hit_a_document_is_a_problem(tmp_path: Path) -> None:
    findings = list(
        document_ids.of_run(config(tmp_path), [sample()], run("2026-11-20", "x/a.md"), tmp_path)
    )

    assert statuses(findings) == ["problem"]
    assert [finding.exit_code for finding in findings] == [2]


def test_a_run_that_came_after_the_baseline_is_looked_at_in_its_place(tmp_path: Path) -> None:
    LocalStore(tmp_path).save(run("2026-11-21", "a.md"))

    findings = document_ids.of_run(
        config(tmp_path), [sample()], run("2026-11-20", "x/a.md"), tmp_path
    )

    assert statuses(list(findings)) == ["ok"]


def test_before_the_first_run_nothing_can_be_compared(tmp_path: Path) -> None:
    assert statuses(list(document_ids.of_run(config(tmp_path), [sample()], None, tmp_path))) == [
        "skipped"
    ]
    unlabelled = sample(relevant={})
    assert not list(document_ids.of_run(config(tmp_path), [unlabelled], None, tmp_path))


def test_where_no_metric_looks_at_documents_nothing_is_said(tmp_path: Path) -> None:
    answers = run("2026-11-20", metrics={"token_f1": MetricInfo(name="token_f1")})

    findings = document_ids.of_run(config(tmp_path), [sample()], answers, tmp_path)

    assert statuses(list(findings)) == ["ok"]
