"""What happened to one sample, in one sentence."""

from __future__ import annotations

import pytest

from ragate.core.publishable import publishable
from ragate.models import (
    CauseKind,
    MustPassRow,
    SampleRow,
    SampleSide,
    Story,
    Turn,
    Verdict,
)
from ragate.renderers import console, markdown
from ragate.renderers._samples import equal_scores, failed_alike, pass_words, worst_first
from ragate.renderers._story import story_words
from tests.factories import decision_factory, report_factory, sample_row_factory


def test_three_expected_documents_are_named_and_the_rest_counted() -> None:
    row = sample_row_factory(expected=["a.md", "b.md", "c.md", "d.md"])

    text = console.render(report_factory(samples=(row,)), verbose=True)

    assert "c.md" in text
    assert "d.md" not in text
    assert "and 1 more" in text


def test_a_question_of_a_conversation_tells_how_many_turns_it_follows() -> None:
    turns = (Turn(role="user", content="Is it late?"), Turn(role="assistant", content="Yes."))
    report = report_factory(samples=(sample_row_factory(query="Why?", messages=turns),))

    assert "(after 2 turns) Why?" in markdown.render(report)
    assert "earlier   assistant: Yes.  (1 before it)" in console.render(report, verbose=True)


def test_a_sample_passes_or_fails_in_capitals_and_says_nothing_without_a_mark() -> None:
    assert pass_words(True, False) == " (PASS → FAIL)"
    assert pass_words(None, True) == " (PASS)"
    assert pass_words(None, None) == ""


def test_what_came_before_as_well_came_in_no_documents_place() -> None:
    row = sample_row_factory(
        docs=(["terms.md", "billing/vat.md", "faq.md"], ["terms.md"]),
        answers=("No.", "No."),
        cause=CauseKind.RETRIEVAL,
    )

    text = markdown.render(report_factory(samples=(row,)))

    assert "rank 2 → gone; documents retrieved: 3 → 1" in text
    assert "came instead" not in text


def test_documents_that_neither_side_names_are_never_the_same() -> None:
    row = sample_row_factory(cause=CauseKind.GENERATION, answers=("Yes.", "No."))
    silent = row.amended(
        baseline=SampleSide(answer="Yes."), candidate=SampleSide(answer="No."), expected=("a.md",)
    )
    report = report_factory(samples=(silent,)).amended(
        story=Story(worse=1, told=1, unnamed=1), decision=decision_factory(Verdict.FAILED)
    )

    for text in (markdown.render(report), console.render(report)):
        said = " ".join(text.split())
        assert "documents not known: was" in said
        assert "1 answer changed (its documents are not known: return them as chunks" in said
        assert "same documents" not in said
        assert "nothing came" not in said


def test_a_shorter_list_of_documents_is_told_and_no_unknown_cause() -> None:
    row = sample_row_factory(
        docs=(["a.md", "b.md", "c.md"], ["a.md"]),
        answers=("Yes, 3 days.", "No."),
        cause=CauseKind.UNKNOWN,
    ).amended(ranks=(), expected=())
    report = report_factory(samples=(row,)).amended(
        story=Story(worse=1, told=1, fewer=1, came=(3, 1)),
        decision=decision_factory(Verdict.FAILED),
    )

    text = markdown.render(report)

    assert "fewer documents (3 → 1): was" in text
    assert "1 question got fewer documents (3 → 1)" in text
    assert "outputs do not show" not in text


def test_documents_with_other_text_are_told_once_and_no_unknown_cause() -> None:
    story = Story(worse=4, told=4, other_text=2, causes={CauseKind.RETRIEVAL: 2})
    first = report_factory(decision_factory(Verdict.FAILED), story=story)
    rare = first.amended(story=story.amended(worse=12, told=12))

    assert "outputs do not show" not in markdown.render(first)
    assert markdown.render(first).count("with other text") == 1
    assert "2 questions got documents with other text" in "".join(story_words(rare))


def test_a_document_with_other_text_under_its_id_is_named() -> None:
    row = sample_row_factory(
        docs=(["a.md"], ["a.md"]), answers=("Yes.", "No."), cause=CauseKind.UNKNOWN
    )
    assert row.cause is not None
    row = row.amended(ranks=(), cause=row.cause.amended(edited=("a.md",)))

    text = markdown.render(report_factory(samples=(row,)))

    assert "other text in <code>a.md</code>: was" in text
    assert "cause unknown" not in text


def failing(*errors: str | None) -> list[SampleRow]:
    return [
        SampleRow(sample_id=f"q{n}", query="?", change="failed", candidate=SampleSide(error=error))
        for n, error in enumerate(errors)
    ]


def test_an_error_that_most_samples_share_is_one() -> None:
    rows = failing("down", "down", "slow")

    assert failed_alike(rows) == ("down", rows[:2])


@pytest.mark.parametrize(
    "errors", [("down",), ("down", "slow"), (None, None), ("a", "a", "b", "c")]
)
def test_errors_that_few_share_stay_with_their_samples(errors: tuple[str | None, ...]) -> None:
    assert failed_alike(failing(*errors)) == ("", [])


def test_the_comment_tells_a_shared_error_once_above_the_fold() -> None:
    text = markdown.render(report_factory(samples=tuple(failing("down", "down", "down"))))

    above = text.partition("<details>")[0]
    assert "<b>3 of 3 failed with one error:</b> <code>down</code>" in above
    assert above.count("failed: ") == 1
    assert "2 more questions" in text


def test_failures_whose_messages_stayed_at_home_are_not_called_one_error() -> None:
    report = report_factory(samples=tuple(failing("down", "slow", "gone")), publish="ids")

    for text in (console.render(publishable(report)), markdown.render(publishable(report))):
        assert "3 of 3 failed" in text
        assert "one error" not in text


def test_a_sample_listed_for_its_must_pass_alone_has_no_other_outputs() -> None:
    side, other = SampleSide(docs=("a.md",), answer="So."), SampleSide(answer="No.")
    row = SampleRow(sample_id="q1", query="?", change="same", baseline=side, candidate=side)

    assert equal_scores([row]) == 0
    assert equal_scores([row.model_copy(update={"candidate": other})]) == 1


def test_the_first_changed_word_stands_in_the_line_of_a_long_answer() -> None:
    same = "A refund is paid for every product that was bought in our shop and is unused within"
    row = sample_row_factory(answers=(f"{same} 30 days.", f"{same} 90 days."))

    text = markdown.render(report_factory(samples=(row,)))

    assert "was <code>… is unused within 30 days.</code> now <code>… is unused within 90" in text


def test_an_answer_is_cut_between_two_words() -> None:
    row = sample_row_factory(answers=("Yes.", "No, and nobody could tell " + "otherwise " * 9))

    text = markdown.render(report_factory(samples=(row,)))

    assert "nobody could tell…</code>" in text


def test_a_must_pass_sample_that_failed_before_as_well_takes_no_place_of_what_broke_now():
    rows = [sample_row_factory("broke"), sample_row_factory("as before", must_pass=True)]
    failing = MustPassRow(
        sample_id="as before", metric="m", pass_at=1, tries=1, failed=1, met=False, eligible=False
    )
    report = report_factory(decision_factory(must_pass=(failing,)), samples=rows)

    assert [row.sample_id for row in worst_first(report, rows)] == ["broke", "as before"]


def test_of_an_answer_that_is_the_beginning_of_the_other_the_rest_is_shown() -> None:
    said = "A change that affects no question posts nothing at all"
    row = sample_row_factory(answers=(f"{said}; so says comment.", f"{said}; so"))

    text = markdown.render(report_factory(samples=(row,)))

    assert "was <code>… at all; so says comment.</code> now <code>… at all; so</code>" in text
