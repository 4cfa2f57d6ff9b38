"""What may go: folders of runs, but for the newest, and for what may still be written."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from ragate.errors import StorageError
from ragate.stores.listed_run import ListedRun, RunStatus
from ragate.stores.prune import STILL_RUNNING_SECONDS, prunable, remove


def run_at(
    tmp_path: Path, day: int, status: RunStatus = RunStatus.PASSED, gate: str = "docs"
) -> ListedRun:
    folder = tmp_path / f"202611{day:02}-101500-000-aaaa"
    folder.mkdir()
    for name in ("manifest.json", "scores.jsonl"):
        (folder / name).write_text("{}")
    return ListedRun(folder.name, folder, status, gate=gate)


def test_the_newest_of_every_gate_stay(tmp_path: Path):
    runs = [run_at(tmp_path, day, gate="ab"[day % 2]) for day in (6, 5, 4, 3, 2, 1)]

    assert prunable(runs, keep=2) == runs[4:]


def test_a_broken_run_is_none_of_those_that_stay(tmp_path: Path):
    runs = [run_at(tmp_path, 3, RunStatus.BROKEN), run_at(tmp_path, 2)]

    assert prunable(runs, keep=1) == runs[:1]


@pytest.mark.parametrize("status", [RunStatus.UNFINISHED, RunStatus.COLLECTED])
def test_a_run_without_scores_may_still_go_on(tmp_path: Path, status: RunStatus):
    assert prunable([run_at(tmp_path, 1, status)], keep=0) == []


def test_an_unfinished_run_of_yesterday_is_left_behind(tmp_path: Path):
    run = run_at(tmp_path, 1, RunStatus.UNFINISHED)
    later = time.time() + STILL_RUNNING_SECONDS + 60

    assert prunable([run], keep=0, now=later) == [run]


def test_a_folder_of_another_name_is_somebodys_own(tmp_path: Path):
    (tmp_path / "notes").mkdir()

    assert prunable([ListedRun("notes", tmp_path / "notes", RunStatus.PASSED)], keep=0) == []


def test_a_run_is_removed_with_its_folder_and_no_other(tmp_path: Path):
    gone, stays = run_at(tmp_path, 1), run_at(tmp_path, 2)

    assert list(remove([gone])) == [gone]
    assert [path.name for path in tmp_path.iterdir()] == [stays.run_id]


def test_a_link_in_a_folder_is_removed_and_not_what_it_names(tmp_path: Path):
    run, own = run_at(tmp_path, 1), tmp_path / "own"
    own.write_text("keep")
    (run.folder / "linked").symlink_to(own)

    list(remove([run]))

    assert own.read_text() == "keep"


def test_what_cannot_be_removed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    run = run_at(tmp_path, 1)

    def refused(*_: object, **__: object) -> None:
        raise PermissionError(13, os.strerror(13))

    monkeypatch.setattr("ragate.stores.prune.shutil.rmtree", refused)

    with pytest.raises(StorageError, match=r"aaaa: cannot be removed: Permission denied"):
        list(remove([run]))
