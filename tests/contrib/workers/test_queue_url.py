"""Commands that need the queue, where it is not to be had."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ragate.cli.main import run
from ragate.installed import install_line
from tests.projects import ReplayProject

COMMANDS = [["worker"], ["check", "--workers"], ["baseline", "update", "--workers"]]


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ReplayProject:
    monkeypatch.delenv("RAGATE_QUEUE_URL", raising=False)
    monkeypatch.chdir(tmp_path)
    return ReplayProject(tmp_path, samples=3)


@pytest.mark.parametrize("command", COMMANDS)
def test_without_the_variable_it_is_named(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(command) == 2

    assert "RAGATE_QUEUE_URL is not set" in capsys.readouterr().err


def test_a_role_of_earlier_versions_is_not_passed_over(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RAGATE_QUEUE_URL", "postgresql://u:x@127.0.0.1:9/d")
    monkeypatch.setenv("RAGATE_QUEUE_ROLE", "pull_worker")

    assert run(["check", "--workers"]) == 2

    assert "a database each" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("command", COMMANDS)
def test_without_the_library_the_extra_is_named(
    command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RAGATE_QUEUE_URL", "postgresql://u:secret-canary@127.0.0.1:9/d")
    monkeypatch.setitem(sys.modules, "procrastinate", None)

    assert run(command) == 2

    assert install_line("workers") in capsys.readouterr().err


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    "url", ["postgres//secret-canary@host", "postgresql://u:secret-canary@127.0.0.1:9/d"]
)
def test_a_server_out_of_reach_is_no_decision_and_its_password_no_message(
    command: list[str],
    url: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("RAGATE_QUEUE_URL", url)

    assert run(command) == 3

    printed = capsys.readouterr().err
    assert "RAGATE_QUEUE_URL" in printed
    assert "secret-canary" not in printed
