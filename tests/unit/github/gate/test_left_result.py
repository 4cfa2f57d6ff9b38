"""What a run leaves for later commands, written and read back as somebody else's."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ragate.errors import StorageError
from ragate.github.gate.left_result import LeftResult, read_result, write_result
from ragate.stores import RUN_FILES
from tests.factories import decision_factory, report_factory

RESULT = LeftResult(gate="docs", event="pull_request", head="a" * 40, verdict="failed", exit_code=1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    run = tmp_path / "run"
    run.mkdir()
    for name in ("manifest.json", "scores.jsonl", "outputs.jsonl", "report.json", "other.txt"):
        (run / name).write_text("{}\n")
    made = tmp_path / "result"
    made.mkdir()
    (made / "old.txt").write_text("of an earlier run")
    report = report_factory(decision_factory())
    write_result(made, RESULT, report, run=run, markdown="# Report\n")
    return made


def test_it_is_read_back_and_holds_nothing_else(folder: Path) -> None:
    assert read_result(folder) == RESULT
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.*"))
    assert names == [
        "report.json",
        "report.md",
        "result.json",
        "run/manifest.json",
        "run/outputs.jsonl",
        "run/report.json",
        "run/scores.jsonl",
    ]


@pytest.mark.parametrize(
    "text",
    [
        *("", "[]", "{", '{"gate": "x"}', "[" * 5000),
        RESULT.model_dump_json().replace("aaaa", "zzzz"),
        RESULT.model_copy(update={"run_id": ".."}).model_dump_json(),
    ],
)
def test_what_is_no_result_is_refused(folder: Path, text: str) -> None:
    (folder / "result.json").write_text(text)
    with pytest.raises(StorageError):
        read_result(folder)


def test_links_pipes_and_large_files_are_refused(folder: Path) -> None:
    scores = folder / "run" / "scores.jsonl"
    scores.unlink()
    scores.symlink_to("/proc/self/environ")
    with pytest.raises(StorageError, match="not a regular file"):
        read_result(folder)
    scores.unlink()
    os.mkfifo(scores)
    with pytest.raises(StorageError, match="not a regular file"):
        read_result(folder)
    scores.unlink()
    with scores.open("wb") as file:
        file.truncate(RUN_FILES["scores.jsonl"])
    read_result(folder)
    with scores.open("ab") as file:
        file.write(b"x")
    with pytest.raises(StorageError, match="limit"):
        read_result(folder)
