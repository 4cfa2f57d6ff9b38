"""Sentences that no context is near to."""

from __future__ import annotations

from tests.unit.metrics.metric_factories import (
    answered,
    asked,
    score,
    value,
)


def test_a_high_share_of_unsupported_sentences_says_so() -> None:
    found = score("embedded_hallucination", asked(), answered("One two. Three four.", "one two"))

    assert found.value == 0.5
    assert found.reason == "above 0.3: significant claims have no support"


def test_an_answer_without_words_is_a_hallucination() -> None:
    assert value("embedded_hallucination", asked(), answered("[1] …", "x")) == 1.0
