"""Sentences that assert nothing, in words that no list holds as a sentence."""

from __future__ import annotations

import pytest

from ragate.core.text.claims import claims
from ragate.core.text.discourse import asserts, is_label

SAID = "The plan pays [1]."

TALK = [
    "Is there something more that I should look into?",
    "Should you like a table, I could draw one.",
    "Shall I put the costs side by side for you?",
    "Just tell me and I'll pull up the rest.",
    "I'd be glad to go deeper into the tariffs.",
    "I trust that this answers your question.",
    "Hopefully this is clear.",
    "Please don't hesitate to reply if you need anything else.",
    "Feel free to ask about other tariffs.",
    "Let me know if you'd like the forms.",
    "Thank you for your question about insurance.",
    "What a wonderful thing to ask!",
    "Here is what I found in the documents.",
    "Wishing you a lovely day!",
    "All the best,",
    "Below is a quick overview.",
    "Sagen Sie mir einfach Bescheid, wenn Sie mehr wissen möchten.",
    "Gern helfe ich Ihnen weiter.",
    "Si vous voulez, je peux aussi vous aider.",
    "Si quieres, puedo ayudarte más.",
    "Spero che questo ti sia utile.",
    "Espero ter ajudado!",
    "Ik hoop dat dit helpt.",
    "Mam nadzieję, że to pomoże.",
    "Надеюсь, это поможет!",
    "آمل أن يساعدك هذا.",
    "मुझे उम्मीद है कि इससे मदद मिलेगी।",
    "希望这对您有帮助。",
    "お役に立てれば幸いです。",
    "도움이 되었기를 바랍니다.",
    "หวังว่าจะเป็นประโยชน์",
    "Umarım bu yardımcı olur.",
]
CLAIMS = [
    "I can confirm that the plan covers teeth.",
    "I can tell you that the plan covers teeth.",
    "You can cancel until the day before.",
    "You do not need help.",
    "Do not ask.",
    "We will refund you within a month.",
    "Please contact the branch in Zurich.",
    "If you cancel late, we keep the deposit.",
    "Here are 30 documents.",
    "Did you know that the plan covers teeth?",
    "The document must be signed by a doctor.",
    "The team is available today.",
    "Take good notes and review them regularly.",
    "Yes, it is covered.",
    "No.",
    "They can.",
    "Sie können Ihr Zimmer kostenlos stornieren.",
]


@pytest.mark.parametrize("sentence", TALK)
def test_talk_asserts_nothing_wherever_it_stands(sentence: str) -> None:
    assert not asserts(sentence)
    for answer in (f"{sentence}\n\n{SAID}", f"{SAID}\n\n{sentence}", f"{SAID} {sentence}"):
        assert {claim.text for claim in claims(answer)} == {SAID}


@pytest.mark.parametrize("sentence", CLAIMS)
def test_what_can_be_wrong_is_a_claim(sentence: str) -> None:
    assert asserts(sentence)


def test_an_answer_of_nothing_else_is_read_as_it_is() -> None:
    assert [claim.text for claim in claims("Sure!")] == ["Sure!"]


def test_a_lead_goes_and_stays_where_capitals_are_read() -> None:
    [claim] = claims("According to the document, Zurich pays.")

    assert claim.text == "Zurich pays."
    assert claim.whole == "According to the document, Zurich pays."
    assert [claim.text for claim in claims("No, it pays.")] == ["No, it pays."]


def test_a_label_names_what_follows() -> None:
    found = claims("The costs are as follows:\n\n- Rent\n- Heat\n\n## Rent and heat\n\nIt is so.")

    assert [claim.text for claim in found if claim.is_label] == [
        "The costs are as follows:",
        "Rent and heat",
    ]
    assert not is_label("It costs 30 euros:")


def test_phrases_of_a_configuration_assert_nothing() -> None:
    phrases = ("greetings from contoso on day 7",)

    assert [c.text for c in claims(f"Greetings from Contoso on day 7! {SAID}", (), phrases)] == [
        SAID
    ]
    assert len(claims(f"Greetings from Contoso on day 7! {SAID}")) == 2
