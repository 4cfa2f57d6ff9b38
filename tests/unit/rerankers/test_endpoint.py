"""Rerankers that are asked over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from ragate.errors import ConfigError
from ragate.rerankers import cross_encoder, endpoint
from tests.unit.systems.pgvector.rerank_factories import no_client


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
