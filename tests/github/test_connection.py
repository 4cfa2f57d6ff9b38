"""The way to an enterprise server: a proxy that is named, a private authority, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from pydantic import SecretStr

from ragate.errors import UsageError
from ragate.github.event.inputs import read_inputs
from ragate.github.rest.api import Api, GitHubApiError
from ragate.github.rest.connection import Connection, read_proxy
from ragate.github.rest.repository import Repository
from ragate.guards.authorities import authorities
from tests.servers.certificates import server_context, signed_by_nobody
from tests.servers.github_stub import TOKEN, GitHub
from tests.servers.serving import serving

pytestmark = pytest.mark.integration


@pytest.mark.parametrize("private", [False, True])
def test_calls_go_through_the_proxy_that_is_named(
    github: GitHub, signed: tuple[str, str], private: bool
) -> None:
    authority = signed[1] if private else ""
    # The stub answers requests to any host.
    way = Connection(proxy=SecretStr(github.url), authority=authority)
    with (
        Api("http://git.company.example/api/v3", TOKEN, connection=way) as api,
        pytest.raises(GitHubApiError, match="404"),
    ):
        Repository(api, github.name).comments(7)

    (seen,) = github.requests
    assert seen.headers["host"] == "git.company.example"
    assert seen.headers["authorization"] == f"Bearer {TOKEN}"


def test_a_proxys_password_is_in_no_message(waits: list[float]) -> None:
    way = Connection(proxy=SecretStr("http://user:pr0xy-s3cret@127.0.0.1:1"))
    with (
        Api("http://git.company.example", TOKEN, sleep=waits.append, connection=way) as api,
        pytest.raises(GitHubApiError) as caught,
    ):
        Repository(api, "o/r").comments(7)

    assert "pr0xy-s3cret" not in f"{caught.value}{caught.value!r}{vars(api)}"


@pytest.mark.parametrize(
    "value",
    [
        "proxy.company.example:3128",
        "socks5://a:1",
        "http://",
        "http://a:b",
        "http://a/x",
        "http://a b",
    ],
)
def test_what_is_no_proxy_is_refused_without_being_shown(value: str) -> None:
    with pytest.raises(UsageError, match="github-proxy") as caught:
        read_proxy(value)
    assert value not in str(caught.value)


class _Empty(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"[]")

    def log_message(self, *_arguments: object) -> None:
        return


@pytest.fixture
def signed(tmp_path: Path) -> Iterator[tuple[str, str]]:
    """Yield the address of a server, and the certificate that no public authority signed."""
    pair = signed_by_nobody(tmp_path)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Empty)
    server.socket = server_context(pair).wrap_socket(server.socket, server_side=True)
    with serving(server):
        yield f"https://127.0.0.1:{server.server_port}", pair.read_text()


def test_a_private_authority_is_trusted_where_it_is_given(
    signed: tuple[str, str], waits: list[float]
) -> None:
    url, certificate = signed
    inputs = read_inputs({"INPUT_GITHUB-CA": certificate})
    with Api(url, TOKEN, connection=inputs.connection) as api:
        assert Repository(api, "o/r").comments(7) == []
    with (
        Api(url, TOKEN, sleep=waits.append) as api,
        pytest.raises(GitHubApiError, match="certificate"),
    ):
        Repository(api, "o/r").comments(7)


def test_a_variable_of_the_environment_names_no_authority(
    signed: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, waits: list[float]
) -> None:
    url, _ = signed
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "certificate.pem"))
    authorities.cache_clear()
    with Api(url, TOKEN, sleep=waits.append) as api, pytest.raises(GitHubApiError):
        Repository(api, "o/r").comments(7)


@pytest.mark.parametrize("text", ["certs/ca.pem", "-----BEGIN CERTIFICATE-----\nx\n"])
def test_certificates_that_cannot_be_read_are_an_error_of_the_workflow(text: str) -> None:
    with pytest.raises(UsageError, match="github-ca"):
        Api("https://git.company.example", TOKEN, connection=Connection(authority=text))
