"""A question with the turns that it follows."""

from __future__ import annotations

from ragate.core.conversation import conversation
from ragate.models import Turn
from tests.factories import sample_factory


def test_a_question_alone_is_read_as_it_is() -> None:
    assert conversation(sample_factory(query="Why?")) == "Why?"


def test_a_question_comes_last_behind_the_turns_before_it() -> None:
    turns = (Turn(role="user", content="Is it late?"), Turn(role="assistant", content="Yes."))

    assert conversation(sample_factory(query="Why?", messages=turns)) == (
        "Earlier in this conversation:\nUser: Is it late?\nAssistant: Yes.\n\n"
        "The question to answer now:\nWhy?"
    )
