"""Whatever JSON somebody else writes, a reader of it returns or raises an error of its own kind."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.clients.budget import read_tally
from ragate.clients.http.error_mapping import MalformedError
from ragate.clients.openai_payloads import read_chat, read_embeddings, read_ranked
from ragate.errors import RagateError
from ragate.files.strict_json import number, whole
from ragate.outputs.call_list import are_fragments, joined
from ragate.systems._output import OutputError, decoded, to_output
from ragate.systems.llamaindex import NodeReader, reply_parts

LONG = int("9" * 400)
ODD_NUMBERS = (LONG, -LONG, 10**30, 2**63, -1, 0, 1, 2, 1e308, 1e39, 0.5, True)
ODD_VALUES: list[Any] = [LONG, -LONG, {}, [], "1", None, True, 1e39]
NUMBERS = st.sampled_from(ODD_NUMBERS) | st.integers() | st.floats(allow_nan=False)
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)

CALL = {"index": 0, "id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
COMPLETION = {
    "id": "x",
    "model": "m",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "It is.", "tool_calls": [CALL]},
            "finish_reason": "stop",
        }
    ],
    "usage": {"prompt_tokens": 3, "completion_tokens": 2},
}
EMBEDDINGS = {
    "data": [{"index": 1, "embedding": [0.5, 1]}, {"index": 0, "embedding": [1, 2.5]}],
    "usage": {"prompt_tokens": 3},
}
RANKED = {"results": [{"index": 1, "relevance_score": 0.5}, {"index": 0, "relevance_score": 1}]}
NODE = {"text": "It is.", "metadata": {"a": 1}, "score": 0.5, "ref_doc_id": "a", "node_id": "n"}
OUTPUT = {
    "answer": "So [1].",
    "chunks": [{"doc_id": "a", "text": "It is so.", "score": 0.5}],
    "citations": [1, "a"],
    "tool_calls": [{"name": "f", "arguments": {"a": 1}}],
    "usage": {"prompt_tokens": 3, "completion_tokens": 2},
    "latency_s": 0.5,
}


def as_bytes(read: Callable[[bytes], object]) -> Callable[[Any], object]:
    return lambda value: read(json.dumps(value).encode())


def _output(value: Any) -> None:
    used = to_output(value, who="it").usage
    if used is not None:
        float(used.calls + used.prompt_tokens + used.completion_tokens)  # as metrics do


def _node(value: Any) -> None:
    NodeReader(Path("/x")).chunk(decoded(value))


def _fragments(value: Any) -> None:
    if are_fragments(value):
        joined(value)


def _tally(value: Any) -> None:
    if isinstance(value, dict):
        read_tally(value)


READERS: dict[str, tuple[Any, Callable[[Any], object]]] = {
    "chat": (COMPLETION, as_bytes(read_chat)),
    "embeddings": (EMBEDDINGS, as_bytes(lambda content: read_embeddings(content, 2))),
    "ranking": (RANKED, as_bytes(lambda content: read_ranked(content, 2))),
    "output": (OUTPUT, _output),
    "node": (NODE, _node),
    "call fragments": ([CALL, CALL], _fragments),
    "worker's value": ([{"$float": "nan"}, {"$pairs": [["$a", 1]]}], decoded),
    "engine's reply": (
        {"answer": "So.", "nodes": [], "took_s": 0.5},
        lambda value: reply_parts(value, 1.0),
    ),
    "tally": ({"calls": 3, "cost_usd": 0.5}, _tally),
}
# What the caller of each reader catches; a MalformedError is a ValueError.
TYPED = (RagateError, MalformedError, OutputError, ValueError)


def places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield place
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places(value[key], (*place, key))


def changed(value: Any, place: tuple[Any, ...], to: Any) -> Any:
    if not place:
        return to
    copied = dict(value) if isinstance(value, dict) else list(value)
    copied[place[0]] = changed(copied[place[0]], place[1:], to)
    return copied


@pytest.mark.parametrize("name", READERS)
@given(data=st.data())
def test_a_reader_of_foreign_json_raises_nothing_but_its_own_errors(
    name: str, data: st.DataObject
) -> None:
    sound, read = READERS[name]
    read(sound)
    place = data.draw(st.sampled_from(list(places(sound))))
    value = changed(sound, place, data.draw(JSON))
    with suppress(*TYPED):
        read(value)


@pytest.mark.parametrize("odd", ODD_VALUES, ids=lambda odd: repr(odd)[:5])
@pytest.mark.parametrize("name", READERS)
def test_an_odd_value_in_any_place_is_refused_or_read(name: str, odd: object) -> None:
    sound, read = READERS[name]
    for place in places(sound):
        with suppress(*TYPED):
            read(changed(sound, place, odd))


def test_a_number_is_finite_as_a_float_and_no_truth_value() -> None:
    assert [number(value) for value in (1, 0.5, -2)] == [1.0, 0.5, -2.0]
    odd: list[object] = [True, LONG, -LONG, "1", None, {}, float("nan")]
    assert {number(value) for value in odd} == {None}
    assert number(5, most=4.0) is None


def test_a_whole_number_lies_within_its_bounds_and_is_no_truth_value() -> None:
    assert [whole(value, most=3) for value in (0, 3)] == [0, 3]
    odd: list[object] = [-1, 4, 1.0, True, "1", {}, LONG]
    assert {whole(value, most=3) for value in odd} == {None}
