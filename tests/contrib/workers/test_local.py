"""Workers that a run starts beside itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.cli.main import run
from tests.e2e.command import ragate
from tests.servers.collector import collector
from tests.slow_rag import SlowProject

pytestmark = pytest.mark.e2e


def test_they_ask_the_questions_of_the_run_and_end_with_it(tmp_path: Path, url: str) -> None:
    project = SlowProject(tmp_path, samples=8, seconds=0.01)
    here = project.clone("here")

    with collector() as seen:
        variables = {"RAGATE_TELEMETRY": "1", "OTEL_EXPORTER_OTLP_ENDPOINT": seen.url}
        variables["RAGATE_QUEUE_URL"] = url
        done = ragate(here, "baseline", "update", "--local-workers", "2", env=variables)

    assert done.returncode == 0, done.stdout + done.stderr
    _, waiting = seen.points("ragate.sample.queue")[-1]
    assert waiting.as_int == 0
    assert any(point.as_double > 0 for _, point in seen.points("ragate.sample.pace"))


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
