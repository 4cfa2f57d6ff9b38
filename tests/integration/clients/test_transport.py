"""A request goes to its own host, and no key gets out."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import ssl
import time
import traceback
from pathlib import Path
from urllib.parse import quote

import pytest
from openai import APIConnectionError
from pydantic import SecretStr

from ragate.clients.http import session
from ragate.clients.http.retry import Retry
from ragate.clients.http.transport import Transport, post
from ragate.clients.openai import OpenAIClient
from ragate.errors import ProviderError
from ragate.protocols import ChatReply
from tests.integration.clients.faulty_servers import KEY, ask_many
from tests.servers.certificates import server_context, signed_by_nobody
from tests.servers.faults import EVERY_KIND, Chaos, Fault, status
from tests.servers.openai_server import FakeOpenAI, openai_server

pytestmark = pytest.mark.integration


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_a_redirect_leads_nowhere(server: FakeOpenAI, code: int) -> None:
    with openai_server() as other:
        server.chaos = Chaos(1.0, kinds=[status(code, location=f"{other.base_url}/chat")])
        found = ask_many(server, 5, concurrency=1)

    assert other.seen == 0
    assert server.seen == 1
    assert all(error.fatal for error in found)


def test_a_request_to_another_host_is_stopped(server: FakeOpenAI) -> None:
    with openai_server() as other:

        async def main() -> None:
            transport = Transport(server.base_url, SecretStr(KEY))
            client = transport.client(timeout_s=1.0, connections=1)
            with pytest.raises(APIConnectionError):
                await post(client, f"{other.base_url}/chat/completions", {})
            await client.close()

        asyncio.run(main())

    assert other.seen == server.seen == 0


@pytest.mark.parametrize("trusted", [True, False])
def test_a_key_goes_to_a_server_alone_whose_certificate_is_trusted(
    trusted: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair = signed_by_nobody(tmp_path)
    if trusted:
        ours = ssl.create_default_context(cafile=str(pair))
        monkeypatch.setattr(session, "authorities", lambda: ours)
    with openai_server(tls=server_context(pair)) as server:
        (found,) = ask_many(server, 1, retry=Retry(tries=1))

    assert server.seen == trusted
    assert isinstance(found, ChatReply) == trusted
    assert trusted or "certificate" in found.message


def test_a_connection_that_its_server_has_closed_is_not_used_again(server: FakeOpenAI) -> None:
    server.closes = True

    async def main() -> None:
        client = Transport(server.base_url, SecretStr(KEY)).client(timeout_s=5.0, connections=1)
        for number in range(3):
            await post(client, "/chat/completions", {"messages": [], "model": "m"})
            while server.closed <= number:
                time.sleep(0.01)  # noqa: ASYNC251 - nothing reads meanwhile that it is closed
        await client.close()

    asyncio.run(main())

    assert server.seen == 3


@pytest.mark.parametrize("name", ["caf\u00e9", "session"])
def test_a_cookie_of_a_server_is_not_kept(server: FakeOpenAI, name: str) -> None:
    # By its number no server's cookie would be kept, whatever keeps them.
    server.base_url = server.base_url.replace("127.0.0.1", "localhost")
    server.faults = [(503, {"set-cookie": f"{name}=1"}, "{}")]

    (reply,) = ask_many(server, 1)

    assert isinstance(reply, ChatReply)
    assert len(server.requests) > 1
    names = {header.lower() for _, headers, _ in server.requests for header in headers}
    assert "cookie" not in names


def test_a_head_may_be_as_long_as_servers_make_it(server: FakeOpenAI) -> None:
    server.faults = [status(400, message="seen", x_policy="x" * 60_000)]

    (error,) = ask_many(server, 1)

    assert "HTTP 400: seen" in error.message


@pytest.mark.parametrize(
    ("headers", "told"),
    [
        ({"no token": "x"}, "cannot be reached: not readable as HTTP"),
        ({"content-encoding": "gzip", "Content-Encoding": "gzip"}, "packed as 'gzip, gzip'"),
    ],
)
def test_what_is_wrong_with_an_answer_is_told(
    server: FakeOpenAI, headers: dict[str, str], told: str
) -> None:
    server.faults = [(200, headers, "{}")]

    (error,) = ask_many(server, 1, retry=Retry(tries=1))

    assert told in error.message


FORMS = {
    KEY,
    base64.b64encode(KEY.encode()).decode().rstrip("="),
    quote(KEY, safe=""),
    json.dumps(KEY)[1:-1],
    repr(KEY)[1:-1],
    "canary",
}


ECHO = " ".join(sorted(FORMS))


CODES = [status(code, message=ECHO) for code in (400, 401, 403, 404, 422, 429, 500, 503, 307)]


ECHOES: list[Fault] = [
    *CODES,
    (200, {"content-type": "text/html"}, f"<p>{ECHO}</p>"),
    (200, {"content-type": "application/json"}, f'{{"{KEY}'),
    (200, {"content-type": "application/json", "x-echo": quote(KEY)}, "[]"),
    (500, {"content-type": "text/plain"}, ECHO),
    (429, {"content-type": "application/json"}, json.dumps({"error": ECHO})),
    *EVERY_KIND,
]


@pytest.mark.parametrize("fault", ECHOES, ids=lambda fault: f"{fault[0]}-{len(fault[2])}")
def test_no_key_gets_out_whatever_goes_wrong(
    server: FakeOpenAI, fault: Fault, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.chaos = Chaos(1.0, kinds=[fault])
    server.hang_s = 0.5

    (error,) = ask_many(server, 1, timeout_s=0.2, deadline_s=0.6)

    assert isinstance(error, ProviderError)
    shown = "".join(traceback.format_exception(error, chain=True))
    sinks = [str(error), repr(error), shown, repr(error.__context__), caplog.text]
    # The word alone is no secret: what a server makes up is not known to be one.
    for form in FORMS - {"canary"}:
        assert not any(form in sink for sink in sinks), form


def test_a_key_in_an_answer_is_cut_out(server: FakeOpenAI) -> None:
    server.reply = lambda _body: f"your key is {KEY}"

    (reply,) = ask_many(server, 1)

    assert reply.text == "your key is ***"


def test_the_client_and_its_parts_do_not_show_the_key(server: FakeOpenAI) -> None:
    client = OpenAIClient(base_url=server.base_url, key=KEY)

    assert KEY not in f"{client!r} {vars(client)!r} {vars(client._channel)!r}"
