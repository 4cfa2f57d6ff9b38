"""What a judge cannot tell apart has one judgement."""

from __future__ import annotations

from typing import Any

import pytest

from ragate.core.hashing import judgement_hash
from ragate.models import RetrievedChunk, SystemOutput, Turn
from tests.unit.judges.judge_factories import asked

CHUNK = RetrievedChunk(doc_id="a", text="A", score=0.5)


OUTPUT = SystemOutput(chunks=(CHUNK,), answer="It is A. [1]", latency_s=1.0)


def test_one_verdict_for_all_that_a_judge_cannot_tell_apart() -> None:
    same = SystemOutput(
        chunks=(RetrievedChunk(doc_id="b", text="A", score=0.9),),
        answer="It is A. [1]",
        latency_s=9.0,
    )
    sample = asked()
    renamed = sample.amended(id="other", tags=("x",), relevant={"a": 1})

    assert judgement_hash("j", sample, OUTPUT) == judgement_hash("j", renamed, same)


@pytest.mark.parametrize(
    ("sample", "output", "judge"),
    [
        ({}, {}, "k"),
        ({"query": "Why?"}, {}, "j"),
        ({"references": ("31 days.",)}, {}, "j"),
        ({"answerable": False}, {}, "j"),
        ({}, {"answer": "It is A."}, "j"),
        ({}, {"answer": None}, "j"),
        ({}, {"citations": (1,)}, "j"),
        ({}, {"chunks": ()}, "j"),
        ({}, {"chunks": (CHUNK, CHUNK)}, "j"),
    ],
)
def test_what_a_judge_can_see_changes_the_hash(
    sample: dict[str, Any], output: dict[str, Any], judge: str
) -> None:
    changed = judgement_hash(
        judge, asked().model_copy(update=sample), OUTPUT.model_copy(update=output)
    )

    assert changed != judgement_hash("j", asked(), OUTPUT)


def test_earlier_turns_make_another_question_of_it() -> None:
    alone = asked()
    after = alone.amended(messages=(Turn(role="user", content="Hi"),))

    assert judgement_hash("j", alone, OUTPUT) != judgement_hash("j", after, OUTPUT)
