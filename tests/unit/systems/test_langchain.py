"""Chains of LangChain."""

from __future__ import annotations

from pathlib import Path

from tests.unit.systems.functions import one
from tests.unit.systems.using import message

LANGCHAIN = """
class Message:
    content = "x"

class Document:
    def __init__(self, text, **metadata):
        self.page_content, self.metadata = text, metadata

PAGES = [Document("A", source="a.md", page=3, loc={"line": 1}), Document("B", source="b.md")]

class Chat:
    def invoke(self, query): return Message()

class Chain:
    async def ainvoke(self, value):
        return {"input": value["input"], "context": PAGES, "answer": "x"}
    def invoke(self, value): raise AssertionError

class Retriever:
    def invoke(self, query): return PAGES
"""


def test_a_chain_of_langchain_gives_answer_and_documents(tmp_path: Path):
    output = one(tmp_path, LANGCHAIN, "Chain", input_key="input")

    assert output.answer == "x"
    assert [(chunk.doc_id, chunk.text) for chunk in output.chunks] == [("a.md", "A"), ("b.md", "B")]
    assert output.chunks[0].metadata == {"source": "a.md", "page": 3}


def test_a_message_is_an_answer_and_documents_alone_are_a_retrieval(tmp_path: Path):
    assert one(tmp_path, LANGCHAIN, "Chat").answer == "x"
    assert len(one(tmp_path, LANGCHAIN, "Retriever").chunks) == 2


def test_a_document_without_its_id_names_the_metadata_that_it_has(tmp_path: Path):
    told = message(one(tmp_path, LANGCHAIN, "Retriever", doc_id="path"))

    assert "no metadata 'path'; it has source, page, loc" in told
