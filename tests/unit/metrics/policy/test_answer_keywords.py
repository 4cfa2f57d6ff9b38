"""answer_keywords by hand."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.metrics.metric_factories import answered, score, value
from tests.unit.metrics.policy.policy_factories import wants

KEYWORDS = "answer_keywords"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Revenue was $383 billion in 2024 [1].", 1.0),
        ("REVENUE was 383 billion.", 3 / 4),
        ("Revenues were 383.3 billion.", 1 / 4),
        ("I like turtles.", 0.0),
        ("[383] [2024]", 1 / 2),
        ("[2024]", 1 / 4),
    ],
)
def test_keywords_are_counted_as_whole_words(answer: str, expected: float) -> None:
    assert value(KEYWORDS, wants("revenue", "383", "billion", "2024"), answered(answer)) == expected


def test_a_citation_marker_is_no_keyword() -> None:
    assert value(KEYWORDS, wants("1"), answered("It is so [1].")) == 0.0


def test_any_spelling_of_a_keyword_counts() -> None:
    sample = wants(("revenue", "sales"), "up")

    assert value(KEYWORDS, sample, answered("Sales went up.")) == 1.0


def test_part_finds_a_keyword_inside_of_words() -> None:
    sample, output = wants("383", "revenue"), answered("Revenues: 383.3")

    assert value(KEYWORDS, sample, output) == 0.0
    assert value(KEYWORDS, sample, output, settings={"match": "part"}) == 1.0


@pytest.mark.parametrize("match", ["words", "part"])
def test_width_and_what_nobody_sees_do_not_count(match: str) -> None:
    sample = wants("24 hours", "東京")
    output = answered("２４\u200b HOURS、東京まで")

    assert value(KEYWORDS, sample, output, settings={"match": match}) == 1.0


def test_what_is_missing_is_named() -> None:
    result = score(KEYWORDS, wants("moon", ("sun", "star")), answered("The moon."))

    assert (result.value, result.reason) == (0.5, "missing: sun")


@settings(deadline=None, max_examples=50)
@given(
    keywords=st.lists(st.sampled_from(["alpha", "beta", "4", "東京"]), min_size=1, unique=True),
    answer=st.lists(st.sampled_from(["alpha", "beta", "gamma", "4", "."]), max_size=8),
)
def test_more_words_never_lower_the_share_of_keywords(
    keywords: list[str], answer: list[str]
) -> None:
    sample = wants(*keywords)
    shorter = value(KEYWORDS, sample, answered(" ".join(["x", *answer])))

    assert value(KEYWORDS, sample, answered(" ".join(["x", *answer, "beta"]))) >= shorter
    assert value(KEYWORDS, sample, answered(" ".join(keywords))) == 1.0
