"""The mean cosine of question and contexts."""

from __future__ import annotations

from tests.unit.metrics.metric_factories import (
    answered,
    asked,
    value,
)


def test_a_chunk_without_text_beside_others_is_near_to_nothing() -> None:
    output = answered("x", "one two", " ")

    assert value("embedded_context_relevance", asked(query="one two"), output) == 0.5
    assert value("embedded_sufficiency", asked(query="one two"), output) == 0.5
