"""A reply becomes a draft, or is dropped."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragate.cli.main import run
from tests.servers.openai_server import FakeOpenAI

pytestmark = pytest.mark.integration


MODEL = ("--provider", "local", "--model", "drafter-1")


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("I cannot.", "no JSON object"),
        ('{"question": "A?", "answer": "B.", "quotes": ["Invented."]}', "does not stand in"),
        ('{"question": "A?", "answer": "B."}', "no quote"),
        ('{"question": "", "answer": "B.", "quotes": []}', "no usable question"),
        ('{"question": "A?", "question": "B?"}', "stands twice"),
    ],
)
def test_a_reply_that_proves_nothing_is_dropped(
    project: Path, server: FakeOpenAI, capsys: pytest.CaptureFixture[str], reply: str, said: str
) -> None:
    server.reply = lambda _body: reply
    options = ["--count", "2", "--kind", "simple", "--output", "new.jsonl"]

    assert run(["dataset", "generate", *MODEL, *options]) == 3

    assert said in capsys.readouterr().out
    assert not (project / "new.jsonl").exists()


def test_a_question_that_is_asked_already_is_dropped(
    project: Path, server: FakeOpenAI, capsys: pytest.CaptureFixture[str]
) -> None:
    reply = {
        "question": "Where do the apples come from",
        "answer": "From there.",
        "quotes": ["Our"],
    }
    server.reply = lambda _body: json.dumps(reply)

    assert run(["dataset", "generate", *MODEL, "--kind", "simple", "--append"]) == 3
    assert "nearly the same as another question" in capsys.readouterr().out
