"""The body of a request."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragate.errors import ConfigError
from ragate.models import SystemOutput, Turn
from tests.factories import sample_factory
from tests.integration.systems.http.services import ECHO, asked, one, refused
from tests.servers.rag_server import RagServer, rag_server
from tests.unit.systems.using import ask, message

pytestmark = pytest.mark.integration


def test_the_question_goes_out_as_json_and_the_reply_is_the_output(tmp_path: Path):
    with rag_server(ECHO) as server:
        output = asked(server, tmp_path)

    assert output.answer == "What does page q001 say?"
    assert output.latency_s is not None
    assert server.requests[0].json == {"id": "q001", "query": "What does page q001 say?"}
    assert server.requests[0].headers["content-type"] == "application/json"
    assert server.requests[0].headers["host"] == server.host


def test_a_body_of_ones_own_knows_question_and_metadata_and_not_the_expected_answer(tmp_path: Path):
    body = '{"input": {"text": {{ query | tojson }}}, "lang": {{ metadata.lang | tojson }}}'
    with rag_server(lambda _request: {"answer": "x"}) as server:
        samples = [sample_factory(query='Say "hi"\n& ü', metadata={"lang": "en"})]
        settings = {"url": server.url, "body": body}
        ask("http", settings, tmp_path, samples=samples, http_hosts=(server.host,))

    assert server.requests[0].json == {"input": {"text": 'Say "hi"\n& ü'}, "lang": "en"}


def test_a_get_request_has_parameters_and_no_body(tmp_path: Path):
    with rag_server(lambda _request: {"answer": "x"}) as server:
        given = {"params": {"q": "{{ query }}"}, "url": f"{server.url}?k=3"}
        output = asked(server, tmp_path, method="GET", **given)

    assert output.answer == "x"
    assert server.requests[0].path == "/ask?k=3&q=What+does+page+q001+say%3F"
    assert server.requests[0].body == b""


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("{{ references }}", "unknown name 'references'"),
        ("{{ query", "not a template"),
        ("{% include '/etc/passwd' %}", "no loader"),
        ("{{ range(9) }}", "unknown name 'range'"),
    ],
)
def test_a_template_that_cannot_work_is_refused(tmp_path: Path, body: str, told: str):
    if "include" in body:
        assert told in message(one(ECHO, tmp_path, body=body))
    else:
        refused(tmp_path, ConfigError, told, body=body)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ('{"q": "{{ query }}"}', "gives no JSON for q001: write {{ query | tojson }}"),
        ("{{ metadata.lang }}", "has no attribute 'lang'"),
        ("{{ query.__class__.__mro__ }}", "unsafe"),
        ("{{ query * 1000000000 }}", "the operator * is not available"),
    ],
)
def test_a_body_that_fails_for_a_sample_costs_that_sample(tmp_path: Path, body: str, told: str):
    with rag_server(ECHO) as server:
        samples = [sample_factory(query='Say "hi"')]
        settings = {"url": server.url, "body": body}
        outputs = ask("http", settings, tmp_path, samples=samples, http_hosts=(server.host,))

    assert told in message(outputs[0])
    assert server.requests == []


TURN = Turn(role="user", content="Hi")
CHAT = '{"messages": {{ (messages + [{"role": "user", "content": query}]) | tojson }}}'


def _after_a_turn(root: Path, server: RagServer, **settings: Any) -> SystemOutput:
    samples = [sample_factory(query="B?", messages=(TURN,))]
    keys = {"url": server.url, **settings}
    return ask("http", keys, root, samples=samples, http_hosts=(server.host,))[0]


def test_earlier_turns_stand_in_the_default_body_where_there_are_any(tmp_path: Path):
    with rag_server(ECHO) as server:
        _after_a_turn(tmp_path, server)

    assert server.requests[0].json["messages"] == [{"role": "user", "content": "Hi"}]
    assert server.requests[0].json["query"] == "B?"


def test_a_body_may_be_what_a_chat_api_takes(tmp_path: Path):
    with rag_server(lambda _request: {"answer": "x"}) as server:
        _after_a_turn(tmp_path, server, body=CHAT)

    assert [turn["content"] for turn in server.requests[0].json["messages"]] == ["Hi", "B?"]


@pytest.mark.parametrize("settings", [{"body": '{"q": {{ query | tojson }}}'}, {"method": "GET"}])
def test_a_request_without_a_place_for_earlier_turns_ends_the_run(
    tmp_path: Path, settings: dict[str, str]
):
    with rag_server(ECHO) as server, pytest.raises(ConfigError, match="has earlier turns"):
        _after_a_turn(tmp_path, server, **settings)

    assert server.requests == []
