"""Names of tools as providers respell them."""

from __future__ import annotations

import pytest

from ragate.core.calls.values import as_named
from ragate.models import ToolCall


@pytest.mark.parametrize(
    ("made", "names", "read"),
    [
        ("math_sum", ["math.sum", "find"], "math.sum"),
        ("math_sum", ["math.sum", "math/sum"], "math_sum"),
        ("math_sum", ["math.sum", "math_sum"], "math_sum"),
        ("mathsum", ["math.sum"], "mathsum"),
        ("x" * 64, ["x" * 70], "x" * 70),
    ],
)
def test_a_respelt_name_is_read_where_it_can_be_one_alone(
    made: str, names: list[str], read: str
) -> None:
    [call] = as_named([ToolCall(name=made)], names)

    assert call.name == read
