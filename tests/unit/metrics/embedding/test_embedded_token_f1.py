"""Words matched by meaning."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from tests.unit.metrics.embedding.embedding_factories import (
    cosine,
    vector,
)
from tests.unit.metrics.metric_factories import (
    answered,
    asked,
    make,
    value,
)


def token_oracle(answer: Sequence[str], reference: Sequence[str], known: Sequence[str]) -> float:
    def weight(word: str) -> float:
        return float(np.log(1 + len(known) / max(1, sum(word in text for text in known))))

    def share(side: Sequence[str], other: Sequence[str]) -> float:
        best = [max(cosine(word, one) for one in other) for word in side]
        return float(np.dot(best, [weight(w) for w in side]) / sum(weight(w) for w in side))

    precision, recall = share(answer, reference), share(reference, answer)
    return 2 * precision * recall / (precision + recall)


def test_words_are_matched_by_meaning_and_rare_ones_count_most() -> None:
    samples = [
        asked("refund in thirty days").amended(id="a"),
        asked("shipping in thirty hours").amended(id="b"),
    ]
    made = make("embedded_token_f1", samples=samples)
    output = answered("refunds after thirty days [1]")
    texts = made.texts(samples[0], output)
    vectors = {text: vector(text).astype(np.float64) for text in texts}

    found = made.score(samples[0], output, vectors)

    expected = token_oracle(
        ["refunds", "after", "30", "days"],
        ["refund", "in", "30", "days"],
        ["refund in 30 days", "shipping in 30 hours"],
    )
    assert found.value == pytest.approx(expected, abs=1e-6)
    assert made.state[""] == 2.0


def test_the_table_of_the_baseline_is_taken_before_a_new_one() -> None:
    state = {"": 7.0, "days": 3.0}

    assert make("embedded_token_f1", samples=[asked("x")], state=state).state == state


@pytest.mark.parametrize("answer", ["the same words", "words the same", "東京 3.5"])
def test_the_words_of_the_reference_score_one_and_none_score_zero(answer: str) -> None:
    assert value("embedded_token_f1", asked("the same words", "東京 3.5"), answered(answer)) == 1.0
    assert value("embedded_token_f1", asked("the same words"), answered("!?")) == 0.0
