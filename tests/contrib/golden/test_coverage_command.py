"""Documents that a change edits, beside the questions, by the commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.cli.main import run
from ragate.dataset import read_entries
from tests.integration.golden.tool_projects import found
from tests.repositories import commit, git

pytestmark = pytest.mark.integration


@pytest.fixture
def changed(project: Path) -> Path:
    """A change that edits a page which a question expects, and adds one that none expects."""
    git(project, "init", "-b", "main")
    commit(project)
    (project / "docs/apples.md").write_text("# About apples\n\nOur apples are from Peru now.\n")
    page = "# Kiwis\n\n## Storage of kiwis\n\nThey are stored at 4 degrees for six weeks.\n"
    (project / "docs/kiwis.md").write_text(page)
    return project


def test_what_no_question_expects_and_what_the_change_touches_are_listed(
    changed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["dataset", "coverage", "--diff", "main"]) == 0

    out = capsys.readouterr().out
    assert "2 changed documents: 1 added, 1 edited" in out
    assert "expected by no question: 1 of 2\n  kiwis.md  added" in out
    assert "questions whose documents it touches: 1\n  apples  apples.md" in out
    assert "generate --from-diff main" in out


def test_the_next_command_names_the_documents_as_this_one_did(
    changed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["coverage", "golden.jsonl", "--diff", "main", "--corpus", "docs"]
    assert run(["dataset", *arguments]) == 0

    draft = "ragate dataset generate --from-diff main golden.jsonl --corpus docs --append"
    assert f"-> `{draft}` drafts some" in capsys.readouterr().out
    assert run(draft.split()[1:]) == 0


def test_without_a_base_every_document_counts(
    changed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["dataset", "coverage", "--json"]) == 0

    assert found(capsys) == {"documents": 9, "unasked": ["kiwis.md"], "drafted": []}


def test_an_unknown_base_is_an_error_that_names_it(
    changed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["dataset", "coverage", "--diff", "nowhere"]) == 2
    assert "'nowhere': git knows no such commit" in capsys.readouterr().err


def test_drafts_of_a_diff_need_no_model_and_are_drafted_once(
    changed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["dataset", "generate", "--from-diff", "main", "--append"]) == 0
    (draft,) = [entry for entry in read_entries(changed / "golden.jsonl") if entry.draft]
    assert run(["dataset", "generate", "--from-diff", "main", "--append"]) == 0

    assert draft.sample.query == "What do I need to know about storage of kiwis?"
    assert draft.sample.expected == {"kiwis.md"}
    out = capsys.readouterr().out
    assert "1 draft question; 0 model calls" in out
    assert "nothing to draft" in out
    assert len([1 for entry in read_entries(changed / "golden.jsonl") if entry.draft]) == 1


def test_a_document_that_gives_no_draft_is_named(
    changed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (changed / "docs/kiwis.md").write_text("short\n")

    assert run(["dataset", "generate", "--from-diff", "main", "--output", "new.jsonl"]) == 3
    assert "no draft: kiwis.md" in capsys.readouterr().out
    assert not (changed / "new.jsonl").exists()


def test_kinds_are_for_a_model(changed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--from-diff", "main", "--append", "--kind", "simple"]

    assert run(["dataset", "generate", *options]) == 2
    assert "--kind is for a model" in capsys.readouterr().err
