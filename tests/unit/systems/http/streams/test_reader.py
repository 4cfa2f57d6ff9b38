"""From the events of real services to an answer and its sources."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ragate.outputs.pointed import Pointers
from ragate.systems._output import OutputError
from ragate.systems.http.streams.completeness import check_complete
from ragate.systems.http.streams.events import EventStream
from ragate.systems.http.streams.reader import StreamReader
from ragate.systems.http.streams.settings import Streaming


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
