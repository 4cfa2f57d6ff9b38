"""The http system against services on loopback."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from ragate.errors import ConfigError, ProviderError, SystemMismatchError, SystemStartError
from ragate.models import RetrievedChunk, SystemOutput, ToolCall
from ragate.support.git import head_commit
from tests.factories import sample_factory
from tests.servers.rag_server import RagServer, Request, Sent, rag_server
from tests.unit.systems.using import ask, info, message

pytestmark = pytest.mark.integration
ECHO: Any = lambda request: {"answer": request.json["query"]}  # noqa: E731


def asked(server: RagServer, root: Path, **settings: Any) -> SystemOutput:
    given = settings.pop("given", {})
    keys = {"url": server.url, **settings}
    return ask("http", keys, root, **{"http_hosts": (server.host,), **given})[0]


def one(handle: Any, root: Path, **settings: Any) -> SystemOutput:
    with rag_server(handle) as server:
        return asked(server, root, **settings)


def refused(root: Path, error: type[Exception], told: str, **settings: Any) -> None:
    with rag_server(ECHO) as server:
        with pytest.raises(error) as raised:
            asked(server, root, **settings)
        assert server.requests == []
    assert told in str(raised.value)


# --- what is sent -------------------------------------------------------------------------------


def test_the_question_goes_out_as_json_and_the_reply_is_the_output(tmp_path: Path):
    with rag_server(ECHO) as server:
        output = asked(server, tmp_path)

    assert output.answer == "What does page q001 say?"
    assert output.latency_s is not None
    assert server.requests[0].json == {"id": "q001", "query": "What does page q001 say?"}
    assert server.requests[0].headers["content-type"] == "application/json"
    assert server.requests[0].headers["host"] == server.host


def test_a_body_of_ones_own_knows_question_and_metadata_and_not_the_expected_answer(tmp_path: Path):
    body = '{"input": {"text": {{ query | tojson }}}, "lang": {{ metadata.lang | tojson }}}'
    with rag_server(lambda _request: {"answer": "x"}) as server:
        samples = [sample_factory(query='Say "hi"\n& ü', metadata={"lang": "en"})]
        settings = {"url": server.url, "body": body}
        ask("http", settings, tmp_path, samples=samples, http_hosts=(server.host,))

    assert server.requests[0].json == {"input": {"text": 'Say "hi"\n& ü'}, "lang": "en"}


def test_a_get_request_has_parameters_and_no_body(tmp_path: Path):
    with rag_server(lambda _request: {"answer": "x"}) as server:
        given = {"params": {"q": "{{ query }}"}, "url": f"{server.url}?k=3"}
        output = asked(server, tmp_path, method="GET", **given)

    assert output.answer == "x"
    assert server.requests[0].path == "/ask?k=3&q=What+does+page+q001+say%3F"
    assert server.requests[0].body == b""


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("{{ references }}", "unknown name 'references'"),
        ("{{ query", "not a template"),
        ("{% include '/etc/passwd' %}", "no loader"),
        ("{{ range(9) }}", "unknown name 'range'"),
    ],
)
def test_a_template_that_cannot_work_is_refused(tmp_path: Path, body: str, told: str):
    if "include" in body:
        assert told in message(one(ECHO, tmp_path, body=body))
    else:
        refused(tmp_path, ConfigError, told, body=body)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ('{"q": "{{ query }}"}', "gives no JSON for q001: write {{ query | tojson }}"),
        ("{{ metadata.lang }}", "has no attribute 'lang'"),
        ("{{ query.__class__.__mro__ }}", "unsafe"),
        ("{{ query * 1000000000 }}", "the operator * is not available"),
    ],
)
def test_a_body_that_fails_for_a_sample_costs_that_sample(tmp_path: Path, body: str, told: str):
    with rag_server(ECHO) as server:
        samples = [sample_factory(query='Say "hi"')]
        settings = {"url": server.url, "body": body}
        outputs = ask("http", settings, tmp_path, samples=samples, http_hosts=(server.host,))

    assert told in message(outputs[0])
    assert server.requests == []


# --- what is read -------------------------------------------------------------------------------

NESTED = {
    "result": {"text": "It is so [1].", "took": 0.25},
    "hits": [
        {"_id": 7, "doc": {"body": "A"}, "score": 1.5},
        {"_id": "b", "doc": {"body": "B"}},
    ],
    "cites": ["b"],
    "calls": [{"function": {"name": "search", "arguments": '{"k": 3}'}}],
}
POINTERS = {
    "answer": "/result/text",
    "contexts": "/hits/*/doc/body",
    "ids": "/hits/*/_id",
    "scores": "/hits/*/score",
    "citations": "/cites",
    "tool_calls": "/calls",
    "latency": "/result/took",
}


def test_pointers_lead_to_every_part(tmp_path: Path):
    output = one(lambda _request: NESTED, tmp_path, pointers=POINTERS)

    assert output == SystemOutput(
        chunks=(
            RetrievedChunk(doc_id="7", text="A", score=1.5),
            RetrievedChunk(doc_id="b", text="B"),
        ),
        answer="It is so [1].",
        citations=(2,),
        tool_calls=(ToolCall(name="search", arguments={"k": 3}),),
        latency_s=0.25,
    )


def test_lists_beside_one_another_make_chunks(tmp_path: Path):
    reply = {"texts": ["A", "B"], "ids": ["a", "b"]}

    output = one(lambda _: reply, tmp_path, pointers={"contexts": "/texts", "ids": "/ids"})

    assert [(chunk.doc_id, chunk.text) for chunk in output.chunks] == [("a", "A"), ("b", "B")]


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ({"text": "x", "texts": [], "ids": []}, "/answer leads nowhere: an object has no 'answer'"),
        ({"answer": "x", "texts": ["A"], "ids": []}, "differ in length: text 1, doc_id 0"),
        ({"answer": 3, "texts": [], "ids": []}, "returned answer: Input should be a valid string"),
        ({"answer": "x", "texts": "A", "ids": []}, "/texts is a text, and a list is wanted"),
        (Sent(body=b"<html>Sign in</html>"), "no JSON: <html>Sign in</html>"),
        (Sent(body=b"[" * 100_000), "no JSON"),
        (Sent(body=b""), "no JSON"),
        (Sent(status=404, body=b"no such route"), "answered 404: no such route"),
        (Sent(status=500, body=b"Traceback"), "answered 500: Traceback"),
        (Sent(status=502), "answered 502"),
        (Sent(status=302, headers={"location": "http://x/"}), "a redirect to http://x/; none is"),
        (Sent(body=b"x" * (16 * 1024 * 1024 + 1)), "answered with more than 16777216 bytes"),
        (Sent(drop=True), "no reply: Server disconnected"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_reply_that_is_not_what_was_asked_for_is_the_failure_of_its_sample(
    tmp_path: Path, reply: Any, told: str
):
    pointers = {"answer": "/answer", "contexts": "/texts", "ids": "/ids"}

    def second_is_bad(request: Request) -> Any:
        good = {"answer": "x", "texts": [], "ids": []}
        return reply if request.json["id"] == "q2" else good

    samples = [sample_factory(f"q{number}") for number in (1, 2, 3)]
    with rag_server(second_is_bad) as server:
        settings = {"url": server.url, "pointers": pointers}
        hosts = (server.host,)
        outputs = ask("http", settings, tmp_path, samples=samples, http_hosts=hosts)

    assert [output.answer for output in outputs] == ["x", None, "x"]
    assert told in message(outputs[1])
    assert len(server.requests) == 3, "a POST is never sent twice"


def test_a_service_that_is_unavailable_was_not_measured(tmp_path: Path):
    output = one(lambda _: Sent(status=503, body=b"no database"), tmp_path)

    assert output.error is not None
    assert output.error.kind == "provider"
    assert output.error.message == "the service answered 503: no database"


def test_a_redirect_is_not_followed(tmp_path: Path):
    with rag_server(ECHO) as other:
        sent = Sent(status=307, headers={"location": other.url})
        output = one(lambda _: sent, tmp_path, given={"http_hosts": ("127.0.0.1",)})

    assert "answered 307" in message(output)
    assert other.requests == []


def test_a_get_is_tried_again_where_the_service_was_busy(tmp_path: Path):
    replies = [Sent(status=503), Sent(drop=True), {"answer": "x"}]

    output = one(lambda _: replies.pop(0), tmp_path, method="GET")

    assert output.answer == "x"


def test_a_service_that_is_not_there_is_unmeasured_not_wrong(tmp_path: Path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        host = f"127.0.0.1:{free.getsockname()[1]}"
    output = ask("http", {"url": f"http://{host}/"}, tmp_path, http_hosts=(host,))[0]

    assert output.error is not None
    assert output.error.kind == "provider"
    assert f"no connection to {host}" in output.error.message
    assert "in a container localhost is the container itself" in output.error.message


def test_a_slow_service_runs_out_of_time(tmp_path: Path):
    def slow(_request: Request) -> Any:
        time.sleep(1.0)
        return {"answer": "x"}

    with rag_server(slow) as server:
        settings = {"url": server.url}
        output = ask("http", settings, tmp_path, timeout_s=0.2, http_hosts=(server.host,))[0]

    assert "no output within 0.2 s" in message(output)


# --- keys and hosts -----------------------------------------------------------------------------


def test_a_host_that_the_policy_does_not_list_is_never_asked(tmp_path: Path):
    told = "is not in [policy] http_hosts = ['rag.example']"

    refused(tmp_path, ConfigError, told, given={"http_hosts": ("rag.example",)})


def test_health_and_version_addresses_are_held_to_the_policy_too(tmp_path: Path):
    refused(tmp_path, ConfigError, "[system] health: the host", health="http://evil.example/")


def test_a_metadata_address_is_never_asked_though_it_is_listed(tmp_path: Path):
    url = "http://169.254.169.254/latest/meta-data"

    with pytest.raises(ConfigError, match="never asked"):
        ask("http", {"url": url}, tmp_path, http_hosts=("169.254.169.254",))


SECRET = "Bearer canary-4711"


def key(server: RagServer, **fields: Any) -> dict[str, Any]:
    return {
        "environment": {"RAG_AUTH": SECRET},
        "http_hosts": (server.host,),
        "http_header_env": {server.host: ("RAG_AUTH",)},
        **fields,
    }


def test_a_key_goes_to_the_host_that_the_policy_binds_it_to(tmp_path: Path):
    with rag_server(ECHO) as server:
        asked(server, tmp_path, headers_env={"Authorization": "RAG_AUTH"}, given=key(server))

    assert server.requests[0].headers["authorization"] == SECRET


@pytest.mark.parametrize("bound", [{}, {"rag.example": ("RAG_AUTH",)}])
def test_a_key_that_is_not_bound_to_this_host_is_not_sent(tmp_path: Path, bound: Any):
    with rag_server(ECHO) as server:
        given = key(server, http_header_env=bound)
        with pytest.raises(ConfigError, match="'RAG_AUTH' may not be sent to 127") as raised:
            asked(server, tmp_path, headers_env={"Authorization": "RAG_AUTH"}, given=given)

    assert server.requests == []
    assert "canary" not in str(raised.value)


def test_a_key_that_is_not_set_is_named(tmp_path: Path):
    with rag_server(ECHO) as server:
        given = key(server, environment={})
        with pytest.raises(ProviderError, match="RAG_AUTH is not set"):
            asked(server, tmp_path, headers_env={"Authorization": "RAG_AUTH"}, given=given)


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


def test_a_service_does_not_know_one_sample_from_the_last_by_a_cookie(tmp_path: Path):
    def cookie(_request: Request) -> Any:
        return Sent(headers={"set-cookie": "session=1"}, body=b'{"answer": "x"}')

    samples = [sample_factory(f"q{number}") for number in range(3)]
    with rag_server(cookie) as server:
        given: dict[str, Any] = {"http_hosts": (server.host,), "concurrency": 1}
        ask("http", {"url": server.url}, tmp_path, samples=samples, **given)

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
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
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


@pytest.mark.parametrize(
    ("rules", "settings", "told"),
    [
        ({"http_methods": ("GET",)}, {}, "http_methods"),
        ({"http_methods": ("POST",)}, {"health": "{}"}, "health: GET is not in"),
        ({"http_paths": ("/v1/*",)}, {}, "http_paths"),
        ({"http_paths": ("/ask",)}, {"health": "{}/up"}, "health: the path '/ask/up'"),
        ({"http_paths": ("/ask",)}, {"version_url": "{}/v", "version_header": "x"}, "http_paths"),
    ],
)
def test_a_method_or_a_path_that_the_policy_does_not_allow_is_not_asked(
    tmp_path: Path, rules: dict[str, Any], settings: dict[str, str], told: str
):
    with rag_server(ECHO) as server:
        keys = {key: text.replace("{}", server.url) for key, text in settings.items()}
        (tmp_path / ".git").mkdir()
        with pytest.raises(ConfigError, match=re.escape(told)):
            asked(server, tmp_path, given={**rules, "commit": "a" * 40}, **keys)
        assert server.requests == []


def test_methods_and_paths_that_the_policy_names_are_asked(tmp_path: Path):
    with rag_server(ECHO) as server:
        rules = {"http_methods": ("POST",), "http_paths": ("/a*",)}
        assert asked(server, tmp_path, given=rules).answer


# --- which build answers ------------------------------------------------------------------------


@pytest.fixture
def project(tmp_path: Path) -> Path:
    git = ["git", "-C", str(tmp_path), "-c", "user.name=x", "-c", "user.email=x@y.z"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "x"], check=True)
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


# --- a service that is started ------------------------------------------------------------------

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
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
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
    ("code", "told"),
    [
        ("raise SystemExit('no index')", "ended with exit code 1; it last wrote: no index"),
        ("import time; time.sleep(60)", "no success in 0.8 s: no connection to 127.0.0.1"),
    ],
)
def test_a_service_that_does_not_come_up_is_no_decision(tmp_path: Path, code: str, told: str):
    with pytest.raises(SystemStartError) as raised:
        started(tmp_path, code, start_timeout_s=0.8)

    assert told in str(raised.value)
    assert raised.value.exit_code == 3


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"start": ["x"]}, "start needs health"),
        ({"url_env": "URL"}, "give url, or url_env"),
        ({"version_url": "http://x/"}, "version_url needs"),
        ({"version_header": "A", "version_pointer": "/a"}, "not both"),
        ({"pointers": {"answer": "$.answer"}}, 'begins with "/"'),
        ({"pointers": {"text": "/a"}}, "unknown key 'text'"),
    ],
)
def test_keys_that_do_not_fit_together_are_refused(tmp_path: Path, settings: Any, told: str):
    refused(tmp_path, ConfigError, told, **settings)


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
