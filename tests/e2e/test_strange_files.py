"""A pipe, a device, a folder or a huge file where a project's file is expected."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ragate.cli.main import run
from tests.e2e.command import ragate
from tests.projects import ReplayProject

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes"),
]
SOURCES = ("app.py", "main.js", "openapi.json", "api/openapi.yaml", "package.json")
OTHERS = ("pyproject.toml", "requirements.txt", "Dockerfile", ".github/workflows/ci.yml")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a baseline and a run."""
    ReplayProject(tmp_path, samples=3)
    monkeypatch.chdir(tmp_path)
    assert run(["baseline", "update"]) == 0
    return tmp_path


def test_init_looks_at_pipes_and_devices_without_waiting(tmp_path: Path) -> None:
    for name in (*SOURCES, *OTHERS):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        os.mkfifo(tmp_path / name)
    (tmp_path / "zero.py").symlink_to("/dev/zero")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.md").write_text("# Refunds\n\nRefunds take 30 days.\n")

    done = ragate(tmp_path, "init", timeout=60)

    assert done.returncode == 0, done.stderr
    assert (tmp_path / "ragate.toml").is_file()


def test_init_says_that_a_gitignore_is_a_pipe(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.md").write_text("# Refunds\n\nRefunds take 30 days.\n")
    os.mkfifo(tmp_path / ".gitignore")

    done = ragate(tmp_path, "init", timeout=60)

    assert done.returncode == 3
    assert ".gitignore: not a regular file\n  -> put a regular file there" in done.stderr


def a_pipe(path: Path) -> None:
    os.mkfifo(path)


def a_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def three_gigabytes(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(3 * 1024**3)


def another_encoding(path: Path) -> None:
    path.write_bytes(b"A=1\nB=\xff\n")


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (a_pipe, "not a regular file\n  -> put a regular file there"),
        (a_device, "not a regular file\n  -> put a regular file there"),
        (three_gigabytes, "3221225472 bytes, and the limit is 1048576\n  -> put a smaller"),
        (another_encoding, "line 2: byte 0xff is not UTF-8\n  -> save the file as UTF-8"),
    ],
)
@pytest.mark.parametrize("name", [".env", "ragate.toml"])
def test_a_file_that_cannot_be_read_is_named_with_what_to_do(
    project: Path, name: str, make, problem: str
) -> None:
    (project / name).unlink(missing_ok=True)
    make(project / name)

    done = ragate(project, "check", env={"CI": ""}, timeout=60)

    assert done.returncode == 2
    assert f"{name}: {problem}" in done.stderr


def test_a_virtual_environment_may_be_named_env(project: Path) -> None:
    (project / ".env").mkdir()

    assert ragate(project, "check", env={"CI": ""}).returncode == 0


@pytest.mark.parametrize("make", [a_pipe, a_device])
@pytest.mark.parametrize("name", ["manifest.json", "report.json", "listing.json", "scores.jsonl"])
def test_a_stored_run_with_a_strange_file_keeps_no_command_waiting(
    project: Path, name: str, make
) -> None:
    assert run(["check"]) == 0
    stored = max((project / ".ragate/runs").iterdir())
    (stored / name).unlink()
    make(stored / name)

    for command in (["runs", "list"], ["report", stored.name]):
        done = ragate(project, *command, timeout=60)

        assert done.returncode in {0, 2, 3}
        assert "Traceback" not in done.stderr
