"""Paths of files as ids of documents."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.systems._file_ids import file_id
from ragate.systems._output import OutputError


@pytest.mark.parametrize(
    ("path", "folder", "named"),
    [
        ("/x/kb/billing/a.md", "kb", "billing/a.md"),
        ("kb/billing/a.md", "kb", "billing/a.md"),
        ("./kb/a.md", "kb", "a.md"),
        ("file:///x/kb/a.md", "kb", "a.md"),
        ("C:\\work\\kb\\billing\\a.md", "kb", "billing/a.md"),
        ("/home/bob/project/data/kb/a.md", "data/kb", "a.md"),
        ("/x/docs/a.md", "", "docs/a.md"),
        ("/elsewhere/a.md", "", "/elsewhere/a.md"),
        ("https://x.example/a", "", "https://x.example/a"),
        ("", "", ""),
    ],
)
def test_a_path_is_told_relative_to_its_folder(path: str, folder: str, named: str):
    assert file_id(path, folder, Path("/x"), where="") == named


def test_of_two_folders_of_one_name_the_one_that_holds_the_file_counts(tmp_path: Path):
    (tmp_path / "kb/guides/kb").mkdir(parents=True)
    (tmp_path / "kb/guides/kb/a.md").write_text("A")

    path = "/elsewhere/kb/guides/kb/a.md"

    assert file_id(path, "kb", tmp_path, where="") == "guides/kb/a.md"


def test_a_path_that_does_not_lead_through_the_folder_is_named():
    with pytest.raises(OutputError, match=r"the key 'p' is '/y/a.md', which is not below 'kb'"):
        file_id("/y/a.md", "kb", Path("/x"), where="the key 'p'")
