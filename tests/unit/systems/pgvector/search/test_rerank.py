from __future__ import annotations

import asyncio

from ragate.models import RetrievedChunk
from ragate.systems.pgvector.search.rerank import rerank
from tests.unit.systems.pgvector.search.rerank_factories import Given

CHUNKS = [
    RetrievedChunk(doc_id="a", text="A", score=0.9, metadata={"title": "T", "section": "S"}),
    RetrievedChunk(doc_id="b", text="B", score=0.8),
    RetrievedChunk(doc_id="a", text="C", score=0.7),
    RetrievedChunk(doc_id="c", text="D", score=0.6),
]


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
