"""What a change does to the documents, as git tells it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragate.contrib.golden.coverage import changed_documents, corpus_folder
from ragate.errors import UsageError
from ragate.systems.pgvector.corpus import read_texts
from tests.repositories import commit, git


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """Three pages on main, and a branch ``change`` that is checked out."""
    folder = tmp_path / "kb"
    folder.mkdir()
    git(tmp_path, "init", "-b", "main")
    for name in ("edited", "gone", "same"):
        (folder / f"{name}.md").write_text(f"# {name}\n\nIt stays 30 days.\n")
    (folder / "logo.png").write_bytes(b"x")
    commit(tmp_path, "first")
    git(tmp_path, "switch", "-c", "change")
    return folder


def kinds(docs: Path, base: str = "main") -> dict[str, str]:
    return dict(changed_documents(docs, read_texts(docs.parent, docs.name), base).kinds)


def test_added_edited_and_removed_pages_are_told_committed_or_not(docs: Path) -> None:
    (docs / "edited.md").write_text("It stays 40 days.\n")
    (docs / "gone.md").unlink()
    commit(docs, "second")
    (docs / "new.md").write_text("New.\n")
    (docs / "logo.png").write_bytes(b"y")

    assert kinds(docs) == {"edited.md": "edited", "gone.md": "removed", "new.md": "added"}


def test_what_main_did_since_is_no_part_of_the_change(docs: Path) -> None:
    git(docs, "switch", "main")
    (docs / "same.md").write_text("Main says something else.\n")
    git(docs, "commit", "-am", "main moves")
    git(docs, "switch", "change")
    (docs / "edited.md").write_text("It stays 40 days.\n")

    assert kinds(docs) == {"edited.md": "edited"}


def test_a_page_whose_words_stay_is_no_change(docs: Path) -> None:
    (docs / "page.html").write_text("<p>It stays.</p>")
    commit(docs, "a page")
    git(docs, "branch", "-f", "main")
    (docs / "page.html").write_text("<p class='wide'>It stays.</p>")
    (docs / "same.md").write_text("# same\r\n\r\nIt stays 30 days.\r\n", newline="")

    assert kinds(docs) == {}


def test_rows_of_a_corpus_file_are_compared_one_by_one(docs: Path) -> None:
    def write(**rows: str) -> None:
        lines = [json.dumps({"_id": key, "title": "", "text": text}) for key, text in rows.items()]
        (docs / "corpus.jsonl").write_text("\n".join(lines))

    write(a="one", b="two", c="three")
    commit(docs, "rows")
    git(docs, "branch", "-f", "main")
    write(a="one", b="other", d="four")

    assert kinds(docs) == {"b": "edited", "c": "removed", "d": "added"}


@pytest.mark.parametrize("base", ["nowhere", "", "--help", "a\0b", "HEAD:kb"])
def test_a_base_that_is_no_commit_is_named(docs: Path, base: str) -> None:
    with pytest.raises(UsageError, match="git knows no such commit"):
        kinds(docs, base)


def test_a_base_without_a_shared_commit_says_what_to_fetch(docs: Path) -> None:
    git(docs, "switch", "--orphan", "alone")
    git(docs, "commit", "--allow-empty", "-m", "alone")
    git(docs, "switch", "change")

    with pytest.raises(UsageError, match="HEAD shares no commit"):
        kinds(docs, "alone")


def test_outside_of_git_there_is_no_change(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not in a git repository"):
        changed_documents(tmp_path, {}, "main")


def test_without_a_corpus_it_asks_for_one() -> None:
    with pytest.raises(UsageError, match="does not tell where they are"):
        changed_documents(corpus_folder(None, None), {}, "main")
