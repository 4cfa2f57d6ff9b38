"""What foreign code returned, as an output."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.systems._output import OutputError, file_id
from tests.unit.systems.functions import one
from tests.unit.systems.using import message


@pytest.mark.parametrize(
    "result",
    [
        "SystemOutput(answer='x')",
        "'x'",
        "Reply('x')",
        "Model(answer='x')",
        "{'answer': 'x', 'unrelated': 1}",
    ],
)
def test_every_kind_of_result_is_understood(tmp_path: Path, result: str):
    code = f"""
        from dataclasses import dataclass
        from pydantic import BaseModel
        from ragate.models import SystemOutput

        @dataclass
        class Reply:
            answer: str

        class Model(BaseModel):
            answer: str

        def answer(query):
            return {result}
    """

    assert one(tmp_path, code).answer == "x"


@pytest.mark.parametrize(
    ("result", "told"),
    [
        ("42", "answer returned int 42; expected a text, a dict"),
        ("None", "returned NoneType None"),
        ("{'answers': 'x'}", "unknown field 'answers'; did you mean 'answer'?"),
        ("{'answer': 3}", "returned answer = 3: Input should be a valid string"),
        ("{'chunks': [{'doc_id': 'a', 'score': 'high'}]}", "chunks.0.score"),
        ("{'result': 'It is so.'}", "neither `answer` nor `contexts`, but /result"),
        ("{}", "neither `answer` nor `contexts`, but no fields"),
    ],
)
def test_a_wrong_result_says_what_came_and_what_is_expected(tmp_path: Path, result: str, told: str):
    assert told in message(one(tmp_path, f"def answer(query): return {result}"))


# Paths of files as ids of documents.


@pytest.mark.parametrize(
    ("path", "folder", "named"),
    [
        ("/x/kb/billing/a.md", "kb", "billing/a.md"),
        ("kb/billing/a.md", "kb", "billing/a.md"),
        ("./kb/a.md", "kb", "a.md"),
        ("file:///x/kb/a.md", "kb", "a.md"),
        ("C:\\work\\kb\\billing\\a.md", "kb", "billing/a.md"),
        ("/home/bob/project/data/kb/a.md", "data/kb", "a.md"),
        ("/x/docs/a.md", "", "docs/a.md"),
        ("/elsewhere/a.md", "", "/elsewhere/a.md"),
        ("https://x.example/a", "", "https://x.example/a"),
        ("", "", ""),
    ],
)
def test_a_path_is_told_relative_to_its_folder(path: str, folder: str, named: str):
    assert file_id(path, folder, Path("/x"), where="") == named


def test_of_two_folders_of_one_name_the_one_that_holds_the_file_counts(tmp_path: Path):
    (tmp_path / "kb/guides/kb").mkdir(parents=True)
    (tmp_path / "kb/guides/kb/a.md").write_text("A")

    path = "/elsewhere/kb/guides/kb/a.md"

    assert file_id(path, "kb", tmp_path, where="") == "guides/kb/a.md"


def test_a_path_that_does_not_lead_through_the_folder_is_named():
    with pytest.raises(OutputError, match=r"the key 'p' is '/y/a.md', which is not below 'kb'"):
        file_id("/y/a.md", "kb", Path("/x"), where="the key 'p'")
