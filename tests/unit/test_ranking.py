"""Rankings: collapsing, gains and how far two of them differ."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragate.core.ranking import (
    dcg,
    exponential_gain,
    hits,
    ideal_dcg,
    jaccard,
    linear_gain,
    rank_biased_overlap,
    ranked_doc_ids,
    ranks_of,
)
from ragate.models import RetrievedChunk

RANKINGS = st.lists(st.sampled_from("abcdefghij"), unique=True)


def chunks(doc_ids: str) -> list[RetrievedChunk]:
    return [RetrievedChunk(doc_id=doc_id) for doc_id in doc_ids]


def test_a_document_stands_where_its_best_chunk_stood() -> None:
    assert ranked_doc_ids(chunks("abacb")) == ["a", "b", "c"]
    assert ranked_doc_ids([]) == []


def test_ranks_name_every_expected_document() -> None:
    assert ranks_of({"z", "c", "a"}, chunks("abacb")) == {"a": 1, "c": 3, "z": None}


def test_hits_are_cut_off_and_ascending() -> None:
    assert hits(list("abcd"), {"d", "b"}) == [2, 4]
    assert hits(list("abcd"), {"d", "b"}, 3) == [2]


def test_a_negative_grade_has_no_gain() -> None:
    assert [linear_gain(grade) for grade in (-1, 0, 3)] == [0, 0, 3]
    assert [exponential_gain(grade) for grade in (-1, 0, 3)] == [0, 0, 7]


@settings(deadline=None)
@given(st.lists(st.floats(0, 100), max_size=12))
def test_no_order_beats_the_ideal_one(gains: list[float]) -> None:
    assert dcg(gains) <= ideal_dcg(gains, len(gains)) + 1e-9


def test_overlap_of_two_sets() -> None:
    assert jaccard("abc", "bcd") == 2 / 4
    assert jaccard("abc", "abd", 2) == 1.0
    assert jaccard("", "") == 1.0
    assert jaccard("", "a") == 0.0


@pytest.mark.parametrize(
    ("first", "second", "p", "expected"),
    [
        ("abc", "abc", 0.9, 1.0),
        ("abc", "xyz", 0.9, 0.0),
        ("", "", 0.9, 1.0),
        ("a", "", 0.9, 0.0),
        # depth 1: 0 of 1, depth 2: 2 of 2; (1-p)/p * p^2 + p^2 = p
        ("ab", "ba", 0.5, 0.5),
        ("ab", "ba", 0.9, 0.9),
        # a prefix: agreement 1 seen so far is taken to go on
        ("a", "ab", 0.9, 1.0),
    ],
)
def test_rank_biased_overlap_by_hand(first: str, second: str, p: float, expected: float) -> None:
    assert rank_biased_overlap(first, second, p=p) == pytest.approx(expected)


@settings(deadline=None)
@given(RANKINGS, RANKINGS, st.floats(0.05, 0.99))
def test_rank_biased_overlap_is_a_symmetric_fraction(
    first: list[str], second: list[str], p: float
) -> None:
    overlap = rank_biased_overlap(first, second, p=p)

    assert 0 <= overlap <= 1
    assert overlap == pytest.approx(rank_biased_overlap(second, first, p=p))
    assert rank_biased_overlap(first, first, p=p) == pytest.approx(1.0)


@settings(deadline=None)
@given(RANKINGS.filter(lambda ranking: len(ranking) > 3))
def test_a_swap_at_the_top_costs_more_than_one_at_the_end(ranking: list[str]) -> None:
    top = [ranking[1], ranking[0], *ranking[2:]]
    end = [*ranking[:-2], ranking[-1], ranking[-2]]

    assert rank_biased_overlap(ranking, top) < rank_biased_overlap(ranking, end)
