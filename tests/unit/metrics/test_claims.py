"""Metrics on claims, on the example of docs/judge.md as a judge sees it."""

from __future__ import annotations

import json

import pytest

from ragate import plugins
from ragate.models import Direction, Score
from tests.unit.judges.judge_factories import (
    Chat,
    answered,
    asked,
    claim,
    judge_all,
    reference_claim,
)

OUTPUT = answered(
    "Kept for 30 days, encrypted, by Ann.", "Backups are kept for 30 days. Storage is in Oslo."
)
SAMPLE = asked(reference="30 days, in Oslo, encrypted.")
REPLY = {
    "claims": [claim(1, 1, "supported", 1), claim(2, 1, "absent"), claim(3, 1, "absent")],
    "claim_free": [],
    "right": [{"claim": number, "stated": number < 3} for number in (1, 2, 3)],
    "reference_claims": [
        reference_claim(1, 1, 1),
        reference_claim(2, 1, 1, in_answer=False),
        reference_claim(3, 1),
    ],
    "reference_claim_free": [],
}


def example(name: str) -> Score:
    """Return the score of one metric, which is all that is asked for."""

    def said(keys: list[str]) -> str:
        return json.dumps({key: REPLY[key] for key in keys})

    chat = Chat(
        lambda request: said(
            request.parameters["response_format"]["json_schema"]["schema"]["required"]
        )
    )
    return judge_all(chat, SAMPLE, OUTPUT, [name])[name]


@pytest.mark.parametrize(
    ("name", "value", "reason", "direction"),
    [
        ("claim_precision", 2 / 3, "2 of 3 claims right", Direction.HIGHER),
        ("claim_recall", 2 / 3, "2 of 3 claims of a reference in the answer", Direction.HIGHER),
        ("claim_f1", 2 / 3, "precision 0.67, recall 0.67", Direction.HIGHER),
        (
            "context_utilisation",
            1 / 2,
            "1 of 2 claims of a reference in the answer",
            Direction.HIGHER,
        ),
        ("hallucination", 1 / 3, "1 of 3 claims made up: claim 3", Direction.LOWER),
        (
            "noise_sensitivity",
            0.0,
            "0 of 3 claims out of contexts and in no reference",
            Direction.LOWER,
        ),
        ("self_knowledge", 1 / 3, "1 of 3 claims known without contexts: claim 2", Direction.LOWER),
    ],
)
def test_the_example_of_the_manual(
    name: str, value: float, reason: str, direction: Direction
) -> None:
    score = example(name)

    assert score.value == pytest.approx(value)
    assert score.reason == reason
    assert plugins.metric(name).info.direction is direction
