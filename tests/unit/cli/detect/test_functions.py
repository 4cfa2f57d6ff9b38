"""Functions that take a question, read from code."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.cli.detect.functions import find_functions, find_unmade
from ragate.cli.detect.python_files import python_files
from tests.unit.cli.detect.code import only, project


@pytest.mark.parametrize(
    ("returned", "pointers"),
    [
        ('{"answer": a, "chunks": [{"doc_id": h.path, "text": h.text} for h in hits]}', {}),
        ("str(a)", {}),
        (
            '{"reply": a, "hits": [{"file": h.path, "body": h.text, "score": 1.0} for h in hits]}',
            {
                "answer": "/reply",
                "contexts": "/hits/*/body",
                "ids": "/hits/*/file",
                "scores": "/hits/*/score",
            },
        ),
        (
            '(text, [{"source": h.path, "content": h.text} for h in hits])',
            {"answer": "/0", "contexts": "/1/*/content", "ids": "/1/*/source"},
        ),
    ],
)
def test_what_it_returns_tells_where_the_parts_are(
    tmp_path: Path, returned: str, pointers: dict[str, str]
):
    root = project(tmp_path, rag=f"def answer(question):\n    return {returned}\n")

    found = only(list(find_functions(python_files(root), root)))

    assert found.settings["target"] == "rag:answer"
    assert found.settings.get("pointers", {}) == pointers


@pytest.mark.parametrize(
    ("passages", "ids"),
    [
        ('"contexts": [{"id": h.path, "text": h.text} for h in hits]', True),
        ('"chunks": [{"doc_id": h.path, "text": h.text} for h in hits]', True),
        ('"contexts": [h.text for h in hits]', False),
    ],
)
def test_passages_with_ids_can_be_held_against_expected_documents(
    tmp_path: Path, passages: str, ids: bool
):
    root = project(tmp_path, rag=f'def answer(question):\n    return {{"answer": a, {passages}}}\n')

    found = only(list(find_functions(python_files(root), root)))

    assert (found.ids, found.passages) == (ids, True)
    assert "pointers" not in found.settings


def test_models_and_other_functions_are_followed(tmp_path: Path):
    code = """
    from dataclasses import dataclass
    @dataclass
    class Source:
        path: str
        snippet: str
    @dataclass
    class Reply:
        text: str
        sources: list[Source]
    def ask(question: str) -> Reply: ...
    """
    root = project(tmp_path, rag=code)

    found = only(list(find_functions(python_files(root), root)))

    assert found.settings["pointers"] == {
        "answer": "/text",
        "contexts": "/sources/*/snippet",
        "ids": "/sources/*/path",
    }


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

    targets = {each.settings["target"] for each in find_functions(python_files(root), root)}

    assert targets == {"app:rag.ask", "app:Caller"}


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

    assert not list(find_functions(python_files(root), root))


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

    found = only(list(find_functions(python_files(root), root)))

    assert found.settings["target"] == "bot:Assistant.run"
    assert "Assistant().run() in bot.py:4" in found.what


def test_a_method_of_an_object_is_named_with_the_file_of_its_class(tmp_path: Path):
    root = project(
        tmp_path,
        app="from bot import Rag\nrag = Rag()",
        bot="class Rag:\n    def ask(self, question): return 'x'",
    )

    assert "rag.ask() in bot.py:2" in only(list(find_functions(python_files(root), root))).what


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
