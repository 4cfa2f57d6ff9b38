"""The calls of an output carried out, beside the right ones."""

from __future__ import annotations

import asyncio
import datetime
from typing import Any

from ragate.executors.executor import LONGEST, MOST, Executor
from ragate.models import (
    CallResult,
    Executed,
    ExpectedCall,
    Failure,
    Sample,
    SystemOutput,
    ToolCall,
)
from ragate.systems.http.policy import Hidden

TODAY = datetime.date(2026, 11, 22)
RIGHT = ExpectedCall(name="math.add", arguments={"a": 1}, alternatives={"b": (2, 3)})
SAMPLE = Sample(id="s", query="1 + 2?", expected_calls=(RIGHT,))


class Recording:
    """Answers with what it was asked."""

    def __init__(self, value: Any = None) -> None:
        self.asked: list[ToolCall] = []
        self.value = value

    async def __call__(self, call: ToolCall) -> CallResult:
        self.asked.append(call)
        return CallResult(value=self.value or {"of": dict(call.arguments)})


def carried_out(sample: Sample, *calls: ToolCall, tool: Recording | None = None) -> SystemOutput:
    tool = tool or Recording()
    executor = Executor(tool, today=TODAY, hidden=Hidden(["the-key-of-a-tool"]))
    return asyncio.run(executor(sample, SystemOutput(tool_calls=calls)))


def test_the_call_and_the_right_one_are_carried_out() -> None:
    output = carried_out(SAMPLE, ToolCall(name="math.add", arguments={"a": 1, "b": 5}))

    assert output.executed == Executed(
        made=(CallResult(value={"of": {"a": 1, "b": 5}}),),
        expected=(CallResult(value={"of": {"a": 1, "b": 2}}),),
    )


def test_a_call_that_is_the_right_one_is_carried_out_once() -> None:
    tool = Recording()

    carried_out(SAMPLE, ToolCall(name="math_add", arguments={"a": 1, "b": 2}), tool=tool)

    assert [call.name for call in tool.asked] == ["math.add"]


def test_a_result_that_the_golden_set_holds_is_not_asked_for() -> None:
    tool = Recording()
    sample = SAMPLE.amended(expected_calls=(RIGHT.amended(result=3),))

    output = carried_out(sample, tool=tool)

    assert output.executed == Executed(made=(), expected=(CallResult(value=3),))
    assert tool.asked == []


def test_a_date_of_a_right_call_is_written_out() -> None:
    tool = Recording()
    right = ExpectedCall(name="news", arguments={"days": ["{today-1d}", {"to": "{today}"}]})

    carried_out(SAMPLE.amended(expected_calls=(right,)), tool=tool)

    assert tool.asked[0].arguments == {"days": ["2026-11-21", {"to": "2026-11-22"}]}


def test_what_cannot_or_need_not_be_carried_out_stays_as_it_is() -> None:
    executor = Executor(Recording(), today=TODAY, hidden=Hidden([]))
    broken = SystemOutput(error=Failure(kind="system", message="x"), tool_calls=())
    for sample, output in (
        (SAMPLE, broken),
        (SAMPLE, SystemOutput(answer="Three.")),
        (SAMPLE.amended(expected_calls=()), SystemOutput(tool_calls=(ToolCall(name="f"),))),
        (SAMPLE.amended(expected_calls=None), SystemOutput(tool_calls=(ToolCall(name="f"),))),
    ):
        assert asyncio.run(executor(sample, output)) is output


def test_no_more_calls_than_the_limit_are_carried_out() -> None:
    tool = Recording()
    calls = [ToolCall(name="f", arguments={"n": n}) for n in range(MOST + 3)]

    output = carried_out(SAMPLE, *calls, tool=tool)

    assert len(tool.asked) == 1 + MOST
    assert output.executed is not None
    assert [made.error for made in output.executed.made[MOST:]] == [
        f"more than {MOST} calls: not carried out"
    ] * 3


def test_a_result_is_stored_without_keys_and_only_so_long() -> None:
    call = ToolCall(name="f")

    clean = carried_out(SAMPLE, call, tool=Recording("is the-key-of-a-tool there")).executed
    long = carried_out(SAMPLE, call, tool=Recording("x" * LONGEST)).executed

    assert clean is not None
    assert "the-key-of-a-tool" not in clean.model_dump_json()
    assert long is not None
    assert "characters" in long.made[0].error


def test_what_goes_wrong_concerns_this_sample_alone() -> None:
    async def broken(_call: ToolCall) -> CallResult:
        raise RuntimeError("no way, says the-key-of-a-tool")

    executor = Executor(broken, today=TODAY, hidden=Hidden(["the-key-of-a-tool"]))
    output = SystemOutput(tool_calls=(ToolCall(name="f"), ToolCall(name="g")))

    executed = asyncio.run(executor(SAMPLE, output)).executed

    lost = CallResult(error="not carried out: RuntimeError: no way, says ***", unreachable=True)
    assert executed == Executed(made=(lost, lost), expected=(lost,))


def test_a_result_that_a_key_cut_out_of_it_breaks_ends_no_run() -> None:
    executor = Executor(Recording(12345678), today=TODAY, hidden=Hidden(["12345678"]))

    executed = asyncio.run(executor(SAMPLE, SystemOutput(tool_calls=()))).executed

    assert executed is not None
    assert executed.expected[0].unreachable


def test_arguments_that_are_no_object_are_never_sent() -> None:
    tool = Recording()

    output = carried_out(SAMPLE, ToolCall(name="f", malformed="{x"), tool=tool)

    assert [call.name for call in tool.asked] == ["math.add"]
    assert output.executed is not None
    assert output.executed.made[0].error == "the arguments are no JSON object"
