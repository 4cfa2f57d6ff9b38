"""Routes and exported functions of a Node project, found in its text."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.cli.detect.candidate import RagCandidate
from ragate.cli.detect.node import find_node
from tests.unit.cli.detect.code import only
from tests.unit.cli.init.init_factories import write

ROUTES = """
export const router = Router();
router.post("/ask", async (req, res) => {
  const { question } = req.body;
  res.json({ reply: await rag(question) });
});
"""
SERVER = """
const app = express();
app.use("/api", router);
app.get("/healthz", (req, res) => res.json({ ok: true }));
app.listen(process.env.PORT ?? 4100);
"""
PACKAGE = '{"scripts": {"start": "tsx src/server.ts"}, "devDependencies": {"tsx": "4"}}'


def found(root: Path, files: dict[str, str], package: str = PACKAGE) -> list[RagCandidate]:
    write(root, {"package.json": package, **files})
    return list(find_node(root))


def test_a_typescript_service_is_started_by_its_script_and_tried_with_its_prefixes(tmp_path: Path):
    service = only(found(tmp_path, {"src/server.ts": SERVER, "src/routes.ts": ROUTES}))

    assert service.first == {
        "url": "http://127.0.0.1:4100/api/ask",
        "start": ["npm", "run", "--silent", "start"],
        "health": "http://127.0.0.1:4100/healthz",
        "body": '{"question": {{ query | tojson }}}',
    }
    assert service.variants[1]["url"] == "http://127.0.0.1:4100/ask"
    assert service.policy == {"http_hosts": ["127.0.0.1:4100"]}


def test_a_route_that_says_in_typescript_what_it_takes_is_found(tmp_path: Path):
    code = """
    app.post<{ Body: { userQuestion: string }; Reply: Array<Hit> }>("/api/assist", async (req) =>
      rag(req.body.userQuestion));
    app.listen({ port: 4010 });
    """
    service = only(found(tmp_path, {"src/server.ts": code}))

    assert service.first["url"] == "http://127.0.0.1:4010/api/assist"
    assert service.first["body"] == '{"userQuestion": {{ query | tojson }}}'


def test_a_service_without_routes_of_a_framework_is_found_by_what_it_compares(tmp_path: Path):
    code = """
    import { createServer } from "node:http";
    createServer(async (req, res) => {
      if (req.method === "POST" && req.url === "/chat") {
        const { message } = JSON.parse(await text(req));
        res.end(JSON.stringify(await rag(message)));
      }
    }).listen(8080);
    """
    service = only(found(tmp_path, {"server.mjs": code}, package="{}"))

    assert service.first["url"] == "http://127.0.0.1:8080/chat"
    assert service.first["start"] == ["node", "server.mjs"]
    assert service.first["body"] == '{"message": {{ query | tojson }}}'


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
    service = only(found(tmp_path, {"a.js": ROUTES + listen}))

    assert service.policy == {"http_hosts": [f"127.0.0.1:{port}"]}


@pytest.mark.parametrize(
    ("code", "field"),
    [
        ("async function answer({ question, k = 3 }) {}\nmodule.exports = { answer };", "question"),
        ("export const ask = async (question: string): Promise<Reply> => find(question);", ""),
        ("export default function answerQuestion(query) { return 1; }", ""),
        ("function ask(question) {}\nexports.ask = ask;", ""),
    ],
)
def test_an_exported_function_that_takes_a_question_is_reached_by_a_program(
    tmp_path: Path, code: str, field: str
):
    system = only(found(tmp_path, {"src/rag.ts": code}))

    assert system.settings == {"command": ["node", "--import", "tsx", "ragate-adapter.mjs"]}
    text = system.files["ragate-adapter.mjs"]
    assert 'import("./src/rag.ts")' in text
    assert (f'await ask({{ "{field}": query }})' if field else "await ask(query)") in text


@pytest.mark.parametrize(
    "code",
    [
        "function ask(question) {}\n",  # not exported
        "export function render(question) {}\n",
        "export function ask() {}\n",
        "// export function ask(question) {}\n",
        "export function ask(socket) {}\n",
        "export const ask = (question) => fetch('/api/ask', { body: question });\n",
        "import React from 'react';\nexport function ask(question) {}\n",
    ],
)
def test_what_is_no_such_function_is_left_alone(tmp_path: Path, code: str):
    assert found(tmp_path, {"rag.js": code}) == []


def test_without_a_manifest_javascript_is_no_project_of_node(tmp_path: Path):
    assert found(tmp_path, {"rag.js": "export function ask(question) {}"}, package="[") == []


def test_a_script_of_one_endless_word_is_read_in_one_go(tmp_path: Path):
    code = "app.listen(4010);\n" + "a" * 200_000

    assert not found(tmp_path, {"src/server.ts": code})
