"""What foreign code returned, as an output."""

from __future__ import annotations

from pathlib import Path

import pytest

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
        ("{'answer': 3}", "returned answer: Input should be a valid string (got 3)"),
        ("{'chunks': [{'doc_id': 'a', 'score': 'high'}]}", "chunks.0.score"),
        ("{'result': 'It is so.'}", "neither `answer` nor `contexts`, but /result"),
        ("{}", "neither `answer` nor `contexts`, but no fields"),
    ],
)
def test_a_wrong_result_says_what_came_and_what_is_expected(tmp_path: Path, result: str, told: str):
    assert told in message(one(tmp_path, f"def answer(query): return {result}"))
