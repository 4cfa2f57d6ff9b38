"""How a stranger's lines may be read."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.errors import DatasetError
from ragate.outputs.guess import ProposedMapping, guess_mapping
from ragate.support.pointer import PointerError, many, one
from ragate.support.records import records
from tests.unit.outputs.exports.exported import FILES
from tests.unit.outputs.test_mapping import OWN


def guessed(*rows: dict[str, Any]) -> dict[str, str]:
    return dict(guess_mapping(rows).pointers or {})


def test_the_parts_are_found_wherever_they_stand():
    rows = [row for _, row in records(FILES / "own_fields.jsonl", error=DatasetError)]

    found = guess_mapping(rows)

    assert found.pointers is not None
    assert found.pointers["question"] == OWN["question"]
    assert found.pointers["answer"] == OWN["answer"]
    assert found.pointers["contexts"] == OWN["contexts"]
    assert found.pointers == OWN


def test_a_question_that_is_not_seen_is_asked_for():
    proposal = guess_mapping([{"a": "Refunds", "reply": "Ten days at most."}])

    assert "# question =" in proposal.toml()
    assert tomllib.loads(proposal.toml()) == {"system": {"pointers": {"answer": "/reply"}}}


@pytest.mark.parametrize(
    ("row", "pointers"),
    [
        (
            {"query": "Why?", "response": "So.", "documents": ["A"], "doc_ids": ["a"]},
            {
                "question": "/query",
                "answer": "/response",
                "contexts": "/documents",
                "ids": "/doc_ids",
            },
        ),
        (
            {"qid": 3, "q": "Why?", "out": {"txt": "A long text."}},
            {"id": "/qid", "question": "/q", "answer": "/out/txt"},
        ),
        (
            {"question": "Why?", "expected": "Because of it.", "llm_output": "No."},
            {"question": "/question", "answer": "/llm_output"},
        ),
        (
            {"question": "Why?", "hits": [{"chunk": {"text": "A", "doc_id": "a"}, "score": 1}]},
            {
                "question": "/question",
                "contexts": "/hits/*/chunk/text",
                "ids": "/hits/*/chunk/doc_id",
                "scores": "/hits/*/score",
            },
        ),
        ({"question": "Why?", "messages": [{"role": "user", "content": "Why?"}]}, {}),
        ({"colour": "red", "size": 3}, {}),
    ],
)
def test_usual_names_are_known_and_nothing_is_made_up(
    row: dict[str, Any], pointers: dict[str, str]
):
    assert guessed(row) == pointers


def test_what_more_lines_have_is_likelier_than_what_one_has():
    rows = [{"question": "Why?", "text": "So."} for _ in range(4)]

    assert guessed(*rows, {"question": "Why?", "answer": "So."})["answer"] == "/text"


@pytest.mark.parametrize(
    ("preset", "file"),
    [
        ("deepeval", {"input": "Why?", "actual_output": "So."}),
        ("ragas", {"user_input": "Why?", "response": "So."}),
        ("promptfoo", {"vars": {}, "response": {}, "promptIdx": 0}),
        ("langfuse", {"traceId": "t", "type": "SPAN", "input": "Why?"}),
        ("phoenix", {"context.trace_id": "t", "span_kind": "LLM"}),
        ("otel", {"resourceSpans": []}),
    ],
)
def test_the_file_of_a_known_tool_is_told_by_its_fields(preset: str, file: dict[str, Any]):
    assert guess_mapping([file]) == ProposedMapping(preset=preset)


JSON = st.recursive(
    st.none() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["answer", "question", "id", "text", "contexts", "docs", 'a"\\\n/~', "*"]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=15,
)


@given(st.lists(st.dictionaries(st.sampled_from(["answer", "docs", "x"]), JSON), max_size=4))
def test_a_proposal_is_toml_and_names_a_field_of_some_line(rows: list[dict[str, Any]]):
    found = guess_mapping(rows)
    if not found.pointers:
        return
    table = tomllib.loads(found.toml())["system"]["pointers"]

    assert table == found.pointers
    for pointer in table.values():
        assert any(leads_somewhere(row, pointer) for row in rows)


def leads_somewhere(row: dict[str, Any], pointer: str) -> bool:
    try:
        (many if "*" in pointer.split("/") else one)(row, pointer)
    except PointerError:
        return False
    return True


def test_of_two_lists_of_one_length_one_holds_the_texts_and_the_other_their_documents():
    row = {"question": "Why?", "answer": "So.", "contexts": ["A", "B"], "sources": ["a", "b"]}

    assert guessed(row) == {
        "question": "/question",
        "answer": "/answer",
        "contexts": "/contexts",
        "ids": "/sources",
    }
