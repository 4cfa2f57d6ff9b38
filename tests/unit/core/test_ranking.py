"""Rankings: chunks collapsed to documents, hits, and gains."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ragate.core.ranking import dcg, exponential_gain, hits, ideal_dcg, linear_gain, ranked_doc_ids
from ragate.models import RetrievedChunk


def chunks(doc_ids: str) -> list[RetrievedChunk]:
    return [RetrievedChunk(doc_id=doc_id) for doc_id in doc_ids]


def test_a_document_stands_where_its_best_chunk_stood() -> None:
    assert ranked_doc_ids(chunks("abacb")) == ["a", "b", "c"]
    assert ranked_doc_ids([]) == []


def test_hits_are_cut_off_and_ascending() -> None:
    assert hits(list("abcd"), {"d", "b"}) == [2, 4]
    assert hits(list("abcd"), {"d", "b"}, 3) == [2]


def test_a_negative_grade_has_no_gain() -> None:
    assert [linear_gain(grade) for grade in (-1, 0, 3)] == [0, 0, 3]
    assert [exponential_gain(grade) for grade in (-1, 0, 3)] == [0, 0, 7]


@given(st.lists(st.floats(0, 100), max_size=12))
def test_no_order_beats_the_ideal_one(gains: list[float]) -> None:
    assert dcg(gains) <= ideal_dcg(gains, len(gains)) + 1e-9
