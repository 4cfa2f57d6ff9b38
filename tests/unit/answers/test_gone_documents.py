"""Expected documents that left the repository, as git tells it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.answers.new_manifest import corpus_folder, gone_documents
from ragate.models import Sample
from tests.repositories import commit, git


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with four pages in kb/billing and kb/, all committed."""
    (tmp_path / "kb" / "billing").mkdir(parents=True)
    for name in ("billing/refunds.md", "billing/taxes.md", "start.md", "end.md"):
        (tmp_path / "kb" / name).write_text(name)
    git(tmp_path, "init", "-q")
    commit(tmp_path, "x")
    return tmp_path


def expecting(*doc_ids: str) -> list[Sample]:
    return [Sample(id=doc_id, query="?", relevant={doc_id: 1}) for doc_id in doc_ids]


def test_a_page_that_was_renamed_is_named_with_the_command_that_finds_it(project: Path):
    (project / "kb/billing/refunds.md").rename(project / "kb/billing/returns.md")

    gone = gone_documents(expecting("billing/refunds.md", "start.md"), project)

    assert gone is not None
    assert gone.message == "1 expected document is gone from kb/: billing/refunds.md"
    assert gone.remedy.startswith("`ragate dataset relink --corpus kb`")


def test_a_deletion_that_is_committed_is_known_too(project: Path):
    git(project, "rm", "-q", "kb/start.md")
    git(project, "commit", "-q", "-m", "y")

    gone = gone_documents(expecting("start.md", "end.md", "billing/taxes.md"), project)

    assert gone is not None
    assert gone.doc_ids == ("start.md",)


@pytest.mark.parametrize(
    "doc_ids",
    [
        ("start.md", "end.md"),
        ("start.md", "end.md", "from-a-wiki.md"),
        ("42", "43"),
        ("start.md", "https://wiki.example/a", "https://wiki.example/b"),
    ],
    ids=["all there", "never a file", "numbers", "mostly addresses"],
)
def test_what_never_was_a_file_of_the_folder_is_no_loss(project: Path, doc_ids: tuple[str, ...]):
    assert gone_documents(expecting(*doc_ids), project) is None


def test_a_folder_outside_of_git_tells_nothing(tmp_path: Path):
    assert gone_documents(expecting("a.md"), tmp_path) is None


def test_the_folder_is_the_one_with_most_of_the_ids():
    present = ["docs/a.md", "docs/b.md", "old/a.md", "c.md"]

    assert corpus_folder(["a.md", "b.md", "x.md"], present) == "docs"
    assert corpus_folder(["docs/a.md", "docs/b.md"], present) == "."
    assert corpus_folder(["a.md", "x.md", "y.md"], present) is None
