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


RIGHT = {
    "서버의 기본 포트는 5432이며 설정 파일에서 변경할 수 있습니다.": (
        "기본 포트는 5432번이고, 설정 파일을 수정하면 바꿀 수 있습니다."
    ),
    "图书馆星期一闭馆，周末开放到下午六点。": "图书馆每逢星期一闭馆，周末则开放至下午六点。",
}
FOREIGN = ["이 영화는 국제 영화제에서 상을 받았습니다.", "这部电影在国际电影节上获奖。"]


@pytest.mark.parametrize("context", RIGHT)
def test_lexical_support_takes_a_paraphrase_in_pairs_and_no_foreign_sentence(context: str) -> None:
    assert value("lexical_support", asked(), answered(RIGHT[context], context)) == 1.0
    for foreign in FOREIGN:
        assert value("lexical_support", asked(), answered(foreign, context)) == 0.0


@pytest.mark.parametrize(
    ("source", "negated"),
    [
        (
            "Siparişler otuz gün içinde iade edilebilir.",
            "Siparişler otuz gün içinde iade edilemez.",
        ),
        ("Ofis pazar günleri açıktır.", "Ofis pazar günleri açık değildir."),
        ("Văn phòng mở cửa vào chủ nhật.", "Văn phòng không mở cửa vào chủ nhật."),
    ],
)
def test_polarity_sees_a_negation_planted_and_taken_away(source: str, negated: str) -> None:
    for said, there in ((source, negated), (negated, source)):
        assert value("polarity", asked(), answered(said, there)) == 0.0
        assert value("polarity", asked(), answered(said, said)) == 1.0
