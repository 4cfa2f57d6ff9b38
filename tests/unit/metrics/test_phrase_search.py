"""Many phrases in long texts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ragate.metrics._claims import phrases_held

_RUN = st.lists(st.sampled_from("ab"), max_size=8)


class Counted(str):
    """A word that counts how often it is looked up."""

    lookups = 0

    def __hash__(self) -> int:
        Counted.lookups += 1
        return super().__hash__()


@given(st.lists(_RUN, max_size=6), st.lists(_RUN, max_size=4))
def test_a_phrase_is_held_where_its_words_stand_in_one_text_without_a_gap(
    phrases: list[list[str]], texts: list[list[str]]
) -> None:
    expected = [any("".join(one) in "".join(text) for text in texts) for one in phrases if one]

    assert phrases_held([one for one in phrases if one], texts) == expected


def test_a_word_is_no_part_of_another() -> None:
    assert phrases_held([["gate", "is"]], [["ragate", "is"], ["gate"], ["is"]]) == [False]


def test_twice_the_phrases_and_texts_take_twice_the_steps() -> None:
    def steps(size: int) -> int:
        Counted.lookups = 0
        words = [Counted(word) for word in "ab"]
        phrases = [
            [words[number >> bit & 1] for bit in range(12)] + [Counted("x")]
            for number in range(size)
        ]
        phrases_held(phrases, [[words[place % 7 % 2] for place in range(16 * size)]])
        return Counted.lookups

    assert steps(2_000) < 2.2 * steps(1_000)
