"""What is read out of a reply."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from ragate.models import RetrievedChunk, SystemOutput, ToolCall
from tests.factories import sample_factory
from tests.integration.systems.http.services import one
from tests.servers.rag_server import Request, Sent, rag_server
from tests.unit.systems.using import ask, message

pytestmark = pytest.mark.integration


NESTED = {
    "result": {"text": "It is so [1].", "took": 0.25},
    "hits": [
        {"_id": 7, "doc": {"body": "A"}, "score": 1.5},
        {"_id": "b", "doc": {"body": "B"}},
    ],
    "cites": ["b"],
    "calls": [{"function": {"name": "search", "arguments": '{"k": 3}'}}],
}


POINTERS = {
    "answer": "/result/text",
    "contexts": "/hits/*/doc/body",
    "ids": "/hits/*/_id",
    "scores": "/hits/*/score",
    "citations": "/cites",
    "tool_calls": "/calls",
    "latency": "/result/took",
}


def test_pointers_lead_to_every_part(tmp_path: Path):
    output = one(lambda _request: NESTED, tmp_path, pointers=POINTERS)

    assert output == SystemOutput(
        chunks=(
            RetrievedChunk(doc_id="7", text="A", score=1.5),
            RetrievedChunk(doc_id="b", text="B"),
        ),
        answer="It is so [1].",
        citations=(2,),
        tool_calls=(ToolCall(name="search", arguments={"k": 3}),),
        latency_s=0.25,
    )


def test_lists_beside_one_another_make_chunks(tmp_path: Path):
    reply = {"texts": ["A", "B"], "ids": ["a", "b"]}

    output = one(lambda _: reply, tmp_path, pointers={"contexts": "/texts", "ids": "/ids"})

    assert [(chunk.doc_id, chunk.text) for chunk in output.chunks] == [("a", "A"), ("b", "B")]


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ({"text": "x", "texts": [], "ids": []}, "/answer leads nowhere: an object has no 'answer'"),
        ({"answer": "x", "texts": ["A"], "ids": []}, "differ in length: text 1, doc_id 0"),
        (
            {"answer": 3, "texts": [], "ids": []},
            "returned answer = 3: Input should be a valid string",
        ),
        ({"answer": "x", "texts": "A", "ids": []}, "/texts is a text, and a list is wanted"),
        (Sent(body=b"<html>Sign in</html>"), "no JSON: <html>Sign in</html>"),
        (Sent(body=b"[" * 100_000), "no JSON"),
        (Sent(body=b""), "no JSON"),
        (Sent(status=404, body=b"no such route"), "answered 404: no such route"),
        (Sent(status=500, body=b"Traceback"), "answered 500: Traceback"),
        (Sent(status=502), "answered 502"),
        (Sent(status=302, headers={"location": "http://x/"}), "a redirect to http://x/; none is"),
        (Sent(body=b"x" * (16 * 1024 * 1024 + 1)), "answered with more than 16777216 bytes"),
        (
            Sent(headers={"content-encoding": "gzip"}, body=gzip.compress(b"x" * 20_000_000)),
            "answered with more than 16777216 bytes",
        ),
        (Sent(drop=True), "no reply: Server disconnected"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_reply_that_is_not_what_was_asked_for_is_the_failure_of_its_sample(
    tmp_path: Path, reply: Any, told: str
):
    pointers = {"answer": "/answer", "contexts": "/texts", "ids": "/ids"}

    def second_is_bad(request: Request) -> Any:
        good = {"answer": "x", "texts": [], "ids": []}
        return reply if request.json["id"] == "q2" else good

    samples = [sample_factory(f"q{number}") for number in (1, 2, 3)]
    with rag_server(second_is_bad) as server:
        settings = {"url": server.url, "pointers": pointers}
        hosts = (server.host,)
        outputs = ask("http", settings, tmp_path, samples=samples, http_hosts=hosts)

    assert [output.answer for output in outputs] == ["x", None, "x"]
    assert told in message(outputs[1])
    assert len(server.requests) == 3, "a POST is never sent twice"
