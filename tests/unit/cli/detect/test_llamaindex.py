"""Engines of LlamaIndex, read from code."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.cli.detect.find import find_systems
from ragate.cli.detect.llamaindex import find_engines
from ragate.cli.detect.python_files import python_files
from tests.unit.cli.detect.code import only, project

IMPORT = "from llama_index.core import SimpleDirectoryReader, VectorStoreIndex\n"


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("def make():\n    return index.as_query_engine()", "query engine make()"),
        ("def make():\n    e = index.as_chat_engine()\n    return e", "chat engine make()"),
        ("async def make():\n    return await index.as_retriever()", "retriever make()"),
        ("def make() -> 'BaseQueryEngine':\n    ...", ""),
        ("def make() -> BaseQueryEngine:\n    ...", "query engine make()"),
        ("def make():\n    return RetrieverQueryEngine.from_args(r)", "query engine make()"),
        ("engine = index.as_query_engine()", "query engine engine"),
        ("engine = CitationQueryEngine.from_args(index)", "query engine engine"),
        ("def make(path):\n    return index.as_query_engine()", ""),
        ("def make():\n    return VectorStoreIndex.from_documents([])", ""),
        ("if __name__ == '__main__':\n    engine = index.as_query_engine()", ""),
    ],
)
def test_what_can_be_asked_is_told_from_what_cannot(tmp_path: Path, code: str, kind: str):
    root = project(tmp_path, rag=IMPORT + code)

    found = list(find_engines(python_files(root), root))

    assert [kind in each.what for each in found] == ([True] if kind else [])


def test_the_folder_of_the_reader_makes_ids_of_paths(tmp_path: Path):
    code = """
    from llama_index.core import *
    from pathlib import Path
    KB = Path(__file__).parent.parent / "kb"

    def load():
        return SimpleDirectoryReader(str(KB), recursive=True).load_data()

    def engine():
        return VectorStoreIndex.from_documents(load()).as_query_engine()
    """
    root = project(tmp_path, app__rag=code)

    found = only([each for each in find_systems(root) if each.use == "llamaindex"])

    assert found.settings == {
        "target": "app.rag:engine",
        "doc_id": "file_path",
        "doc_id_relative_to": "kb",
    }
    assert found.documents == "kb"


def test_a_module_without_llamaindex_holds_no_engine(tmp_path: Path):
    root = project(tmp_path, rag="engine = index.as_query_engine()")

    assert not list(find_engines(python_files(root), root))
