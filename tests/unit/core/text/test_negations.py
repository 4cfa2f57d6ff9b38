"""Negations."""

from __future__ import annotations

import pytest

from ragate.core.text.languages import is_negation, negations_of
from ragate.core.text.segmentation import words

NEGATED = [
    "It doesn't work.",
    "It cannot work.",
    "Das gilt nicht.",
    "Es gibt keine Frist.",
    "Il ne marche pas.",
    "Nunca funciona.",
    "Non funziona.",
    "Não funciona.",
    "Het werkt niet.",
    "To nie działa.",
    "Это не работает.",
    "هذا لا يعمل",
    "यह काम नहीं करता",
    "这不可能。",
    "それはできません。",
    "할 수 없습니다.",
    "ใช้ ไม่ได้",
    "Çalışmıyor değil.",
    "Kapsanmaz.",
    "Bu belge şifrelenmemiştir.",
    "Bu plan için kapsanmayan hizmetler",
    "Gói này không bao gồm bảo hiểm của bạn.",
]


@pytest.mark.parametrize("text", NEGATED)
def test_a_negated_sentence_has_a_negation(text: str) -> None:
    assert any(is_negation(word, negations_of(text)) for word in words(text))


@pytest.mark.parametrize(
    "text",
    [
        "It works.",
        "A dismaying week, said Gomez.",
        "I nomadi.",
        "Bu komedi namaz ve memeli için.",
        "Gói này bao gồm bảo hiểm.",
        "Das gilt.",
        "東京です。",
        "서울입니다.",
        "यह काम करता है",
    ],
)
def test_a_sentence_without_one_has_none(text: str) -> None:
    assert not any(is_negation(word, negations_of(text)) for word in words(text))


@pytest.mark.parametrize(
    "text", ["Es beginnt im Mai und das ist gut.", "Ele vive no Brasil com os pais."]
)
def test_a_word_negates_in_its_own_language_only(text: str) -> None:
    assert not any(is_negation(word, negations_of(text)) for word in words(text))
