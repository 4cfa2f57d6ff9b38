"""Courtesy at either end of an answer."""

from __future__ import annotations

import pytest

from ragate.core.text.courtesy import is_courtesy, without_courtesy

SAID = "The plan pays [1]."


@pytest.mark.parametrize(
    "answer",
    [
        "Great question! {} I hope this helps! Let me know if you have any other questions.",
        "Sure, I'd be happy to help you with that. {}",
        "Certainly! Here is the answer to your question:\n\n{}\n\nHave a great day! [1]",
        "Hi there! Thanks for reaching out. {} Please don't hesitate to ask.\nBest regards",
        "I'm happy to help! {} Feel free to reach out if you need further assistance.",
        "Gute Frage! {} Ich hoffe, das hilft!",
        "Bonne question ! {} N'hésitez pas à me contacter si vous avez d'autres questions.",
        "¡Buena pregunta! {} Espero que esta información le sea útil.",
        "Ottima domanda! {} Spero che questo ti sia utile.",
        "Boa pergunta! {} Espero ter ajudado!",
        "Goede vraag! {} Ik hoop dat dit helpt.",
        "Dobre pytanie! {} Mam nadzieję, że to pomoże.",
        "Хороший вопрос! {} Надеюсь, это поможет!",
        "سؤال جيد! {} آمل أن يساعدك هذا.",
        "अच्छा सवाल है। {} मुझे उम्मीद है कि इससे मदद मिलेगी।",
        "好问题！{} 希望这对您有帮助。",
        "もちろんです。{} お役に立てれば幸いです。",
        "물론입니다. {} 도움이 되었기를 바랍니다.",
        "คำถามที่ดี! {} หวังว่าจะเป็นประโยชน์",
        "Güzel soru! {} Umarım bu yardımcı olur.",
    ],
)
def test_courtesy_at_either_end_goes(answer: str) -> None:
    assert without_courtesy(answer.format(SAID)) == SAID


@pytest.mark.parametrize(
    "answer",
    [
        "The plan pays. Please contact customer service in Zurich.",
        "It is important to review your plan. The plan pays.",
        "Thank you for your question about insurance. The plan pays.",
        "Let me know if you need the refund form. The plan pays.",
        "Sure!",
        "Here are 30 documents. The plan pays.",
        "The plan pays. I hope this helps. Then it ends.",
    ],
)
def test_what_says_something_stays_and_so_does_an_answer_of_nothing_else(answer: str) -> None:
    assert without_courtesy(answer) == answer


def test_a_clause_before_the_first_comma_goes() -> None:
    assert without_courtesy("Based on the provided documents, the plan pays.") == "the plan pays."
    assert without_courtesy("Sure, the plan pays.") == "the plan pays."
    # No sentence ends before a small letter, and answers begin with names such as mrr.
    assert without_courtesy("Hello! Thanks for reaching out. mrr pays.") == "mrr pays."


def test_phrases_can_be_added() -> None:
    answer = f"Greetings from Contoso! {SAID}"

    assert without_courtesy(answer, ("greetings from contoso",)) == SAID
    assert without_courtesy(answer) == answer


@pytest.mark.parametrize("sentence", ["Do not contact me.", "Do not ask.", "You do not need help."])
def test_what_a_sentence_denies_is_no_courtesy_unless_a_phrase_denies_it(sentence: str):
    assert not is_courtesy(sentence)
    assert is_courtesy("Please do not hesitate to contact me.")
