"""Lines that are not in our format, and what is proposed for them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.errors import DatasetError
from ragate.files.pointer import PointerError, many, one
from ragate.outputs.foreign_lines import ProposedMapping, guess_mapping, refuse_foreign, unsaid
from ragate.tables.containers import records
from tests.unit.outputs.test_mapping import OWN
from tests.unit.tables.formats.exported import FILES, lines


def refused(path: Path, value: Any) -> DatasetError:
    with pytest.raises(DatasetError) as raised:
        refuse_foreign(path, f"{path}:1", value)
    return raised.value


def test_a_line_without_answer_and_contexts_is_refused_with_its_fields_and_a_table_to_paste():
    path = FILES / "own_fields.jsonl"

    error = refused(path, {"ticket": {"text": "?"}, "result": {"text": "So.", "sources": []}})

    assert "own_fields.jsonl:1: neither `answer` nor `contexts` in this line" in error.message
    assert "it has /ticket/text, /result/text, /result/sources" in error.message
    table = error.remedy.partition("\n\n")[2]
    pointers = tomllib.loads(table)["system"]["pointers"]
    assert {key: pointers[key] for key in ("answer", "contexts", "scores")} == {
        key: OWN[key] for key in ("answer", "contexts", "scores")
    }


def test_the_export_of_a_known_tool_is_answered_with_its_preset(tmp_path: Path):
    row = {"user_input": "Why?", "response": "So.", "retrieved_contexts": []}

    error = refused(lines(tmp_path / "o.jsonl", row), row)

    assert 'preset = "ragas"' in error.remedy


def test_a_line_without_a_name_of_its_sample_is_refused(tmp_path: Path):
    row = {"prompt": "Why?", "answer": "So."}

    error = refused(lines(tmp_path / "o.jsonl", row), row)

    assert "neither `id` nor `question`" in error.message
    assert 'question = "/prompt"' in error.remedy


def test_where_nothing_can_be_guessed_the_page_is_named(tmp_path: Path):
    row = {"question": "Why?", "size": 3}

    assert "docs/replay.md" in refused(lines(tmp_path / "o.jsonl", row), row).remedy


@pytest.mark.parametrize(
    "more",
    [
        {"answer": "So."},
        {"answer": ""},
        {"contexts": []},
        {"chunks": []},
        {"error": "timeout"},
        {"tool_calls": []},
        {"anwser": "A slip is told as one."},
    ],
)
def test_a_line_that_says_one_thing_is_a_recorded_output(tmp_path: Path, more: dict[str, Any]):
    refuse_foreign(tmp_path / "o.jsonl", "here", {"id": "q", **more})


def test_what_a_system_returns_in_its_own_fields_is_told_with_pointers():
    told = unsaid({"result": "It is so.", "sources": [{"body": "A", "file": "a.md"}]})

    assert "neither `answer` nor `contexts`, but /result, /sources/*/body" in told
    assert 'answer = "/result", contexts = "/sources/*/body", ids = "/sources/*/file"' in told
    assert unsaid({"chunks": []}) == ""


def test_a_long_line_is_not_told_in_full(tmp_path: Path):
    row = {f"field{number}": number for number in range(500)}

    message = refused(lines(tmp_path / "o.jsonl", row), row).message

    assert "and 188 more" in message
    assert len(message) < 500


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
