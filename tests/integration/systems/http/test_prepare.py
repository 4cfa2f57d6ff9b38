"""A corpus that is loaded into a service before the first question."""

from __future__ import annotations

import json
import re
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from ragate.errors import ConfigError, RagateError, SystemStartError
from ragate.models import SystemOutput
from tests.factories import sample_factory
from tests.integration.systems.http.services import SECRET
from tests.servers.rag_server import RagServer, Request, Sent, rag_server
from tests.unit.systems.using import ask

pytestmark = pytest.mark.integration


class Store:
    """A service that is asked what was loaded, and indexes at the third look."""

    def __init__(self) -> None:
        self.loaded: dict[str, str] = {}
        self.looks = 0
        self._turn = threading.Lock()

    def __call__(self, request: Request) -> Any:
        with self._turn:
            if request.path == "/documents":
                self.loaded[request.json["id"]] = request.json["text"]
                return {}
            if request.path == "/status":
                self.looks += 1
                return {"index": {"pending": max(0, 3 - self.looks)}}
            return {"answer": f"{sorted(self.loaded)} after {self.looks} looks"}


def prepared(
    server: RagServer, root: Path, *steps: dict[str, Any], samples: int = 2, **given: Any
) -> list[SystemOutput]:
    keys = {"url": server.url, "prepare": list(steps)}
    resources = {"http_hosts": (server.host,), **given}
    questions = [sample_factory(f"q{n}") for n in range(samples)]
    return ask("http", keys, root, samples=questions, **resources)


def at(server: RagServer, path: str, **keys: Any) -> dict[str, Any]:
    return {"url": f"http://{server.host}{path}", **keys}


def corpus(root: Path, **pages: str) -> dict[str, Any]:
    (root / "kb").mkdir(exist_ok=True)
    for name, text in pages.items():
        (root / "kb" / f"{name}.md").write_text(text)
    return {"documents": ["kb/**/*.md"], "relative_to": "kb"}


def test_documents_are_loaded_and_waited_for_once_before_the_first_question(tmp_path: Path):
    store = Store()
    with rag_server(store) as server:
        load = at(server, "/documents", **corpus(tmp_path, a="Refunds: 30 days.", b="Shipping."))
        wait = {"method": "GET", "until_pointer": "/index/pending", "until_equals": 0}
        outputs = prepared(server, tmp_path, load, at(server, "/status", **wait))

    assert {output.answer for output in outputs} == {"['a.md', 'b.md'] after 3 looks"}
    assert store.loaded["a.md"] == "Refunds: 30 days."


def test_a_command_loads_the_corpus_in_the_projects_folder(tmp_path: Path):
    (tmp_path / "load.py").write_text("open('loaded.txt', 'w').write('yes')")
    with rag_server(lambda _: {"answer": "x"}) as server:
        prepared(server, tmp_path, {"command": [sys.executable, "load.py"]})

    assert (tmp_path / "loaded.txt").read_text() == "yes"


def test_a_command_that_fails_ends_the_run_with_its_last_lines(tmp_path: Path):
    script = "print('one'); print('no such\\tindex'); raise SystemExit(4)"
    with (
        rag_server(lambda _: {"answer": "x"}) as server,
        pytest.raises(SystemStartError) as raised,
    ):
        prepared(server, tmp_path, {"command": [sys.executable, "-c", script]})

    assert server.requests == []
    assert "ended with exit code 4; it last wrote: one | no such index" in str(raised.value)
    assert raised.value.exit_code == 3


def test_a_command_that_hangs_is_ended_with_all_that_it_started(tmp_path: Path):
    step = {"command": ["sh", "-c", "echo up; exec sleep 60"], "timeout_s": 1.0}
    told = "not done within 1 s; it last wrote: up"
    with (
        rag_server(lambda _: {"answer": "x"}) as server,
        pytest.raises(SystemStartError, match=re.escape(told)),
    ):
        prepared(server, tmp_path, step)


def test_an_index_that_never_gets_ready_says_what_it_said_last(tmp_path: Path):
    with rag_server(lambda _: {"pending": 7}) as server:
        wait = {"method": "GET", "until_pointer": "/pending", "until_equals": 0}
        with pytest.raises(SystemStartError, match=r"1 s; /pending is 7, wanted 0"):
            prepared(server, tmp_path, at(server, "/s", timeout_s=1.0, **wait))


def test_a_page_that_is_not_there_yet_is_looked_for_again(tmp_path: Path):
    replies = iter([Sent(status=404), Sent(body=b"starting"), {"other": 1}])
    with rag_server(lambda _: next(replies, {"ready": True})) as server:
        wait = {"method": "GET", "until_pointer": "/ready", "until_equals": True}
        prepared(server, tmp_path, at(server, "/s", **wait))

    assert [request.path for request in server.requests[:5]] == ["/s"] * 4 + ["/ask"]


@pytest.mark.parametrize(("found", "wanted"), [(1, True), (0, False), ("0", 0)])
def test_what_is_waited_for_is_of_the_same_kind(tmp_path: Path, found: object, wanted: object):
    with rag_server(lambda _: {"v": found}) as server:
        wait = {"method": "GET", "until_pointer": "/v", "until_equals": wanted}
        with pytest.raises(SystemStartError, match="/v is"):
            prepared(server, tmp_path, at(server, "/s", timeout_s=1.0, **wait))


def test_a_document_that_the_service_refuses_is_named(tmp_path: Path):
    def refuse(request: Request) -> Any:
        return Sent(status=422, body=b"no title") if b"Bad" in request.body else {}

    with rag_server(refuse) as server:
        load = at(server, "/documents", **corpus(tmp_path, a="Good", b="Bad"))
        with pytest.raises(SystemStartError, match=r"1: kb/b.md: the service answered 422: no"):
            prepared(server, tmp_path, load)


def test_a_body_of_ones_own_knows_the_document(tmp_path: Path):
    with rag_server(lambda _: {"answer": "x"}) as server:
        body = '{"doc": {{ path | tojson }}, "chars": {{ text | length }}}'
        prepared(server, tmp_path, at(server, "/d", body=body, **corpus(tmp_path, a="1234")))

    assert json.loads(server.requests[0].body) == {"doc": "kb/a.md", "chars": 4}


def test_a_key_goes_to_the_host_that_the_policy_binds_it_to(tmp_path: Path):
    with rag_server(lambda _: {"answer": "x"}) as server:
        step = at(server, "/reindex", headers_env={"Authorization": "ADMIN"})
        allowed: dict[str, Any] = {"environment": {"ADMIN": SECRET}}
        with pytest.raises(ConfigError, match="'ADMIN' may not be sent"):
            prepared(server, tmp_path, step, **allowed)
        allowed["http_header_env"] = {server.host: ("ADMIN",)}
        prepared(server, tmp_path, step, **allowed)

    assert server.requests[0].headers["authorization"] == SECRET


@pytest.mark.parametrize(
    ("step", "told"),
    [
        ({}, "a step is a command, or a url"),
        ({"url": "http://x/", "command": ["x"]}, "a step is a command, or a url"),
        ({"command": ["x"], "method": "PUT"}, "method belongs to a step with a url"),
        ({"url": "http://x/", "until_pointer": "/a"}, "belong together"),
        ({"url": "http://x/", "method": "GET", "documents": ["a"]}, "documents are sent with POST"),
        ({"url": "http://x/", "headers": {"Host": "y"}}, "'Host' is no header that can be set"),
        ({"url": "http://elsewhere.example/"}, "is not in [policy] http_hosts"),
        ({"url": "HERE", "documents": ["none/*.md"]}, "matches no file"),
        ({"url": "HERE", "documents": ["../*.md"]}, "leads out of the project"),
        ({"url": "HERE", "documents": ["kb/*.md"], "relative_to": "docs"}, "is not below"),
        ({"url": "HERE", "documents": ["kb/*.md"], "body": "{{ query }}"}, "unknown name 'query'"),
        ({"url": "HERE", "documents": ["kb/link.md"]}, "outside"),
    ],
)  # fmt: skip
def test_a_step_that_cannot_work_is_refused_by_its_number(
    tmp_path: Path, step: dict[str, Any], told: str
):
    corpus(tmp_path, a="A")
    (tmp_path / "kb" / "link.md").symlink_to("/etc/hostname")
    with rag_server(lambda _: {"answer": "x"}) as server:
        if step.get("url") == "HERE":
            step = {**step, "url": f"http://{server.host}/documents"}
        with pytest.raises(RagateError) as raised:
            prepared(server, tmp_path, {"url": f"http://{server.host}/first"}, step)

    assert told in str(raised.value)
    assert "prepare" in str(raised.value)
