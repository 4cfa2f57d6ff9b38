"""Caps on any judge, and what one server said never taken for another's word."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.cli.main import run
from tests.contrib.llamaindex_judge import llamaindex_llms
from tests.projects import ReplayProject, right
from tests.servers.model import answers_and_judges
from tests.servers.openai_server import openai_server

pytestmark = pytest.mark.integration
FOREIGN = """
[policy.judge]
use = "llamaindex"
llm = "tests.contrib.llamaindex_judge.llamaindex_llms:ChatModel"

[policy.metrics.relevancy]
"""
OWN = """
[policy.providers.local]
base_url = "{url}"

[policy.judge]
use = "rubric"
provider = "local"
model = "judge-1"

[policy.metrics.relevancy]
"""


@pytest.fixture(autouse=True)
def clean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_foreign_llm_stops_before_the_call_after_the_cap(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = ReplayProject(tmp_path, samples=20, metrics=FOREIGN, policy="max_calls = 7")
    project.record(right)
    llamaindex_llms.SEEN.clear()

    assert run(["check"]) == 3

    assert len(llamaindex_llms.SEEN) == 7
    assert "max_calls = 7 is reached" in " ".join(capsys.readouterr().out.split())
    assert project.report()["facts"]["model_calls"] == 7
    assert project.report()["facts"]["cost_usd"] is None


def test_what_another_server_said_under_the_same_name_is_asked_again(tmp_path: Path) -> None:
    with openai_server() as first, openai_server() as second:
        first.reply = second.reply = answers_and_judges()
        project = ReplayProject(tmp_path, samples=5, metrics=OWN.format(url=first.base_url))
        project.record(right)
        run(["check"])
        assert len(first.requests) > 5
        first.requests.clear()
        run(["check"])
        assert first.requests == []

        project.configure(metrics=OWN.format(url=second.base_url))
        run(["check"])

        assert len(second.requests) > 5
        assert first.requests == []


def test_a_baseline_stays_comparable_when_its_judge_moves_to_another_address(
    tmp_path: Path,
) -> None:
    with openai_server() as first, openai_server() as second:
        first.reply = second.reply = answers_and_judges()
        project = ReplayProject(tmp_path, samples=5, metrics=OWN.format(url=first.base_url))
        project.record(right)
        assert run(["baseline", "update", "--runs", "1"]) == 0

        project.configure(metrics=OWN.format(url=second.base_url))

        assert run(["check"]) == 0
        assert second.requests == []
