"""Where the parts of a reply stand: replies as frameworks and people shape them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from ragate.outputs.seen_reply import read_events, read_reply

KNOWN = {"a.md", "b.md", "12", "7"}


def known(ids: Sequence[str]) -> float:
    return sum(one in KNOWN for one in ids) / len(ids)


def pointers(reply: Any) -> dict[str, str]:
    return dict(read_reply(reply, question="Why?", known=known).pointers)


HAYSTACK = [{"id": "f3", "content": "Text.", "meta": {"file": "a.md"}, "score": 0.3}]
DOCUMENTS = [{"page_content": "Text.", "metadata": {"article_id": 12}}]
CHAT = [{"type": "human", "content": "Why?"}, {"type": "ai", "content": "So."}]


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (
            {"llm": {"replies": ["So."]}, "retriever": {"documents": HAYSTACK}},
            {
                "answer": "/llm/replies/0",
                "contexts": "/retriever/documents/*/content",
                "ids": "/retriever/documents/*/meta/file",
                "scores": "/retriever/documents/*/score",
            },
        ),
        (
            {"builder": {"answers": [{"data": "So.", "query": "Why?", "documents": HAYSTACK}]}},
            {
                "answer": "/builder/answers/0/data",
                "contexts": "/builder/answers/*/documents/*/content",
                "ids": "/builder/answers/*/documents/*/meta/file",
                "scores": "/builder/answers/*/documents/*/score",
            },
        ),
        (
            {"messages": CHAT, "context": DOCUMENTS},
            {
                "answer": "/messages/-1/content",
                "contexts": "/context/*/page_content",
                "ids": "/context/*/metadata/article_id",
            },
        ),
        (
            {"question": "Why?", "documents": DOCUMENTS, "generation": "So it is."},
            {
                "answer": "/generation",
                "contexts": "/documents/*/page_content",
                "ids": "/documents/*/metadata/article_id",
            },
        ),
        (
            {"answer": "So.", "sources": ["a.md", "b.md"], "usage": {"input_tokens": 3}},
            {"answer": "/answer", "ids": "/sources", "usage": "/usage"},
        ),
        (
            {
                "text": "So.",
                "hits": {"hits": [{"_id": "1", "_source": {"slug": "a.md", "body": "B"}}]},
            },
            {
                "answer": "/text",
                "contexts": "/hits/hits/*/_source/body",
                "ids": "/hits/hits/*/_source/slug",
            },
        ),
        (
            ["So.", [{"source": "a.md", "content": "Text."}]],
            {"answer": "/0", "contexts": "/1/*/content", "ids": "/1/*/source"},
        ),
        (DOCUMENTS, {"contexts": "/*/page_content", "ids": "/*/metadata/article_id"}),
        (
            {"answer": "So [1].", "chunks": [{"id": 7, "text": "T"}], "citations": [1]},
            {
                "answer": "/answer",
                "contexts": "/chunks/*/text",
                "ids": "/chunks/*/id",
                "citations": "/citations",
            },
        ),
        ({"out": "A sentence of some length.", "ms": 12}, {"answer": "/out"}),
        ("So.", {}),
        ({}, {}),
        ([], {}),
        (None, {}),
    ],
)
def test_the_parts_are_found(reply: Any, expected: dict[str, str]):
    assert pointers(reply) == expected


def test_the_field_of_the_known_documents_is_the_id_whatever_it_is_called():
    rows = [
        {"id": f"chunk-{n}", "text": "T", "belongs": name}
        for n, name in enumerate(["a.md", "b.md"])
    ]

    read = read_reply({"answer": "So.", "hits": rows}, question="Why?", known=known)

    assert (read.pointers["ids"], read.known) == ("/hits/*/belongs", 1.0)


def test_a_field_that_repeats_the_question_is_no_answer():
    assert pointers({"text": "Why?", "content": "So."})["answer"] == "/content"


def test_what_not_every_item_has_is_not_taken():
    rows = [{"text": "T", "path": "a.md", "title": "A"}, {"text": "U", "title": "B"}]

    assert pointers({"answer": "So.", "sources": rows})["ids"] == "/sources/*/title"


def test_the_answer_of_a_stream_is_the_field_of_the_most_events():
    events = [
        {"type": "sources", "sources": [{"id": "a.md", "text": "T"}]},
        *({"choices": [{"delta": {"content": word}}]} for word in ("It ", "is.")),
        {"type": "done"},
        "[DONE]",
    ]

    read = read_events(events, question="Why?", known=known)

    assert read.pointers["answer"] == "/choices/0/delta/content"
    assert read.pointers["ids"] == "/sources/*/id"


def test_an_object_of_passages_under_their_ids_is_a_list_of_them() -> None:
    text = "It keeps water out for seven hours or more."
    items = {"17": {"id": 17, "description": text}, "18": {"id": 18, "description": text}}
    reply = {"output_text": "So.", "context": {"data_points": items, "thoughts": []}}

    found = pointers(reply)

    assert found["answer"] == "/output_text"
    assert found["ids"] == "/context/data_points/*/id"
    assert found["contexts"] == "/context/data_points/*/description"


@pytest.mark.parametrize("names", [("answer", "title"), ("step1", "step2")])
def test_an_object_of_fields_of_one_shape_is_no_list(names: tuple[str, str]) -> None:
    first, second = names

    assert pointers({first: {"text": "So."}, second: {"text": "What for"}})["answer"] in {
        f"/{first}/text",
        f"/{second}/text",
    }


def test_citations_that_name_no_document_are_passed_over_for_those_that_do() -> None:
    reply = {
        "answer": "It is so.",
        "citations": [{"weight": 0.5}],
        "details": {"cited": [{"label": "first", "doc_id": "z.md", "at": 3}]},
    }

    assert pointers(reply)["citations"] == "/details/cited/*/doc_id"
