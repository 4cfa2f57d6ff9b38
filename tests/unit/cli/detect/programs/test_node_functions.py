"""Functions of a Node project, found in its text."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from ragate.cli.detect.found_system import FoundSystem
from ragate.cli.detect.programs.node_adapter import NAME
from ragate.cli.detect.programs.node_functions import find_node_functions
from tests.unit.cli.detect.code import only
from tests.unit.cli.init.init_factories import write

HITS = "[{ pageContent: 'Thirty days.', metadata: { source: 'refunds.md' } }]"
OBJECT = "{ text: `It is ${question}`, sourceDocuments: " + HITS + " }"
COMMON = (
    "async function answer({ question, topK = 3 }) { console.log('loud'); return "
    + OBJECT
    + "; }\nmodule.exports = { answer };\n"
)
MODULE = "export const ask = async (question) => (" + OBJECT + ");\n"
DEFAULT = "export default function answerQuestion(query) { return 'For ' + query; }\n"
PLAIN = "function ask(question) { throw new Error('no index'); }\nexports.ask = ask;\n"


def found(root: Path, code: str, *, manifest: str = "{}") -> list[FoundSystem]:
    write(root, {"package.json": manifest, "src/rag.js": code})
    return list(find_node_functions(root))


@pytest.mark.parametrize("code", [COMMON, MODULE, DEFAULT, PLAIN])
def test_an_exported_function_that_takes_a_question_is_reached_by_a_program(
    tmp_path: Path, code: str
):
    system = only(found(tmp_path, code))

    assert system.settings == {"command": ["node", NAME]}
    assert "./src/rag.js" in system.files[NAME]


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
    assert found(tmp_path, code) == []


def test_without_a_manifest_javascript_is_no_project_of_node(tmp_path: Path):
    assert found(tmp_path, COMMON, manifest="[") == []


@pytest.mark.parametrize(
    "code",
    ["export function search(query) {}\n", "export const query = (text, params) => run(text);\n"],
)
def test_a_search_or_a_query_of_a_database_is_less_likely_than_documents(tmp_path: Path, code: str):
    assert only(found(tmp_path, code)).likelihood < 45


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize(
    ("code", "kind", "reply"),
    [
        (COMMON, "commonjs", {"answer": "It is A?", "doc_id": "refunds.md"}),
        (MODULE, "module", {"answer": "It is A?", "doc_id": "refunds.md"}),
        (DEFAULT, "module", {"answer": "For A?"}),
        (PLAIN, "commonjs", {"error": "no index"}),
    ],
)
def test_the_program_answers_line_by_line_whatever_else_is_printed(
    tmp_path: Path, code: str, kind: str, reply: dict[str, str]
):
    system = only(found(tmp_path, code, manifest=json.dumps({"type": kind})))
    (tmp_path / NAME).write_text(system.files[NAME])

    done = subprocess.run(
        ["node", NAME],
        cwd=tmp_path,
        input='{"id": "1", "query": "A?"}\n{"id": "2", "query": "B?"}\n',
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )

    first, second = (json.loads(line) for line in done.stdout.splitlines())
    chunk = first.pop("chunks", [{}])[0]
    assert {key: {**first, **chunk}.get(key) for key in reply} == reply
    assert (first["id"], second["id"]) == ("1", "2")
