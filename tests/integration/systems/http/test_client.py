"""The http system against services on loopback."""

from __future__ import annotations

import json
import socket
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from ragate.errors import ConfigError, SystemMismatchError, SystemStartError
from ragate.models import SystemOutput
from ragate.repository.git import head_commit
from ragate.systems.http import client
from tests.factories import sample_factory
from tests.integration.systems.http.services import ECHO, SECRET, asked, key, one, refused
from tests.repositories import git
from tests.servers.ports import free_port
from tests.servers.rag_server import Request, Sent, rag_server
from tests.unit.systems.using import ask, info, message

pytestmark = pytest.mark.integration


def test_a_service_that_is_unavailable_was_not_measured(tmp_path: Path):
    output = one(lambda _: Sent(status=503, body=b"no database"), tmp_path)

    assert output.error is not None
    assert output.error.kind == "provider"
    assert output.error.message == "the service answered 503: no database"


def test_a_get_is_tried_again_where_the_service_was_busy(tmp_path: Path):
    replies = [Sent(status=503), Sent(drop=True), {"answer": "x"}]

    output = one(lambda _: replies.pop(0), tmp_path, method="GET")

    assert output.answer == "x"


def test_a_get_is_tried_again_when_the_service_says(tmp_path: Path):
    times: list[float] = []

    def busy(_request: Request) -> Any:
        times.append(time.monotonic())
        once = Sent(status=503, headers={"Retry-After": "1"})
        return once if len(times) == 1 else {"answer": "x"}

    output = one(busy, tmp_path, method="GET")

    assert output.answer == "x"
    assert times[1] - times[0] >= 1.0


def test_a_service_that_asks_for_a_long_wait_is_not_waited_for(tmp_path: Path):
    calls: list[Request] = []

    def busy(request: Request) -> Any:
        calls.append(request)
        return Sent(status=503, headers={"Retry-After": "60"})

    output = one(busy, tmp_path, method="GET")

    assert output.error is not None
    assert output.error.kind == "provider"
    assert len(calls) == 3  # of the sample, whose provider gave nothing; one call each


@pytest.mark.parametrize("inside", [True, False])
def test_a_service_that_is_not_there_is_unmeasured_not_wrong(
    inside: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(client, "in_container", lambda: inside)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        host = f"127.0.0.1:{taken.getsockname()[1]}"
        output = ask("http", {"url": f"http://{host}/"}, tmp_path, http_hosts=(host,))[0]

    assert output.error is not None
    assert output.error.kind == "provider"
    assert f"no connection to {host}" in output.error.message
    explained = "in a container localhost is the container itself"
    assert (explained in output.error.message) == inside


def test_a_slow_service_runs_out_of_time(tmp_path: Path):
    def slow(_request: Request) -> Any:
        time.sleep(1.0)
        return {"answer": "x"}

    with rag_server(slow) as server:
        settings = {"url": server.url}
        output = ask("http", settings, tmp_path, timeout_s=0.2, http_hosts=(server.host,))[0]

    assert "no output within 0.2 s" in message(output)


@pytest.mark.parametrize(
    "reply",
    [
        Sent(status=401, body=SECRET.encode()),
        Sent(status=302, headers={"location": f"/?{SECRET}"}),
        Sent(body=SECRET.encode()),
        {"answer": [SECRET]},
        {"answer": ["x" * 60 + SECRET]},
        Sent(body=b"x" * 105 + SECRET.encode()),
        Sent(status=500, body=b"x" * 190 + SECRET.encode()),
        Sent(status=400, body=b"token canary-4711 is unknown"),
    ],
)
def test_a_key_that_a_service_sends_back_is_in_no_message(tmp_path: Path, reply: Any):
    with rag_server(lambda _: reply) as server:
        headers = {"Authorization": "RAG_AUTH"}
        output = asked(server, tmp_path, headers_env=headers, given=key(server))

    assert "canary" not in message(output)
    assert "Bearer" not in message(output)


def test_a_key_that_a_service_sends_back_is_in_no_answer(tmp_path: Path):
    with rag_server(lambda _: {"answer": f"You sent {SECRET}."}) as server:
        headers = {"Authorization": "RAG_AUTH"}
        output = asked(server, tmp_path, headers_env=headers, given=key(server))

    assert output.answer == "You sent ***."


def test_keys_that_prepare_sent_or_the_service_was_given_are_in_no_answer(tmp_path: Path):
    with rag_server(lambda _: {"answer": "canary-1 and Y2FuYXJ5LTIyMjI="}) as server:
        given = {
            "environment": {"LOAD_KEY": "Bearer canary-1", "RAG_KEY": "canary-2222"},
            "key_names": frozenset({"LOAD_KEY", "RAG_KEY"}),
            "http_header_env": {server.host: ("LOAD_KEY",)},
        }
        step = {"url": server.url, "headers_env": {"Authorization": "LOAD_KEY"}}
        output = asked(server, tmp_path, prepare=[step], pass_env=["RAG_KEY"], given=given)

    assert output.answer == "*** and ***"


def test_a_service_does_not_know_one_sample_from_the_last_by_a_cookie(tmp_path: Path):
    def cookie(_request: Request) -> Any:
        return Sent(headers={"set-cookie": "session=1"}, body=b'{"answer": "x"}')

    samples = [sample_factory(f"q{number}") for number in range(3)]
    with rag_server(cookie) as server:
        # By its number no server's cookie would be kept, whatever keeps them.
        url = server.url.replace("127.0.0.1", "localhost")
        given: dict[str, Any] = {"http_hosts": (f"localhost:{server.port}",), "concurrency": 1}
        ask("http", {"url": url}, tmp_path, samples=samples, **given)

    assert [request.headers.get("cookie") for request in server.requests] == [None] * 3


def test_nothing_of_the_environment_reroutes_a_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    with rag_server(ECHO) as proxy, rag_server(ECHO) as server:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, f"http://{proxy.host}")
        (tmp_path / ".netrc").write_text("machine 127.0.0.1 login user password canary")
        monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
        asked(server, tmp_path)

    assert proxy.requests == []
    assert "authorization" not in server.requests[0].headers


@pytest.mark.parametrize(
    ("headers", "told"),
    [
        ({"Host": "evil"}, "'Host' is no header that can be set"),
        ({"X: y\r\nZ": "a"}, "is no header that can be set"),
        ({"X": "a\r\nY: b"}, "a character that no header takes"),
    ],
)
def test_headers_cannot_break_out(tmp_path: Path, headers: dict[str, str], told: str):
    refused(tmp_path, ConfigError, told, headers=headers)


def test_the_address_may_be_in_a_variable_whose_value_is_never_shown(tmp_path: Path):
    with rag_server(ECHO) as server:
        given: dict[str, Any] = {"environment": {"URL": server.url}, "http_hosts": (server.host,)}
        output = ask("http", {"url_env": "URL"}, tmp_path, **given)[0]
        given["environment"] = {"URL": "https://canary-4711/"}
        with pytest.raises(ConfigError) as elsewhere:
            ask("http", {"url_env": "URL"}, tmp_path, **given)
        given |= {"environment": {"URL": "canary-4711"}}
        with pytest.raises(ConfigError) as raised:
            ask("http", {"url_env": "URL"}, tmp_path, **given)

    assert output.answer
    assert "canary" not in str(raised.value)
    assert "canary" not in f"{elsewhere.value} {elsewhere.value.remedy}"


def test_the_host_in_a_variable_is_in_no_message_of_a_request(tmp_path: Path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        given: dict[str, Any] = {
            "environment": {"URL": f"http://localhost:{port}/"},
            "http_hosts": ("localhost",),
        }
        output = ask("http", {"url_env": "URL"}, tmp_path, **given)[0]
    assert output.error is not None
    assert "no connection to the host in the variable" in output.error.message
    assert not {"localhost", "127.0.0.1", str(port)} & set(output.error.message.split())

    given["environment"] = {"URL": "http://canary-4711.invalid/"}
    given["http_hosts"] = ("canary-4711.invalid",)
    with pytest.raises(SystemStartError) as unknown:
        ask("http", {"url_env": "URL"}, tmp_path, **given)
    assert "canary" not in str(unknown.value)

    def failing(request: Request) -> Any:
        told = f"no route at {request.headers['host'].partition(':')[0]}"
        return Sent(status=500, body=told.encode())

    with rag_server(failing) as server:
        given = {"environment": {"URL": server.url}, "http_hosts": (server.host,)}
        output = ask("http", {"url_env": "URL"}, tmp_path, **given)[0]
    assert "no route at ***" in message(output)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "x")
    return tmp_path


def versioned(version: str) -> Any:
    reply = {"answer": "x", "meta": {"commit": version}}
    return lambda _request: Sent(headers={"X-Version": version}, body=json.dumps(reply).encode())


@pytest.mark.parametrize(
    "settings", [{"version_header": "X-Version"}, {"version_pointer": "/meta/commit"}]
)
@pytest.mark.parametrize("digits", [7, 12, 40])
def test_the_build_of_the_head_commit_may_answer(project: Path, settings: Any, digits: int):
    version = head_commit(project)[:digits]

    assert one(versioned(version), project, **settings).answer == "x"


@pytest.mark.parametrize("version", ["", "0" * 40, "main", "HEAD6"])
@pytest.mark.parametrize(
    "settings",
    [
        {"version_header": "X-Version"},
        {"version_header": "X-Other"},
        {"version_pointer": "/meta/commit"},
        {"version_pointer": "/meta/build"},
    ],
)
def test_any_other_build_is_no_decision(project: Path, settings: Any, version: str):
    version = version.replace("HEAD6", head_commit(project)[:6])

    with pytest.raises(SystemMismatchError) as raised:
        one(versioned(version), project, **settings)

    assert raised.value.exit_code == 3


def test_the_version_may_stand_at_an_address_of_its_own(project: Path):
    def handle(request: Request) -> Any:
        right = {"commit": head_commit(project)}
        return right if request.path == "/version" else {"answer": "x"}

    with rag_server(handle) as server:
        url = f"http://{server.host}/version"
        settings = {"version_url": url, "version_pointer": "/commit"}
        output = asked(server, project, **settings)

    assert output.answer == "x"
    assert [request.path for request in server.requests] == ["/version", "/ask"]


def test_a_project_without_a_commit_cannot_demand_one(tmp_path: Path):
    refused(tmp_path, SystemMismatchError, "the project has no commit", version_header="X-Version")


SERVICE = """
import http.server, json, sys, time
time.sleep(0.4)
class Handler(http.server.BaseHTTPRequestHandler):
    def reply(self):
        self.rfile.read(int(self.headers.get("content-length", 0)))
        body = json.dumps({"answer": "x"}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    do_GET = do_POST = reply
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


def started(root: Path, code: str, **settings: Any) -> SystemOutput:
    port = free_port()
    (root / "service.py").write_text(code)
    host = f"127.0.0.1:{port}"
    keys = {
        "url": f"http://{host}/ask",
        "start": [sys.executable, "service.py", str(port)],
        "health": f"http://{host}/health",
        **settings,
    }
    output = ask("http", keys, root, http_hosts=(host,))[0]
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0, "the service has ended"
    return output


def test_a_service_is_started_waited_for_and_ended(tmp_path: Path):
    assert started(tmp_path, SERVICE).answer == "x"


def test_a_service_that_is_up_already_is_not_taken_for_the_one_to_start(tmp_path: Path):
    with rag_server(lambda _: {"answer": "of another build"}) as server:
        url = f"http://{server.host}/health"
        with pytest.raises(SystemStartError, match="answers already, before"):
            asked(server, tmp_path, start=[sys.executable, "-c", ""], health=url)


@pytest.mark.parametrize(
    ("code", "within_s", "told"),
    [
        ("raise SystemExit('no index')", 60.0, "ended with exit code 1; it last wrote: no index"),
        (
            "raise SystemExit('ValueError: no\\nERROR: Application startup failed. Exiting.')",
            60.0,
            "it last wrote: ValueError: no",
        ),
        ("import time; time.sleep(60)", 0.8, "no success in 0.8 s: no connection to 127.0.0.1"),
    ],
)
def test_a_service_that_does_not_come_up_is_no_decision(
    tmp_path: Path, code: str, within_s: float, told: str
):
    with pytest.raises(SystemStartError) as raised:
        started(tmp_path, code, start_timeout_s=within_s)

    assert told in str(raised.value)
    assert raised.value.exit_code == 3


@pytest.mark.parametrize(
    ("listens", "told"),
    [
        (True, "something listens there and is not ready"),
        (False, "nothing listens at the address of health: compare"),
    ],
)
def test_a_service_that_is_not_ready_is_told_from_one_that_does_not_listen(
    tmp_path: Path, listens: bool, told: str
):
    sleeps = [sys.executable, "-c", "import time; time.sleep(60)"]
    with rag_server(lambda _: Sent(status=503)) as server:
        host = server.host if listens else f"127.0.0.1:{free_port()}"
        keys = {"health": f"http://{host}/health", "start_timeout_s": 0.8}
        keys |= {} if listens else {"start": sleeps}
        with pytest.raises(SystemStartError) as raised:
            ask("http", {"url": f"http://{host}/ask", **keys}, tmp_path, http_hosts=(host,))

    assert told in raised.value.remedy
    assert "start_timeout_s" in raised.value.remedy


def test_many_samples_take_what_the_service_takes(tmp_path: Path):
    all_at_once = threading.Barrier(32, timeout=60)

    def slow(_request: Request) -> Any:
        all_at_once.wait()  # for 31 others: fewer in flight would never be answered
        return {"answer": "x"}

    samples = [sample_factory(f"q{number}") for number in range(320)]
    with rag_server(slow) as server:
        given: dict[str, Any] = {"http_hosts": (server.host,), "concurrency": 32}
        outputs = ask("http", {"url": server.url}, tmp_path, samples=samples, **given)

    assert all(output.answer == "x" for output in outputs)


def test_the_system_tells_its_kind(tmp_path: Path):
    with rag_server(ECHO) as server:
        given = {"http_hosts": (server.host,)}
        assert info("http", {"url": server.url}, tmp_path, **given).use == "http"
