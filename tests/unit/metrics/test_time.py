"""The metrics of contexts take time that grows with the texts, not with their product."""

from __future__ import annotations

import time

import pytest

from tests.night import NIGHT
from tests.unit.metrics.metric_factories import CLAIMS, REFERENCE, answered, asked, value

SIZE = 60_000 if NIGHT else 30_000  # characters; quadratic code takes minutes
PIECES = [
    "Acme ",
    "7 ",
    "It is not so in Rome. ",
    "Paid 7 of 9 on 1.5. ",
    "not ",
    "a b c d. ",
    "東京は",
]


@pytest.mark.parametrize("piece", PIECES)
def test_long_answers_and_contexts_are_read_in_linear_time(piece: str) -> None:
    text = piece * (SIZE // len(piece))
    started = time.process_time()
    for name in (*CLAIMS, *REFERENCE):
        if name != "rouge_l":  # bit-parallel, and cut at 10,000 words
            value(name, asked(text + " 7"), answered(f'{text} "a b c d" 7 [1]', text, text))

    assert time.process_time() - started < SIZE / 2_000
