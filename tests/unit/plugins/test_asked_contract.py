"""A system or a judge in one file."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.plugins.contract.check_file import check_file

SYSTEM = """
from contextlib import asynccontextmanager
from ragate.models import RetrievedChunk, SystemInfo, SystemOutput, Failure, Score

ENDED = []

class Mine:
    max_runs = None
    info = SystemInfo(use="mine")
    criteria = frozenset({{"tone"}})
    fingerprint = "mine 1"

    async def prepare(self, *, rebuild=False): ...

    async def documents(self):
        return {documents}

    async def {method}
        {body}


@asynccontextmanager
async def create(settings, resources):
    yield Mine()
    {end}
"""
ANSWER = "answer(self, sample, *, run=0):"
CALL = "__call__(self, criteria, sample, output):"


def broken(
    tmp_path: Path,
    body: str,
    *,
    method: str = ANSWER,
    documents: str = "None",
    end: str = "pass",
    code: str = "",
) -> list[str]:
    path = tmp_path / "mine.py"
    written = SYSTEM.format(body=body, method=method, documents=documents, end=end)
    path.write_text(code or written)
    return [f"{d.text}: {d.broken}" for d in check_file(path, question="why?") if d.broken]


def test_what_keeps_its_contract_breaks_nothing(tmp_path: Path) -> None:
    assert broken(tmp_path, "return SystemOutput(answer=sample.query)") == []
    tone = "return {name: Score(metric=name, value=1.0) for name in criteria}"
    assert broken(tmp_path, tone, method=CALL) == []


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return 'yes'", "answer gives a str, not a SystemOutput"),
        ("return SystemOutput()", "answer gives neither chunks nor an answer"),
        ("raise KeyError('no index')", "raises KeyError: 'no index' (mine.py:"),
        (
            "return SystemOutput(error=Failure(kind='system', message='no index'))",
            "answer gives a failure: no index",
        ),
        ("return SystemOutput(answr='x')", "ValidationError"),
    ],
)
def test_an_answer_that_is_none_is_named(tmp_path: Path, body: str, said: str) -> None:
    (found,) = broken(tmp_path, body)

    assert found.startswith("it answers a question: ")
    assert said in found


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return 0.5", "it gives a float, not a dict"),
        ("return {}", "it gives nothing for tone"),
        ("return {'tone': 0.5}", "it gives float for tone"),
        ("return {'tone': Score(metric='x', value=1.0)}", "the score of tone calls itself 'x'"),
        ("return {'tone': Score(metric='tone', value=float('nan'))}", "cannot hold nan"),
    ],
)
def test_a_verdict_that_is_none_is_named(tmp_path: Path, body: str, said: str) -> None:
    (found,) = broken(tmp_path, body, method=CALL)

    assert found.startswith("it scores every criterion: ")
    assert said in found


def test_a_judge_that_asks_a_model_is_not_held_to_its_reply(tmp_path: Path) -> None:
    code = SYSTEM.format(
        body="return self.client('x')", method=CALL, documents="None", end="pass"
    ).replace("yield Mine()", "yield mine(resources)")
    code += "\n\ndef mine(resources):\n    judge = Mine()\n"
    code += "    judge.client = resources.chat\n    return judge\n"

    assert broken(tmp_path, "", code=code) == []


def test_documents_members_and_the_end_are_looked_at(tmp_path: Path) -> None:
    good = "return SystemOutput(answer='x')"

    assert broken(tmp_path, good, documents="['a']") == ["it is prepared: documents() gives no set"]
    assert "it ends: raises ValueError: left open" in "".join(
        broken(tmp_path, good, end="raise ValueError('left open')")
    )
    (lacking,) = broken(tmp_path, good, method="ask(self, sample):")
    assert "judge 'it' has no '__call__'" in lacking


@pytest.mark.parametrize("start", ["async def create", "def create"])
def test_a_create_that_is_no_context_manager_says_what_to_write(tmp_path: Path, start: str) -> None:
    (found,) = broken(tmp_path, "", code=f"{start}(settings, resources):\n    return 3\n")

    assert "write @asynccontextmanager above it" in found
