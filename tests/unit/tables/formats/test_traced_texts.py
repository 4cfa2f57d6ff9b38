"""Texts and passages in whatever JSON people trace."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.tables.traced import (
    QUESTION_NAMES,
    Passage,
    answer_in,
    passages_in,
    text_in,
    value_at,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["question", "messages", "role", "content", "parts", "documents", "node"]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=20,
)


def question(value: Any) -> str:
    return text_in(value, QUESTION_NAMES, role="user")


@pytest.mark.parametrize(
    "value",
    [
        "Why?",
        {"question": "Why?", "top_k": 3},
        {"args": [], "kwargs": {"question": "Why?"}},
        {"args": ["Why?"], "kwargs": {}},
        {"anything": "Why?"},
        {"messages": [{"role": "user", "content": "Hi"}, {"role": "user", "content": "Why?"}]},
        [{"type": "human", "content": "Why?"}, {"type": "ai", "content": "So."}],
        [{"role": "user", "content": [{"type": "text", "text": "Why?"}]}],
        [[{"type": "human", "content": "Why?"}]],
    ],
)
def test_a_question_is_found_as_text_as_field_and_in_a_chat(value: Any):
    assert question(value) == "Why?"
    assert question(json.dumps(value) if not isinstance(value, str) else value) == "Why?"


def test_two_fields_without_a_usual_name_hold_no_question():
    assert question({"left": "Why?", "right": "How?"}) == ""


def test_an_answer_that_is_json_itself_stays_as_it_is():
    assert answer_in('{"left": 1, "right": 2}') == '{"left": 1, "right": 2}'


@pytest.mark.parametrize(
    ("document", "passage"),
    [
        ("A", Passage("A")),
        ({"page_content": "A", "metadata": {"source": "a.md"}}, Passage("A", "a.md")),
        ({"doc_id": "a.md", "text": "A", "metadata": {"title": "A!"}}, Passage("A", "a.md")),
        (
            {"node": {"id_": "7f", "text": "A", "metadata": {"file_path": "a.md"}}, "score": 0.5},
            Passage("A", "a.md", 0.5),
        ),
        ({"document.content": "A", "document.id": 7, "document.score": 1}, Passage("A", "7", 1)),
        ({"document": {"content": "A", "id": "7"}}, Passage("A", "7")),
        ({"id": "a.md", "score": 0.5}, Passage("", "a.md", 0.5)),
    ],
)
def test_documents_of_every_library_are_passages(document: Any, passage: Passage):
    assert passages_in([document]) == (passage,)
    assert passages_in({"documents": [document]}) == (passage,)


def test_an_empty_list_is_a_retrieval_that_found_nothing_and_another_value_is_none():
    assert passages_in([]) == ()
    assert passages_in("prose") is None
    assert passages_in({"answer": "A"}) is None
    assert passages_in([1, 2]) is None


def test_attributes_numbered_by_item_are_a_list_in_order():
    attributes = {f"docs.{n}.document.content": str(n) for n in (10, 2, 0)}

    assert value_at(attributes, "docs.*") == [{"document.content": n} for n in ("0", "2", "10")]


@pytest.mark.parametrize(
    "fields",
    [
        {"a.b.c": 1},
        {"a": {"b": {"c": 1}}},
        {"a": {"b.c": 1}},
        {"a.b": {"c": 1}},
        {"a": '{"b.c": 1}'},
    ],
)
def test_a_name_with_dots_is_a_column_or_leads_into_objects(fields: dict[str, Any]):
    assert value_at(fields, "a.b.c") == 1
    assert value_at(fields, "a.b.d") is None


@given(JSON)
def test_no_json_is_too_odd(value: Any):
    assert isinstance(question(value), str)
    assert isinstance(answer_in(json.dumps(value)), str)
    found = passages_in(value)
    assert found is None or all(isinstance(one, Passage) for one in found)
