"""What a machine lacks or refuses is no bug of ours, and is said with what helps."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from ragate.cli.main import run
from ragate.machine_faults import machine_fault


def raised(error: BaseException, cause: BaseException) -> BaseException:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "lack"),
    [
        (MemoryError(), "memory"),
        (RuntimeError("can't start new thread"), "threads"),
        (OSError(errno.EMFILE, "Too many open files"), "open files"),
        (OSError(errno.ENOSPC, "No space left on device"), "disk space"),
        (raised(ValueError("x"), MemoryError("numpy wants 8 GiB")), "memory"),
    ],
)
def test_what_is_lacking_is_named(error: BaseException, lack: str):
    said, remedy = machine_fault(error)

    assert said.startswith(f"the machine ran out of {lack}: ")
    assert remedy


def test_a_file_where_a_folder_must_be_is_named(tmp_path: Path):
    (tmp_path / "runs").write_text("")
    with pytest.raises(OSError, match="Not a directory") as caught:
        (tmp_path / "runs" / "a").mkdir()

    said, remedy = machine_fault(caught.value)

    assert said == f"{tmp_path / 'runs' / 'a'}: Not a directory"
    assert "a file stands where a folder must be" in remedy


def test_a_file_that_may_not_be_read_is_named():
    said, remedy = machine_fault(PermissionError(errno.EACCES, "Permission denied", "/x/runs"))

    assert said == "/x/runs: Permission denied"
    assert "RAGATE_STATE_DIR" in remedy


@pytest.mark.parametrize("error", [ValueError("x"), RuntimeError("x"), OSError(errno.ENOENT, "x")])
def test_any_other_error_is_none_of_the_machines(error: BaseException):
    assert machine_fault(error) == ("", "")


def test_a_circle_of_causes_ends():
    error, other = ValueError("x"), ValueError("y")
    error.__cause__, other.__cause__ = other, error

    assert machine_fault(error) == ("", "")


def test_a_command_without_memory_ends_in_no_decision_and_blames_nobody(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def exhausted(_arguments: object) -> int:
        raise MemoryError

    monkeypatch.setattr("ragate.cli.main._run", exhausted)

    assert run(["check"]) == 3
    said = capsys.readouterr().err
    assert "the machine ran out of memory" in said
    assert "bug" not in said
