"""Right and wrong paraphrases in seven languages, told apart by the metrics of words."""

from __future__ import annotations

from statistics import fmean

import pytest

from tests.unit.metrics.metric_factories import answered, asked, value
from tests.unit.metrics.paraphrases import PARAPHRASES, Paraphrase

CASES = [
    pytest.param(case, id=f"{language}{number}")
    for language, cases in PARAPHRASES.items()
    for number, case in enumerate(cases)
]


@pytest.mark.parametrize("name", ["token_f1", "idf_f1", "char_3gram_recall"])
@pytest.mark.parametrize("case", CASES)
def test_a_right_answer_in_other_words_scores_above_a_wrong_one(
    name: str, case: Paraphrase
) -> None:
    sample = asked(case.reference)

    right, wrong = (value(name, sample, answered(text)) for text in (case.right, case.wrong))
    assert right > wrong


@pytest.mark.parametrize("language", PARAPHRASES)
def test_right_and_wrong_answers_of_a_language_are_far_apart(language: str) -> None:
    cases = PARAPHRASES[language]
    right = fmean(value("idf_f1", asked(c.reference), answered(c.right)) for c in cases)
    wrong = fmean(value("idf_f1", asked(c.reference), answered(c.wrong)) for c in cases)

    assert right > 0.3 > wrong


def test_a_right_korean_answer_is_not_worth_nothing() -> None:
    assert value("token_f1", asked("서울"), answered("서울입니다.")) > 0.5
    assert value("contains", asked("서울"), answered("수도는 서울입니다.")) == 1.0
