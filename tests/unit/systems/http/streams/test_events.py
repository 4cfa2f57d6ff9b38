"""Events of a stream, however its bytes arrive."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.systems._output import OutputError
from ragate.systems.http.streams import events as module
from ragate.systems.http.streams.events import EventStream, Format, StreamEvent

SSE = (
    b': ping\r\n\r\nevent: metadata\r\ndata: {"run_id": 1}\r\n\r\n'
    b'data: {"type": "text-delta",\ndata:  "delta": "\xc3\xbc"}\n\n'
    b"id: 7\nretry: 10\ndata: plain  text\n\ndata: [DONE]\n\ndata: more\n\n"
)


def taken(
    form: Format, *parts: bytes, ends: tuple[str, ...] = (), speaks: bool = False
) -> EventStream:
    stream = EventStream(form, ends, lambda _event: speaks, lambda data: data)
    if not any(stream.feed(part) for part in parts):
        stream.close()
    return stream


def kinds(stream: EventStream) -> list[tuple[str, object]]:
    return [(event.kind, event.value if event.is_json else event.text) for event in stream.events]


@given(st.lists(st.integers(0, len(SSE)), max_size=8))
def test_events_are_the_same_wherever_their_bytes_are_cut(cuts: list[int]):
    edges = [0, *sorted(cuts), len(SSE)]
    parts = [SSE[start:end] for start, end in pairwise(edges)]

    stream = taken("sse", *parts)

    assert kinds(stream) == [
        ("metadata", {"run_id": 1}),
        ("text-delta", {"type": "text-delta", "delta": "ü"}),
        ("", "plain  text"),
    ]
    assert stream.ended_by == "[DONE]"


@given(st.lists(st.text(), max_size=5), st.integers(1, 9))
def test_json_lines_are_the_same_wherever_their_bytes_are_cut(texts: list[str], size: int):
    body = "".join(f"{json.dumps({'t': text})}\n" for text in texts).encode()

    stream = taken("ndjson", *(body[at : at + size] for at in range(0, len(body), size)))

    assert [event.value for event in stream.events] == [{"t": text} for text in texts]


def test_the_last_event_counts_without_a_line_end():
    assert kinds(taken("sse", b"data: 1\n\ndata: 2")) == [("", 1), ("", 2)]
    assert kinds(taken("ndjson", b'{"a": 1}\n{"a": 2}')) == [("", {"a": 1}), ("", {"a": 2})]


def test_plain_text_is_read_across_the_bytes_of_one_character():
    whole = "für".encode()

    assert "".join(event.text for event in taken("text", whole[:2], whole[2:]).events) == "für"


@pytest.mark.parametrize(
    ("ends", "form", "body"),
    [
        (("/done",), "ndjson", b'{"a": 1, "done": false}\n{"a": 2, "done": true}\n{"a": 3}\n'),
        (("finish",), "sse", b'data: 1\n\ndata: {"type": "finish"}\n\ndata: 3\n\n'),
        ((), "sse", b"data: 1\n\nevent: end\n\ndata: 3\n\n"),
    ],
)
def test_what_ends_a_stream_is_the_last_that_is_read(
    ends: tuple[str, ...], form: Format, body: bytes
):
    stream = taken(form, body, ends=ends)

    assert len(stream.events) == 2
    assert stream.ended_by


def test_a_mark_that_ends_it_is_no_event():
    assert kinds(taken("sse", b"data: a\n\ndata: FIN\n\n", ends=("FIN",))) == [("", "a")]


def test_a_word_of_the_answer_ends_nothing():
    assert len(taken("sse", b"data: the\n\ndata: end\n\ndata: of it\n\n").events) == 3


def test_the_first_event_that_speaks_is_timed_and_no_other():
    spoken: list[StreamEvent] = []

    def speaks(event: StreamEvent) -> bool:
        spoken.append(event)
        return bool(event.value == 2)

    stream = EventStream("ndjson", (), speaks, lambda data: data)
    stream.feed(b"1\n")
    assert stream.first_at is None
    stream.feed(b"2\n3\n")

    assert stream.first_at is not None
    assert len(spoken) == 2


def test_a_secret_is_cut_out_of_every_event():
    stream = EventStream("sse", (), lambda _: True, lambda data: data.replace(b"k3y", b"***"))
    stream.feed(b'data: {"a": "k3y"}\n\n')

    assert stream.events[0].value == {"a": "***"}


def test_a_stream_of_too_many_events_is_given_up(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "MAX_EVENTS", 3)

    with pytest.raises(OutputError, match="more than 3 events"):
        taken("ndjson", b"1\n2\n3\n4\n")
