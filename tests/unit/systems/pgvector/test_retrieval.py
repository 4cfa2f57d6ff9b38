from __future__ import annotations

import asyncio

import pytest

from ragate.models import RetrievedChunk
from ragate.systems.pgvector.ranked_search import Hit
from ragate.systems.pgvector.retrieval import fuse, rerank
from ragate.systems.pgvector.settings import HybridSettings
from tests.unit.systems.pgvector.rerank_factories import Given

CHUNKS = [
    RetrievedChunk(doc_id="a", text="A", score=0.9, metadata={"title": "T", "section": "S"}),
    RetrievedChunk(doc_id="b", text="B", score=0.8),
    RetrievedChunk(doc_id="a", text="C", score=0.7),
    RetrievedChunk(doc_id="c", text="D", score=0.6),
]


def ranking(**scores: float) -> list[Hit]:
    return [Hit(name, 0, score) for name, score in scores.items()]


WORDS = ranking(a=9.0, b=5.0, c=1.0)
NEAR = ranking(c=0.9, b=0.8, d=0.7)


def test_reciprocal_ranks_are_added_with_their_weights() -> None:
    found = fuse(WORDS, NEAR, HybridSettings(weight=0.25, rrf_k=10), limit=10)

    assert {hit.doc_id: hit.score for hit in found} == {
        "a": pytest.approx(0.75 / 11),
        "b": pytest.approx(0.75 / 12 + 0.25 / 12),
        "c": pytest.approx(0.75 / 13 + 0.25 / 11),
        "d": pytest.approx(0.25 / 13),
    }
    assert [hit.doc_id for hit in found] == ["b", "c", "a", "d"]


def test_scores_are_scaled_between_the_last_and_the_first_of_their_ranking() -> None:
    found = fuse(WORDS, NEAR, HybridSettings(fusion="scores", weight=0.4), limit=10)

    assert {hit.doc_id: hit.score for hit in found} == {
        "a": pytest.approx(0.6),
        "b": pytest.approx(0.6 * 0.5 + 0.4 * 0.5),
        "c": pytest.approx(0.4),
        "d": pytest.approx(0.0),
    }


@pytest.mark.parametrize("fusion", ["rrf", "scores"])
@pytest.mark.parametrize(("weight", "alone"), [(0.0, WORDS), (1.0, NEAR)])
def test_a_weight_of_all_leaves_one_ranking_as_it_is(
    fusion: str, weight: float, alone: list[Hit]
) -> None:
    settings = HybridSettings.model_validate({"fusion": fusion, "weight": weight})

    found = fuse(WORDS, NEAR, settings, limit=10)

    assert [hit.doc_id for hit in found] == [hit.doc_id for hit in alone]


@pytest.mark.parametrize("fusion", ["rrf", "scores"])
def test_an_empty_ranking_takes_nothing_from_the_other(fusion: str) -> None:
    settings = HybridSettings.model_validate({"fusion": fusion})

    assert fuse([], [], settings, limit=5) == []
    assert [hit.doc_id for hit in fuse([], NEAR, settings, limit=2)] == ["c", "b"]
    assert [hit.doc_id for hit in fuse(ranking(x=1.0), [], settings, limit=2)] == ["x"]


def test_equal_sums_are_ordered_by_document_and_place() -> None:
    found = fuse(ranking(b=1.0), ranking(a=1.0), HybridSettings(), limit=10)

    assert [hit.doc_id for hit in found] == ["a", "b"]


def test_the_best_by_the_model_come_first_and_what_was_before_is_told() -> None:
    model = Given(0.1, 0.9, 0.5, 0.2)

    found, before = asyncio.run(rerank(model, "q", CHUNKS, limit=2))

    assert [(chunk.doc_id, chunk.text, chunk.score) for chunk in found] == [
        ("b", "B", 0.9),
        ("a", "C", 0.5),
    ]
    assert [chunk.metadata["first_rank"] for chunk in found] == [2, 3]
    assert found[1].metadata["first_score"] == 0.7
    assert before == ("a", "b", "c")
    assert model.asked == [("q", ["T\nS\nA", "B", "C", "D"])]


def test_equal_scores_keep_the_order_they_had() -> None:
    found, _ = asyncio.run(rerank(Given(0.5, 0.5, 0.7, 0.5), "q", CHUNKS, limit=4))

    assert [chunk.text for chunk in found] == ["C", "A", "B", "D"]
