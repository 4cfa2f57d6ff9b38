"""Engines, chains and graphs, found by what makes them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragate.cli.detect.candidate import RagCandidate
from ragate.cli.detect.functions import find_engines
from ragate.cli.detect.python_files import python_files
from tests.unit.cli.detect.code import only, project

GRAPH = """
from typing import TypedDict
from langgraph.graph import StateGraph
class State(TypedDict):
    question: str
    context: list
graph = StateGraph(State).compile()
"""


def engines(root: Path) -> list[RagCandidate]:
    return list(find_engines(python_files(root), root))


@pytest.mark.parametrize(
    ("made", "kind"),
    [
        ("index.as_query_engine()", "query engine"),
        ("index.as_chat_engine()", "chat engine"),
        ("RetrieverQueryEngine.from_args(r)", "query engine"),
        ("BM25Retriever.from_defaults()", "retriever"),
    ],
)
def test_an_engine_of_llamaindex_is_found_where_a_function_makes_it(
    tmp_path: Path, made: str, kind: str
):
    code = f"from llama_index.core import X\ndef build():\n    made = {made}\n    return made"

    found = only(engines(project(tmp_path, bot=code)))

    assert found.what == f"the LlamaIndex {kind} build() in bot.py:2"
    assert found.first == {"target": "bot:build", "doc_id": "file_path"}


def test_a_compiled_graph_is_given_the_question_under_the_keys_that_its_code_speaks_of(
    tmp_path: Path,
):
    found = only(engines(project(tmp_path, app=GRAPH)))

    assert "LangGraph compiled graph graph in app.py" in found.what
    assert found.first == {"target": "app:graph", "input_key": "question"}


def test_a_graph_of_messages_takes_them_as_one_list(tmp_path: Path):
    code = GRAPH.replace("StateGraph(State)", "StateGraph(MessagesState)")

    found = only(engines(project(tmp_path, app=code)))

    assert found.variants[0] == {"input_key": "messages", "messages_key": "messages"}


def test_the_graphs_of_langgraph_json_come_first(tmp_path: Path):
    project(tmp_path, agent__graph="def make(): ...")
    declared = {"graphs": {"support": "./agent/graph.py:make"}}
    (tmp_path / "langgraph.json").write_text(json.dumps(declared))

    found = only(engines(tmp_path))

    assert found.settings == {"target": "agent.graph:make", "factory": True}
    assert "'support' of langgraph.json" in found.what


@pytest.mark.parametrize(
    "declared", ["{", "[]", '{"graphs": 3}', '{"graphs": {"a": "../x.py:g"}}', '{"graphs": null}']
)
def test_a_langgraph_json_that_names_none_is_passed_over(tmp_path: Path, declared: str):
    (tmp_path / "langgraph.json").write_text(declared)

    assert engines(project(tmp_path, app="x = 1")) == []


@pytest.mark.parametrize(
    "value",
    ["prompt | llm | StrOutputParser()", "create_retrieval_chain(r, c)", "db.as_retriever()"],
)
def test_what_langchain_makes_is_found(tmp_path: Path, value: str):
    code = f"import langchain_core\nchain = {value}\n"

    assert only(engines(project(tmp_path, app=code))).settings["target"] == "app:chain"


@pytest.mark.parametrize("value", ["int | None", "re.compile('a')", "make()"])
def test_other_values_are_none(tmp_path: Path, value: str):
    code = f"import langchain_core, re\nchain = {value}\n"

    assert engines(project(tmp_path, app=code)) == []
