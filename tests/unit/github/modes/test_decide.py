"""What a fork's artifact may hold, and which attempts of a collecting job count."""

from __future__ import annotations

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


def shard(folder: Path, number: int, of_attempt: int, *, lost: int, of: int) -> Path:
    """Write a shard of a plan of forty samples in eight parts."""
    claim = ShardClaim(
        plan="p", number=number, of=8, attempt=of_attempt, full=1, passes=1, lines=of, content=""
    )
    header = OutputsHeader(
        manifest=RunManifest(system=SystemInfo(use="replay")), samples=of, shard=claim
    )
    path = folder / f"{number}-{of_attempt}.jsonl"
    return attempt(path, lost=lost, of=of, head=header_line(header))


def test_an_attempt_that_measured_enough_stays_evidence(tmp_path: Path):
    first, second = attempt(tmp_path / "1", lost=2), attempt(tmp_path / "2", lost=0)
    assert attempts_that_count([first, second], LIMIT) == [first, second]


def test_an_attempt_without_a_key_gives_way_to_the_one_with_its_replies(tmp_path: Path):
    first, second = attempt(tmp_path / "1", lost=3), attempt(tmp_path / "2", lost=0)
    assert attempts_that_count([first, second], LIMIT) == [second]


def test_where_no_attempt_measured_enough_all_are_judged(tmp_path: Path):
    files = [attempt(tmp_path / "1", lost=40), attempt(tmp_path / "2", lost=20)]
    assert attempts_that_count(files, LIMIT) == files


def counting(files: list[Path]) -> list[str]:
    return [file.stem for file in attempts_that_count(files, LIMIT, planned=40)]


def test_a_small_shard_that_lost_one_reply_stays_evidence_of_its_attempt(tmp_path: Path):
    first = [shard(tmp_path, 3, 1, lost=1, of=3), shard(tmp_path, 4, 1, lost=0, of=37)]
    again = [shard(tmp_path, 3, 2, lost=0, of=3), shard(tmp_path, 4, 2, lost=0, of=37)]

    assert counting([*first, *again]) == ["3-1", "3-2", "4-1", "4-2"]


def test_a_shard_that_alone_is_there_is_held_against_all_samples_of_the_plan(tmp_path: Path):
    files = [shard(tmp_path, 3, 1, lost=1, of=3), shard(tmp_path, 3, 2, lost=0, of=3)]

    assert counting(files) == ["3-1", "3-2"]


def test_of_an_attempt_that_lost_too_much_the_shards_without_losses_stay(tmp_path: Path):
    first = [shard(tmp_path, 3, 1, lost=3, of=3), shard(tmp_path, 4, 1, lost=0, of=37)]
    again = [shard(tmp_path, 3, 2, lost=0, of=3), shard(tmp_path, 4, 2, lost=0, of=37)]

    assert counting([*first, *again]) == ["3-2", "4-1", "4-2"]


def test_a_shard_that_no_attempt_measured_is_judged_with_all_of_its_attempts(tmp_path: Path):
    files = [shard(tmp_path, 3, number, lost=20, of=20) for number in (1, 2)]

    assert counting(files) == ["3-1", "3-2"]


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
        untrusted_outputs(workspace / "outputs", workspace, shards=0)


def test_a_folder_that_is_a_link_is_not_followed(workspace: Path):
    attempt(workspace / "outputs" / "0.jsonl", lost=0)
    (workspace / "other").symlink_to(workspace / "outputs")

    with pytest.raises(DatasetError, match="'other' is a link, which is not followed"):
        untrusted_outputs(workspace / "other", workspace, shards=0)
    with pytest.raises(DatasetError, match="'other' is a link, which is not followed"):
        untrusted_outputs(workspace / "other" / "0.jsonl", workspace, shards=0)


def test_what_lies_outside_of_the_workspace_is_refused(workspace: Path):
    with pytest.raises(DatasetError, match="is outside of the workspace"):
        untrusted_outputs(workspace.parent / "secret.jsonl", workspace, shards=0)


def test_regular_files_are_taken_in_order(workspace: Path):
    files = [attempt(workspace / "outputs" / f"{n}.jsonl", lost=0) for n in range(3)]

    assert untrusted_outputs(workspace / "outputs", workspace, shards=0) == files
