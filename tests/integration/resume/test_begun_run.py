"""Which runs were interrupted."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.cli.main import run
from tests.integration.resume.interrupted import Service, folder, interrupted

pytestmark = pytest.mark.integration


def test_a_run_that_ended_is_not_gone_on_with(
    root: Path, service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["check"])
    count = sum(service.asked.values())

    assert run(["check", "--resume"]) == 2
    assert "no interrupted `check`" in capsys.readouterr().err
    assert run(["check", "--resume", folder(root).name]) == 2
    error = capsys.readouterr().err
    assert "came to its end, and no answer is drawn twice" in error
    assert f"ragate report {folder(root).name}" in error
    assert sum(service.asked.values()) == count


def test_a_run_under_way_is_left_alone(
    root: Path, service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    fcntl = pytest.importorskip("fcntl")
    interrupted(root)

    with (folder(root) / "begun.lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert run(["check", "--resume"]) == 2

    assert "is still under way" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["20261121-000000-000-abcd", "../..", "a/b"])
def test_a_run_that_is_not_there_is_said(
    root: Path, service: Service, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    interrupted(root)
    assert run(["check", "--resume", name]) == 2

    assert "no run of that id" in capsys.readouterr().err


def test_what_it_was_begun_with_is_read_strictly(
    root: Path, service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    interrupted(root)
    path = folder(root) / "begun.json"
    path.write_text(path.read_text().replace('"runs"', '"passes"'))

    assert run(["check", "--resume", folder(root).name]) == 3

    assert "begun.json: passes = " in capsys.readouterr().err
