"""Workers that a run starts beside itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.cli.main import run
from tests.e2e.command import ragate
from tests.slow_rag import SlowProject

pytestmark = pytest.mark.e2e


def test_they_ask_the_questions_of_the_run_and_end_with_it(tmp_path: Path, url: str) -> None:
    project = SlowProject(tmp_path, samples=8, seconds=0.01)
    here = project.clone("here")

    done = ragate(here, "baseline", "update", "--local-workers", "2", env={"RAGATE_QUEUE_URL": url})

    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("number", ["0", "65", "two", "-1", "²"])
def test_their_number_is_one(
    number: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(SlowProject(tmp_path, samples=1).clone("here"))

    assert run(["check", "--local-workers", number]) == 2
    assert "a number from 1 to 64" in capsys.readouterr().err


def test_what_is_set_for_one_run_is_refused(
    tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(SlowProject(tmp_path, samples=1).clone("here"))
    monkeypatch.setenv("RAGATE_QUEUE_URL", url)

    assert run(["check", "--workers", "--set", "start_timeout_s=5"]) == 2
    assert "their own checkout" in capsys.readouterr().err
