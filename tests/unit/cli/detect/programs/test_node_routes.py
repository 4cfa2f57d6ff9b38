"""Routes of a Node service, found in its text."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.cli.detect.found_system import FoundSystem
from ragate.cli.detect.programs.node_routes import find_node_routes
from tests.unit.cli.detect.code import only
from tests.unit.cli.init.init_factories import write

SERVER = """
const app = express();
{before}
app.get("/health", (req, res) => res.json({{ ok: true }}));
app.post("/api/ask", async (req, res) => {{
  {question}
  if (!question) return res.status(400).json({{ error: "missing" }});
  const hits = search(question);
  const sources = hits.map((hit) => ({{ file: hit.file, content: hit.content }}));
  res.json({{ answer: hits[0].content, sources }});
}});
app.post("/api/feedback", (req, res) => res.json({{ ok: req.body.stars }}));
{listen}
"""
BY_NAME = "const { question } = req.body;"
LISTEN = "app.listen(process.env.PORT || 4100);"


def routes(root: Path, *, before: str = "", question: str = BY_NAME, listen: str = LISTEN):
    code = SERVER.format(before=before, question=question, listen=listen)
    write(root, {"package.json": "{}", "src/server.js": code})
    return list(find_node_routes(root))


def route(root: Path, **parts: str) -> FoundSystem:
    return only(routes(root, **parts))


def test_a_route_is_read_with_its_port_its_health_and_its_reply(tmp_path: Path):
    found = route(tmp_path)

    assert found.settings == {
        "url": "http://127.0.0.1:4100/api/ask",
        "start": ["node", "src/server.js"],
        "health": "http://127.0.0.1:4100/health",
        "body": '{"question": {{ query | tojson }}}',
        "pointers": {
            "answer": "/answer",
            "contexts": "/sources/*/content",
            "ids": "/sources/*/file",
        },
    }
    assert found.policy == {"http_hosts": ["127.0.0.1:4100"]}


@pytest.mark.parametrize(
    "question",
    ["const question = req.body.question;", 'const question = req.body["question"];', BY_NAME],
)
def test_the_field_of_the_question_is_read_however_it_is_taken(tmp_path: Path, question: str):
    assert '"question"' in route(tmp_path, question=question).settings["body"]


@pytest.mark.parametrize(
    ("listen", "port"),
    [
        ("app.listen(8080);", 8080),
        ("app.listen({ port: 8081 });", 8081),
        ("const port = process.env.PORT ?? 8082;\napp.listen(port);", 8082),
        ("app.listen(port);", 3000),
    ],
)
def test_the_port_is_read_however_it_is_named(tmp_path: Path, listen: str, port: int):
    assert route(tmp_path, listen=listen).policy == {"http_hosts": [f"127.0.0.1:{port}"]}


def test_a_header_that_lets_in_is_sent_and_the_service_gets_its_own_variables(tmp_path: Path):
    before = "app.use((q, s, next) => q.headers['x-api-key'] === process.env.BOT_KEY && next());"

    found = route(tmp_path, before=before)

    assert found.settings["headers_env"] == {"X-API-Key": "RAG_API_KEY"}
    assert found.settings["pass_env"] == ["BOT_KEY"]


def test_a_route_that_takes_no_question_is_none(tmp_path: Path):
    assert routes(tmp_path, question="const question = nothing;") == []


@pytest.mark.parametrize(
    "before",
    [
        "client.interceptors.use((config) => { config.headers.Authorization = key; });",
        "const token = cookies.get('token');",
    ],
)
def test_a_header_that_is_sent_elsewhere_is_not_demanded(tmp_path: Path, before: str):
    assert "headers_env" not in route(tmp_path, before=before).settings
