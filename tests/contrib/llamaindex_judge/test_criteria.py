"""How each criterion is asked for, and how its replies become a score."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.contrib.llamaindex_judge.criteria import (
    read_grade,
    read_json_judgement,
    read_two_points,
    read_up_to_four,
    read_yes_no,
)
from ragate.contrib.llamaindex_judge.plugin import CRITERIA
from ragate.core.judging.applicability import PAIRWISE
from ragate.core.judging.criteria import ALL_CRITERIA
from ragate.judges import rubric
from ragate.judges._asking import InvalidReplyError
from tests.contrib.llamaindex_judge.llamaindex_factories import judge_by
from tests.unit.judges.judge_factories import TWO, Chat, answered, asked, values

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


# A reply counts in the form that was asked for; nothing is searched for a yes.


@pytest.mark.parametrize(
    "text",
    ["YES", "yes", " Yes.", "**YES**", "[Yes]\nIt says so.", "Yes, it does", "__YES__", '"yes"'],
)
def test_a_first_word_of_yes_is_a_yes(text: str) -> None:
    assert read_yes_no(text)[0] == 1.0


@pytest.mark.parametrize("text", ["NO", "no.", "No, the answer is not YES."])
def test_a_first_word_of_no_is_a_no_whatever_follows(text: str) -> None:
    assert read_yes_no(text)[0] == 0.0


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  \n",
        "The answer is not YES",
        "yesterday it was said; NO",
        "Answer: YES",
        "nothing",
        "None of the contexts",
        "no-one says so: YES",
        "YES/NO",
        "Yes or no?",
        "no / yes",
        "YES NO",
        "NO\nYES",
        "1",
        "Y",
    ],
)
def test_what_does_not_begin_with_one_of_both_is_no_verdict(text: str) -> None:
    with pytest.raises(InvalidReplyError):
        read_yes_no(text)


@given(st.text(max_size=40))
def test_any_text_is_a_verdict_or_refused(text: str) -> None:
    for read, high in ((read_yes_no, 1.0), (read_up_to_four, 4.0), (read_two_points, 2.0)):
        try:
            value, _ = read(text)
        except InvalidReplyError:
            continue
        assert 0.0 <= value <= high


@pytest.mark.parametrize(
    ("text", "value"),
    [("4.0", 4.0), ("4", 4.0), ("\n 3.5 \nwhy", 3.5), ("**5**\nwhy", 5.0), ("1\n", 1.0)],
)
def test_a_grade_is_the_first_line(text: str, value: float) -> None:
    assert read_grade(text)[0] == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "10",
        "-3",
        "nan",
        "inf",
        "0.9",
        "5.1",
        "4/5",
        "4,5",
        "Score: 4",
        "1e0",
        "four",
        "٤",
        "4 5",
    ],
)
def test_no_grade_is_made_of_anything_else(text: str) -> None:
    with pytest.raises(InvalidReplyError):
        read_grade(f"{text}\nbecause of 4.0")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Good.\n[RESULT] 3.5", 3.5),
        ("Good. [RESULT]: **4.0**.", 4.0),
        ("[RESULT] 0", 0.0),
        ("2.5", 2.5),
    ],
)
def test_points_stand_behind_the_mark_or_alone(text: str, value: float) -> None:
    assert read_up_to_four(text)[0] == value


@pytest.mark.parametrize(
    "text",
    ["", "Good. 4", "[RESULT] 9", "[RESULT] -1", "[RESULT] 1.2.3", "[RESULT] 3 of 4", "[RESULT]",
     "it says [RESULT] 4.0, so\n[RESULT] 1.0"],
)  # fmt: skip
def test_points_elsewhere_beyond_the_scale_or_twice_are_refused(text: str) -> None:
    with pytest.raises(InvalidReplyError):
        read_up_to_four(text)


@pytest.mark.parametrize(("text", "value"), [("ok [RESULT] 2", 2.0), ("[RESULT] 1.0", 1.0)])
def test_two_points_are_whole(text: str, value: float) -> None:
    assert read_two_points(text)[0] == value
    with pytest.raises(InvalidReplyError):
        read_two_points("ok [RESULT] 1.5")
    with pytest.raises(InvalidReplyError):
        read_two_points("ok [RESULT] 10")


def test_a_guideline_verdict_is_one_json_object() -> None:
    assert read_json_judgement('{"passing": true, "feedback": "fine"}') == (1.0, "fine")
    assert read_json_judgement('```json\n{"passing": false, "feedback": "vague"}\n```') == (
        0.0,
        "vague",
    )


@pytest.mark.parametrize(
    "text",
    [
        "true",
        '{"passing": "true", "feedback": ""}',
        '{"passing": 1, "feedback": ""}',
        '{"passing": true}',
        '{"passing": true, "feedback": "", "score": 1}',
        '{"passing": true, "feedback": null}',
        '{"passing": true, "passing": false, "feedback": ""}',
        'Either {"passing": true, "feedback": ""} or {"passing": false, "feedback": ""}',
    ],
)
def test_json_beside_or_of_other_types_is_refused(text: str) -> None:
    with pytest.raises(InvalidReplyError):
        read_json_judgement(text)


def test_every_criterion_has_a_judge_that_knows_it() -> None:
    assert ALL_CRITERIA.keys() | {PAIRWISE} == rubric.CRITERIA | CRITERIA
