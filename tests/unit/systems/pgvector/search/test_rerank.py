from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ragate.cache import CACHE_NAME, Cache
from ragate.clients.http.error_mapping import MalformedError
from ragate.clients.memoised.memoised_reranker import MemoisedReranker
from ragate.clients.openai_payloads import read_ranked, rerank_body
from ragate.errors import ConfigError
from ragate.models import RetrievedChunk
from ragate.rerankers import cross_encoder, endpoint
from ragate.rerankers.cross_encoder import LocalReranker
from ragate.systems.pgvector.search.rerank import rerank
from ragate.systems.pgvector.settings import Settings

CHUNKS = [
    RetrievedChunk(doc_id="a", text="A", score=0.9, metadata={"title": "T", "section": "S"}),
    RetrievedChunk(doc_id="b", text="B", score=0.8),
    RetrievedChunk(doc_id="a", text="C", score=0.7),
    RetrievedChunk(doc_id="c", text="D", score=0.6),
]


class Given:
    fingerprint = "given"

    def __init__(self, *scores: float) -> None:
        self.scores = list(scores)
        self.asked: list[tuple[str, list[str]]] = []

    async def __call__(self, query: str, texts: Sequence[str]) -> list[float]:
        self.asked.append((query, list(texts)))
        return self.scores


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


def test_a_known_question_with_the_same_texts_is_not_asked_again(tmp_path: Path) -> None:
    model = Given(0.25, 0.5)
    with Cache(tmp_path / CACHE_NAME) as cache:
        remembered = MemoisedReranker(model, cache)
        first = asyncio.run(remembered("q", ["a", "b"]))
        again = asyncio.run(remembered("q", ["a", "b"]))
        asyncio.run(remembered("q", ["b", "a"]))

    assert first == again == [0.25, 0.5]
    assert len(model.asked) == 2


def test_the_body_is_that_of_the_wanted_form() -> None:
    assert rerank_body("q", ["a"], "m", "cohere") == {
        "model": "m", "query": "q", "documents": ["a"], "top_n": 1,
    }  # fmt: skip
    assert rerank_body("q", ["a"], "m", "tei") == {"query": "q", "texts": ["a"], "truncate": True}


@pytest.mark.parametrize(
    "reply",
    [
        b'{"results": [{"index": 1, "relevance_score": 0.5}, {"index": 0, "relevance_score": 2}]}',
        b'[{"index": 1, "score": 0.5}, {"index": 0, "score": 2}]',
    ],
)
def test_both_shapes_of_a_reply_are_read(reply: bytes) -> None:
    assert read_ranked(reply, 2).scores == [2.0, 0.5]


@pytest.mark.parametrize(
    "reply",
    [
        b"{}",
        b"3",
        b'{"results": []}',
        b'[{"index": 0, "score": 1}]',
        b'[{"index": 0, "score": 1}, {"index": 0, "score": 1}]',
        b'[{"index": 0, "score": 1}, {"index": 2, "score": 1}]',
        b'[{"index": 0, "score": "1"}, {"index": 1, "score": 1}]',
        b'[{"index": 0, "score": NaN}, {"index": 1, "score": 1}]',
        b'[{"index": 0}, {"index": 1, "score": 1}]',
        b"[1, 2]",
    ],
)
def test_a_reply_that_does_not_score_each_text_once_is_refused(reply: bytes) -> None:
    with pytest.raises(MalformedError):
        read_ranked(reply, 2)


def no_client(name: str) -> Any:
    raise AssertionError(name)


class Model:
    def __init__(self, scores: Any) -> None:
        self.scores = scores

    def predict(self, sentences: list[tuple[str, str]], **options: Any) -> Any:
        assert options == {"batch_size": 32, "show_progress_bar": False}
        return self.scores


def test_a_local_model_is_loaded_once_and_scores_pairs() -> None:
    import numpy as np

    loaded: list[Model] = []

    def load() -> Model:
        loaded.append(Model(np.array([0.5, 1.5], dtype=np.float32)))
        return loaded[-1]

    model = LocalReranker(cross_encoder.Settings(), "f", load)
    assert asyncio.run(model("q", [])) == []
    assert loaded == []
    assert asyncio.run(model("q", ["a", "b"])) == [0.5, 1.5]
    assert asyncio.run(model("q", ["a", "b"])) == [0.5, 1.5]
    assert len(loaded) == 1


def test_a_model_that_is_no_ranker_is_named() -> None:
    import numpy as np

    model = LocalReranker(cross_encoder.Settings(), "f", lambda: Model(np.zeros((2, 3))))

    with pytest.raises(ConfigError, match="does not give one score for a pair"):
        asyncio.run(model("q", ["a", "b"]))


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "sentence_transformers", None)

    with pytest.raises(ConfigError, match=r"pip install 'ragate\[local\]'"):
        asyncio.run(cross_encoder.create({}, no_client)("q", ["a"]))


@pytest.mark.parametrize(
    ("create", "settings", "message"),
    [
        (cross_encoder.create, {"model": "./nowhere"}, "there is no such folder"),
        (cross_encoder.create, {"modell": "x"}, "did you mean 'model'"),
        (endpoint.create, {}, "'provider' is missing"),
        (endpoint.create, {"provider": "p", "form": "x"}, "form"),
        (endpoint.create, {"provider": "p", "base_url": "http://x"}, "unknown key 'base_url'"),
    ],
)
def test_a_wrong_key_is_named(create: Any, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        create(settings, no_client)


def test_keys_of_a_reranker_without_one_are_refused() -> None:
    with pytest.raises(ValueError, match=r"has model and no use"):
        Settings.model_validate({"corpus": "d", "rerank": {"model": "m"}})
