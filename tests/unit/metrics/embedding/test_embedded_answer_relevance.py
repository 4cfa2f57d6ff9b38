"""The answer beside a reference or the question."""

from __future__ import annotations

import pytest

from tests.unit.metrics.embedding.embedding_factories import (
    ANSWER,
    QUESTION,
    cosine,
    measured,
)
from tests.unit.metrics.metric_factories import (
    answered,
    asked,
)


def test_the_answer_may_be_held_beside_the_question() -> None:
    found = measured(
        "embedded_answer_relevance", asked(query=QUESTION), answered(ANSWER), against="question"
    )

    assert found.value == pytest.approx(cosine(ANSWER, QUESTION), abs=1e-6)
