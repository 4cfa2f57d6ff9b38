"""Which of several systems of a project is the likeliest."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.cli.detect.find import find_systems
from tests.unit.cli.detect.code import project
from tests.unit.cli.detect.web.test_services import FASTAPI

FLASK = """
from flask import Flask, jsonify, request
from bot import ask
app = Flask(__name__)

@app.post("/ask")
def ask_route():
    question = request.json["question"]
    reply = ask(question)
    return jsonify({"answer": reply["answer"], "sources": [{"id": s["id"]} for s in reply["hits"]]})
"""
BOT = """
def ask(question):
    hits = [{"doc_id": name, "text": text} for name, text in find(question)]
    return {"answer": hits[0]["text"], "chunks": hits}
"""
HEALTH = "\n@app.get('/health')\ndef health():\n    return 'ok'\n"
LLAMAINDEX = "import llama_index\ndef engine(): return index.as_query_engine()\n"


def uses(root: Path) -> list[str]:
    return [each.use for each in find_systems(root)]


def test_an_engine_comes_before_the_service_around_it_and_that_before_a_function(tmp_path: Path):
    root = project(
        tmp_path, engine=LLAMAINDEX, main=FASTAPI, helper="def search(query): return 'x'"
    )

    assert uses(root) == ["llamaindex", "http", "python"]


@pytest.mark.parametrize(("pages", "likeliest"), [("", "python"), (HEALTH, "http")])
def test_a_service_that_cannot_be_started_comes_after_the_function_in_it(
    tmp_path: Path, pages: str, likeliest: str
):
    root = project(tmp_path, app=FLASK + pages, bot=BOT)

    assert uses(root)[0] == likeliest
    assert set(uses(root)) == {"http", "python"}


def test_a_target_is_named_once(tmp_path: Path):
    code = "import langchain\ndef answer(question): return 'x'\nretriever = db.as_retriever()\n"
    root = project(tmp_path, chain=code)

    targets = [each.settings["target"] for each in find_systems(root)]

    assert len(targets) == len(set(targets)) == 2


def test_a_project_without_code_has_none(tmp_path: Path):
    assert find_systems(project(tmp_path)) == []
