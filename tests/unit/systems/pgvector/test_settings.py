"""Settings of the built-in RAG that do not fit together."""

from __future__ import annotations

import pytest

from ragate.systems.pgvector.settings import Settings


def test_keys_of_a_reranker_without_one_are_refused() -> None:
    with pytest.raises(ValueError, match=r"has model and no use"):
        Settings.model_validate({"corpus": "d", "rerank": {"model": "m"}})
