"""Which engines count: only one that has run a container."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.container.engine import Engine, find_engine

ANSWERS = """#!/bin/sh
if [ "$1" = info ]; then echo fine; exit 0; fi
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is the whole PATH, so that no engine of this machine is there."""
    monkeypatch.setenv("PATH", f"{tmp_path}:/nowhere")
    monkeypatch.delenv("RAGATE_ENGINE", raising=False)
    return tmp_path


def program(folder: Path, text: str) -> None:
    path = folder / "podman"
    path.write_text(text)
    path.chmod(0o755)


def test_an_engine_that_answers_and_runs_no_container_is_none(folder: Path):
    program(folder, ANSWERS + "echo 'crun: no such cgroup' >&2; exit 126\n")

    reason = find_engine()

    assert isinstance(reason, str)
    assert "podman answers, and runs no container: crun: no such cgroup" in reason


def test_an_engine_that_does_not_answer_is_none(folder: Path):
    program(folder, "#!/bin/sh\necho 'cannot connect' >&2; exit 125\n")

    reason = find_engine()

    assert isinstance(reason, str)
    assert "podman does not answer: cannot connect" in reason


def test_an_engine_that_ran_a_container_is_taken(folder: Path):
    program(folder, ANSWERS + '[ "$1" = run ] || exit 1\n')

    engine = find_engine()

    assert isinstance(engine, Engine)
    assert engine.program == str(folder / "podman")
