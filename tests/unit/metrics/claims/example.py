"""The example of docs/judge-metrics.md, as a judge sees it."""

from __future__ import annotations

import json

from ragate.models import Score
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
