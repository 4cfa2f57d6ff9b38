"""Questions for a list, and answers that are one."""

from __future__ import annotations

import pytest

from ragate.metrics.checks.list_structure import items_of
from ragate.models import ScoreState
from tests.unit.metrics.metric_factories import answered, asked, score


@pytest.mark.parametrize(
    "query",
    [
        "List all regions.",
        "Name three causes!",
        "Give me 5 examples.",
        "What types of leave are there?",
        "Which steps come first?",
        "Welche Schritte sind nötig?",
        "Write a list of the fees.",
    ],
)
def test_such_a_question_asks_for_a_list(query: str) -> None:
    found = score("list_structure", asked(query=query), answered("One, two and three."))

    assert found.value == 0.0
    assert found.reason == "0 list items, and the question asks for a list"


@pytest.mark.parametrize("query", ["Where is the list of members?", "How long are refunds?"])
def test_any_other_question_is_left_out_unless_its_tag_says_so(query: str) -> None:
    sample = asked(query=query)

    assert score("list_structure", sample, answered("x")).state is ScoreState.NOT_APPLICABLE
    tagged = sample.amended(tags=("list",))
    assert score("list_structure", tagged, answered("- a\n- b")).value == 1.0


@pytest.mark.parametrize(
    ("answer", "items"),
    [
        ("- a\n- b", 2),
        ("The steps:\n\n1. Pay.\n2) Ship.\n3: Wave.", 3),
        ("(a) one\n(b) two", 2),
        ("  * a\n  • b\n", 2),
        ("| name | fee |\n| --- | --- |\n| a | 1 |\n| b | 2 |", 2),
        ("First 1. pay, 2. ship and 3. wave.", 3),
        ("In 2024. Then 7. May.", 0),
        ("One, two and three.", 0),
        ("-5 degrees\n-7 degrees", 0),
        ("", 0),
    ],
)
def test_items_are_lines_rows_or_numbers_that_count_up(answer: str, items: int) -> None:
    assert items_of(answer) == items


def test_how_many_items_are_enough_is_a_key() -> None:
    output, settings = answered("- a\n- b"), {"items": 3}

    found = score("list_structure", asked(query="List all."), output, settings=settings)

    assert found.reason == "2 list items, and the question asks for a list"


def test_phrases_of_another_language_are_added() -> None:
    sample, settings = asked(query="Luettele maksut"), {"more_phrases": ["luettele"]}

    assert score("list_structure", sample, answered("x"), settings=settings).value == 0.0
