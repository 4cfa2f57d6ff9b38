"""Chains and retrievers of LangChain, read from code."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.cli.detect.langchain import find_chains
from ragate.cli.detect.python_files import python_files
from tests.unit.cli.detect.code import only, project

IMPORT = "from langchain_community.document_loaders import DirectoryLoader\n"


def test_a_retrieval_chain_takes_its_input_and_brings_documents(tmp_path: Path):
    code = """
docs = DirectoryLoader("kb").load()
def build():
    return create_retrieval_chain(retriever, combine)
"""
    root = project(tmp_path, chain=IMPORT + code)

    found = only(list(find_chains(python_files(root), root)))

    assert (found.use, found.documents) == ("python", "kb")
    assert found.settings == {
        "target": "chain:build",
        "factory": True,
        "input_key": "input",
        "doc_id": "source",
        "doc_id_relative_to": "kb",
    }


def test_a_retrieval_qa_is_read_by_pointers_where_it_returns_its_documents(tmp_path: Path):
    code = "qa = RetrievalQA.from_chain_type(llm, return_source_documents=True)"
    root = project(tmp_path, chain=IMPORT + code)

    found = only(list(find_chains(python_files(root), root)))

    assert found.settings["input_key"] == "query"
    assert found.settings["pointers"]["ids"] == "/source_documents/*/metadata/source"
    assert found.passages


@pytest.mark.parametrize(
    ("code", "key", "passages"),
    [
        ('chain = {"context": r, "question": RunnablePassthrough()} | prompt | llm', "", False),
        (
            'chain = {"q": itemgetter("question")} | prompt | llm | StrOutputParser()',
            "question",
            False,
        ),
        ("retriever = store.as_retriever()", "", True),
    ],
)
def test_pipes_and_retrievers_are_found(tmp_path: Path, code: str, key: str, passages: bool):
    root = project(tmp_path, chain=IMPORT + code)

    found = only(list(find_chains(python_files(root), root)))

    assert found.settings.get("input_key", "") == key
    assert found.passages is passages


def test_a_union_of_types_is_no_chain(tmp_path: Path):
    root = project(tmp_path, chain=IMPORT + "Number = int | float")

    assert not list(find_chains(python_files(root), root))
