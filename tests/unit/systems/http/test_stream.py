"""From the events of real services to an answer and its sources."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.outputs.pointed import Pointers
from ragate.systems._output import OutputError
from ragate.systems.http import stream as module
from ragate.systems.http.settings import Streaming
from ragate.systems.http.stream import (
    EventStream,
    Format,
    StreamEvent,
    StreamReader,
    check_complete,
)

SSE = (
    b': ping\r\n\r\nevent: metadata\r\ndata: {"run_id": 1}\r\n\r\n'
    b'data: {"type": "text-delta",\ndata:  "delta": "\xc3\xbc"}\n\n'
    b"id: 7\nretry: 10\ndata: plain  text\n\ndata: [DONE]\n\ndata: more\n\n"
)


def fields(body: str, *, format: Any = "sse", pointers: Any = None, **keys: Any) -> dict[str, Any]:  # noqa: A002
    settings = Streaming(format=format, **keys)
    reader = StreamReader(settings, Pointers.model_validate(pointers or {}))
    stream = EventStream(format, settings.end, reader.speaks, lambda data: data)
    if not stream.feed(body.encode()):
        stream.close()
    check_complete(stream, settings, "text/event-stream")
    return reader.fields(stream.events)


def sse(*events: Any) -> str:
    return "".join(f"data: {json.dumps(event)}\n\n" for event in events)


def chunk(**delta: Any) -> dict[str, Any]:
    return {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta}]}


def test_chunks_of_a_chat_completion_are_joined():
    body = sse(
        chunk(role="assistant", content=""),
        chunk(content="For 30"),
        chunk(content=" days."),
        chunk(),
        {"choices": [], "usage": {"total_tokens": 9}},
    )

    read = fields(f"{body}data: [DONE]\n\n", pointers={"answer": "/choices/0/delta/content"})

    assert read["answer"] == "For 30 days."


def test_a_chain_of_langserve_streams_its_documents_and_then_its_answer():
    body = (
        'event: metadata\ndata: {"run_id": "1"}\n\n'
        'event: data\ndata: {"context": [{"page_content": "A", '
        '"metadata": {"source": "a.md"}}]}\n\n'
        'event: data\ndata: {"answer": "For "}\n\nevent: data\ndata: {"answer": "30."}\n\n'
        "event: end\n\n"
    )
    pointers = {
        "answer": "/answer",
        "contexts": "/context/*/page_content",
        "ids": "/context/*/metadata/source",
    }

    read = fields(body, pointers=pointers)

    assert read == {"answer": "For 30.", "chunks": [{"text": "A", "doc_id": "a.md"}]}


def test_sources_of_a_ui_message_stream_come_one_by_one():
    body = sse(
        {"type": "start", "messageId": "m1"},
        {"type": "source-url", "sourceId": "1", "url": "https://x/a"},
        {"type": "source-url", "sourceId": "2", "url": "https://x/b"},
        {"type": "reasoning-delta", "id": "r", "delta": "Hm."},
        {"type": "text-delta", "id": "t", "delta": "For "},
        {"type": "text-delta", "id": "t", "delta": "30."},
        {"type": "finish"},
    )
    pointers = {"answer": "/delta", "ids": "/url"}

    read = fields(body, pointers=pointers, answer_events=["text-delta"])

    assert read["answer"] == "For 30."
    assert [row["doc_id"] for row in read["chunks"]] == ["https://x/a", "https://x/b"]


def test_of_a_list_that_is_repeated_the_last_one_counts():
    rows = [{"t": "a", "docs": [1]}, {"t": "b", "docs": [1, 2]}, {"t": "c"}]

    read = fields(sse(*rows), pointers={"answer": "/t", "ids": "/docs"})

    assert [row["doc_id"] for row in read["chunks"]] == ["1", "2"]


def test_json_lines_are_read_like_events():
    lines = [
        {"message": {"content": "For "}, "done": False},
        {"message": {"content": "30."}, "done": True},
    ]
    body = "".join(f"{json.dumps(line)}\n" for line in lines)

    read = fields(body, format="ndjson", end=["/done"], pointers={"answer": "/message/content"})

    assert read["answer"] == "For 30."


@pytest.mark.parametrize("body", ["data: For\n\ndata:  30\n\n", 'data: "For"\n\ndata: " 30"\n\n'])
def test_events_that_are_texts_need_no_pointer(body: str):
    assert fields(body) == {"answer": "For 30"}


def test_a_number_among_the_words_of_a_plain_stream_is_a_word():
    assert (
        fields("data: 30\n\ndata:  days, true\n\ndata: null\n\n")["answer"] == "30 days, truenull"
    )


def test_plain_text_is_the_answer():
    assert fields("For 30 days.", format="text") == {"answer": "For 30 days."}


@pytest.mark.parametrize(
    ("body", "keys", "told"),
    [
        (sse(chunk(content="x")), {}, 'set .* answer = "/choices/0/delta/content"'),
        (sse({"a": 1}), {"pointers": {"answer": "/b"}}, "answer: /b leads nowhere in any event"),
        (sse({"a": 1}), {"pointers": {"answer": "/a"}}, "in event 1 /a is no text"),
        ("data: hi\n\n", {"pointers": {"answer": "/a"}}, "event 1 is no JSON: hi"),
        (sse({"type": "x", "t": "a"}), {"pointers": {"answer": "/t"}, "answer_events": ["y"]},
         r"answer_events = \['y'\]; there are x"),
        (sse({"error": {"message": "no quota"}}), {}, "reported an error: .*no quota"),
        ("event: error\ndata: down\n\n", {}, "reported an error: down"),
        ('{"answer": "whole"}', {}, "sent no event .*does the request ask for a stream"),
        (sse("a"), {"end": ["[DONE]"]}, r"broke off after 1 events, without \[DONE\]"),
        (sse({"a": "x", "d": [{"t": 1}]}), {"pointers": {"answer": "/a", "ids": "/d/*/i"}},
         "/d/./i: item 1 has nothing there"),
        (sse({"a": "x", "i": [1], "t": []}), {"pointers": {"answer": "/a", "ids": "/i",
         "contexts": "/t"}}, "lists of chunks differ in length"),
    ],
)  # fmt: skip
def test_a_stream_that_cannot_be_read_says_why(body: str, keys: dict[str, Any], told: str):
    with pytest.raises(OutputError, match=told):
        fields(body, **keys)


def test_calls_that_come_in_pieces_are_whole_and_need_no_answer():
    def piece(**part: Any) -> dict[str, Any]:
        return chunk(tool_calls=[{"index": 0, "function": part}])

    body = sse(piece(name="f", arguments=""), piece(arguments='{"a": '), piece(arguments="1}"))
    pointers = {"answer": "/choices/0/delta/content", "tool_calls": "/choices/0/delta/tool_calls"}

    read = fields(f"{body}data: [DONE]\n\n", pointers=pointers)

    assert read["tool_calls"] == [{"name": "f", "arguments": {"a": 1}}]
    assert "answer" not in read


def test_an_answer_without_calls_says_that_none_was_made():
    pointers = {"answer": "/choices/0/delta/content", "tool_calls": "/choices/0/delta/tool_calls"}

    read = fields(sse(chunk(content="Hi.")), pointers=pointers)

    assert (read["answer"], read["tool_calls"]) == ("Hi.", [])


# Events of a stream, however its bytes arrive.


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
