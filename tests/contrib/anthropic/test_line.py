"""The whole line with a provider of Anthropic's protocol: answers and a judge."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from ragate.cli.main import run
from ragate.models import Report, Run
from ragate.spans import Fact, Note, OwnInstrument, Queue, Spanned, listening
from tests.contrib.anthropic.messages_server import KEY, Messages, as_openai, messages_server
from tests.projects import write_docs_project
from tests.servers.model import answers_and_judges

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("served")]
CONFIG = """
[policy.providers.anthropic]
protocol = "anthropic"
base_url = "{url}"
key_env  = "TEST_KEY"

[policy.judge]
use      = "rubric"
provider = "anthropic"
model    = "claude-opus-4-7"

[policy.metrics.faithfulness]

[system.answer]
use = "chat"
provider = "anthropic"
model = "claude-haiku-4-5"
"""


@pytest.fixture
def claude(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Messages]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TEST_KEY", KEY)
    write_docs_project(tmp_path)
    answering = answers_and_judges()

    with messages_server() as server:
        server.reply = lambda body: answering(as_openai(body))
        path = tmp_path / "ragate.toml"
        path.write_text(path.read_text() + CONFIG.format(url=server.url))
        yield server


def test_answers_and_judgements_come_from_it(claude: Messages) -> None:
    assert run(["baseline", "update", "--runs", "1"]) == 0
    assert run(["check", "--format", "json", "--output", "report.json"]) == 0

    report = json.loads(Path("report.json").read_text())
    scored = {each["scores"]["faithfulness"]["state"] for each in report["questions"]}
    assert scored == {"value"}
    assert {body["model"] for body in claude.asked} == {"claude-haiku-4-5", "claude-opus-4-7"}
    assert not any("temperature" in body for body in claude.asked if "opus" in body["model"])


class Heard:
    """A listener that keeps who was asked."""

    def __init__(self) -> None:
        self.providers: set[tuple[str, Fact]] = set()

    @contextmanager
    def span(self, kind: Spanned, name: str, facts: Mapping[str, Fact]) -> Iterator[Note]:
        if kind is Spanned.CHAT:
            self.providers.add((name, facts["provider"]))
        yield lambda **_more: None

    def waiting(self, queue: Queue, count: int) -> None:
        """Hear nothing of it."""

    def measured(
        self, instrument: OwnInstrument, value: float, attributes: Mapping[str, Fact]
    ) -> None:
        """Hear nothing of it."""

    def finished(self, run: Run, report: Report | None) -> None:
        """Hear nothing of it."""


def test_traces_name_it_and_not_openai(claude: Messages) -> None:
    heard = Heard()

    with listening(heard):
        assert run(["baseline", "update", "--runs", "1"]) == 0

    assert heard.providers == {
        ("claude-haiku-4-5", "anthropic"),
        ("claude-opus-4-7", "anthropic"),
    }


def test_an_overloaded_server_is_asked_again(
    claude: Messages, monkeypatch: pytest.MonkeyPatch
) -> None:
    claude.overloaded = 1

    assert run(["collect", "--limit", "1"]) == 0
    assert len(claude.asked) == 1


def test_a_wrong_key_is_said_before_anything_is_asked(
    claude: Messages, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TEST_KEY", "sk-ant-wrong")

    assert run(["check"]) == 3

    assert claude.asked == []
    assert "key" in capsys.readouterr().err


def test_a_protocol_that_nobody_brings_names_those_that_are_there(
    claude: Messages, capsys: pytest.CaptureFixture[str]
) -> None:
    path = Path("ragate.toml")
    path.write_text(path.read_text().replace('"anthropic"\nbase_url', '"antropic"\nbase_url'))

    assert run(["check"]) == 2

    assert "protocol" in (told := capsys.readouterr().err)
    assert "anthropic, openai" in told
