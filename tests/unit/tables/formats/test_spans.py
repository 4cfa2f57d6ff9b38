"""From spans to questions with their answers and passages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragate.tables.reading import read_export
from ragate.tables.traced import Exchange, Passage
from tests.unit.tables.formats.exported import lines

Only = Callable[..., Exchange]
CHAT = '[{"role": "user", "parts": [{"type": "text", "content": "Why?"}]}]'


def span(span_id: str = "a", parent: str = "", kind: str = "", **fields: Any) -> dict[str, Any]:
    error = fields.pop("error", "")
    return {
        "context": {"trace_id": "t", "span_id": span_id},
        "parent_id": parent,
        "start_time": ord(span_id),
        "status": {"status_code": "ERROR" if error else "OK", "description": error},
        "attributes": {
            "openinference.span.kind": kind,
            **{name.replace("__", "."): value for name, value in fields.items()},
        },
    }


@pytest.fixture
def only(tmp_path: Path) -> Only:
    def read(*spans: dict[str, Any]) -> Exchange:
        (exchange,) = read_export("otel", lines(tmp_path / "spans.jsonl", *spans))
        return exchange

    return read


def test_the_root_is_asked_before_the_model(only: Only):
    found = only(
        span("b", "a", "LLM", input__value="Context: … Question: Why?", output__value="So."),
        span("a", input__value="Why?"),
    )

    assert (found.query, found.answer) == ("Why?", "So.")


def test_what_a_reranker_left_is_what_reached_the_model(only: Only):
    documents = [{"document.content": text} for text in ("one", "two")]
    found = only(
        span("a", input__value="Why?", output__value="So."),
        span("b", "a", "RETRIEVER", input__value="Why?", retrieval__documents=documents),
        span("c", "a", "RERANKER", reranker__output_documents=documents[1:]),
    )

    assert found.passages == (Passage(text="two"),)


def test_several_retrievals_follow_one_another_and_a_passage_counts_once(only: Only):
    def retrieval(span_id: str, *texts: str) -> dict[str, Any]:
        documents = [{"document.content": text} for text in texts]
        return span(span_id, "a", "RETRIEVER", retrieval__documents=documents)

    found = only(
        span("a", input__value="Why?", output__value="So."),
        retrieval("c", "two", "three"),
        retrieval("b", "one", "two"),
    )

    assert found.passages is not None
    assert [passage.text for passage in found.passages] == ["one", "two", "three"]


def test_a_retrieval_that_found_nothing_is_known_to_have_found_nothing(only: Only):
    asked = span("a", input__value="Why?", output__value="So.")

    assert only(asked, span("b", "a", "RETRIEVER", retrieval__documents=[])).passages == ()
    assert only(asked).passages is None


def test_a_trace_that_failed_without_an_answer_says_why(only: Only):
    assert only(span("a", input__value="Why?", error="timeout")).error == "timeout"
    assert only(span("a", input__value="Why?", output__value="So.", error="late")).error == ""


def test_a_trace_without_a_question_is_left_out(only: Only):
    health = span("a", http__route="/health") | {"context": {"trace_id": "h", "span_id": "a"}}

    assert only(health, span("a", input__value="Why?", output__value="So.")).query == "Why?"


@pytest.mark.parametrize(
    "attributes",
    [
        {"input.value": '{"query": "Why?"}'},
        {"gen_ai.input.messages": CHAT},
        {"gen_ai.prompt.0.role": "system", "gen_ai.prompt.0.content": "Be brief."}
        | {"gen_ai.prompt.1.role": "user", "gen_ai.prompt.1.content": "Why?"},
        {"traceloop.entity.input": '{"inputs": {"question": "Why?"}, "tags": []}'},
        {"input": {"value": "Why?"}},
    ],
)
def test_a_question_is_found_under_the_names_of_every_convention(
    only: Only, attributes: dict[str, Any]
):
    assert only(span() | {"attributes": attributes}).query == "Why?"
