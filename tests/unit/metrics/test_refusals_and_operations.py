"""Refusals, latency and retrieved tokens by hand."""

from __future__ import annotations

import pytest

from ragate.errors import ConfigError
from ragate.models import Sample, ScoreState, SystemOutput
from tests.unit.metrics.metric_factories import aggregate, answered, asked, broken, make, value

UNANSWERABLE = asked(answerable=False)
REFUSALS = [
    "I don't know.",
    "I don’t know the answer to that.",
    "Sorry. I am unable to answer this from the documents.",
    "The provided context does not contain information about cheese. It is about the moon.",
    "The documents do not mention it [1].",
    "There is not enough information to say.",
    "This question cannot be answered from the documentation.",
    "The policy does not specify a limit.",
    "There is no mention of a deadline in the sources.",
    "It is not possible to determine the price from the given text.",
    "I couldn't find specific information about the salary.",
    "Based on the context, it is not clear whether cheese is covered.",
    "Die Dokumente enthalten keine Angaben dazu.",
    "Das geht aus den Unterlagen nicht hervor: es wird nicht erwähnt.",
    "Le contexte ne précise pas la date.",
    "Je ne sais pas.",
    "El documento no menciona el precio.",
    "Il documento non specifica la data.",
    "O texto não menciona o preço.",
    "Dat wordt niet vermeld in de tekst.",
    "В документах не упоминается цена.",
    "لا توجد معلومات عن ذلك في النص.",
    "दस्तावेज़ों में इसका उल्लेख नहीं है।",
    "根据提供的资料，无法确定价格。",
    "資料には価格が記載されていません。",
    "문서에는 가격이 언급되어 있지 않습니다.",
    "เอกสารไม่ได้ระบุราคา",
    "Xin lỗi, tài liệu không đề cập đến giá.",
    "Không có đủ thông tin để trả lời câu hỏi này.",
    "죄송합니다. 이 질문에는 답변드릴 수 없습니다.",
    "문서에 가격에 대한 내용이 없습니다.",
    "申し訳ありません。この質問にはお答えできません。",
    "لم يتم ذكر ذلك في الوثائق.",
    "Belgelerde fiyat hakkında bilgi bulunmuyor.",
    "Metinde son tarihten bahsedilmiyor.",
]
ANSWERS = [
    "It is 42.",
    "The port is 5432. The documents do not mention why.",
    "The gate cannot find the server when the port is closed.",
    "The documentation does not have to be in English.",
    "A provider that gives no answer after retries is unscored.",
    "Not for long: I doubt it.",
    "If the file does not specify a port, 5432 is used.",
    "No information is lost when the run is stopped.",
    "Die Mehrwertsteuer ist nicht enthalten.",
    "Gói cơ bản không bao gồm bảo hiểm nha khoa.",
    "기본 요금제에는 치과 보험이 포함되지 않습니다.",
    "لا يحتوي المنتج على السكر.",
    "30 günden sonra iade yapılamaz.",
]


@pytest.mark.parametrize("answer", REFUSALS)
def test_a_refusal_is_recognised(answer: str) -> None:
    assert value("refusal_recall", UNANSWERABLE, answered(answer)) == 1.0
    assert value("false_refusal", asked(), answered(answer)) == 1.0


@pytest.mark.parametrize("blanks", [" ", "\n", "\u200b", " \n \u2060"])
def test_blanks_push_no_refusal_out_of_the_opening(blanks: str) -> None:
    for answer in (f"{blanks * 600}I don't know.", f"Sorry.{blanks * 600} I don't know."):
        assert value("false_refusal", asked(), answered(answer)) == 1.0


@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer_is_not_taken_for_a_refusal(answer: str) -> None:
    assert value("refusal_recall", UNANSWERABLE, answered(answer)) == 0.0
    assert value("false_refusal", asked(), answered(answer)) == 0.0


def test_own_phrases_replace_the_list_and_change_the_identity() -> None:
    settings = {"phrases": ["keine Ahnung"]}

    assert value("false_refusal", asked(), answered("Keine Ahnung!"), settings=settings) == 1.0
    assert value("false_refusal", asked(), answered("I don't know."), settings=settings) == 0.0
    own, built_in = make("false_refusal", settings=settings), make("false_refusal")
    assert own.info.fingerprint != built_in.info.fingerprint


def test_more_phrases_are_added_to_the_list() -> None:
    settings = {"more_phrases": ["no clue"]}

    assert value("false_refusal", asked(), answered("No clue!"), settings=settings) == 1.0
    assert value("false_refusal", asked(), answered("I don't know."), settings=settings) == 1.0
    with pytest.raises(ConfigError, match="more_phrases"):
        make("false_refusal", settings={"more_phrases": ["?"]})


@pytest.mark.parametrize("phrases", [[], ["..."], ["ok", " "]])
def test_a_list_with_nothing_to_look_for_is_an_error(phrases: list[str]) -> None:
    with pytest.raises(ConfigError, match="phrases"):
        make("false_refusal", settings={"phrases": phrases})


def pairs_of(*cases: tuple[Sample, SystemOutput]) -> list[tuple[Sample, SystemOutput]]:
    return list(cases)


def test_refusal_f1_weighs_right_refusals_against_wrong_ones() -> None:
    refusal, answer = answered("I don't know."), answered("It is 42.")
    pairs = pairs_of(
        (UNANSWERABLE, refusal),
        (UNANSWERABLE, refusal),
        (UNANSWERABLE, answer),
        (asked(), refusal),
        (asked(), answer),
    )

    assert aggregate("refusal_f1", pairs).value == pytest.approx(2 * 2 / (3 + 3))


def test_refusal_f1_counts_a_failure_as_a_mistake_on_either_side() -> None:
    refusal = answered("I don't know.")
    right = (UNANSWERABLE, refusal)

    assert aggregate("refusal_f1", [right, (UNANSWERABLE, broken())]).value == pytest.approx(2 / 3)
    assert aggregate("refusal_f1", [right, (asked(), answered(""))]).value == pytest.approx(2 / 3)


def test_refusal_f1_says_how_many_samples_a_provider_took_away() -> None:
    pairs = [(UNANSWERABLE, answered("I don't know.")), (asked(), broken("provider"))]
    result = aggregate("refusal_f1", pairs)

    assert result.value == 1.0
    assert result.reason == "1 sample left out: provider failures"


def test_refusal_f1_needs_an_unanswerable_question_and_answers() -> None:
    answer = answered("x")

    assert aggregate("refusal_f1", [(asked(), answer)]).state is ScoreState.NOT_APPLICABLE
    assert aggregate("refusal_f1", []).state is ScoreState.NOT_APPLICABLE
    for output in (answered(None), broken("provider")):
        pairs = [(UNANSWERABLE, output), (asked(), output)]
        assert aggregate("refusal_f1", pairs).state is ScoreState.UNSCORED


def timed(seconds: float) -> tuple[Sample, SystemOutput]:
    return asked(), SystemOutput(latency_s=seconds)


def test_latency_percentiles_are_interpolated() -> None:
    pairs = [timed(float(second)) for second in range(20, -1, -1)]

    assert aggregate("latency_p50", pairs).value == 10.0
    assert aggregate("latency_p95", pairs).value == pytest.approx(19.0)
    assert aggregate("latency_p95", [timed(1.0), timed(2.0)]).value == pytest.approx(1.95)
    assert aggregate("latency_p95", [timed(1.5)]).value == 1.5


def test_latency_counts_the_systems_failures_and_not_the_providers() -> None:
    pairs = [timed(1.0), (asked(), broken("provider"))]

    assert aggregate("latency_p50", pairs).value == 1.0
    assert aggregate("latency_p50", [*pairs, (asked(), broken())]).value == 5.0


def test_first_token_percentiles_leave_out_what_did_not_stream() -> None:
    begun = [(asked(), answered("x").amended(first_token_s=float(n))) for n in range(3)]
    pairs = [*begun, timed(9.0), (asked(), broken("provider"))]

    assert aggregate("first_token_p50", pairs).value == 1.0
    assert aggregate("first_token_p95", pairs).value == pytest.approx(1.9)


@pytest.mark.parametrize(
    "name", ["latency_p50", "latency_p95", "first_token_p50", "first_token_p95"]
)
def test_latency_that_nobody_recorded_is_unscored(name: str) -> None:
    assert aggregate(name, [(asked(), answered("x"))]).state is ScoreState.UNSCORED
    assert aggregate(name, []).state is ScoreState.UNSCORED


def test_retrieved_tokens_is_the_mean_over_samples_that_did_not_fail() -> None:
    pairs = pairs_of(
        (asked(), answered("x", "one two, three", "four")),
        (asked(), answered("x")),
        (asked(), broken("system", "a")),
    )

    assert aggregate("retrieved_tokens", pairs).value == 5 / 2


def test_retrieved_tokens_needs_texts() -> None:
    assert aggregate("retrieved_tokens", []).state is ScoreState.UNSCORED
    assert aggregate("retrieved_tokens", [(asked(), broken())]).state is ScoreState.UNSCORED
    assert (
        aggregate("retrieved_tokens", [(asked(), answered("x", ""))]).state is ScoreState.UNSCORED
    )


@pytest.mark.parametrize("phrase", ["抱歉", "죄송합니다", "对不起", "すみません"])
def test_an_apology_may_be_a_phrase_of_ones_own(phrase: str) -> None:
    settings = {"more_phrases": [phrase]}

    assert value("false_refusal", asked(), answered(f"{phrase}。"), settings=settings) == 1.0
