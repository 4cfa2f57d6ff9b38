"""The recorder's server between the real `openai` client and a provider, without any pipeline."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import openai
import pytest

from ragate.cache import Cache
from ragate.clients.budget import Budget, no_caps
from ragate.clients.http.retry import Retry
from ragate.clients.memoised.memoised_chat import Memo
from ragate.recorder.proxy.aiohttp_upstream import open_channel
from ragate.recorder.proxy.recorder import Recorder, open_recorder
from ragate.recorder.proxy.reply_resolver import Desk, Pending
from ragate.recorder.proxy.request_ledger import Ledger
from ragate.recorder.proxy.upstream import Upstream
from tests.servers.openai_server import (
    BROKEN_JSON,
    HANG,
    RESET,
    TRUNCATED,
    FakeOpenAI,
    never_the_same,
    openai_server,
    status,
)

pytestmark = pytest.mark.integration
KEY = "sk-canary-90fe3a77"
MODEL = "gpt-4o-mini"
HELLO: list[Any] = [{"role": "user", "content": "Hello?"}]


@dataclass
class Bench:
    """A provider, and recorders in front of it that share one cache."""

    provider: FakeOpenAI
    folder: Path
    stack: ExitStack
    pended: list[Pending] = field(default_factory=list)
    recorder: Recorder = field(init=False)

    def open(
        self,
        *,
        offline: bool = False,
        counts: bool = False,
        budget: Budget | None = None,
        timeout_s: float = 2.0,
        tries: int = 3,
        models: tuple[str, ...] = (),
        key: str = KEY,
        baseline: dict[str, tuple[str, ...]] | None = None,
    ) -> Desk:
        """Start a recorder; one that runs goes on beside it."""
        cache = self.stack.enter_context(Cache(self.folder / "cache.sqlite"))
        budget = budget or no_caps()
        channel = open_channel(
            base_url=self.provider.base_url,
            key=key,
            timeout_s=timeout_s,
            deadline_s=4 * timeout_s,
            concurrency=8,
            retry=Retry(tries=tries, base_s=0.01),
            budget=budget,
        )
        desk = Desk(
            provider="openai",
            memo=Memo(cache, baseline=baseline or {}, budget=budget),
            ledger=Ledger(counts=counts),
            upstream=None if offline else Upstream(channel),
            models=models,
            pend=self.pended.append,
        )
        self.recorder = self.stack.enter_context(open_recorder(desk))
        return desk

    def client(self, **options: Any) -> openai.OpenAI:
        given = {"base_url": self.recorder.base_url, "api_key": self.recorder.token, **options}
        return self.stack.enter_context(openai.OpenAI(**given))

    def raw(self, method: str, path: str, body: bytes = b"", **headers: str) -> tuple[int, Any]:
        """Return status and JSON of a request made by hand, with the right token."""
        place = urlsplit(self.recorder.base_url)
        connection = http.client.HTTPConnection(str(place.hostname), place.port, timeout=10)
        try:
            named = {"Authorization": f"Bearer {self.recorder.token}", **headers}
            connection.request(method, path, body, named)
            response = connection.getresponse()
            return response.status, json.loads(response.read() or b"{}")
        finally:
            connection.close()


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with openai_server() as provider, ExitStack() as stack:
        provider.reply = never_the_same()
        yield Bench(provider, tmp_path, stack)


def ask(client: openai.OpenAI, text: str = "Hello?", **options: Any) -> str:
    reply = client.chat.completions.create(
        model=MODEL, messages=[{"role": "user", "content": text}], **options
    )
    return str(reply.choices[0].message.content)


def streamed(client: openai.OpenAI, text: str = "Hello?", **options: Any) -> str:
    parts = client.chat.completions.create(
        model=MODEL, messages=[{"role": "user", "content": text}], stream=True, **options
    )
    return "".join(part.choices[0].delta.content or "" for part in parts if part.choices)


def test_a_request_is_forwarded_once_and_replayed_word_for_word(bench):
    bench.open()

    first, again = ask(bench.client()), ask(bench.client())

    assert first == again == "It is so, the 1. time [1]."
    assert bench.provider.seen == 1


def test_the_provider_gets_the_policys_key_and_nothing_of_the_callers(bench):
    bench.open()

    ask(bench.client(default_headers={"x-mine": "secret", "OpenAI-Organization": "mine"}))

    [(path, headers, body)] = bench.provider.requests
    assert path == "/v1/chat/completions"
    assert headers["authorization"] == f"Bearer {KEY}"
    assert body == {"model": MODEL, "messages": HELLO}
    sent = {"host", "accept", "accept-encoding", "connection", "content-type", "content-length"}
    assert set(headers) - sent == {"authorization", "user-agent"}
    assert bench.recorder.token not in str(headers)


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

    assert fresh == "It is so, the 1. time [1]."
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
    bench.provider.event_s = 0.1

    began = time.monotonic()
    parts = iter(bench.client().chat.completions.create(model=MODEL, messages=HELLO, stream=True))
    next(parts)
    first = time.monotonic() - began
    list(parts)

    assert first < 0.6 * (time.monotonic() - began)


def test_responses_come_whole_and_as_events(bench):
    bench.open()
    client = bench.client()

    whole = client.responses.create(model=MODEL, input="Hello?")
    with client.responses.stream(model=MODEL, input="Hello?") as replayed:
        events = [event.type for event in replayed]
        final = replayed.get_final_response()

    assert whole.output_text == final.output_text == "It is so, the 1. time [1]."
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


def test_faults_of_the_provider_are_repeated_here_and_nowhere_else(bench):
    bench.open()
    bench.provider.faults = [status(429), status(500), RESET]

    assert ask(bench.client()) == "It is so, the 1. time [1]."
    assert bench.provider.seen == 4


@pytest.mark.parametrize("fault", [status(500), BROKEN_JSON])
def test_a_provider_that_stays_broken_is_told_once_and_nothing_is_kept(bench, fault):
    bench.open()
    bench.provider.faults = [fault] * 3

    with pytest.raises(openai.APIStatusError) as caught:
        ask(bench.client())

    assert caught.value.status_code == 424
    assert bench.provider.seen == 3  # the client did not begin anew
    assert ask(bench.client()) == "It is so, the 1. time [1]."


def test_a_reply_that_is_cut_in_its_middle_gets_six_tries(bench):
    bench.open(tries=6)
    bench.provider.faults = [TRUNCATED] * 5

    assert ask(bench.client()) == "It is so, the 1. time [1]."
    assert bench.provider.seen == 6


def test_a_slow_provider_is_given_up_on(bench):
    bench.open(timeout_s=0.2)
    bench.provider.faults = [HANG] * 3

    with pytest.raises(openai.APIStatusError, match=r"no answer within 0\.2 s"):
        ask(bench.client())


def test_a_wrong_request_is_told_with_the_providers_own_status(bench):
    bench.open()
    bench.provider.faults = [status(400, message="max_tokens is too large")]

    with pytest.raises(openai.BadRequestError, match="max_tokens is too large"):
        ask(bench.client())

    assert bench.provider.seen == 1


def test_a_stream_that_is_cut_is_an_error_and_nothing_is_kept(bench):
    bench.open()
    bench.provider.cut_streams = True

    with pytest.raises(openai.APIError, match="cut"):
        streamed(bench.client())
    bench.provider.cut_streams = False

    assert streamed(bench.client()) == "It is so, the 2. time [1]."


def test_a_caller_that_goes_away_leaves_nothing_behind(bench):
    desk = bench.open(counts=True)
    bench.provider.latency_s = 0.5

    with pytest.raises(openai.APITimeoutError):
        ask(bench.client(timeout=0.1, max_retries=0))
    bench.provider.latency_s = 0.0
    time.sleep(0.3)
    answer = ask(bench.client())

    # The next one is the first again, not a second answer to the same question.
    assert ask(bench.client()) != answer
    assert len(desk.used) == 2


def test_without_a_provider_what_is_not_known_is_pending(bench):
    bench.open()
    known = ask(bench.client(), "known")
    desk = bench.open(offline=True)
    client = bench.client()

    for _ in range(2):
        with pytest.raises(openai.APIStatusError, match="not recorded; fulfil it") as refused:
            ask(client, "unknown", user="someone")
        assert refused.value.response.headers["x-should-retry"] == "false"

    assert ask(client, "known") == known
    assert bench.provider.seen == 1
    assert desk.pending == 1
    [pending] = bench.pended
    assert pending.request.content["messages"] == [{"role": "user", "content": "unknown"}]
    assert "user" not in pending.request.content


def test_an_asker_that_wants_several_answers_gets_several(bench):
    bench.open(counts=True)
    first = [ask(bench.client()) for _ in range(3)]
    bench.open(counts=True)

    assert len(set(first)) == 3
    assert [ask(bench.client()) for _ in range(3)] == first
    assert bench.provider.seen == 3


def test_a_cap_of_the_policy_ends_the_calls(bench):
    desk = bench.open(budget=Budget(max_calls=1, max_cost_usd=1.0))
    ask(bench.client(), "one")

    with pytest.raises(openai.APIStatusError, match="max_calls = 1"):
        ask(bench.client(), "two")

    assert desk.ledger.outside.stopped is not None
    assert bench.provider.seen == 1


def test_a_model_that_the_policy_does_not_allow_is_not_asked(bench):
    bench.open(models=("gpt-4.1-nano",))

    with pytest.raises(openai.PermissionDeniedError, match="not in"):
        ask(bench.client())

    assert bench.provider.seen == 0


def test_a_kept_reply_that_makes_no_sense_is_an_error_of_ours(bench):
    desk = bench.open()
    ask(bench.client())
    [key] = desk.used
    bench.open(baseline={key: ('{"choices": 5}',)})

    with pytest.raises(openai.InternalServerError, match="the recorder failed"):
        streamed(bench.client(max_retries=0))


def test_no_file_and_no_message_holds_the_key(bench):
    bench.provider.reply = lambda _body: f"The key is {KEY}."
    bench.open()

    assert KEY not in ask(bench.client(), "whole")
    assert KEY not in streamed(bench.client(), "in one word", max_tokens=5)
    bench.provider.faults = [status(400, message=f"wrong key {KEY}")]
    with pytest.raises(openai.BadRequestError) as caught:
        ask(bench.client(), "wrong")

    assert KEY not in str(caught.value)
    for path in bench.folder.rglob("*"):
        assert KEY.encode() not in path.read_bytes(), path


def test_a_key_that_comes_in_pieces_is_not_kept(bench):
    bench.open(key="time [1].")  # the server sends a word an event

    streamed(bench.client())

    assert ask(bench.client()) == "It is so, the 1. ***"


def test_a_recorder_of_the_same_process_is_where_the_last_one_was(bench):
    with contextlib.ExitStack() as stack:
        first = Bench(bench.provider, bench.folder, stack)
        first.open()
        client = bench.stack.enter_context(
            openai.OpenAI(base_url=first.recorder.base_url, api_key=first.recorder.token)
        )
        answer = ask(client)
    bench.open()

    assert ask(client) == answer


def test_the_variables_are_restored(bench, monkeypatch):
    import os

    monkeypatch.setenv("OPENAI_BASE_URL", "http://elsewhere")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    bench.open()

    with bench.recorder.in_this_process():
        assert os.environ["OPENAI_BASE_URL"] == bench.recorder.base_url
        assert os.environ["OPENAI_API_KEY"] == bench.recorder.token
        assert "127.0.0.1" in os.environ["NO_PROXY"]

    assert os.environ["OPENAI_BASE_URL"] == "http://elsewhere"
    assert "OPENAI_API_KEY" not in os.environ
