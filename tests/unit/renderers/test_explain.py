"""One sample, explained."""

from __future__ import annotations

import pytest

from ragate.core.text.word_diff import word_diff
from ragate.models import Failure, Score, Turn
from ragate.renderers import explain
from tests.factories import output_factory, record_factory, sample_factory, sample_row_factory
from tests.unit.renderers.test_markdown import EVIL


@pytest.mark.parametrize("text", EVIL)
def test_an_explanation_of_hostile_text_is_harmless_too(text: str) -> None:
    word = text or "x"
    sample = sample_factory(
        word[:200], query=word, references=(text,), tags=(text,), relevant={word: 1}
    )
    failed = output_factory([], None, error=Failure(kind="system", message=text))
    records = [
        record_factory(sample, output_factory([word], text), scores={word: 1.0}),
        record_factory(sample, failed, run=1),
    ]
    row = sample_row_factory(word, evidence=text, displaced_by=[word])
    asked = explain.JudgeQuestion(text, ((text, text),), text)
    shown = explain.explain(sample, records[:1], records, row=row, questions=[asked])

    assert "\x1b" not in shown
    assert "##[" not in shown
    assert not [line for line in shown.splitlines() if line.lstrip().startswith("::")]


def test_a_sample_that_one_side_does_not_hold_is_explained() -> None:
    sample = sample_factory()

    assert "Answer now" in explain.explain(sample, [], [record_factory(sample)])
    assert "Answer before" in explain.explain(sample, [record_factory(sample)], [])


def test_what_a_judge_read_and_answered_stands_behind_a_bar() -> None:
    messages = (("system", "Judge.\nBe strict."), ("user", "Answer: yes"))
    asked = explain.JudgeQuestion("faithfulness", messages, "1.0")
    note = explain.JudgeQuestion("rubric", note="today's judge is not the run's")
    sample = sample_factory()
    shown = explain.explain(sample, [], [record_factory(sample)], questions=[asked, note])

    assert "  system\n  | Judge.\n  | Be strict.\n  user\n  | Answer: yes\n" in shown
    assert "  answered\n  | 1.0\n" in shown
    assert "question 2 of 2: rubric\n  not shown: today's judge" in shown


def test_answers_that_are_equal_are_shown_once() -> None:
    sample = sample_factory()
    shown = explain.explain(sample, [record_factory(sample)] * 3, [record_factory(sample)])

    assert shown.count("It says hello. [1]") == 1


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("a b c", "a x c", "a [-b-] {+x+} c"),
        ("a b", "a b", ""),
        ("", "new words", "{+new words+}"),
        ("gone", "", "[-gone-]"),
        ("w " * 4000, "v", ""),
    ],
)
def test_a_difference_names_the_words_that_went_and_came(
    before: str, after: str, told: str
) -> None:
    assert word_diff(before, after) == told


def test_earlier_turns_stand_before_the_question() -> None:
    sample = sample_factory(query="Why?", messages=(Turn(role="user", content="Is it late?"),))

    shown = explain.explain(sample, [], [record_factory(sample)])

    assert "Earlier: user\n  Is it late?\nQuestion\n  Why?" in shown


def test_scores_have_their_reasons_and_details_below_by_side() -> None:
    sample = sample_factory()
    before = Score(metric="rubric", value=0.5, reason="half of it", details={"missed": "2 of 4"})
    now = Score(metric="rubric", value=1.0)
    runs = [record_factory(sample, run=run, scores={"rubric": before}) for run in range(2)]
    shown = explain.explain(sample, runs, [record_factory(sample, scores={"rubric": now})])

    assert "  rubric  0.50 0.50 → 1.00\n" in shown
    assert "    before: half of it\n    before: missed = 2 of 4\n" in shown
    assert shown.count("half of it") == 1
    assert "    now: " not in shown
