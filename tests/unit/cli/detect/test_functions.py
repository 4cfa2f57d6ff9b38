"""Functions that take a question, read from code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragate.cli.detect.candidate import RagCandidate
from ragate.cli.detect.functions import find_engines, find_functions, find_unmade
from ragate.cli.detect.project_files import python_files
from tests.unit.cli.detect.code import only, project


def test_a_chat_function_with_earlier_turns_is_found(tmp_path: Path):
    root = project(tmp_path, ui="def chat(message, history): ...\ndef ask(question, index): ...")

    assert only(list(find_functions(python_files(root)))).settings == {"target": "ui:chat"}


def test_a_decorator_that_only_watches_is_looked_through(tmp_path: Path):
    root = project(tmp_path, rag="@observe(name='rag')\ndef answer(question): ...")

    assert only(list(find_functions(python_files(root)))).settings == {"target": "rag:answer"}


def test_below_src_both_ways_of_importing_are_tried(tmp_path: Path):
    root = project(tmp_path, src__rag="def answer(question): ...")

    found = only(list(find_functions(python_files(root))))

    assert found.variants == ({"target": "rag:answer"}, {"target": "src.rag:answer"})


def test_methods_of_an_object_and_classes_that_can_be_called_are_found(tmp_path: Path):
    code = """
    class Rag:
        def __init__(self): ...
        def ask(self, question): return "x"
    class Caller:
        def __call__(self, question): return "x"
    class Wants:
        def __init__(self, index): ...
        def __call__(self, question): return "x"
    rag = Rag()
    """
    root = project(tmp_path, app=code)

    targets = {each.settings["target"] for each in find_functions(python_files(root))}

    assert targets == {"app:rag.ask", "app:Caller"}


@pytest.mark.parametrize(
    "maker",
    ["def build(top_k=3) -> Rag: return make(top_k)", "async def build(): return Rag(open())"],
)
def test_a_method_of_what_a_function_makes_is_found_and_not_out_of_reach(
    tmp_path: Path, maker: str
):
    code = f"class Rag:\n    def __init__(self, index): ...\n    def run(self, query): ...\n{maker}"
    files = python_files(project(tmp_path, app=code))

    found = only(list(find_functions(files)))

    assert found.settings == {"target": "app:build().run"}
    assert not list(find_unmade(files))


def test_what_a_function_makes_of_an_argument_stays_out_of_reach(tmp_path: Path):
    code = """
    class Rag:
        def __init__(self, index): ...
        def run(self, query): ...
    def build(path): return Rag(path)
    """
    files = python_files(project(tmp_path, app=code))

    assert not list(find_functions(files))
    assert list(find_unmade(files)) == ["Rag.run() in app.py:4 (Rag wants index)"]


@pytest.mark.parametrize(
    "code",
    [
        "def _answer(question): ...",
        "def answer(question, index): ...",
        "def render(text): ...",
        "def answer(): ...",
        "@app.post('/ask')\ndef ask(question): ...",
        "def outer():\n    def ask(question): ...",
    ],
)
def test_what_takes_no_lone_question_is_no_system(tmp_path: Path, code: str):
    root = project(tmp_path, rag=code)

    assert not list(find_functions(python_files(root)))


def test_a_method_of_a_class_that_is_made_without_arguments_is_found_in_its_file(tmp_path: Path):
    code = """
    class Assistant:
        def __init__(self, folder="pages"): ...
        def run(self, user_question): return {"answer": "x", "chunks": []}
        def invoke(self, prompt): return "x"
    class Wants:
        def __init__(self, llm): ...
        def ask(self, question): return "x"
    """
    root = project(tmp_path, bot=code)

    found = only(list(find_functions(python_files(root))))

    assert found.settings["target"] == "bot:Assistant.run"
    assert "Assistant().run() in bot.py:4" in found.what


def test_a_method_of_an_object_is_named_with_the_file_of_its_class(tmp_path: Path):
    root = project(
        tmp_path,
        app="from bot import Rag\nrag = Rag()",
        bot="class Rag:\n    def ask(self, question): return 'x'",
    )

    assert "rag.ask() in bot.py:2" in only(list(find_functions(python_files(root)))).what


def test_a_class_that_wants_arguments_is_told_with_what_it_wants(tmp_path: Path):
    code = """
    class Rag:
        def __init__(self, llm, index, k=3): ...
        def ask(self, question): return "x"
        def close(self): ...
    class Store:
        def __init__(self, folder): ...
        def add(self, text): ...
    """

    found = list(find_unmade(python_files(project(tmp_path, bot=code))))

    assert found == ["Rag.ask() in bot.py:4 (Rag wants llm, index)"]


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
