"""The llamaindex system, by the shape of engines; real ones are in the integration tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragate.errors import ConfigError
from ragate.models import SystemOutput, Turn
from tests.factories import sample_factory
from tests.unit.systems.using import ask, message, module

ENGINES = """
import threading
import time
from types import SimpleNamespace as Thing

class Node(Thing):
    def get_content(self, metadata_mode):
        assert metadata_mode == "none"
        return self.text

def hits(text="A"):
    node = Node(text=text, metadata={"file_name": "a.md"}, ref_doc_id=None, node_id="n1")
    return [Thing(node=node, score=0.5)]

class Engine:
    calls = 0
    def query(self, query):
        self.calls += 1
        assert self.calls == 1, "one call a sample"
        return Thing(response="x", source_nodes=hits())
    def retrieve(self, query): raise AssertionError("a second retrieval")

class Streaming:
    def query(self, query):
        whole = Thing(response="x", source_nodes=hits())
        return Thing(source_nodes=hits(), get_response=lambda: whole)

class Async:
    async def aquery(self, query): return Thing(response="x", source_nodes=hits())

class Both:
    def query(self, query): return Thing(response="sync", source_nodes=hits())
    async def aquery(self, query): return Thing(response="async", source_nodes=hits())

class Retriever:
    def retrieve(self, query): return hits()

class Bare:
    def query(self, query): return Thing(response="x")

class Chat:
    made = 0
    def __init__(self):
        Chat.made += 1
        self.history, self.busy = [], False
    def reset(self): self.history = []
    def chat(self, query):
        assert not self.busy, "two samples in one engine"
        self.busy = True
        self.history.append(query)
        time.sleep(0.05)
        self.busy = False
        return Thing(response=f"{len(self.history)} {Chat.made}", source_nodes=hits())

class Trio(Chat):
    three = threading.Barrier(3, timeout=60)
    def chat(self, query):
        self.three.wait()
        return super().chat(query)

class Index:
    def as_query_engine(self): ...

def failing(): raise ValueError("no index")
def make(): return Engine()
async def amake(): return Engine()
class Colliding:
    def retrieve(self, query):
        paths = [f"/elsewhere/{folder}/a.md" for folder in "de"]
        rows = [{"file_name": "a.md", "file_path": path} for path in paths]
        nodes = [Node(text="A", metadata=row, ref_doc_id=None, node_id="n") for row in rows]
        return [Thing(node=node, score=0.5) for node in nodes]

engine, streaming, only_async, both = Engine(), Streaming(), Async(), Both()
retriever, bare, index, chat = Retriever(), Bare(), Index(), Chat()
"""


def outputs(
    root: Path, name: str, count: int = 1, code: str = ENGINES, **more: Any
) -> list[SystemOutput]:
    settings = {"target": f"{module(root, code)}:{name}", **more.pop("settings", {})}
    samples = [sample_factory(f"q{number}") for number in range(count)]
    return ask("llamaindex", settings, root, samples=samples, **{"live": True, **more})


@pytest.mark.parametrize("name", ["engine", "make", "amake", "Engine", "streaming", "only_async"])
def test_answer_and_source_nodes_come_from_one_call(tmp_path: Path, name: str):
    output = outputs(tmp_path, name)[0]

    assert output.error is None
    assert output.answer == "x"
    assert [(one.doc_id, one.text, one.score) for one in output.chunks] == [("a.md", "A", 0.5)]


def test_the_methods_that_are_used_can_be_chosen(tmp_path: Path):
    assert outputs(tmp_path, "both")[0].answer == "sync"
    assert outputs(tmp_path, "both", settings={"call": "async"})[0].answer == "async"


def test_a_retriever_gives_no_answer(tmp_path: Path):
    output = outputs(tmp_path, "retriever")[0]

    assert output.answer is None
    assert [one.doc_id for one in output.chunks] == ["a.md"]


def test_a_chat_engine_forgets_between_samples(tmp_path: Path):
    found = outputs(tmp_path, "chat", 4, concurrency=4)

    assert [output.answer for output in found] == ["1 1"] * 4


def test_a_function_makes_a_chat_engine_for_each_sample_at_once_and_no_more(tmp_path: Path):
    found = outputs(tmp_path, "Trio", 9, concurrency=3)

    assert {(output.answer or "").split()[0] for output in found} == {"1"}
    assert max(int((output.answer or "").split()[1]) for output in found) == 4  # and the module's


@pytest.mark.parametrize("name", ["Chat", "chat"])
def test_a_chat_engine_that_ran_out_of_time_serves_no_other_sample_meanwhile(
    tmp_path: Path, name: str
):
    slow = ENGINES.replace("time.sleep(0.05)", "time.sleep(30)")

    found = outputs(tmp_path, name, 2, slow, concurrency=2, timeout_s=1, live=False)

    assert all("no output within" in message(output) for output in found)


def test_an_engine_without_source_nodes_is_told_once(tmp_path: Path):
    said: list[str] = []

    found = outputs(tmp_path, "bare", 3, say=said.append)

    assert [output.answer for output in found] == ["x"] * 3
    assert len(said) == 1
    assert "no source nodes came with the answer to q" in said[0]  # whichever is answered first


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("index", "a Index is an index, not an engine"),
        ("failing", "setting it up raised ValueError: no index"),
        ("hits", "a list has no query, chat or retrieve"),
        ("missing", "has no 'missing'"),
    ],
)
def test_what_is_no_engine_is_an_error_before_the_first_question(
    tmp_path: Path, name: str, told: str
):
    with pytest.raises(ConfigError) as raised:
        outputs(tmp_path, name)

    assert told in str(raised.value)


def test_ids_that_stand_for_two_files_end_the_run(tmp_path: Path):
    with pytest.raises(ConfigError, match=r"two documents have the id 'a.md': '/elsewhere/d/a.md'"):
        outputs(tmp_path, "Colliding")


def test_the_folder_of_the_documents_makes_paths_of_names(tmp_path: Path):
    settings = {"doc_id_relative_to": "elsewhere"}

    output = outputs(tmp_path, "Colliding", settings=settings)[0]

    assert [chunk.doc_id for chunk in output.chunks] == ["d/a.md", "e/a.md"]


def test_a_failing_call_is_the_failure_of_its_sample(tmp_path: Path):
    found = outputs(tmp_path, "engine", 3, concurrency=1)

    assert [output.answer for output in found] == ["x", None, None]
    assert "AssertionError: one call a sample" in message(found[1])


CHAT_ENGINES = """
from types import SimpleNamespace as Thing

class Chat:
    def reset(self): pass
    def chat(self, query, chat_history=()):
        said = [f"{turn.role.value}: {turn.content}" for turn in chat_history]
        return Thing(response=f"{said} {query}", source_nodes=[])

class Query:
    def query(self, query): return Thing(response="x", source_nodes=[])
"""


def _after_a_turn(root: Path, name: str) -> SystemOutput:
    samples = [sample_factory("q1", query="B?", messages=(Turn(role="user", content="Hi"),))]
    target = f"{module(root, CHAT_ENGINES)}:{name}"
    return ask("llamaindex", {"target": target}, root, samples=samples, live=True)[0]


def test_a_chat_engine_gets_the_earlier_turns_as_its_history(tmp_path: Path):
    assert _after_a_turn(tmp_path, "Chat").answer == "['user: Hi'] B?"


def test_a_query_engine_cannot_be_given_earlier_turns(tmp_path: Path):
    with pytest.raises(ConfigError, match="a query engine: the sample q1 has earlier turns"):
        _after_a_turn(tmp_path, "Query")
