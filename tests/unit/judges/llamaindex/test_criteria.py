"""How each criterion is asked for, and how its replies become a score."""

from __future__ import annotations

import json

from tests.unit.judges.judge_factories import TWO, Chat, answered, asked, values
from tests.unit.judges.llamaindex_factories import judge_by

POINTS = ["context_relevancy"]


def test_the_best_grade_over_the_references_counts_and_five_ends_it() -> None:
    sample = asked().amended(references=("one", "two", "three"))
    chat = Chat(["2\nno", "5\nyes"])

    scores = judge_by(chat, sample, TWO, ["correctness"])

    assert scores["correctness"].value == 5.0
    assert scores["correctness"].reason == "yes"
    assert len(chat.requests) == 2


def test_context_relevancy_is_four_points_and_stops_at_the_best() -> None:
    chat = Chat(["Partly. [RESULT] 1.5", "4.0", "never asked"])
    output = answered("A", "one", "two", "three")

    scores = judge_by(chat, asked(), output, POINTS, mode="refine")

    assert values(scores) == {"context_relevancy": 1.0}
    assert "Partly. [RESULT] 1.5" in chat.requests[1].messages[0][1]
    assert len(chat.requests) == 2


def test_answer_relevancy_is_two_points_without_contexts() -> None:
    chat = Chat(["Half. [RESULT] 1"])

    scores = judge_by(chat, asked("How long?"), TWO, ["answer_relevancy"])

    assert values(scores) == {"answer_relevancy": 0.5}
    assert TWO.answer is not None
    assert TWO.answer in chat.requests[0].messages[0][1]
    assert "Stored in Oslo." not in chat.requests[0].messages[0][1]


def test_guidelines_are_the_users_own_or_those_of_the_library() -> None:
    from llama_index.core.evaluation.guideline import DEFAULT_GUIDELINES

    reply = json.dumps({"passing": False, "feedback": "too long"})
    chat = Chat([reply] * 2)

    own = judge_by(chat, asked(), TWO, ["guideline"], guidelines="One sentence.")
    judge_by(chat, asked(), TWO, ["guideline"])

    assert own["guideline"].value == 0.0
    assert own["guideline"].reason == "too long"
    first, second = (request.messages[0][1] for request in chat.requests)
    assert "Guidelines: One sentence.\n" in first
    assert DEFAULT_GUIDELINES in second
    assert '"passing"' in first
