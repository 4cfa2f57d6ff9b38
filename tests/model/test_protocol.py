"""What a night tries: streams, every schema that a judge sends, and embeddings."""

from __future__ import annotations

import asyncio
import json
import urllib.request
from collections.abc import Sequence
from typing import Any

import numpy as np
import openai
import pytest

from ragate.clients.openai import OpenAIClient
from ragate.core.judging.criteria import CRITERIA
from ragate.core.judging.own_criterion import OwnCriterion
from ragate.judges.rubric._own_criteria import schema_of
from ragate.judges.rubric._schema import keys_for, schema_for
from tests.model.test_server import asked
from tests.servers.llama import MODEL, Llama, lacking, llama

pytestmark = [pytest.mark.model, pytest.mark.skipif(bool(lacking()), reason=lacking())]
_GUIDELINES = OwnCriterion(guidelines=("Be polite.", "Name a source."))
_OWN = {"criterion.tone": OwnCriterion(ask="Is it polite?"), "criterion.rules": _GUIDELINES}


def test_a_stream_ends_with_a_reason_and_its_tokens(real_model: Llama) -> None:
    with openai.OpenAI(base_url=real_model.base_url, api_key="none") as client:
        parts = list(
            client.chat.completions.create(
                model=MODEL,
                messages=[{"role": "user", "content": "Count to a hundred."}],
                max_tokens=5,
                stream=True,
                stream_options={"include_usage": True},
            )
        )

    reasons = [choice.finish_reason for part in parts for choice in part.choices]
    assert [reason for reason in reasons if reason] == ["length"]
    assert [part.usage.completion_tokens for part in parts if part.usage] == [5]


@pytest.mark.parametrize("criterion", sorted(CRITERIA))
def test_the_schema_of_every_criterion_is_taken(real_model: Llama, criterion: str) -> None:
    _taken(real_model, schema_for(keys_for([criterion])))


def test_the_schemas_of_ones_own_criteria_are_taken(real_model: Llama) -> None:
    _taken(real_model, schema_for([], schema_of(_OWN)))


def _taken(server: Llama, schema: dict[str, Any]) -> None:
    form = {"name": "verdict", "strict": True, "schema": schema}

    reply = asked(
        server,
        "Is Paris in France? Reply in JSON, and shortly.",
        response_format={"type": "json_schema", "json_schema": form},
        max_tokens=40,
        temperature=0,
    )

    assert reply.finish_reason in ("stop", "length")
    assert reply.text.lstrip().startswith("{")
    if reply.finish_reason == "stop":
        assert sorted(json.loads(reply.text)) == sorted(schema["properties"])


TEXTS = ("The tower is in Paris.", "Bread is baked.", "Où est la tour ?")


def test_embeddings_are_what_numpy_makes_of_the_vectors_of_their_tokens() -> None:
    with llama("none") as server:
        tokens = [np.array(_of_tokens(server, text)) for text in TEXTS]
    with llama("mean") as server:
        embedded = asyncio.run(_embedded(server))

    means = np.array([vectors.mean(axis=0) for vectors in tokens])
    expected = means / np.linalg.norm(means, axis=1, keepdims=True)
    assert np.array(embedded) == pytest.approx(expected, abs=1e-3)


async def _embedded(server: Llama) -> Sequence[Sequence[float]]:
    client = OpenAIClient(base_url=server.base_url, timeout_s=300.0)
    try:
        return await client.embed(TEXTS, model=MODEL)
    finally:
        await client.aclose()


def _of_tokens(server: Llama, text: str) -> list[list[float]]:
    """Return a vector a token: what the server says where it is not asked as by OpenAI."""
    address = server.base_url.removesuffix("/v1") + "/embeddings"
    body = json.dumps({"content": text, "embd_normalize": -1}).encode()
    with urllib.request.urlopen(urllib.request.Request(address, body)) as response:
        rows: list[dict[str, list[list[float]]]] = json.load(response)
    return rows[0]["embedding"]
