"""One question to programs that answer in every way that programs do."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from ragate.cli.init import ask as asking
from ragate.cli.init.ask import Asked, ask
from ragate.cli.init.config_text import Choice
from ragate.cli.init.failures import UnansweredError, having
from ragate.resources.operations import Operations
from tests.servers.ports import free_port

pytestmark = pytest.mark.integration
SERVER = """
import http.server, json, sys, time
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        status, kind, body = described(self.path)
        self.send_response(status)
        self.end_headers()
        self.wfile.write(body)
    def do_POST(self):
        self.server.path = self.path
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])) or b"{{}}")
        status, kind, body = reply(asked)
        self.send_response(status)
        self.send_header("content-type", kind)
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_): pass
def as_json(value, status=200): return status, "application/json", json.dumps(value).encode()
def described(path): return 404, "text/plain", b""
{code}
print("=== banner of a framework ===")
http.server.HTTPServer(("127.0.0.1", {port}), Handler).serve_forever()
"""
ANSWER = "def reply(asked): return as_json({'answer': 'So: ' + asked['query']})"


def operations(root: Path, *, timeout_s: float = 5.0, **environment: str) -> Operations:
    return Operations(
        environment={"PATH": "/usr/bin:/bin", **environment},
        state=root / ".ragate",
        timeout_s=timeout_s,
    )


def service(root: Path, code: str, **settings: Any) -> Choice:
    port = free_port()
    (root / "serve.py").write_text(SERVER.format(code=code, port=port))
    url = f"http://127.0.0.1:{port}/ask"
    keys = {"url": url, "start": [sys.executable, "serve.py"], "start_timeout_s": 60.0, **settings}
    return Choice(
        "http",
        "",
        settings=keys,
        policy={"http_hosts": [f"127.0.0.1:{port}"]},
        variants=({"body": '{"query": {{ query | tojson }}}'},),
    )


def put(root: Path, way: Choice, *passed: str, **given: Any) -> Asked:
    return asyncio.run(ask(root, way, "Why?", operations(root, **given), frozenset(passed)))


def refusal(root: Path, way: Choice, **given: Any) -> UnansweredError:
    with pytest.raises(UnansweredError) as caught:
        put(root, way, **given)
    return caught.value


def test_a_service_is_started_asked_twice_and_ended(tmp_path: Path) -> None:
    way = service(tmp_path, ANSWER)

    asked = put(tmp_path, way)

    assert asked.reply == {"answer": "So: Why?"}
    assert asked.equal
    assert put(tmp_path, way).equal  # it was ended: nothing answers before it is started


def test_a_service_that_starts_slowly_is_waited_for_in_every_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "SLOW_START_S", 0.0)

    assert put(tmp_path, service(tmp_path, ANSWER)).settings["start_timeout_s"] != 60.0


def test_a_reply_that_differs_when_it_is_asked_again_is_told(tmp_path: Path) -> None:
    code = "def reply(asked): return as_json({'answer': str(time.time())})"

    assert not put(tmp_path, service(tmp_path, code)).equal


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("def reply(asked): return as_json({'error': 'no key'}, 401)", "answered 401"),
        ("def reply(asked): return 200, 'text/html', b'<html>Hello</html>'", "no JSON: <html>"),
        ("def reply(asked): return 200, 'text/plain', b''", "no JSON"),
        ("def reply(asked): return as_json('x' * 20_000_000)", "more than 16777216 bytes"),
        ("def reply(asked): return as_json({'error': 'index is empty'})", "index is empty"),
    ],
)
def test_what_is_no_answer_is_told(tmp_path: Path, code: str, told: str) -> None:
    error = refusal(tmp_path, service(tmp_path, code))

    assert told in error.message
    assert error.remedy
    assert error.exit_code == 3


def test_a_service_that_hangs_is_told(tmp_path: Path) -> None:
    hangs = service(tmp_path, "def reply(asked): time.sleep(60)")

    assert "within 1 s" in refusal(tmp_path, hangs, timeout_s=1.0).message


@pytest.mark.parametrize(
    ("program", "told"),
    [
        ("import sys; sys.exit('no DATABASE_URL')", "no DATABASE_URL"),
        ("input('Which index? ')", "EOF"),
        ("import time; time.sleep(60)", "nothing listens"),
    ],
)
def test_a_program_that_does_not_come_up_is_told(tmp_path: Path, program: str, told: str) -> None:
    way = service(tmp_path, ANSWER, start_timeout_s=2.0 if "sleep" in program else 60.0)
    (tmp_path / "serve.py").write_text(program)

    with pytest.raises(Exception, match=told):
        put(tmp_path, way)


def test_fields_that_an_error_misses_are_added(tmp_path: Path) -> None:
    code = """
def reply(asked):
    if "tenant" not in asked: return as_json({"detail": "tenant is required"}, 422)
    if "prompt" not in asked:
        return as_json({"detail": [{"loc": ["body", "prompt"], "msg": "Field required"}]}, 422)
    return as_json({"answer": asked["prompt"]})
"""
    asked = put(tmp_path, service(tmp_path, code))

    assert asked.reply == {"answer": "Why?"}
    assert '"tenant": "ragate"' in asked.settings["body"]


SCHEMA: dict[str, Any] = {
    "paths": {
        "/search": {"get": {"parameters": [{"in": "query", "name": "query"}]}},
        "/api/chat/request": {
            "post": {
                "requestBody": {
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/C"}}}
                }
            }
        },
    },
    "components": {
        "schemas": {
            "C": {
                "required": ["messages", "context"],
                "properties": {
                    "messages": {"type": "array"},
                    "context": {"type": "object"},
                    "temperature": {"type": "number"},
                },
            }
        }
    },
}


def test_a_service_that_describes_itself_is_asked_as_it_says(tmp_path: Path) -> None:
    code = """
def described(path):
    there = path == "/openapi.json"
    return (200, "", json.dumps(SCHEMA).encode()) if there else (404, "", b"")
def reply(asked):
    if asked["context"] != {}: return as_json({}, 500)
    return as_json({"answer": asked["messages"][0]["content"]})
"""
    asked = put(tmp_path, service(tmp_path, f"SCHEMA = {SCHEMA!r}{code}"))

    assert asked.reply == {"answer": "Why?"}
    assert asked.settings["url"].endswith("/api/chat/request")


def test_a_description_at_an_address_of_its_own_is_found_by_the_page_for_people(
    tmp_path: Path,
) -> None:
    code = f"""
SCHEMA = {SCHEMA!r}
def described(path):
    page = b"<script>SwaggerUIBundle({{url: '/common/api-docs'}})</script>"
    there = {{"/docs": page, "/common/api-docs": json.dumps(SCHEMA).encode()}}
    return (200, "", there[path]) if path in there else (404, "", b"")
def reply(asked): return as_json({{"answer": asked["messages"][0]["content"]}})
"""
    asked = put(tmp_path, service(tmp_path, code))

    assert asked.settings["url"].endswith("/api/chat/request")


def test_a_search_without_an_answer_is_taken_only_where_nothing_answers(tmp_path: Path) -> None:
    two = {"paths": dict.fromkeys(("/chat", "/ask"), SCHEMA["paths"]["/api/chat/request"])}
    code = f"""
SCHEMA = {two | {"components": SCHEMA["components"]}!r}
def described(path): return 200, "", json.dumps(SCHEMA).encode()
def reply(asked): return as_json([{{"id": "a.md", "price": 3}}])
"""
    service_of_search = service(tmp_path, code)
    assert put(tmp_path, service_of_search).reply == [{"id": "a.md", "price": 3}]

    (tmp_path / "serve.py").write_text(
        (tmp_path / "serve.py")
        .read_text()
        .replace("reply(asked)\n", "reply(asked) if 'chat' in self.path else answered(asked)\n")
        .replace("def reply(", "def answered(_): return as_json({'answer': 'So.'})\ndef reply(")
    )

    assert put(tmp_path, service_of_search).reply == {"answer": "So."}


def test_a_list_of_messages_is_sent_where_an_error_says_so(tmp_path: Path) -> None:
    code = """
def reply(asked):
    if not isinstance(asked.get("input"), list):
        return as_json({"detail": [{"loc": ["body", "input"], "msg": "not a valid list"}]}, 422)
    return as_json({"answer": asked["input"][0]["content"]})
"""
    assert put(tmp_path, service(tmp_path, code)).reply == {"answer": "Why?"}


def test_a_module_that_is_missing_is_told_with_who_has_it(tmp_path: Path) -> None:
    missing = function(tmp_path, "import other_rag\ndef answer(question): ...")
    nobody = refusal(tmp_path, missing)
    site = tmp_path / ".venv/lib/python3.12/site-packages/other_rag"
    site.mkdir(parents=True)
    (tmp_path / ".venv/bin").mkdir()
    (tmp_path / ".venv/bin/python").symlink_to(sys.executable)

    assert "needs the module 'other_rag'" in nobody.message
    assert nobody.remedy.startswith("no environment here has 'other_rag'")
    assert having(tmp_path, "other_rag.chains") == [".venv/bin/python"]
    assert refusal(tmp_path, missing).remedy.startswith(".venv/bin/python has 'other_rag'")


def test_a_key_reaches_the_program_where_it_was_named(tmp_path: Path) -> None:
    code = """
import os
def answer(question):
    if "RAG_KEY" not in os.environ: raise RuntimeError("RAG_KEY is not set")
    return {"answer": " ".join(os.environ)}
"""
    given = {"RAG_KEY": "k-12345678", "OTHER_KEY": "o-12345678"}

    assert "--pass-env RAG_KEY" in refusal(tmp_path, function(tmp_path, code), **given).remedy
    names = put(tmp_path, function(tmp_path, code), "RAG_KEY", **given).reply["answer"].split()
    assert "RAG_KEY" in names
    assert "OTHER_KEY" not in names


def test_a_stream_is_read_as_one(tmp_path: Path) -> None:
    code = """
def reply(asked):
    events = [{"delta": "It "}, {"delta": "is."}, {"sources": [{"id": "a.md", "text": "T"}]}]
    body = "".join(f"data: {json.dumps(one)}\\n\\n" for one in events) + "data: [DONE]\\n\\n"
    return 200, "text/event-stream", body.encode()
"""
    asked = put(tmp_path, service(tmp_path, code))

    assert asked.settings["stream"] == {"format": "sse"}
    assert {"delta": "It "} in asked.reply


def function(root: Path, code: str, **settings: Any) -> Choice:
    (root / "rag.py").write_text(code)
    return Choice("python", "", settings={"target": "rag:answer", **settings})


def test_the_program_gets_no_key_and_every_other_variable(tmp_path: Path) -> None:
    code = "import os\ndef answer(question): return {'answer': ' '.join(sorted(os.environ))}"
    given = {"OPENAI_API_KEY": "sk-12345", "SMTP_PASSWORD": "x", "GITHUB_TOKEN": "t"}
    given |= {"INDEX_URL": "u", "LLM": "sk-12345"}  # the same key, under a name that hides it

    names = put(tmp_path, function(tmp_path, code), **given).reply["answer"].split()

    assert "INDEX_URL" in names
    assert not set(names) & (given.keys() - {"INDEX_URL"})


def test_what_leads_to_its_database_reaches_the_program(tmp_path: Path) -> None:
    code = "import os\ndef answer(question): return {'answer': ' '.join(sorted(os.environ))}"
    given = {"DATABASE_URL": "postgresql://u:pw@db/x", "PGPASSWORD": "pw", "DB_PASSWORD": "pw"}
    ours = {"RAGATE_DATABASE_URL": "postgresql://u:pw@ours/x", "POSTGRES_API_KEY": "k"}

    asked = put(tmp_path, function(tmp_path, code), **given, **ours)

    names = set(asked.reply["answer"].split())
    assert given.keys() <= names
    assert not names & ours.keys()


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("raise RuntimeError('no index')", "no index"),
        ("import os\ndef answer(question): os._exit(0)", "ended with exit code 0"),
        ("def answer(question): return input('? ')", "EOF"),
        ("def answer(question): return None", "NoneType"),
    ],
)
def test_a_function_that_gives_no_answer_is_told(tmp_path: Path, code: str, told: str) -> None:
    with pytest.raises(Exception, match=told):
        put(tmp_path, function(tmp_path, code))


def test_a_function_that_hangs_is_told(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="within 1 s"):
        put(
            tmp_path, function(tmp_path, "def answer(question):\n    while True: pass"), timeout_s=1
        )


def test_all_tries_together_have_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "LONGEST_S", 1.0)
    began = time.monotonic()

    error = refusal(tmp_path, function(tmp_path, "import time\ntime.sleep(60)"))

    assert "no answer within 1 s" in error.message
    assert time.monotonic() - began < 20
