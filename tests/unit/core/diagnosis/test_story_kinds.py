"""What became of the questions that got worse, as a reader would see it."""

from __future__ import annotations

from tests.factories import report_factory, sample_row_factory

DOCS = (["a.md"], ["a.md"])


def test_empty_answers_and_questions_without_documents_are_counted() -> None:
    rows = (
        sample_row_factory("q1", docs=DOCS, answers=("Yes.", "")),
        sample_row_factory("q2", docs=(["a.md"], []), answers=("Yes.", "No.")),
        sample_row_factory("q3", docs=([], []), answers=("Yes.", "No.")),
    )

    story = report_factory(samples=rows).story

    assert (story.empty, story.emptied) == (1, 1)


def test_one_answer_to_different_questions_is_counted_once_a_question() -> None:
    constant = ("Yes.", "Please wait.")
    alike = [sample_row_factory(f"q{n}", f"Question {n}?", answers=constant) for n in range(3)]
    again = [sample_row_factory(f"r{n}", "Question 0?", answers=constant) for n in range(9)]

    story = report_factory(samples=(*alike, *again)).story

    assert story.alike == 3
    assert report_factory(samples=tuple(again)).story.alike == 0
