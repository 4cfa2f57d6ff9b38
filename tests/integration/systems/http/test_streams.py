"""Services that stream: what is measured, and how a stream ends that would not."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from ragate.errors import ConfigError
from ragate.models import SystemOutput
from tests.factories import sample_factory
from tests.integration.systems.http.services import asked, key, one, refused
from tests.servers.rag_server import Request, Sent, rag_server
from tests.unit.systems import using
from tests.unit.systems.using import message, resources_of

pytestmark = pytest.mark.integration
STREAM = {"format": "sse"}


def _events(*texts: str, pause_s: float = 0.0) -> Iterator[bytes]:
    for text in texts:
        yield f"data: {json.dumps({'t': text})}\n\n".encode()
        time.sleep(pause_s)


def _two_texts() -> Iterator[bytes]:
    yield from _events("", pause_s=0.4)
    yield from _events("For", pause_s=2.0)
    yield from _events(" 30.")


def _streamed(root: Path, parts: Any, **settings: Any) -> SystemOutput:
    keys = {"stream": STREAM, "pointers": {"answer": "/t"}, **settings}
    return one(lambda _request: Sent(parts=parts()), root, **keys)


def test_the_time_to_the_first_text_is_measured(tmp_path: Path):
    output = _streamed(tmp_path, _two_texts)

    assert output.answer == "For 30."
    assert output.first_token_s is not None
    assert output.latency_s is not None
    assert output.first_token_s >= 0.4
    assert output.latency_s >= output.first_token_s + 0.4  # of 2: a machine may be busy


def test_a_service_that_streams_for_ever_fails_its_sample_with_the_remedy(tmp_path: Path):
    def endless() -> Iterator[bytes]:
        end = time.monotonic() + 20
        while time.monotonic() < end:
            yield from _events("x", pause_s=0.01)

    with rag_server(lambda _request: Sent(parts=endless())) as server:
        keys = {"url": server.url, "stream": STREAM, "pointers": {"answer": "/t"}}
        resources = resources_of(tmp_path, http_hosts=(server.host,), timeout_s=3.0)
        output = asyncio.run(using.asked("http", keys, resources, [sample_factory()]))[0]

    assert "the service still streams after 2.85 s and" in message(output)
    assert "[system.stream] end" in message(output)


def test_a_stream_that_falls_silent_fails_its_sample(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("ragate.systems.http.system.IDLE_S", 1.0)
    over = Event()

    def silent() -> Iterator[bytes]:
        yield from _events("x")
        over.wait(60)

    output = _streamed(tmp_path, silent)
    over.set()

    assert "streamed nothing for 1 s after 1 events" in message(output)


def test_a_stream_is_read_to_its_mark_and_no_further(tmp_path: Path):
    over, ended = Event(), Event()

    def lingering() -> Iterator[bytes]:
        yield from _events("x")
        yield b"data: [DONE]\n\n"
        over.wait(60)
        ended.set()

    output = _streamed(tmp_path, lingering)

    assert output.answer == "x"
    assert not ended.is_set()
    over.set()


def test_a_stream_larger_than_a_reply_may_be_fails_its_sample(tmp_path: Path):
    output = _streamed(tmp_path, lambda: (b"data: x" * 150_000 for _ in range(20)))

    assert "more than 16777216 bytes" in message(output)


def test_a_body_beside_a_status_of_failure_is_no_stream(tmp_path: Path):
    output = one(lambda _: Sent(status=500, body=b"broken"), tmp_path, stream=STREAM)

    assert "answered 500: broken" in message(output)


def test_a_key_that_comes_back_in_two_events_is_cut_out(tmp_path: Path):
    def echo(request: Request) -> Sent:
        value = request.headers["authorization"]
        return Sent(parts=_events(value[:10], value[10:]))

    with rag_server(echo) as server:
        keys = {"headers_env": {"Authorization": "RAG_AUTH"}, "pointers": {"answer": "/t"}}
        output = asked(server, tmp_path, stream=STREAM, given=key(server), **keys)

    assert output.answer == "***"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b'event: data\ndata: {"t": 1}\n\n', 'stream = {format = "sse"}'),
        (b'{"t": 1}\n{"t": 2}\n', 'stream = {format = "ndjson"}'),
    ],
)
def test_a_stream_that_nobody_expected_names_the_key(tmp_path: Path, body: bytes, kind: str):
    assert kind in message(one(lambda _: Sent(body=body), tmp_path, pointers={"answer": "/t"}))
    assert "stream" not in message(one(lambda _: Sent(body=b"<html>"), tmp_path))


def test_the_kind_of_stream_is_asked_for(tmp_path: Path):
    with rag_server(lambda _request: Sent(parts=_events("x"))) as server:
        asked(server, tmp_path, stream=STREAM, pointers={"answer": "/t"})

    assert server.requests[0].headers["accept"].startswith("text/event-stream")


def test_a_stream_names_its_build_in_a_header(tmp_path: Path):
    refused(
        tmp_path, ConfigError, "names its build in version_header", stream=STREAM,
        version_pointer="/v",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"stream": {"end": ["x"]}}, 'stream needs format = "sse"'),
        ({"stream": {"format": "text"}, "pointers": {"ids": "/i"}}, "pointers lead nowhere"),
        ({"stream": {"format": "text", "end": ["x"]}}, "has no events"),
    ],
)
def test_keys_of_a_stream_that_mean_nothing_are_refused(
    tmp_path: Path, settings: dict[str, Any], told: str
):
    refused(tmp_path, ConfigError, told, **settings)
