"""Why outputs failed: each reason once, with the number of outputs that it is for."""

from __future__ import annotations

from ragate.answers.system_session import failure_lines
from ragate.models import Failure, SystemOutput


def failed(message: str) -> SystemOutput:
    return SystemOutput(error=Failure(kind="system", message=message))


def test_equal_reasons_are_one_line_with_the_most_frequent_first():
    outputs = [
        failed("late"),
        failed("answered 422: no field q"),
        failed("answered 422: no field q"),
    ]

    assert list(failure_lines(outputs)) == ["2 × answered 422: no field q", "1 × late"]


def test_what_succeeded_is_no_reason():
    assert list(failure_lines([SystemOutput(answer="x")])) == []


def test_a_long_reply_is_kept_by_its_first_lines():
    (line,) = failure_lines([failed("answered 500: " + "x" * 1500)])

    assert line.endswith("x" * 1500)


def test_beyond_three_reasons_only_their_number_is_told():
    lines = list(failure_lines([failed(f"reason {number}") for number in range(5)]))

    assert len(lines) == 4
    assert lines[-1].startswith("2 further reasons")
