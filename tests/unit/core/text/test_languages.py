"""The language of a text by its function words."""

from __future__ import annotations

import pytest

from ragate.core.text.languages import function_words_of, language, writes_decimal_comma


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("The cat is on the table and it does not move.", "en"),
        ("Die Katze liegt auf dem Tisch und sie bewegt sich nicht.", "de"),
        ("Le chat est sur la table et il ne bouge pas.", "fr"),
        ("El gato está en la mesa y también duerme.", "es"),
        ("Il gatto è sul tavolo e non si muove.", "it"),
        ("O gato está na mesa e não se mexe, mas com isso dorme.", "pt"),
        ("De kat ligt op het bed en hij beweegt niet.", "nl"),
        ("Кот лежит на столе и не двигается.", "ru"),
        ("القطة على الطاولة من هذا البيت", "ar"),
        ("बिल्ली मेज़ पर है और सो रही है", "hi"),
        ("Kedi masanın üstünde ve çok sessiz bir hayvan.", "tr"),
        ("Con mèo của tôi ở trên bàn và đang ngủ.", "vi"),
        ("Berlin 2024", ""),
        ("", ""),
    ],
)
def test_function_words_show_the_language(text: str, code: str) -> None:
    assert language(text) == code


def test_german_writes_decimal_commas_and_english_does_not() -> None:
    assert writes_decimal_comma("Das ist der Preis.")
    assert not writes_decimal_comma("That is the price.")


def test_without_a_language_every_function_word_counts_as_one() -> None:
    assert {"the", "und"} <= function_words_of("Berlin")
    assert "und" not in function_words_of("That is the price.")
