"""The python system: any function of the project, sync or async."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from ragate.errors import ConfigError
from ragate.models import RetrievedChunk, Turn
from tests.factories import sample_factory
from tests.unit.systems.functions import PLAIN, one
from tests.unit.systems.using import ask, message, module


@pytest.mark.parametrize("kind", ["def", "async def"])
def test_a_function_gets_the_question_and_its_dict_is_the_output(tmp_path: Path, kind: str):
    output = one(tmp_path, PLAIN.replace("def", kind))

    assert output.answer == "WHAT DOES PAGE Q001 SAY?"
    assert output.chunks == (RetrievedChunk(doc_id="a.md", text="A", score=0.5),)
    assert output.latency_s is not None


@pytest.mark.parametrize("parameter", ["sample", "s: 'Sample'", "s: Sample"])
def test_a_parameter_for_the_sample_gets_the_whole_sample(tmp_path: Path, parameter: str):
    code = f"from ragate.models import Sample\ndef answer({parameter}): return PICK.id"
    name = parameter.partition(":")[0]

    assert one(tmp_path, code.replace("PICK", name)).answer == "q001"


OWN_FIELDS = """
from dataclasses import dataclass
class Page:
    page_content, metadata = "A", {"source": "a.md"}
@dataclass
class Reply:
    text: str
    pages: list
def record(query): return {"reply": {"text": "x"}, "hits": [{"file": "a.md", "body": "A"}]}
def pair(query): return "x", [Page()]
def model(query): return Reply("x", [Page()])
"""


@pytest.mark.parametrize(
    ("name", "pointers"),
    [
        (
            "record",
            {"answer": "/reply/text", "contexts": "/hits/*/body", "ids": "/hits/*/file"},
        ),
        (
            "pair",
            {"answer": "/0", "contexts": "/1/*/page_content", "ids": "/1/*/metadata/source"},
        ),
        (
            "model",
            {
                "answer": "/text",
                "contexts": "/pages/*/page_content",
                "ids": "/pages/*/metadata/source",
            },
        ),
    ],
)
def test_pointers_read_what_a_function_returns_in_its_own_fields(
    tmp_path: Path, name: str, pointers: dict[str, str]
):
    target = f"{module(tmp_path, OWN_FIELDS)}:{name}"

    output = ask("python", {"target": target, "pointers": pointers}, tmp_path)[0]

    assert output.error is None
    assert output.answer == "x"
    assert [(chunk.doc_id, chunk.text) for chunk in output.chunks] == [("a.md", "A")]


def test_a_pointer_that_leads_nowhere_in_what_was_returned_is_named(tmp_path: Path):
    settings = {
        "target": f"{module(tmp_path, OWN_FIELDS)}:record",
        "pointers": {"answer": "/reply/txt"},
    }

    assert "/reply/txt leads nowhere" in message(ask("python", settings, tmp_path, live=True)[0])


def test_top_k_and_retrieval_only_are_kept_to(tmp_path: Path):
    code = "def answer(query): return {'answer': 'x', 'contexts': ['a', 'b'], 'citations': [1]}"
    target = f"{module(tmp_path, code)}:answer"

    output = ask("python", {"target": target}, tmp_path, live=True, top_k=1, retrieval_only=True)[0]

    assert (len(output.chunks), output.answer, output.citations) == (1, None, None)


CHAT = """
def with_turns(query, messages): return f"{[turn['content'] for turn in messages]} {query}"
def gradio(message, history): return with_turns(message, history)
def without(query): return query
def whole(sample): return f"{len(sample.messages)} {sample.query}"

class Chain:
    async def ainvoke(self, value): return str(value)
"""
TURNS = (Turn(role="user", content="Hi"), Turn(role="assistant", content="Hello"))


def _chat(root: Path, name: str, **settings: object) -> list[str | None]:
    samples = [sample_factory("q1", query="A?"), sample_factory("q2", query="B?", messages=TURNS)]
    target = f"{module(root, CHAT)}:{name}"
    outputs = ask("python", {"target": target, **settings}, root, samples=samples, live=True)
    return [output.answer for output in outputs]


@pytest.mark.parametrize("name", ["with_turns", "gradio"])
def test_a_parameter_messages_or_history_gets_the_earlier_turns(tmp_path: Path, name: str):
    assert _chat(tmp_path, name) == ["[] A?", "['Hi', 'Hello'] B?"]


def test_a_function_of_the_whole_sample_finds_the_earlier_turns_in_it(tmp_path: Path):
    assert _chat(tmp_path, "whole") == ["0 A?", "2 B?"]


def test_a_runnable_gets_the_earlier_turns_under_its_key(tmp_path: Path):
    alone, after = _chat(tmp_path, "Chain", input_key="input", messages_key="chat_history")

    assert alone == "{'input': 'A?', 'chat_history': []}"
    assert after is not None
    assert "'chat_history': [{'role': 'user', 'content': 'Hi'}" in after


def test_a_runnable_with_one_key_for_both_gets_the_question_as_the_last_message(tmp_path: Path):
    alone, after = _chat(tmp_path, "Chain", input_key="messages", messages_key="messages")

    assert alone == "{'messages': [{'role': 'user', 'content': 'A?'}]}"
    assert after is not None
    assert ast.literal_eval(after) == {
        "messages": [
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": "Hello"},
            {"role": "user", "content": "B?"},
        ]
    }


@pytest.mark.parametrize("name", ["without", "Chain"])
def test_a_function_without_a_place_for_earlier_turns_ends_the_run(tmp_path: Path, name: str):
    with pytest.raises(ConfigError, match="the sample q2 has earlier turns"):
        _chat(tmp_path, name)


OBJECTS = """
class Rag:
    def __init__(self): self.made = "made once"
    def ask(self, query): return self.made
    @staticmethod
    def plain(query): return "no object"
class Wants:
    def __init__(self, llm): ...
    def ask(self, query): return "x"
"""


@pytest.mark.parametrize(("name", "answer"), [("Rag.ask", "made once"), ("Rag.plain", "no object")])
def test_a_method_of_a_class_is_asked_of_an_object_made_without_arguments(
    tmp_path: Path, name: str, answer: str
):
    assert one(tmp_path, OBJECTS, name).answer == answer


def test_a_class_that_wants_arguments_says_what_it_lacks(tmp_path: Path):
    with pytest.raises(ConfigError, match="llm"):
        one(tmp_path, OBJECTS, "Wants.ask")
