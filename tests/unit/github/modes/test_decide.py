"""What a fork's artifact may hold, and which attempts of a collecting job count."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ragate.errors import DatasetError
from ragate.github.modes.decide import attempts_that_count, untrusted_outputs
from ragate.models import RunManifest, SystemInfo
from ragate.outputs.outputs_file import OutputsHeader, ShardClaim, header_line

LIMIT = 0.05


def attempt(path: Path, *, lost: int, of: int = 40, head: str = "") -> Path:
    error = {"kind": "provider", "message": "no reply"}
    rows = [
        {"id": f"q{number}", "answer": "a"}
        | ({"answer": None, "error": error} if number < lost else {})
        for number in range(of)
    ]
    path.write_text(head + "".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_an_attempt_that_measured_enough_stays_evidence(tmp_path: Path):
    first, second = attempt(tmp_path / "1", lost=2), attempt(tmp_path / "2", lost=0)
    assert attempts_that_count([first, second], LIMIT) == [first, second]


def test_an_attempt_without_a_key_gives_way_to_the_one_with_its_replies(tmp_path: Path):
    first, second = attempt(tmp_path / "1", lost=3), attempt(tmp_path / "2", lost=0)
    assert attempts_that_count([first, second], LIMIT) == [second]


def test_where_no_attempt_measured_enough_all_are_judged(tmp_path: Path):
    files = [attempt(tmp_path / "1", lost=40), attempt(tmp_path / "2", lost=20)]
    assert attempts_that_count(files, LIMIT) == files


def test_shards_of_one_run_all_count(tmp_path: Path):
    files = [tmp_path / "1.jsonl", tmp_path / "2.jsonl"]
    for number, path in enumerate(files, 1):
        shard(path, number, lost=number - 1)

    assert attempts_that_count(files, LIMIT) == files


def shard(path: Path, number: int, *, lost: int) -> Path:
    """Write one of two shards of one sample each, measured or lost."""
    row = {"id": f"q{number}", "answer": "a", "run": 0}
    if lost:
        row |= {"answer": None, "error": {"kind": "provider", "message": "no reply"}}
    line = json.dumps(row) + "\n"
    content = hashlib.sha256(line.encode()).hexdigest()
    claim = ShardClaim(number=number, of=2, run={}, full=1, passes=1, lines=1, content=content)
    manifest = RunManifest(system=SystemInfo(use="replay"))
    path.write_text(header_line(OutputsHeader(manifest=manifest, samples=1, shard=claim)) + line)
    return path


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace beside a file that holds a secret."""
    (tmp_path / "secret.jsonl").write_text('{"id": "q", "answer": "token"}\n')
    folder = tmp_path / "workspace"
    (folder / "outputs").mkdir(parents=True)
    return folder


def a_link(outputs: Path) -> None:
    (outputs / "1.jsonl").symlink_to(outputs.parents[1] / "secret.jsonl")


def a_dangling_link(outputs: Path) -> None:
    (outputs / "1.jsonl").symlink_to(outputs / "nowhere")


def a_second_name(outputs: Path) -> None:
    os.link(outputs.parents[1] / "secret.jsonl", outputs / "1.jsonl")


def a_pipe(outputs: Path) -> None:
    os.mkfifo(outputs / "1.jsonl")


def a_folder(outputs: Path) -> None:
    (outputs / "1.jsonl").mkdir()


@pytest.mark.parametrize("plant", [a_link, a_dangling_link, a_second_name, a_pipe, a_folder])
def test_only_regular_files_of_their_own_are_read(workspace: Path, plant: Callable[[Path], None]):
    attempt(workspace / "outputs" / "0.jsonl", lost=0)
    plant(workspace / "outputs")

    with pytest.raises(DatasetError, match=r"1\.jsonl: not a regular file of its own"):
        untrusted_outputs(workspace / "outputs", workspace)


def test_a_folder_that_is_a_link_is_not_followed(workspace: Path):
    attempt(workspace / "outputs" / "0.jsonl", lost=0)
    (workspace / "other").symlink_to(workspace / "outputs")

    with pytest.raises(DatasetError, match="'other' is a link, which is not followed"):
        untrusted_outputs(workspace / "other", workspace)
    with pytest.raises(DatasetError, match="'other' is a link, which is not followed"):
        untrusted_outputs(workspace / "other" / "0.jsonl", workspace)


def test_what_lies_outside_of_the_workspace_is_refused(workspace: Path):
    with pytest.raises(DatasetError, match="is outside of the workspace"):
        untrusted_outputs(workspace.parent / "secret.jsonl", workspace)


def test_regular_files_are_taken_in_order(workspace: Path):
    files = [attempt(workspace / "outputs" / f"{n}.jsonl", lost=0) for n in range(3)]

    assert untrusted_outputs(workspace / "outputs", workspace) == files
