"""Answers written by a model."""

from __future__ import annotations

import pytest

from ragate.errors import ConfigError
from tests.integration.rag import Project, write
from tests.servers.faults import status
from tests.servers.openai_server import FakeOpenAI

pytestmark = pytest.mark.integration


CHAT = {"use": "chat", "provider": "p", "model": "m", "temperature": 0, "max_tokens": 99}


def test_a_chat_answer_gets_numbered_full_texts_and_its_citations_are_read(
    project: Project, server: FakeOpenAI
) -> None:
    project.base_url = server.base_url
    server.reply = lambda _body: "Two years [1], or so [9]."

    output = project.ask("warranty", answer=CHAT)

    message = server.requests[0][2]["messages"][0]["content"]
    assert (
        "[1] guides/warranty.md\n# Warranty\n\nEvery pump has a warranty of two years." in message
    )
    assert message.endswith("Question: warranty")
    assert server.requests[0][2]["max_tokens"] == 99
    assert output.answer == "Two years [1], or so [9]."
    assert output.citations == (1, 0)
    assert output.request_hash
    assert output.usage is not None
    assert (output.usage.calls, output.usage.prompt_tokens) == (1, 11)


def test_a_prompt_file_of_the_project_is_used_and_changes_the_request(
    project: Project, server: FakeOpenAI
) -> None:
    project.base_url = server.base_url
    write(project.root / "prompt.md", "{{ question }}|{{ contexts | length }}")

    own = project.ask("warranty", answer={**CHAT, "prompt": "prompt.md"})
    built_in = project.ask("warranty", answer=CHAT)

    assert server.requests[0][2]["messages"][0]["content"] == "warranty|1"
    assert own.request_hash != built_in.request_hash


@pytest.mark.parametrize(
    ("prompt", "message"),
    [
        ("{{ contxts }}", "'contxts' is undefined"),
        ("{% for %}", r"prompt\.md:1"),
        ("{{ question.__class__.__mro__ }}", "unsafe"),
        ("{{ ''.format.__globals__ }}", "unsafe"),
        ("{{ 1 / 0 }}", "division"),
    ],
)
def test_a_bad_prompt_is_named_before_anything_is_asked(
    project: Project, prompt: str, message: str
) -> None:
    write(project.root / "prompt.md", prompt)

    with pytest.raises(ConfigError, match=message):
        project.ask("x", answer={**CHAT, "prompt": "prompt.md"})


def test_a_provider_that_fails_is_not_blamed_on_the_system(
    project: Project, server: FakeOpenAI
) -> None:
    project.base_url = server.base_url
    server.faults = [status(403)]

    output = project.ask("warranty", answer=CHAT)

    assert output.error is not None
    assert output.error.kind == "provider"
    assert output.answer is None
    assert output.chunks


def test_an_empty_chat_answer_is_a_failure_of_the_system(
    project: Project, server: FakeOpenAI
) -> None:
    project.base_url = server.base_url
    server.reply = lambda _body: " "

    output = project.ask("warranty", answer=CHAT)

    assert output.error is not None
    assert (output.error.kind, output.answer) == ("system", "")
