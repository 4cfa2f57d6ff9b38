"""Metrics on calls, by hand and over the cases of the Berkeley leaderboard."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

import pytest

from ragate.errors import ConfigError
from ragate.models import (
    CallResult,
    Executed,
    ExpectedCall,
    RetrievedChunk,
    Sample,
    ScoreState,
    SystemOutput,
    Tool,
    ToolCall,
)
from tests.unit.metrics.metric_factories import (
    TOOLS,
    asked,
    broken,
    data_folder,
    metric,
    score,
    value,
)

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"k": {"type": "integer"}},
    "required": ["k"],
    "additionalProperties": False,
}
FIND = asked().amended(
    tools=(Tool(name="find", parameters=SCHEMA), Tool(name="now")),
    expected_calls=(ExpectedCall(name="find", arguments={"k": 3}), ExpectedCall(name="now")),
)

ONE = FIND.amended(expected_calls=(ExpectedCall(name="find", arguments={"k": 3}),))
KNOWN = ONE.amended(expected_calls=(ExpectedCall(name="find", arguments={"k": 3}, result=1.5),))
COMPARED = sorted({*TOOLS} - {"irrelevance", "tool_execution"})


def calling(*calls: tuple[str, dict[str, Any]]) -> SystemOutput:
    made = tuple(ToolCall(name=name, arguments=arguments) for name, arguments in calls)
    return SystemOutput(tool_calls=made)


@pytest.mark.parametrize("name", TOOLS)
def test_without_right_calls_nothing_applies(name: str) -> None:
    result = score(name, asked().amended(tools=FIND.tools), calling(("f", {})))

    assert (result.state, result.reason) == (ScoreState.NOT_APPLICABLE, "no expected_calls")


@pytest.mark.parametrize("name", COMPARED)
def test_calls_that_nobody_reported_are_not_read_as_none(name: str) -> None:
    result = score(name, FIND, SystemOutput(answer="Done."))

    assert (result.state, result.reason) == (
        ScoreState.UNSCORED,
        "the system reports no tool calls",
    )


def test_calls_that_nobody_reported_do_not_pass_as_irrelevance() -> None:
    result = score("irrelevance", asked().amended(expected_calls=()), SystemOutput(answer="No."))

    assert result.state is ScoreState.UNSCORED


@pytest.mark.parametrize("name", COMPARED)
@pytest.mark.parametrize("answer", [None, "", "I look it up."])
def test_calls_without_an_answer_are_no_failure(name: str, answer: str | None) -> None:
    output = calling(("find", {"k": 3}), ("now", {})).amended(answer=answer)

    assert value(name, FIND, output) == 1.0


@pytest.mark.parametrize("name", TOOLS)
def test_a_failed_output_with_calls_has_the_worst_value(name: str) -> None:
    sample = FIND.amended(expected_calls=()) if name == "irrelevance" else FIND
    output = broken().amended(tool_calls=calling(("find", {"k": 3}), ("now", {})).tool_calls)

    assert value(name, sample, output) == 0.0


@pytest.mark.parametrize("name", ["error_rate", "hit_rate@10"])
def test_an_empty_answer_beside_calls_is_no_failure_for_what_reads_no_answer(name: str) -> None:
    output = calling(("now", {})).amended(answer="", chunks=(RetrievedChunk(doc_id="a"),))
    best = 0.0 if name == "error_rate" else 1.0

    assert value(name, asked(relevant={"a": 1}), output) == best
    nothing = output.amended(tool_calls=(), chunks=())
    assert value(name, asked(relevant={"a": 1}), nothing) == 1.0 - best


def test_a_call_buys_no_good_answer() -> None:
    output = calling(("now", {})).amended(answer="")

    assert value("contains", asked("It is 42."), output) == 0.0
    assert value("unsupported_numbers", asked("It is 42."), output) == 1.0


def test_f1_counts_the_calls_that_are_right() -> None:
    output = calling(("find", {"k": 3}), ("now", {}), ("now", {}))

    assert value("tool_f1", FIND, output) == pytest.approx(4 / 5)
    assert value("tool_logic", FIND, output) == 0.0


def test_the_order_is_seen_by_the_metric_of_the_order_alone() -> None:
    output = calling(("now", {}), ("find", {"k": 3}))
    result = score("tool_order", FIND, output)

    assert (result.value, result.reason) == (0.5, "1 of 2 calls in their order")
    assert value("tool_logic", FIND, output) == 1.0


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (ToolCall(name="fnd"), "'fnd' is none of the tools"),
        (ToolCall(name="find"), "find: 'k' is a required property"),
        (ToolCall(name="find", arguments={"k": "3"}), "find: k: '3' is not of type 'integer'"),
        (
            ToolCall(name="find", malformed="{k"),
            "find: the arguments are no JSON object: '{k'",
        ),
    ],
)
def test_syntax_says_what_breaks_the_schema(call: ToolCall, reason: str) -> None:
    result = score("tool_syntax", FIND, SystemOutput(tool_calls=(call,)))

    assert (result.value, result.reason) == (0.0, reason)


def test_syntax_does_not_pay_for_silence() -> None:
    result = score("tool_syntax", FIND, calling())

    assert (result.value, result.reason) == (0.0, "no call was made")
    assert value("tool_syntax", FIND.amended(expected_calls=()), calling()) == 1.0


def test_a_schema_whose_reference_leads_nowhere_is_never_passed() -> None:
    sample = FIND.amended(tools=(Tool(name="find", parameters={"$ref": "#/no"}),))

    with pytest.raises(ValueError, match="a reference leads nowhere"):
        score("tool_syntax", sample, calling(("find", {"k": 3})))


def test_routing_does_not_look_at_arguments() -> None:
    assert value("tool_routing", FIND, calling(("now", {}), ("find", {}))) == 1.0
    result = score("tool_routing", FIND, calling(("now", {}), ("now", {})))
    assert (result.value, result.reason) == (0.0, "now was called, and find is right")


def test_entities_are_those_of_the_arguments_that_are_named() -> None:
    sample = asked().amended(
        expected_calls=(ExpectedCall(name="find", arguments={"city": ["Oslo", "Bergen"], "k": 3}),)
    )
    output = calling(("search", {"city": ["Oslo", "Rome"], "k": 5}))

    result = score("tool_entities", sample, output, settings={"arguments": ["city"]})

    assert (result.value, result.reason) == (0.5, "city: 'Oslo', 'Bergen' is right")
    assert value("tool_entities", sample, output) == pytest.approx(1 / 3)
    other = score("tool_entities", sample, output, settings={"arguments": ["country"]})
    assert other.state is ScoreState.NOT_APPLICABLE


def test_a_name_that_a_provider_respelt_is_the_tools_own() -> None:
    sample = asked().amended(
        tools=(Tool(name="math.sum"),), expected_calls=(ExpectedCall(name="math.sum"),)
    )

    for name in ("tool_logic", "tool_syntax", "tool_routing", "tool_f1"):
        assert value(name, sample, calling(("math_sum", {}))) == 1.0


@pytest.mark.parametrize("name", ["tool_logic", "tool_f1", "tool_entities"])
@pytest.mark.parametrize("spelling", ["behavioural", "behavioral"])
def test_dates_are_read_as_of_the_date_of_the_run(name: str, spelling: str) -> None:
    since = ExpectedCall(name="find", arguments={"since": "-1Y"})
    sample, output = (
        asked().amended(expected_calls=(since,)),
        calling(("find", {"since": "1 year ago"})),
    )
    on_date = calling(("find", {"since": "2019-02-28"}))

    assert value(name, sample, output) == 0.0
    assert value(name, sample, output, settings={"dates": "structural"}) == 1.0
    assert value(name, sample, on_date, settings={"dates": spelling}) == 1.0
    settings, date = {"dates": "data"}, "2020-02-29"
    assert value(name, sample, on_date, settings=settings, eval_date=date) == 1.0
    assert value(name, sample, on_date, settings=settings, eval_date="2020-03-01") == 0.0


def test_a_mode_of_dates_that_is_none_is_told() -> None:
    with pytest.raises(ConfigError, match="dates"):
        metric("tool_logic", settings={"dates": "strict"})


def ran(made: CallResult, expected: CallResult) -> SystemOutput:
    output = calling(("find", {"k": 5}))
    return output.amended(executed=Executed(made=(made,), expected=(expected,)))


def test_execution_compares_results_within_the_tolerance() -> None:
    output = ran(CallResult(value={"t": 4.04}), CallResult(value={"t": 4, "at": 1}))
    settings = {"tolerance": 0.02, "ignore": ["at"]}

    assert value("tool_execution", ONE, output, settings=settings) == 1.0
    result = score("tool_execution", ONE, output, settings={"ignore": ["at"]})
    assert (result.value, result.reason) == (0.0, "t is 4.04, and 4 is right")


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        (calling(("find", {"k": 3})), "the calls were not carried out"),
        (SystemOutput(answer="Done."), "the system reports no tool calls"),
        (ran(CallResult(value=1), CallResult(error="HTTP 500")), "the right call gives no result"),
        (ran(CallResult(error="gone", unreachable=True), CallResult(value=1)), "gone"),
    ],
)
def test_execution_that_proves_nothing_is_unscored(output: SystemOutput, reason: str) -> None:
    result = score("tool_execution", ONE, output)

    assert result.state is ScoreState.UNSCORED
    assert reason in result.reason


def test_execution_that_the_tool_refused_is_wrong() -> None:
    result = score("tool_execution", ONE, ran(CallResult(error="422"), CallResult(value=1)))

    assert (result.value, result.reason) == (0.0, "422")


def test_the_golden_result_counts_whatever_the_output_brings() -> None:
    for output, expected in (
        (ran(CallResult(value=7), CallResult(value=7)), 0.0),
        (ran(CallResult(value=7), CallResult(error="none")), 0.0),
        (ran(CallResult(value=1.5), CallResult(value=7)), 1.0),
        (calling(("find", {})).amended(executed=Executed(made=(CallResult(value=1.5),))), 1.0),
        (calling().amended(executed=Executed()), 0.0),
    ):
        assert value("tool_execution", KNOWN, output) == expected


@pytest.mark.parametrize("sample", [ONE, KNOWN])
def test_results_that_are_not_one_a_call_prove_nothing(sample: Sample) -> None:
    forged = calling(("delete_everything", {})).amended(executed=Executed())

    result = score("tool_execution", sample, forged)

    assert (result.state, result.reason) == (
        ScoreState.UNSCORED,
        "the results that came with the output are not one for each of its calls",
    )


def test_a_right_call_that_nobody_carried_out_proves_nothing() -> None:
    made = calling(("find", {"k": 5})).amended(executed=Executed(made=(CallResult(value=1),)))

    for sample, output in ((ONE, made), (FIND, ran(CallResult(value=1), CallResult(value=1)))):
        result = score("tool_execution", sample, output)

        assert result.state is ScoreState.UNSCORED
        assert "a right call was not carried out" in result.reason


def test_execution_needs_a_right_call() -> None:
    result = score("tool_execution", FIND.amended(expected_calls=()), calling())

    assert result.state is ScoreState.NOT_APPLICABLE


@cache
def cases(file: str) -> Sequence[tuple[Sample, tuple[ToolCall, ...]]]:
    """Return the leaderboard's cases, each with its ground truth as calls."""
    path = data_folder("bfcl") / file
    return [_case(json.loads(line)) for line in path.read_text().splitlines()]


def _case(row: dict[str, Any]) -> tuple[Sample, tuple[ToolCall, ...]]:
    from ragate.dataset._rows import Entries  # the rows of the file are not in our own spelling

    fields = {"id": row["id"], "query": row["question"][0][0]["content"], "tools": row["function"]}
    fields["expected_calls"] = row["ground_truth"] or []
    sample = Entries(data_folder("bfcl")).read(row["id"], fields).sample
    calls = sample.expected_calls or ()
    return sample, tuple(_rendered(sample, call) for call in calls)


def _rendered(sample: Sample, call: ExpectedCall) -> ToolCall:
    """Return the ground truth as a model would call it: without what may be left out."""
    given = {
        name: values[0]
        for name, values in call.accepted.items()
        if name not in call.optional or name in required(sample)
    }
    return ToolCall(name=call.name, arguments=given)


def required(sample: Sample) -> list[str]:
    [parameters] = [tool.parameters for tool in sample.tools]
    names: Any = parameters.get("required", [])
    return list(names)


Mutation = Callable[[Sample, ToolCall], Iterator[tuple[ToolCall, ...]]]


def another_name(_sample: Sample, call: ToolCall) -> Iterator[tuple[ToolCall, ...]]:
    yield (call.amended(name=f"{call.name}_2"),)


def missing_argument(sample: Sample, call: ToolCall) -> Iterator[tuple[ToolCall, ...]]:
    [right] = sample.expected_calls or ()
    for name in call.arguments:
        rest = {key: item for key, item in call.arguments.items() if key != name}
        # The ground truth itself lets some be left out that the schema demands.
        if name not in right.optional and not _default_is_right(sample, right, name):
            yield (call.amended(arguments=rest),)


def _default_is_right(sample: Sample, right: ExpectedCall, name: str) -> bool:
    properties: Any = sample.tools[0].parameters["properties"]
    default = properties[name].get("default")
    return name not in required(sample) and default in right.accepted[name]


def unknown_argument(_sample: Sample, call: ToolCall) -> Iterator[tuple[ToolCall, ...]]:
    yield (call.amended(arguments={**call.arguments, "no_such_argument": 1}),)


def wrong_type(_sample: Sample, call: ToolCall) -> Iterator[tuple[ToolCall, ...]]:
    for name, given in call.arguments.items():
        wrong: Any = [given] if isinstance(given, str) else str(given)
        yield (call.amended(arguments={**call.arguments, name: wrong}),)


def value_outside(_sample: Sample, call: ToolCall) -> Iterator[tuple[ToolCall, ...]]:
    [right] = _sample.expected_calls or ()
    for name, given in call.arguments.items():
        other = _other(given)
        if not (isinstance(given, bool) and other in right.accepted[name]):
            yield (call.amended(arguments={**call.arguments, name: other}),)


def _other(given: Any) -> Any:
    if isinstance(given, bool):
        return not given
    if isinstance(given, str):
        return f"{given} outside of the set"
    if isinstance(given, list):
        return [*given, "outside of the set"]
    return {**given, "outside": 1} if isinstance(given, dict) else given + 987_654


def extra_call(_sample: Sample, call: ToolCall) -> Iterator[tuple[ToolCall, ...]]:
    yield (call, call)


MUTATIONS: tuple[Mutation, ...] = (
    another_name,
    missing_argument,
    unknown_argument,
    wrong_type,
    value_outside,
    extra_call,
)


@pytest.mark.parametrize("name", ["tool_logic", "tool_f1", "tool_syntax"])
def test_the_leaderboards_ground_truth_is_right(name: str) -> None:
    pairs = [(sample, SystemOutput(tool_calls=calls)) for sample, calls in cases(SIMPLE)]
    scores = metric(name).score_samples(pairs)

    assert len(scores) == 400
    assert {(result.value, result.reason) for result in scores} == {(1.0, "")}


SIMPLE = "simple_python.jsonl"


@pytest.mark.parametrize("mutate", MUTATIONS)
def test_every_single_mutation_of_the_ground_truth_is_wrong_and_says_why(mutate: Mutation) -> None:
    pairs = [
        (sample, SystemOutput(tool_calls=made))
        for sample, [call] in cases(SIMPLE)
        for made in mutate(sample, call)
    ]
    scores = metric("tool_logic").score_samples(pairs)

    assert len(scores) >= 390
    for (sample, output), result in zip(pairs, scores, strict=True):
        assert result.value == 0.0, (sample.id, output.tool_calls)
        assert result.reason


@pytest.mark.parametrize("mutate", [another_name, unknown_argument])
def test_what_no_schema_allows_is_seen_by_syntax_too(mutate: Mutation) -> None:
    pairs = [
        (sample, SystemOutput(tool_calls=made))
        for sample, [call] in cases(SIMPLE)
        for made in mutate(sample, call)
    ]

    assert {result.value for result in metric("tool_syntax").score_samples(pairs)} == {0.0}


@pytest.mark.parametrize("name", ["irrelevance", "tool_logic", "tool_f1"])
def test_where_no_call_is_right_any_call_is_wrong(name: str) -> None:
    for sample, _ in cases("irrelevance.jsonl"):
        called = score(name, sample, calling(*((tool.name, {}) for tool in sample.tools[:1])))

        assert value(name, sample, calling()) == 1.0
        if sample.tools:
            assert called.value == 0.0
            assert called.reason


def test_an_argument_that_is_demanded_may_not_be_left_out_for_its_default() -> None:
    schema = {**SCHEMA, "properties": {"k": {"type": "integer", "default": 3}}}
    demanded = FIND.amended(tools=(Tool(name="find", parameters=schema), Tool(name="now")))
    free = FIND.amended(
        tools=(Tool(name="find", parameters={**schema, "required": []}), Tool(name="now"))
    )
    output = calling(("find", {}), ("now", {}))

    assert score("tool_logic", demanded, output).reason == "find: k is missing"
    assert value("tool_logic", free, output) == 1.0
