"""refusal_calibration by hand, and against the two metrics that it joins."""

from __future__ import annotations

import pytest

from tests.unit.metrics.metric_factories import answered, asked, value


@pytest.mark.parametrize(
    ("answerable", "answer", "expected"),
    [
        (True, "It is 42.", 1.0),
        (True, "I don't know.", 0.0),
        (False, "I don't know.", 1.0),
        (False, "It is 42.", 0.0),
        (False, "", 0.0),
    ],
)
def test_a_refusal_is_right_where_there_is_no_answer(
    answerable: bool, answer: str, expected: float
) -> None:
    assert value("refusal_calibration", asked(answerable=answerable), answered(answer)) == expected
