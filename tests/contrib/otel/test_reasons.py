"""Why a collector got nothing is told in words that say which variable to look at."""

from __future__ import annotations

import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import certifi
import pytest

from ragate.contrib.otel.exporting import exporting
from ragate.spans import Spanned, span
from tests.servers.certificates import server_context, signed_by_nobody
from tests.servers.serving import serving

pytestmark = pytest.mark.integration
KEY = "ingest-key-0123456789"


@contextmanager
def answering(
    *statuses: int, tls: ssl.SSLContext | None = None, headers: Mapping[str, str] | None = None
) -> Iterator[tuple[str, list[str]]]:
    """Answer with these statuses and then with 200; yield the address and the paths asked."""
    left, paths = list(statuses), []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            paths.append(self.path)
            self.send_response(left.pop(0) if left else 200, "what a server says")
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_arguments: object) -> None:
            return

    class Server(ThreadingHTTPServer):
        def handle_error(self, *_arguments: object) -> None:
            return  # a handshake that the other side ended

    server = Server(("127.0.0.1", 0), Handler)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    with serving(server):
        yield f"http{'s' if tls else ''}://127.0.0.1:{server.server_port}", paths


def sent(patch: pytest.MonkeyPatch, url: str, **variables: str) -> list[str]:
    """Send one span with these variables of the exporter; return what was said."""
    patch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
    patch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "0.7")
    patch.setenv("OTEL_EXPORTER_OTLP_HEADERS", f"x-api-key={KEY}")
    for name, value in variables.items():
        patch.setenv(f"OTEL_EXPORTER_OTLP_{name}", value)
    said: list[str] = []
    with exporting({}, texts=False, say=said.append), span(Spanned.DECIDE):
        pass
    return said


def told(said: list[str]) -> tuple[str, str]:
    """Return the reason and the variable of the one warning, which names no key."""
    (line,) = said
    first, second = line.split("\n")
    assert first.startswith("warning: telemetry: spans (1) did not reach the collector: ")
    assert first.endswith("; the verdict stands")
    assert KEY not in line
    reason = first.partition("collector: ")[2].removesuffix("; the verdict stands")
    return reason, second.removeprefix("  -> see OTEL_EXPORTER_OTLP_")


@pytest.mark.parametrize(
    ("status", "reason", "variable"),
    [
        (401, "it answered 401 Unauthorized", "HEADERS"),
        (403, "it answered 403 Forbidden", "HEADERS"),
        (404, "it answered 404 Not Found", "ENDPOINT"),
        (500, "it answered 500 Internal Server Error", "ENDPOINT"),
        (799, "it answered 799", "ENDPOINT"),
        (307, "it answered 307 Temporary Redirect, and redirects are not followed", "ENDPOINT"),
        (304, "it answered 304 Not Modified, and redirects are not followed", "ENDPOINT"),
    ],
)
def test_an_answer_is_told_by_its_status(monkeypatch, status, reason, variable):
    with answering(status, headers={"Location": "/elsewhere"}) as (url, paths):
        said = sent(monkeypatch, url)

    assert told(said) == (reason, variable)
    assert paths == ["/v1/traces"]


def test_after_a_batch_that_was_refused_none_is_sent(monkeypatch):
    monkeypatch.setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "1")
    said: list[str] = []
    with answering(401, 401, 401) as (url, paths):
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
        with exporting({}, texts=False, say=said.append):
            for _ in range(3):
                with span(Spanned.DECIDE):
                    pass

    assert paths == ["/v1/traces"]
    assert "spans (3) did not reach the collector: it answered 401 Unauthorized" in said[0]


def test_what_passes_is_tried_again_and_not_told(monkeypatch):
    with answering(503, 429, headers={"Retry-After": "0"}) as (url, paths):
        said = sent(monkeypatch, url)

    assert not said
    assert paths == ["/v1/traces"] * 3


def test_what_does_not_pass_is_told_with_the_last_answer(monkeypatch):
    with answering(503, headers={"Retry-After": "60"}) as (url, paths):
        said = sent(monkeypatch, url)

    assert told(said) == ("it answered 503 Service Unavailable", "ENDPOINT")
    assert paths == ["/v1/traces"]


@pytest.mark.parametrize(
    ("variables", "reason", "variable"),
    [
        ({}, "no connection (Connection refused)", "ENDPOINT"),
        ({"TRACES_ENDPOINT": "no address"}, "its address cannot be used", "ENDPOINT"),
        ({"TRACES_ENDPOINT": "collector:4318"}, "its address cannot be used", "ENDPOINT"),
        ({"TRACES_ENDPOINT": "ftp://127.0.0.1"}, "its address cannot be used", "ENDPOINT"),
        ({"TRACES_ENDPOINT": "http://["}, "its address cannot be used", "ENDPOINT"),
        ({"HEADERS": "x-key=a%0Ab"}, "a header cannot be sent", "HEADERS"),
        ({"HEADERS": "x-key=%E2%82%AC"}, "a header cannot be sent", "HEADERS"),
        (
            {"TRACES_ENDPOINT": "https://127.0.0.1:9", "CERTIFICATE": "/nowhere/ca.pem"},
            "a certificate's file cannot be read",
            "CERTIFICATE",
        ),
    ],
)
def test_what_keeps_a_request_from_being_made_is_told(monkeypatch, variables, reason, variable):
    assert told(sent(monkeypatch, "http://127.0.0.1:9", **variables)) == (reason, variable)


@pytest.fixture
def signed(tmp_path: Path) -> Path:
    return signed_by_nobody(tmp_path)


def test_an_authority_is_trusted_where_it_is_named(monkeypatch, signed):
    # The certificate of the exporter is for the exporter, and wins.
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", certifi.where())
    with answering(tls=server_context(signed)) as (url, paths):
        reason, variable = told(sent(monkeypatch, url))
        assert not sent(monkeypatch, url, CERTIFICATE=str(signed))

    assert reason == "its certificate is not trusted (self-signed certificate)"
    assert variable == "CERTIFICATE"
    assert paths == ["/v1/traces"]


def test_a_certificate_of_another_host_is_told_without_its_name(monkeypatch, signed):
    with answering(tls=server_context(signed)) as (url, _):
        other = url.replace("127.0.0.1", "localhost")
        reason, _ = told(sent(monkeypatch, other, CERTIFICATE=str(signed)))

    assert reason == "its certificate is not trusted (Hostname mismatch)"


def test_a_client_shows_its_certificate(monkeypatch, signed):
    context = server_context(signed)
    context.load_verify_locations(signed)
    context.verify_mode = ssl.CERT_REQUIRED
    with answering(tls=context) as (url, paths):
        reason, variable = told(sent(monkeypatch, url, CERTIFICATE=str(signed)))
        assert not paths
        assert not sent(monkeypatch, url, CLIENT_CERTIFICATE=str(signed))

    assert reason.startswith("no secure connection (")  # an alert, or the connection's end
    assert variable == "CERTIFICATE"


def test_plain_http_where_tls_is_spoken_is_told(monkeypatch, signed):
    with answering(200) as (url, _):
        reason, _ = told(sent(monkeypatch, url.replace("http:", "https:")))

    assert reason.startswith("no secure connection (")
