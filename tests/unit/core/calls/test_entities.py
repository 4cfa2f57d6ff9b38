"""Entities of calls, counted."""

from __future__ import annotations

from typing import Any

import pytest

from ragate.core.calls.entities import Found, found_entities
from ragate.core.calls.values import texts_alike
from ragate.models import ExpectedCall, ToolCall

RIGHT = ExpectedCall(
    name="prices", arguments={"tickers": ["AAPL", "MSFT"]}, alternatives={"unit": ("USD", "$")}
)


def found(*calls: tuple[str, dict[str, Any]], arguments: tuple[str, ...] = ("tickers",)) -> Found:
    made = [ToolCall(name=name, arguments=given) for name, given in calls]
    return found_entities([RIGHT], made, arguments, texts_alike)


def test_each_item_of_a_list_is_an_entity() -> None:
    counted = found(("prices", {"tickers": ["MSFT", "TSLA", "IBM"]}))

    assert counted == Found(2, 3, 1, "tickers: 'AAPL', 'MSFT' is right")


def test_the_tool_does_not_matter() -> None:
    assert found(("quotes", {"tickers": ["msft", "aapl"]})).both == 2


def test_an_argument_that_holds_none_is_left_out() -> None:
    assert found(("prices", {"tickers": ["AAPL", "MSFT"], "unit": "EUR"})) == Found(2, 2, 2)


def test_any_of_several_right_values_will_do() -> None:
    counted = found(("prices", {"tickers": ["AAPL", "MSFT"], "unit": "$"}), arguments=())

    assert counted == Found(3, 3, 3)


def test_without_a_call_all_is_missing() -> None:
    assert found() == Found(2, 0, 0, "tickers: 'AAPL', 'MSFT' is right")


@pytest.mark.parametrize("given", [{}, {"tickers": "AAPL"}])
def test_what_may_be_left_out_is_expected_only_where_it_is_given(given: dict[str, Any]) -> None:
    right = ExpectedCall(name="f", arguments={"tickers": "AAPL"}, optional=("tickers",))
    made = [ToolCall(name="f", arguments=given)]

    counted = found_entities([right], made, (), texts_alike)

    assert counted == Found(len(given), len(given), len(given))
