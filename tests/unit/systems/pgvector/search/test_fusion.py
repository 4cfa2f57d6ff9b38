from __future__ import annotations

import pytest

from ragate.systems.pgvector.retrieval_settings import HybridSettings
from ragate.systems.pgvector.search.fusion import fuse
from ragate.systems.pgvector.search.ranked_search import Hit


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
