"""How many passes a run has, and how many may follow it: settled before the first question."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import pytest

from ragate.answers.collected_outputs import read_collected
from ragate.answers.system_session import Session, plan_confirmation
from ragate.core.hashing import content_hash
from ragate.errors import DatasetError
from ragate.models import Reads, Turn
from tests.factories import sample_factory
from tests.unit.answers.run_plans import session_of

OLD = sample_factory("q1", query="What is it?")


NEW = sample_factory("q1", query="What is it now?")


def lines(path: Path, *samples, answer: str = "") -> Path:
    rows = [
        {"id": one.id, "run": 0, "hash": content_hash(one), "answer": answer or one.query}
        for one in samples
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize(
    ("runs", "most", "further"),
    [
        (1, 9, 2),  # two more may follow
        (1, 2, 1),  # the system holds one more
        (1, 1, 0),  # it holds none
        (2, 9, 2),
        (3, 9, 0),  # the first look has them all
    ],
)
def test_what_may_follow_is_known_before_the_first_pass(runs: int, most: int, further: int):
    session = session_of(most)

    plan_confirmation(cast("Session", session), runs=runs)

    assert session.collected.manifest.confirm == further


def test_a_system_that_declares_its_answers_exact_is_not_asked_again():
    session = session_of(9, deterministic=frozenset({Reads.ANSWER}))

    plan_confirmation(cast("Session", session), runs=1)

    assert session.collected.manifest.confirm == 0


@pytest.mark.parametrize("order", [(OLD, NEW), (NEW, OLD)])
def test_a_sample_in_two_wordings_finds_the_output_of_its_own(tmp_path: Path, order) -> None:
    path = lines(tmp_path / "outputs.jsonl", *order)
    for sample in (OLD, NEW):
        found = read_collected([path], [sample]).passes[0][sample.id]
        assert found.answer == sample.query


def test_an_output_of_the_old_wording_alone_is_not_measured(tmp_path: Path) -> None:
    path = lines(tmp_path / "outputs.jsonl", OLD)
    found = read_collected([path], [NEW]).passes[0]["q1"]
    assert found.error is not None
    assert found.error.kind == "provider"


def test_two_outputs_of_one_wording_are_refused(tmp_path: Path) -> None:
    path = lines(tmp_path / "outputs.jsonl", OLD, NEW, OLD)
    with pytest.raises(DatasetError, match="second output"):
        read_collected([path], [OLD])


def test_a_question_after_earlier_turns_is_found_by_its_id_alone(tmp_path: Path) -> None:
    after = sample_factory("q1", query="And why?", messages=(Turn(role="user", content="Late?"),))
    alone = sample_factory("q2", query="And why?")
    path = tmp_path / "outputs.jsonl"
    path.write_text(json.dumps({"question": "And why?", "answer": "alone"}))

    found = read_collected([path], [alone, after]).passes[0]

    assert found["q2"].answer == "alone"
    assert found["q1"].error is not None
