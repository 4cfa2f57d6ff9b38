"""Whether a provider is there and takes the key, seen without anything that is billed."""

from __future__ import annotations

import asyncio
import socket

import pytest

from ragate.clients.http import reach as module
from ragate.clients.http.retry import Retry
from ragate.clients.openai import OpenAIClient
from ragate.errors import ProviderError
from tests.servers.openai_server import openai_server

pytestmark = pytest.mark.integration
KEY = "sk-canary-0123456789"


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "RETRY", Retry(tries=3, base_s=0.01))
    monkeypatch.setattr(module, "TIMEOUT_S", 0.5)


def reached(url: str, key: str = KEY) -> None:
    asyncio.run(OpenAIClient(base_url=url, key=key, deadline_s=0.05).reach())


def test_a_server_that_is_there_is_asked_once_and_for_no_answer():
    with openai_server() as server:
        reached(server.base_url)

        assert server.looks == [KEY]
        assert server.requests == []


def test_a_refused_key_is_an_error_that_does_not_show_it():
    with openai_server() as server:
        server.refused.add(KEY)
        with pytest.raises(ProviderError, match="refuses the key: HTTP 401") as raised:
            reached(server.base_url)

    assert raised.value.fatal
    assert KEY not in str(raised.value)


def test_a_closed_port_is_an_error():
    with pytest.raises(ProviderError, match=r"127\.0\.0\.1:1 cannot be reached") as raised:
        reached("http://127.0.0.1:1/v1")

    assert "check base_url" in raised.value.remedy


def test_a_server_that_says_nothing_may_be_one_that_works():
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        reached(f"http://127.0.0.1:{silent.getsockname()[1]}/v1")


def test_a_server_without_keys_that_wants_one_is_no_refusal():
    with openai_server() as server:
        server.refused.add("")
        reached(server.base_url, key="")
