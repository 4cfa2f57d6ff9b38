"""Drafts by a chat model: marked as such, under the caps, and no label before a person accepts."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.cli.main import run
from ragate.contrib.golden.commands.generate import KINDS as OFFERED
from ragate.contrib.golden.generate import KINDS
from ragate.dataset import read_dataset, read_entries
from tests.contrib.golden.drafts.draft_projects import golden
from tests.projects import TOPICS
from tests.repositories import commit, git
from tests.servers.openai_server import FakeOpenAI

pytestmark = pytest.mark.integration


MODEL = ("--provider", "local", "--model", "drafter-1")


def test_the_command_offers_the_kinds_of_the_pipeline() -> None:
    assert OFFERED == KINDS


def test_generated_questions_are_drafts_of_every_kind(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = golden(project)

    assert run(["dataset", "generate", *MODEL, "--count", "8", "--output", "new.jsonl"]) == 0
    assert golden(project) == before
    entries = read_entries(project / "new.jsonl")
    kinds = [entry.sample.metadata["kind"] for entry in entries]

    assert set(kinds) == set(KINDS)
    assert all(entry.draft for entry in entries)
    for entry in entries:
        sample = entry.sample
        assert sample.answerable == (sample.metadata["kind"] != "unanswerable")
        assert len(sample.expected) == {"multi-document": 2, "unanswerable": 0}.get(
            str(sample.metadata["kind"]), 1
        )
    assert "draft questions" in capsys.readouterr().out


def test_the_same_seed_asks_for_the_same(project: Path, server: FakeOpenAI) -> None:
    options = ["dataset", "generate", *MODEL, "--count", "3", "--force", "--output", "new.jsonl"]

    assert run(options) == 0
    asked_first = len(server.requests)
    assert run(options) == 0
    assert len(server.requests) == asked_first == 3
    assert run([*options, "--seed", "1"]) == 0
    assert len(server.requests) > 3


def test_appended_drafts_are_not_asked_before_they_are_accepted(project: Path) -> None:
    before = golden(project)

    assert run(["dataset", "generate", *MODEL, "--count", "2", "--kind", "simple", "--append"]) == 0

    assert golden(project).startswith(before)
    assert len(read_entries(project / "golden.jsonl")) == len(TOPICS) + 2
    assert len(read_dataset(project / "golden.jsonl")) == len(TOPICS)
    assert run(["dataset", "accept", "--all"]) == 0
    assert len(read_dataset(project / "golden.jsonl")) == len(TOPICS) + 2
    assert run(["dataset", "validate"]) == 0


def test_generating_needs_to_know_where_to(project: Path, server: FakeOpenAI) -> None:
    assert run(["dataset", "generate", *MODEL]) == 2
    assert run(["dataset", "generate", *MODEL, "--output", "golden.jsonl"]) == 2
    assert server.requests == []


def test_of_a_diff_the_model_is_asked_about_its_documents_alone(
    project: Path, server: FakeOpenAI
) -> None:
    git(project, "init", "-b", "main")
    commit(project)
    (project / "docs/kiwis.md").write_text("# Kiwis\n\nOur kiwis come from orchard 77. Green.\n")
    options = ["--from-diff", "main", "--count", "2", "--kind", "simple", "--output", "new.jsonl"]

    assert run(["dataset", "generate", *MODEL, *options]) == 0

    drafts = read_entries(project / "new.jsonl")
    assert {doc for entry in drafts for doc in entry.sample.expected} == {"kiwis.md"}
    assert len(server.requests) == 2
