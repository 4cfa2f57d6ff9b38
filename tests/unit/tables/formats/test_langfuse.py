"""Traces, observations and data sets of Langfuse."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.errors import DatasetError
from ragate.tables.traced import Passage
from tests.unit.tables.formats.exported import (
    REFUNDS,
    SHIPPING,
    exported,
    holds_the_shop,
    lines,
)


def test_observations_are_put_together_to_traces():
    found = exported("langfuse", "langfuse_observations.csv")

    holds_the_shop(found, ids=True)
    assert found[REFUNDS].metadata == {"source": "langfuse", "trace": "trace-0"}
    assert found[REFUNDS].latency_s == 2.5


def test_a_downloaded_trace_holds_what_its_retriever_found():
    (found,) = exported("langfuse", "langfuse_trace.json").values()

    assert found.passages is not None
    assert [one.doc_id for one in found.passages] == ["refunds.md", "warranty.txt"]


def test_traces_with_json_as_text_are_read_and_a_chats_last_question_counts():
    holds_the_shop(exported("langfuse", "langfuse_traces.jsonl"), ids=False)


def test_items_of_a_data_set_have_references_and_no_answer():
    found = exported("langfuse", "langfuse_dataset_items.json")

    assert {query: one.references for query, one in found.items()} == {
        REFUNDS: ("Ten days.",),
        SHIPPING: ("We do.",),
    }
    assert {one.answer for one in found.values()} == {None}


def test_a_trace_that_failed_says_why(tmp_path: Path):
    row = {
        "id": "o",
        "traceId": "t",
        "parentObservationId": None,
        "type": "SPAN",
        "input": REFUNDS,
        "output": None,
        "level": "ERROR",
        "statusMessage": "timeout",
    }

    (found,) = exported("langfuse", lines(tmp_path / "o.jsonl", row)).values()

    assert (found.answer, found.error) == (None, "timeout")


def test_a_span_named_retrieval_that_returned_documents_is_one(tmp_path: Path):
    root = {"id": "o", "traceId": "t", "type": "SPAN", "input": REFUNDS, "output": "Ten."}
    search = root | {"id": "p", "parentObservationId": "o", "name": "retrieve_docs"}
    documents = [{"id": "refunds.md", "text": "Ten days."}]

    (found,) = exported(
        "langfuse", lines(tmp_path / "o.jsonl", root, search | {"output": documents})
    ).values()

    assert found.answer == "Ten."
    assert found.passages == (Passage(text="Ten days.", doc_id="refunds.md"),)


def test_a_file_of_something_else_is_refused_with_its_fields(tmp_path: Path):
    with pytest.raises(DatasetError, match=r"o\.jsonl:1: neither a trace.* it has colour, size"):
        exported("langfuse", lines(tmp_path / "o.jsonl", {"colour": "red", "size": 3}))


def test_traces_without_a_question_are_none(tmp_path: Path):
    path = lines(tmp_path / "o.jsonl", {"id": "t", "input": {"job": 7}, "output": {"rows": 3}})

    with pytest.raises(DatasetError, match="no question with an answer in it"):
        exported("langfuse", path)


def test_observations_as_the_types_of_its_api_write_them():
    holds_the_shop(exported("langfuse", "langfuse_written.json"), ids=True)
