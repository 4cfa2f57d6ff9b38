"""Errors on their way from a worker to whoever submitted."""

import pytest

from ragate.errors import BudgetError, RagateError
from ragate.pipeline.workers.plan_head import error_text, read_error


def test_an_error_of_ours_arrives_as_what_it_was():
    told = read_error(3, error_text(BudgetError("the cap is reached", remedy="raise it")))

    assert isinstance(told, BudgetError)
    assert told.message == "block 3, on a worker: the cap is reached"
    assert told.remedy == "raise it"


def test_any_other_error_is_no_decision():
    told = read_error(3, error_text(ZeroDivisionError("division by zero")))

    assert type(told) is RagateError
    assert told.exit_code == 3
    assert "ZeroDivisionError: division by zero" in told.message


@pytest.mark.parametrize(
    "text",
    [
        "",
        "gone",
        "[]",
        "null",
        '{"kind": "FATAL", "message": "m", "remedy": ""}',
        '{"kind": "__builtins__", "message": "m", "remedy": ""}',
        '{"kind": ["x"], "message": {}, "remedy": 3}',
        '{"kind": "ConfigError"}',
    ],
)
def test_whatever_anybody_wrote_is_read_as_an_error(text: str):
    assert type(read_error(0, text)) is RagateError


def test_what_a_worker_tells_cannot_move_the_cursor_or_fill_the_screen():
    told = read_error(0, error_text(RagateError("\x1b[2J" + "x" * 10_000 + "\nverdict: passed")))

    assert "\n" not in told.message
    assert "\x1b" not in told.message
    assert len(told.message) < 2000
