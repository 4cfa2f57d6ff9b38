"""The recorder's server between the real `openai` client and a provider, without any pipeline."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Iterator
from threading import Event
from typing import Any
from urllib.parse import urlsplit

import openai
import pytest

from tests.contrib.recorder.recorders import MODEL, ask, streamed

pytestmark = pytest.mark.integration


HELLO: list[Any] = [{"role": "user", "content": "Hello?"}]


def test_the_asynchronous_client_gets_the_same_replies(bench):
    bench.open()
    expected = ask(bench.client())

    async def twice() -> list[str]:
        async with openai.AsyncOpenAI(
            base_url=bench.recorder.base_url, api_key=bench.recorder.token
        ) as client:
            made = (client.chat.completions.create(model=MODEL, messages=HELLO) for _ in range(2))
            return [str(one.choices[0].message.content) for one in await asyncio.gather(*made)]

    assert asyncio.run(twice()) == [expected, expected]
    assert bench.provider.seen == 1


def test_a_stream_is_passed_on_kept_and_replayed_as_a_stream_or_whole(bench):
    bench.open()

    fresh = streamed(bench.client())

    assert fresh == "It is so, the n1 time [1]."
    assert streamed(bench.client()) == ask(bench.client()) == fresh
    assert bench.provider.seen == 1


def test_what_was_asked_whole_is_replayed_as_a_stream(bench):
    bench.open()
    whole = ask(bench.client())

    assert streamed(bench.client()) == whole
    assert bench.provider.seen == 1


def test_a_stream_tells_its_tokens_only_to_who_asks_for_them(bench):
    bench.open()

    def usages(text: str, **options: Any) -> list[int]:
        parts = bench.client().chat.completions.create(
            model=MODEL, messages=[{"role": "user", "content": text}], stream=True, **options
        )
        return [part.usage.total_tokens for part in parts if part.usage]

    asked = {"stream_options": {"include_usage": True}}
    assert usages("a") == usages("a") == []
    assert usages("b", **asked) == usages("b", **asked) == [18]
    assert all(one[2]["stream_options"]["include_usage"] for one in bench.provider.requests)


def test_the_first_words_of_a_stream_arrive_before_its_end(bench):
    bench.open()
    first, held = Event(), []

    def held_back(events: list[str]) -> Iterator[str]:
        yield from events[:2]
        held.append(not first.wait(60))
        yield from events[2:]

    events = bench.provider.events
    bench.provider.events = lambda *asked: held_back(events(*asked))
    parts = iter(bench.client().chat.completions.create(model=MODEL, messages=HELLO, stream=True))
    next(parts)
    first.set()
    list(parts)

    assert held == [False]


def test_responses_come_whole_and_as_events(bench):
    bench.open()
    client = bench.client()

    whole = client.responses.create(model=MODEL, input="Hello?")
    with client.responses.stream(model=MODEL, input="Hello?") as replayed:
        events = [event.type for event in replayed]
        final = replayed.get_final_response()

    assert whole.output_text == final.output_text == "It is so, the n1 time [1]."
    assert events[0] == "response.created"
    assert events[-1] == "response.completed"
    assert bench.provider.seen == 1


def test_a_streamed_response_is_passed_on_and_kept(bench):
    bench.open()
    client = bench.client()

    with client.responses.stream(model=MODEL, input="Hello?") as fresh:
        deltas = [event.delta for event in fresh if event.type == "response.output_text.delta"]
        final = fresh.get_final_response()

    assert len(deltas) > 3
    assert client.responses.create(model=MODEL, input="Hello?").output_text == final.output_text
    assert bench.provider.seen == 1


def test_embeddings_are_the_same_numbers_however_they_travel(bench):
    bench.open()
    client = bench.client()

    def vectors(**options: Any) -> list[list[float]]:
        reply = client.embeddings.create(model="e", input=["red apples", "pears"], **options)
        return [list(row.embedding) for row in reply.data]

    first = vectors()

    assert first == vectors(encoding_format="float")
    assert len(first) == 2
    assert first[0] != first[1]
    assert bench.provider.seen == 1


def test_models_are_listed_and_other_endpoints_are_told_apart(bench):
    bench.open()
    client = bench.client(max_retries=0)
    ask(client)

    assert [one.id for one in client.models.list().data] == [MODEL]
    with pytest.raises(openai.NotFoundError, match="POST /v1/embeddings, GET /v1/models"):
        client.files.list()


@pytest.mark.parametrize("key", ["", "sk-other", "ragate-"])
def test_without_the_token_nothing_is_answered(bench, key):
    bench.open()
    wrong = {"Authorization": f"Bearer {key}"}

    assert bench.raw("GET", "/v1/models", **wrong)[0] == 401
    code, reply = bench.raw("POST", "/v1/chat/completions", b"{}", **wrong)

    assert code == 401
    assert "OPENAI_API_KEY" in reply["error"]["message"]
    assert bench.provider.seen == 0


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"{", "not JSON"),
        (b"[]", "no JSON object"),
        (b'{"model": "m", "model": "n"}', "twice"),
        (b'{"model": "m", "messages": [NaN]}', "NaN"),
        (b'{"model": 5, "messages": []}', "no model"),
        (b'{"model": "m"}', "'messages'"),
        (b'{"model": "m", "messages": [1], "stream": "yes"}', "'stream'"),
        (b'{"model": "m", "messages": ' + b"[" * 5000 + b"]" * 5000 + b"}", "deep"),
        (b'{"model": "\xff"}', "UTF-8"),
    ],
)
def test_a_body_that_is_no_request_is_refused_with_the_reason(bench, body, says):
    bench.open()

    code, reply = bench.raw("POST", "/v1/chat/completions", body)

    assert code == 400
    assert says in reply["error"]["message"]
    assert bench.provider.seen == 0


def test_an_oversized_body_is_refused(bench):
    bench.open()

    code, reply = bench.raw("POST", "/v1/chat/completions", b"x" * (16 * 1024**2 + 1))

    assert code == 413
    assert reply["error"]["code"] == "too_large"


@pytest.mark.parametrize(
    "path",
    [
        "/v1/../../etc/passwd",
        "/v1/chat/completions/../../files",
        "/v1/%2e%2e/secret",
        "//evil.example/v1/chat/completions",
        "/",
        "/v1/assistants",
    ],
)
def test_a_path_that_is_no_endpoint_reaches_nobody(bench, path):
    bench.open()

    code, reply = bench.raw("POST", path, b'{"model": "m", "messages": [1]}')

    assert code == 404
    assert "supported" in reply["error"]["message"]
    assert bench.provider.seen == 0


def test_a_garbled_connection_does_not_end_the_server(bench):
    bench.open()
    place = urlsplit(bench.recorder.base_url)

    with socket.create_connection((str(place.hostname), place.port or 0)) as line:
        line.sendall(b"\x00\xff GET nonsense\r\n\r\n")
        line.recv(100)

    assert ask(bench.client())


def test_a_caller_that_goes_away_leaves_nothing_behind(bench):
    resolver = bench.open(counts=True)
    bench.provider.latency_s = 60.0

    with pytest.raises(openai.APITimeoutError):
        ask(bench.client(timeout=1.0, max_retries=0))
    bench.provider.latency_s = 0.0
    (scope,) = resolver.ledger.scopes("")
    while any(scope._taken.values()):  # until the recorder has seen that nobody is there
        time.sleep(0.01)
    answer = ask(bench.client())

    # The next one is the first again, not a second answer to the same question.
    assert ask(bench.client()) != answer
    assert len(resolver.used.draws) == 2
