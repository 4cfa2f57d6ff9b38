from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.contrib.recorder.proxy.request_identity import (
    UNHEEDED,
    Endpoint,
    Request,
    checked_request,
    read_request,
)
from ragate.errors import UsageError

BODY = {"model": "m", "messages": [{"role": "user", "content": "Hello?"}]}


def chat(**fields: object) -> Request:
    return Request(Endpoint.CHAT, {**BODY, **fields})


@pytest.mark.parametrize("name", sorted(UNHEEDED))
def test_what_does_not_influence_the_answer_is_no_part_of_the_identity(name):
    assert chat(**{name: "x"}).key("openai") == chat().key("openai")


@pytest.mark.parametrize(
    "other",
    [
        chat(model="n"),
        chat(temperature=0),
        chat(messages=[{"role": "user", "content": "Hello!"}]),
        chat(response_format={"type": "json_object"}),
        chat(tools=[]),
        chat(something_new=1),
        Request(Endpoint.RESPONSES, BODY),
    ],
)
def test_everything_else_is(other):
    assert other.key("openai") != chat().key("openai")


def test_provider_and_occurrence_tell_requests_apart():
    keys = {chat().key("a"), chat().key("b"), chat().key("a", 1), chat().key("a", 2)}

    assert len(keys) == 4


def test_the_order_of_keys_does_not_count():
    turned = Request(Endpoint.CHAT, dict(reversed(list(chat(seed=1, n=2).body.items()))))

    assert turned.key("a") == chat(n=2, seed=1).key("a")


@pytest.mark.parametrize("kind", [Endpoint.RESPONSES, Endpoint.EMBEDDINGS])
def test_a_request_has_its_content(kind):
    with pytest.raises(UsageError, match="no 'input'"):
        checked_request(kind, {"model": "m", "input": ""})


def test_an_answer_in_the_background_is_not_supported():
    with pytest.raises(UsageError, match="background"):
        read_request(Endpoint.RESPONSES, b'{"model": "m", "input": "x", "background": true}')


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
BODIES = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys(("model", "messages", "input", "stream", "background", "user"), JSON),
)


@given(
    st.sampled_from(list(Endpoint)),
    st.binary(max_size=60) | BODIES.map(lambda one: json.dumps(one).encode()),
)
def test_any_bytes_are_a_request_or_a_usage_error(kind, content):
    with contextlib.suppress(UsageError):
        request = read_request(kind, content)

        assert request.model
        assert len(request.key("openai")) == 16
