"""A reranker that runs here."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest

from ragate.errors import ConfigError
from ragate.installed import install_line
from ragate.rerankers import cross_encoder
from ragate.rerankers.cross_encoder import LocalReranker
from tests.unit.systems.pgvector.rerank_factories import no_client


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

    with pytest.raises(ConfigError, match=re.escape(install_line("local"))):
        asyncio.run(cross_encoder.create({}, no_client)("q", ["a"]))
