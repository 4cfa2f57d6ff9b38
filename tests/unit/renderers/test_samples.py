"""What happened to one sample, in one sentence."""

from __future__ import annotations

from ragate.models import Turn
from ragate.renderers import console, markdown
from ragate.renderers._samples import pass_words
from tests.factories import report_factory, sample_row_factory


def test_three_expected_documents_are_named_and_the_rest_counted() -> None:
    row = sample_row_factory(expected=["a.md", "b.md", "c.md", "d.md"])

    text = console.render(report_factory(samples=(row,)))

    assert "c.md" in text
    assert "d.md" not in text
    assert "and 1 more" in text


def test_a_question_of_a_conversation_tells_how_many_turns_it_follows() -> None:
    turns = (Turn(role="user", content="Is it late?"), Turn(role="assistant", content="Yes."))
    report = report_factory(samples=(sample_row_factory(query="Why?", messages=turns),))

    assert "(after 2 turns) Why?" in markdown.render(report)
    assert "earlier   assistant: Yes.  (1 before it)" in console.render(report)


def test_a_sample_passes_or_fails_in_capitals_and_says_nothing_without_a_mark() -> None:
    assert pass_words(True, False) == " (PASS → FAIL)"
    assert pass_words(None, True) == " (PASS)"
    assert pass_words(None, None) == ""
