"""The bounded search for files of one name."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.files import find_files
from ragate.files.find_files import files_named, why_no_match


def put(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("")


def test_shallow_files_come_first_and_hidden_folders_are_left_out(tmp_path: Path):
    put(tmp_path, "a/b/x.toml", "c/x.toml", ".hidden/x.toml", "node_modules/x.toml")

    names = [path.relative_to(tmp_path).as_posix() for path in files_named("x.toml", tmp_path)]

    assert names == ["c/x.toml", "a/b/x.toml"]


def test_no_link_is_followed(tmp_path: Path):
    put(tmp_path, "real/x.toml")
    (tmp_path / "linked").symlink_to(tmp_path / "real")
    (tmp_path / "x.toml").symlink_to(tmp_path / "real/x.toml")

    assert list(files_named("x.toml", tmp_path)) == [tmp_path / "real/x.toml"]


def test_the_search_ends_in_a_folder_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    put(tmp_path, *(f"f{number}/x.toml" for number in range(9)), "a/b/c/d/e/f/x.toml")
    monkeypatch.setattr(find_files, "MOST_FOLDERS", 5)

    assert len(list(files_named("x.toml", tmp_path))) <= 4


# A pattern that matches nothing: the first part of it that is wrong is named.


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        ("result/*.jsonl", "there is no folder 'result' in it; did you mean 'results'?"),
        ("results/*.json", "the folder results holds none"),
        ("results/outputs.jsonl", "no file 'outputs.jsonl' in it; did you mean 'output.jsonl'?"),
        ("results", 'it is a folder: "results/**/*" names its files'),
        ("*.jsonl", ""),
        ("**/*.json", ""),
    ],
)
def test_the_first_part_that_leads_nowhere_is_named(tmp_path: Path, pattern: str, told: str):
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "output.jsonl").touch()

    assert told in why_no_match(tmp_path, pattern)
    assert bool(told) == bool(why_no_match(tmp_path, pattern))
