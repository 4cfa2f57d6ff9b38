"""Recorded outputs of a policy with `repeats`: never a weaker gate than without the line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragate.cli.main import run
from tests.projects import ReplayProject, right

pytestmark = pytest.mark.integration

Answer = Callable[[int, int], dict[str, Any]]
DECLARED = 'repeats = ["retrieval", "answer"]\n'


def with_words(words: str, *numbers: int, runs: tuple[int, ...] = (0, 1, 2)) -> Answer:
    """Answer rightly, and so many questions with `words` behind in the recorded `runs`."""

    def answer(number: int, run_number: int) -> dict[str, Any]:
        given = right(number, run_number)
        if number not in numbers or run_number not in runs:
            return given
        return {**given, "answer": f"{given['answer']} {words}"}

    return answer


def silent(*numbers: int, runs: tuple[int, ...] = (0, 1, 2)) -> Answer:
    def answer(number: int, run_number: int) -> dict[str, Any]:
        given = right(number, run_number)
        lost = number in numbers and run_number in runs
        return {**given, "answer": "No idea, sorry." if lost else given["answer"]}

    return answer


VARYING = with_words("Sure.", *range(30, 36), runs=(1,))
FIVE = tuple(range(5))


@pytest.mark.parametrize(
    ("samples", "before", "after", "policy", "passes"),
    [
        pytest.param(40, right, silent(*FIVE), "", 1, id="five losses, one pass"),
        pytest.param(
            40, VARYING, silent(*FIVE[:4]), 'claim = "this-set"\n', 1, id="a baseline that varies"
        ),
        pytest.param(40, VARYING, silent(*FIVE[:3], 30, 31, 32), "", 3, id="losses of both kinds"),
        pytest.param(24, right, with_words("Sure.", *range(6)), "", 1, id="many small falls"),
        pytest.param(4, right, silent(*range(4)), "", 1, id="too few to be red"),
        pytest.param(40, VARYING, silent(*range(12), runs=(0,)), "", 3, id="a clear first pass"),
        pytest.param(40, right, silent(0), "", 1, id="one loss"),
    ],
)
def test_declaring_makes_no_gate_weaker(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    samples: int,
    before: Answer,
    after: Answer,
    policy: str,
    passes: int,
):
    monkeypatch.chdir(tmp_path)
    project = ReplayProject(tmp_path, samples=samples, policy=policy)
    codes = {}
    for line in ("", DECLARED):
        project.configure(policy=policy + line)
        project.record(before, runs=3)
        assert run(["baseline", "update"]) == 0
        project.record(after, runs=passes)
        codes[line] = run(["check"])

    strength = [0, 3, 1].index  # passed, no decision, red
    assert strength(codes[DECLARED]) >= strength(codes[""]), codes


def test_passes_count_where_retrieval_alone_is_declared_and_answers_vary(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def elsewhere(number: int, run_number: int) -> dict[str, Any]:
        given = VARYING(number, run_number)
        lost = {"doc_id": "other.md", "text": "Something else."}
        return {**given, "chunks": [lost]} if number in FIVE else given

    monkeypatch.chdir(tmp_path)
    project = ReplayProject(tmp_path, policy='repeats = ["retrieval"]\n')
    project.record(VARYING, runs=3)
    assert run(["baseline", "update"]) == 0
    project.record(elsewhere, runs=3)

    run(["check", "--runs", "1"])

    assert project.report()["decision"]["runs_candidate"] == 3
