from __future__ import annotations

import asyncio
import datetime
import threading
from collections.abc import Awaitable, Callable
from typing import TypeVar

import numpy as np
import pytest

from ragate.clients.http.retry import Retry, retry_after
from ragate.clients.openai import OpenAIClient
from ragate.embedders import openai as embedders
from ragate.errors import ConfigError, ProviderError
from ragate.protocols import ChatReply, ChatRequest
from tests.servers.faults import BROKEN_JSON, HANG, HTML, Fault, status
from tests.servers.openai_server import FakeOpenAI, openai_server

pytestmark = pytest.mark.integration
T = TypeVar("T")
KEY = "sk-canary-0123456789"
QUESTION = ChatRequest("m", (("user", "hello"),), {"temperature": 0})


class Waits:
    """Stands for time: notes the waits and does not wait."""

    def __init__(self) -> None:
        self.taken: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.taken.append(seconds)

    def retry(self) -> Retry:
        return Retry(tries=4, sleep=self, uniform=lambda _low, high: high)


def with_client(
    server: FakeOpenAI,
    use: Callable[[OpenAIClient], Awaitable[T]],
    *,
    key: str = KEY,
    timeout_s: float = 10.0,
    concurrency: int = 8,
    waits: Waits | None = None,
) -> T:
    async def run() -> T:
        client = OpenAIClient(
            base_url=server.base_url,
            key=key,
            timeout_s=timeout_s,
            concurrency=concurrency,
            retry=(waits or Waits()).retry(),
        )
        try:
            return await use(client)
        finally:
            await client.aclose()

    return asyncio.run(run())


def ask(client: OpenAIClient) -> Awaitable[ChatReply]:
    return client(QUESTION)


def test_a_chat_reply_holds_the_text_and_the_tokens(server: FakeOpenAI) -> None:
    reply = with_client(server, ask)

    assert reply == ChatReply("It is so [1].", 11, 7, None, "stop")
    path, headers, body = server.requests[0]
    assert path == "/v1/chat/completions"
    assert body["temperature"] == 0
    assert body["messages"] == [{"role": "user", "content": "hello"}]
    assert headers["authorization"] == f"Bearer {KEY}"


def test_embeddings_come_back_in_the_order_of_the_texts(server: FakeOpenAI) -> None:
    first, second = with_client(server, lambda c: c.embed(["alpha", "beta"], model="e"))
    (alone,) = with_client(server, lambda c: c.embed(["beta"], model="e"))

    assert second == alone
    assert first != second


@pytest.mark.parametrize(
    "fault", [status(429), status(500), status(503), status(408), HTML, BROKEN_JSON]
)
def test_a_passing_fault_is_tried_again(server: FakeOpenAI, fault: Fault) -> None:
    server.faults = [fault, fault]

    assert with_client(server, ask).text == "It is so [1]."
    assert len(server.requests) == 3


def test_a_server_that_hangs_counts_as_a_passing_fault(server: FakeOpenAI) -> None:
    server.faults = [HANG]

    assert with_client(server, ask, timeout_s=2.0).text == "It is so [1]."


def test_a_fault_that_stays_is_a_provider_error_of_one_line(server: FakeOpenAI) -> None:
    server.faults = [status(503, message=f"overloaded\n{KEY}\n::error::")] * 9

    with pytest.raises(ProviderError) as caught:
        with_client(server, ask)

    assert len(server.requests) == 4
    assert "HTTP 503: overloaded *** ::error:: (after 4 tries)" in caught.value.message
    assert "\n" not in caught.value.message
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("code", [400, 401, 403, 404, 422, 301, 307])
def test_a_refusal_is_not_repeated(server: FakeOpenAI, code: int) -> None:
    server.faults = [status(code, message=f"key {KEY}", location="http://127.0.0.1:9/v1")]

    with pytest.raises(ProviderError, match=f"HTTP {code}"):
        with_client(server, ask)
    assert len(server.requests) == 1


def test_a_spent_quota_is_not_repeated_although_it_is_a_429(server: FakeOpenAI) -> None:
    body = '{"error": {"message": "no money", "code": "insufficient_quota"}}'
    server.faults = [(429, {"content-type": "application/json"}, body)]

    with pytest.raises(ProviderError, match="no money"):
        with_client(server, ask)
    assert len(server.requests) == 1


def test_the_wait_a_server_asks_for_is_kept(server: FakeOpenAI) -> None:
    waits = Waits()
    server.faults = [status(429, retry_after="7"), status(500), status(500)]

    with_client(server, ask, waits=waits)

    assert waits.taken == [7.1, 1.0, 2.0]


def test_a_server_that_asks_for_too_long_a_wait_is_given_up_on(server: FakeOpenAI) -> None:
    waits = Waits()
    server.faults = [status(429, retry_after="3600")]

    with pytest.raises(ProviderError, match="after 1 try"):
        with_client(server, ask, waits=waits)
    assert waits.taken == []


def test_an_unreachable_server_is_named(server: FakeOpenAI) -> None:
    server.base_url = "http://127.0.0.1:9/v1"

    with pytest.raises(ProviderError, match=r"127\.0\.0\.1:9: cannot be reached"):
        with_client(server, ask, timeout_s=0.05)


def test_no_more_calls_than_allowed_are_under_way(server: FakeOpenAI) -> None:
    asked, under_way, most = 0, 0, 0
    three = threading.Barrier(3, timeout=60)

    def reply(_body: object) -> str:
        nonlocal asked, under_way, most
        with server.lock:
            asked += 1
            under_way += 1
            most = max(most, under_way)
            has_found_its_width = asked > 6
        if has_found_its_width:
            three.wait()
        with server.lock:
            under_way -= 1
        return "done"

    async def many(client: OpenAIClient) -> None:
        await asyncio.gather(*(client(QUESTION) for _ in range(15)))

    server.reply = reply
    with_client(server, many, concurrency=3)

    assert most == 3


def test_nothing_of_the_environment_reaches_a_request(
    server: FakeOpenAI, monkeypatch: pytest.MonkeyPatch
) -> None:
    with openai_server() as other:
        for name in ("OPENAI_BASE_URL", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"):
            monkeypatch.setenv(name, other.base_url)
        for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
            monkeypatch.setenv(name, "from-the-environment")
        monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "x-canary: from-the-environment")
        with_client(server, ask)
        with_client(server, ask, key="")

    assert other.requests == []
    assert "from-the-environment" not in str(server.requests)
    assert "authorization" not in server.requests[1][1]


def test_a_client_serves_one_event_loop_after_another(server: FakeOpenAI) -> None:
    client = OpenAIClient(base_url=server.base_url)

    async def once() -> str:
        try:
            return (await client(QUESTION)).text
        finally:
            await client.aclose()

    assert [asyncio.run(once()), asyncio.run(once())] == ["It is so [1]."] * 2


def test_texts_are_embedded_in_batches(server: FakeOpenAI) -> None:
    settings = {"provider": "p", "model": "e", "batch_size": 3, "dimensions": 8}

    found = with_client(
        server, lambda c: embedders.create(settings, lambda _name: c)(["a b", "", *"cdefg"])
    )

    assert found.shape == (7, 8)
    assert found.dtype == np.float32
    assert sorted(len(body["input"]) for _, _, body in server.requests) == [1, 3, 3]


def test_an_unknown_key_of_the_embedder_is_named(server: FakeOpenAI) -> None:
    with pytest.raises(ConfigError, match=r"did you mean 'batch_size'"):
        embedders.create({"provider": "p", "model": "e", "batchsize": 3}, lambda _name: None)  # type: ignore[arg-type,return-value]


def test_embedders_of_two_models_are_told_apart() -> None:
    def made(**settings: object) -> str:
        table = {"provider": "p", "model": "e", **settings}
        return embedders.create(table, lambda _name: None).fingerprint  # type: ignore[arg-type,return-value]

    assert made() == made(batch_size=7)
    assert len({made(), made(model="f"), made(dimensions=8), made(provider="q")}) == 4


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("7", 7.0),
        ("0.5", 0.5),
        ("-3", 0.0),
        ("Thu, 01 Jan 2026 00:00:09 GMT", 9.0),
        ("soon", None),
        (None, None),
        ("nan", 0.0),
    ],
)
def test_retry_after_is_read_as_seconds_or_as_a_date(
    value: str | None, seconds: float | None
) -> None:
    now = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)

    assert retry_after(value, now=now) == seconds
