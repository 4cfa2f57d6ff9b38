"""References are drafted for samples that have none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragate.cli.main import run
from ragate.dataset import read_dataset, read_entries
from tests.contrib.golden.drafts.draft_projects import asked, golden
from tests.projects import TOPICS
from tests.servers.faults import status
from tests.servers.openai_server import FakeOpenAI

pytestmark = pytest.mark.integration


MODEL = ("--provider", "local", "--model", "drafter-1")


def without_references(project: Path) -> bytes:
    rows = [json.loads(line) for line in golden(project).splitlines()]
    lines = [json.dumps({k: v for k, v in row.items() if k != "references"}) for row in rows]
    (project / "golden.jsonl").write_text("\n".join(lines) + "\n")
    return golden(project)


def test_a_drafted_reference_counts_for_no_metric_until_it_is_accepted(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    without_references(project)

    assert run(["dataset", "references", *MODEL]) == 0
    assert f"{len(TOPICS)} drafts written, to be accepted; {len(TOPICS)} model calls" in (
        capsys.readouterr().out
    )
    (entry, *_) = read_entries(project / "golden.jsonl")
    assert entry.drafted == ("Our apples come from orchard 0.",)
    assert all(sample.references == () for sample in read_dataset(project / "golden.jsonl"))
    assert run(["check", "--format", "json", "--output", "a.json"]) == 3
    rows = {
        row["metric"]: row for row in json.loads(Path("a.json").read_text())["decision"]["metrics"]
    }
    assert rows["token_f1"]["n"] == 0
    assert rows["token_f1"]["not_applicable"] == len(TOPICS)

    assert run(["dataset", "accept", "--all"]) == 0
    assert run(["check", "--format", "json", "--output", "b.json"]) == 3
    rows = {
        row["metric"]: row for row in json.loads(Path("b.json").read_text())["decision"]["metrics"]
    }
    assert rows["token_f1"]["not_applicable"] == 0
    (entry, *_) = read_entries(project / "golden.jsonl")
    assert entry.sample.references == ("Our apples come from orchard 0.",)


def test_what_was_drafted_before_costs_nothing_and_a_dry_run_writes_nothing(
    project: Path, server: FakeOpenAI, capsys: pytest.CaptureFixture[str]
) -> None:
    before = without_references(project)

    assert run(["dataset", "references", *MODEL, "--dry-run", "--ids", "apples,pears"]) == 0
    assert golden(project) == before
    assert len(server.requests) == 2
    assert run(["dataset", "references", *MODEL, "--ids", "apples,pears"]) == 0
    assert len(server.requests) == 2
    assert "0 model calls" in capsys.readouterr().out
    assert run(["dataset", "references", *MODEL]) == 0
    assert len(server.requests) == len(TOPICS)


def test_a_cap_ends_the_drafting_and_what_came_is_kept(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    without_references(project)
    config = project / "ragate.toml"
    config.write_text(config.read_text().replace("[policy]\n", "[policy]\nmax_calls = 3\n", 1))

    assert run(["dataset", "references", *MODEL]) == 3

    assert "stopped: " in capsys.readouterr().err
    assert sum(bool(entry.drafted) for entry in read_entries(project / "golden.jsonl")) == 3


def test_only_samples_that_need_a_reference_are_asked_about(
    project: Path, server: FakeOpenAI, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        {"id": "a", "query": "A?", "relevant": ["figs.md"], "references": ["Yes."]},
        {"id": "b", "query": "B?", "answerable": False},
        {"id": "c", "query": "C?"},
        {"id": "d", "query": "D?", "relevant": ["figs.md"]},
        {"id": "e", "query": "E?", "relevant": ["lemons.md"]},
    ]
    (project / "golden.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n")
    server.reply = lambda body: "NOT ANSWERED" if "lemons" in asked(body) else "Of figs."

    assert run(["dataset", "references", *MODEL]) == 0
    said = capsys.readouterr().out

    assert len(server.requests) == 2
    assert "not asked: 1 (has a reference)" in said
    assert "not asked: 1 (unanswerable)" in said
    assert "not asked: 1 (no expected document in the corpus)" in said
    assert "e: the documents do not answer it, says the model" in said
    drafted = {entry.sample.id: entry.drafted for entry in read_entries(project / "golden.jsonl")}
    assert drafted == {"a": (), "b": (), "c": (), "d": ("Of figs.",), "e": ()}


def test_a_provider_that_is_out_is_no_draft(
    project: Path, server: FakeOpenAI, capsys: pytest.CaptureFixture[str]
) -> None:
    before = without_references(project)
    server.faults = [status(401)] * 50

    assert run(["dataset", "references", *MODEL]) == 3

    assert "stopped: " in capsys.readouterr().err
    assert golden(project) == before


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "which model drafts?"),
        (["--provider", "locale", "--model", "m"], "did you mean 'local'?"),
    ],
)
def test_a_model_that_is_not_named_is_an_error(
    project: Path, capsys: pytest.CaptureFixture[str], options: list[str], said: str
) -> None:
    assert run(["dataset", "references", *options]) == 2
    assert said in capsys.readouterr().err
