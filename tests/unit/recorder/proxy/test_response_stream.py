"""The events of a response, put together and taken apart."""

from __future__ import annotations

import pytest

from ragate.clients.http.error_mapping import MalformedError
from ragate.recorder.proxy.response_stream import ResponseParts, response_events
from tests.servers.streams import response_body, response_stream
from tests.unit.recorder.proxy.reply_factories import events_of


def test_a_response_is_in_its_last_event():
    parts = ResponseParts()
    ends = [parts.add(one) for one in events_of(response_stream({"model": "m"}, "Red apples."))]

    assert ends == [False] * (len(ends) - 1) + [True]
    assert parts.body() == response_body({"model": "m"}, "Red apples.")
    with pytest.raises(MalformedError):
        ResponseParts().body()


def test_the_events_of_a_known_response_are_those_of_the_real_one():
    real = [one["type"] for one in events_of(response_stream({"model": "m"}, "one"))]
    made = list(response_events(response_body({"model": "m"}, "one")))

    assert [one["type"] for one in made if one["type"] != "response.in_progress"] == real
    assert [one["sequence_number"] for one in made] == list(range(len(made)))
    assert made[-1]["response"] == response_body({"model": "m"}, "one")


def test_a_function_call_of_a_response_becomes_events():
    item = {
        "type": "function_call",
        "id": "f1",
        "name": "f",
        "arguments": "{}",
        "status": "completed",
    }
    kinds = [one["type"] for one in response_events({"status": "completed", "output": [item]})]

    assert "response.function_call_arguments.done" in kinds
