"""A reply becomes a draft, or is dropped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragate.cli.main import run
from tests.contrib.golden.drafts.draft_projects import answer
from tests.servers.faults import status
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


ONE = ["--count", "1", "--kind", "simple", "--output", "new.jsonl"]


def test_what_cannot_be_used_is_asked_for_once_more_with_the_reason(
    project: Path, server: FakeOpenAI
) -> None:
    def late(body: dict[str, Any]) -> str:
        first = len(body["messages"]) == 2
        return '{"question": "A?"}' if first else answer({"messages": body["messages"][:2]})

    server.reply = late

    assert run(["dataset", "generate", *MODEL, *ONE]) == 0

    again = server.requests[-1][2]["messages"]
    assert [one["role"] for one in again] == ["system", "user", "assistant", "user"]
    assert "no quote" in again[-1]["content"]
    assert len(server.requests) == 2


def test_the_schema_of_the_reply_is_sent_and_left_out_where_a_server_takes_none(
    project: Path, server: FakeOpenAI
) -> None:
    server.faults.append(status(400, message="response_format is not supported"))

    assert run(["dataset", "generate", *MODEL, *ONE]) == 0

    with_form, without = (body for _, _, body in server.requests)
    schema = with_form["response_format"]["json_schema"]["schema"]
    assert schema["required"] == ["question", "answer", "quotes"]
    assert "response_format" not in without


def test_a_model_that_is_too_weak_is_said_to_be(
    project: Path, server: FakeOpenAI, capsys: pytest.CaptureFixture[str]
) -> None:
    server.reply = lambda _body: "I like apples."

    assert run(["dataset", "generate", *MODEL, *ONE, "--count", "3"]) == 3

    told = capsys.readouterr().err
    assert "drafting: 0/3 drafts · 3 failed" in told
    assert "too weak: 3 of 3 replies were of no use" in told
