"""Words that are looked up whatever their endings, and that stand near each other."""

from __future__ import annotations

import pytest

from ragate.core.text.vocabulary import MOST_SENTENCES, held_together

TEXT = "The mill burned down. Mara Lind bought it. Otto Berg sold bread there."


@pytest.mark.parametrize(
    ("wanted", "share"),
    [
        (["mara", "lind", "bought"], 1.0),
        (["mill", "lind"], 1.0),
        (["lind", "bread"], 1.0),
        (["mill", "bread"], 0.5),
        (["mills", "lind", "bread", "paris"], 0.5),
        (["paris"], 0.0),
        ([], 0.0),
    ],
)
def test_words_are_together_in_two_sentences_in_a_row(wanted: list[str], share: float) -> None:
    assert held_together(wanted, [TEXT]) == share


def test_words_of_two_texts_are_not_together() -> None:
    assert held_together(["mill", "lind"], TEXT.split(". ")) == 0.5


def test_a_word_of_many_sentences_is_near_all_others() -> None:
    others = " ".join(["A tree stands by."] * (MOST_SENTENCES + 1))

    assert held_together(["tree", "mill", "lind"], [f"{TEXT} {others}"]) == 1.0
    assert held_together(["tree", "mill", "bread"], [f"{TEXT} {others}"]) == pytest.approx(2 / 3)
