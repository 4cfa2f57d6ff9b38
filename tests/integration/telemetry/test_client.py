"""One request to a collector: as the SDK's exporter makes it, repeated where that may help."""

from __future__ import annotations

import gzip
import ssl
import subprocess
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import httpx
import pytest
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace.export import SpanExportResult

from ragate.telemetry.collector.client import CollectorClient
from ragate.telemetry.collector.destination import destination

pytestmark = pytest.mark.integration
UNPACK: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.decompress,
    "deflate": zlib.decompress,
    "": bytes,
}
BODY = b"spans" * 100
# What the two HTTP clients add of their own.
TRANSPORT = {
    *("accept", "accept-encoding", "connection", "content-length", "host", "user-agent"),
}


@dataclass
class Scripted:
    """A server that answers as it is told, then with 200; a status of 0 hangs up."""

    answers: list[tuple[int, Mapping[str, str]]] = field(default_factory=list)
    url: str = ""
    paths: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)


@contextmanager
def scripted(
    *answers: int, tls: ssl.SSLContext | None = None, **headers: str
) -> Iterator[Scripted]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    seen = Scripted([(status, named) for status in answers])

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            seen.paths.append(self.path)
            seen.headers.append({name.lower(): value for name, value in self.headers.items()})
            seen.bodies.append(UNPACK[self.headers.get("Content-Encoding", "")](body))
            status, added = seen.answers.pop(0) if seen.answers else (200, {})
            if not status:
                self.close_connection = True
                return
            self.send_response(status)
            for name, value in added.items():
                self.send_header(name, value)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_arguments: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    seen.url = f"{'http' if tls is None else 'https'}://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield seen
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def post(seen: Scripted, patch: pytest.MonkeyPatch, **variables: str) -> bool:
    """Send one request as the variables say, and return whether it was taken."""
    patch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", seen.url)
    for name, value in variables.items():
        patch.setenv(f"OTEL_EXPORTER_OTLP_{name}", value)
    client = CollectorClient(destination("traces"))
    try:
        return client.post(BODY, until=time.monotonic() + 30)
    finally:
        client.close()


@pytest.mark.parametrize(
    "variables",
    [
        {},
        {"HEADERS": "x-api-key=a%20b,Other=%C3%A9,odd=plain value", "COMPRESSION": "gzip"},
        {"TRACES_HEADERS": "authorization=Bearer%20x", "TRACES_COMPRESSION": "deflate"},
        {"HEADERS": "content-encoding=gzip", "COMPRESSION": "gzip"},
    ],
)
def test_a_request_is_the_one_that_the_sdk_makes(monkeypatch, variables):
    with scripted() as seen:
        assert post(seen, monkeypatch, **variables)
        assert OTLPSpanExporter().export([]) is SpanExportResult.SUCCESS

    ours, theirs = (
        {name: value for name, value in each.items() if name not in TRANSPORT}
        for each in seen.headers
    )
    assert ours == theirs
    assert seen.paths == ["/v1/traces", "/v1/traces"]
    assert seen.bodies == [BODY, b""]
    assert seen.headers[0]["user-agent"].startswith("ragate/")


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_what_may_help_is_tried_again_when_the_collector_says(monkeypatch, status):
    with scripted(status, status, Retry_After="0") as seen:
        assert post(seen, monkeypatch)

    assert seen.bodies == [BODY] * 3


@pytest.mark.parametrize("status", [301, 400, 401, 404, 413, 500, 501])
def test_what_cannot_help_is_not_tried_again(monkeypatch, status):
    with scripted(status, Location="/elsewhere") as seen:
        assert not post(seen, monkeypatch)

    assert len(seen.bodies) == 1


def test_a_wait_past_the_timeout_is_not_begun(monkeypatch):
    started = time.monotonic()
    with scripted(503, Retry_After="60") as seen:
        assert not post(seen, monkeypatch)

    assert len(seen.bodies) == 1
    assert time.monotonic() - started < 4


def test_a_connection_that_was_closed_meanwhile_is_made_anew_at_once(monkeypatch):
    started = time.monotonic()
    with scripted(0) as seen:
        assert post(seen, monkeypatch)

    assert len(seen.bodies) == 2
    assert time.monotonic() - started < 0.7  # the first pause is .8 s at least


@pytest.fixture
def signed(tmp_path: Path) -> Path:
    """Return a file with a key and a certificate for this machine that no authority signed."""
    pair = tmp_path / "pair.pem"
    made = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    made += ["-nodes", "-days", "2", "-subj", "/CN=collector", "-addext"]
    made += ["subjectAltName=IP:127.0.0.1", "-keyout", str(pair), "-out", str(tmp_path / "c.pem")]
    try:
        subprocess.run(made, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"openssl cannot make a certificate: {error}")
    pair.write_text(pair.read_text() + (tmp_path / "c.pem").read_text())
    return pair


def test_an_authority_is_trusted_where_it_is_named(monkeypatch, signed):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(signed)
    with scripted(tls=context) as seen:
        assert post(seen, monkeypatch, CERTIFICATE=str(signed))
        assert not post(seen, monkeypatch, CERTIFICATE="", TIMEOUT="0.5")


def test_a_client_shows_its_certificate(monkeypatch, signed):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(signed)
    context.load_verify_locations(signed)
    context.verify_mode = ssl.CERT_REQUIRED
    with scripted(tls=context) as seen:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_CERTIFICATE", str(signed))
        assert post(seen, monkeypatch, CLIENT_CERTIFICATE=str(signed))
        assert not post(seen, monkeypatch, CLIENT_CERTIFICATE="", TIMEOUT="0.5")


@pytest.mark.parametrize("url", ["", "collector:4318", "ftp://127.0.0.1", "http://[", "http://\n"])
def test_an_address_that_is_none_is_not_taken(monkeypatch, url):
    with scripted() as seen:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", url or "nonsense")
        try:
            taken = post(seen, monkeypatch, TIMEOUT="0.5")
        except httpx.InvalidURL:
            taken = False

    assert not taken
    assert not seen.bodies
