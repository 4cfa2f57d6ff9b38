"""A key goes to its host's own port, and in clear only inside: whoever sends it, 0 bytes else."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from pydantic import SecretStr

from ragate.clients.http.reach import reach
from ragate.clients.http.transport import Transport
from ragate.contrib.history.night import send_alert
from ragate.contrib.recorder.proxy.upstream import DirectTransport
from ragate.errors import ConfigError, ProviderError
from ragate.guards import secret_address
from ragate.models.progress import unshown
from tests.integration.clients.faulty_servers import ask_many
from tests.integration.systems.http.services import ECHO, SECRET, asked, key
from tests.servers.openai_server import FakeOpenAI
from tests.servers.rag_server import rag_server
from tests.unit.systems.using import ask

pytestmark = pytest.mark.integration

SENT = {"headers_env": {"Authorization": "RAG_AUTH"}}


@dataclass
class Listener:
    """A port that takes connections and answers nothing."""

    port: int
    taken: bytearray = field(default_factory=bytearray)
    connections: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@pytest.fixture
def port() -> Iterator[Listener]:
    server = socket.create_server(("127.0.0.1", 0))
    found = Listener(server.getsockname()[1])

    def serve() -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            with connection:
                found.connections += 1
                found.taken += connection.recv(65536)

    thread = Thread(target=serve)
    thread.start()
    yield found
    server.shutdown(socket.SHUT_RDWR)
    server.close()
    thread.join()


@pytest.fixture
def public(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this machine count as a public address."""
    monkeypatch.setattr(secret_address, "is_inside", lambda _address: False)


def bound(host: str) -> dict[str, Any]:
    return {
        "http_hosts": (host.removeprefix("http://"),),
        "http_header_env": {host: ("RAG_AUTH",)},
        "environment": {"RAG_AUTH": SECRET},
    }


def http(root: Path, url: str, host: str) -> None:
    ask("http", {"url": url, **SENT}, root, timeout_s=2.0, **bound(host))


def mcp(root: Path, url: str, host: str) -> None:
    keys = {"url": url, "tool": "ask", **SENT}
    ask("mcp", keys, root, timeout_s=2.0, **bound(host))


def prepare(root: Path, url: str, host: str) -> None:
    keys = {"url": url, "prepare": [{"url": url, **SENT}]}
    ask("http", keys, root, timeout_s=2.0, **bound(host))


SYSTEMS = [http, mcp, prepare]


@pytest.mark.parametrize("send", SYSTEMS)
def test_a_second_port_of_an_allowed_host_gets_no_byte(
    tmp_path: Path, port: Listener, send: Callable[[Path, str, str], None]
) -> None:
    with pytest.raises(ConfigError, match="to the port of http, or to one that is named") as raised:
        send(tmp_path, port.url, "127.0.0.1")

    assert f'as "127.0.0.1:{port.port}" in http_hosts' in raised.value.remedy
    assert port.connections == 0
    assert not port.taken


@pytest.mark.usefixtures("public")
@pytest.mark.parametrize("send", SYSTEMS)
def test_plain_http_to_a_public_address_gets_no_byte(
    tmp_path: Path, port: Listener, send: Callable[[Path, str, str], None]
) -> None:
    with pytest.raises(ConfigError, match="goes over https, and this is plain http") as raised:
        send(tmp_path, port.url, f"127.0.0.1:{port.port}")

    assert "write https://" in raised.value.remedy
    assert port.connections == 0
    assert not port.taken


def test_an_address_of_a_variable_is_not_shown(tmp_path: Path, port: Listener) -> None:
    given = bound("127.0.0.1")
    given["environment"]["URL"] = port.url

    with pytest.raises(ConfigError, match="to the host in the variable") as raised:
        ask("http", {"url_env": "URL", **SENT}, tmp_path, **given)

    assert str(port.port) not in f"{raised.value}{raised.value.remedy}"
    assert port.connections == 0


@pytest.mark.usefixtures("public")
def test_a_rule_that_says_http_lets_a_key_go_in_clear(tmp_path: Path) -> None:
    with rag_server(ECHO) as server:
        rule = f"http://{server.host}"
        given = key(server, http_header_env={rule: ("RAG_AUTH",)})
        asked(server, tmp_path, given=given, **SENT)

    assert server.requests[0].headers["authorization"] == SECRET


def test_a_rule_that_names_the_port_counts_before_one_that_does_not(tmp_path: Path) -> None:
    with rag_server(ECHO) as server:
        asked(server, tmp_path, given=key(server, http_hosts=("127.0.0.1", server.host)), **SENT)

    assert server.requests[0].headers["authorization"] == SECRET


@pytest.mark.usefixtures("public")
def test_without_a_key_any_port_and_plain_http_are_asked_as_before(tmp_path: Path) -> None:
    with rag_server(ECHO) as server:
        output = asked(server, tmp_path, given={"http_hosts": ("127.0.0.1",)})

    assert output.error is None


@pytest.mark.usefixtures("public")
def test_no_client_of_a_provider_sends_its_key_in_clear(server: FakeOpenAI) -> None:
    async def reached() -> None:
        await reach(Transport(server.base_url, SecretStr("sk-canary")), 0.0, unshown)

    async def recorded() -> None:
        transport = DirectTransport(server.base_url, SecretStr("sk-canary"))
        transport.client(timeout_s=1.0, connections=1)

    for send in (reached, recorded):
        with pytest.raises(ProviderError, match=r"no key is sent to 127\.0\.0\.1") as raised:
            asyncio.run(send())
        assert raised.value.fatal
        assert "https:// in base_url" in raised.value.remedy
    (error,) = ask_many(server, 1)
    assert isinstance(error, ProviderError)
    assert "no key is sent" in str(error)
    assert server.seen == 0


@pytest.mark.usefixtures("public")
def test_a_provider_without_a_key_is_asked_over_plain_http(server: FakeOpenAI) -> None:
    (reply,) = ask_many(server, 1, key="")

    assert not isinstance(reply, Exception)


def test_a_provider_whose_name_is_unknown_gets_no_key_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def unheard(*_asked: object, **_how: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unheard)  # a machine's own may ask for minutes
    unknown = {"base_url": "http://no-such-host.invalid/v1"}
    (error,) = ask_many(FakeOpenAI(), 1, **unknown)

    assert isinstance(error, ProviderError)
    assert "no-such-host.invalid: cannot be reached" in str(error)


@pytest.mark.usefixtures("public")
def test_an_alert_goes_to_no_public_address_in_clear(port: Listener) -> None:
    assert send_alert(f"{port.url}/secret", "{}") == "its variable holds no https address"
    assert port.connections == 0
