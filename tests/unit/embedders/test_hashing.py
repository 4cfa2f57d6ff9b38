"""Vectors that are counted, not learnt."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
import pytest

from ragate.embedders import hashing, openai
from ragate.embedders._local import LocalEmbedder
from ragate.errors import ConfigError
from tests.unit.embedders.embedder_factories import no_client


def hashed(*texts: str, **settings: Any) -> Any:
    return asyncio.run(hashing.create(settings, no_client)(texts))


def test_a_hashed_vector_has_length_one_and_the_dimension_of_its_table() -> None:
    vectors = hashed("The pump is blue.", "a a a", "", "!?", dimensions=64)

    assert vectors.shape == (4, 64)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-6)


def test_texts_that_share_words_are_near_and_order_does_not_matter() -> None:
    query, near, far, same = hashed(
        "blue pump", "the pump is blue", "nine kilograms", "PUMP, blue!"
    )

    assert query @ near > 0.5 > query @ far
    assert query @ same == pytest.approx(1.0)


def test_a_repeated_word_counts_with_its_logarithm() -> None:
    vector = hashed("pump pump pump valve", dimensions=16_000)[0]

    values = sorted(abs(value) for value in vector if value)
    assert values[1] / values[0] == pytest.approx(1 + np.log(3))


def test_a_text_without_a_word_is_near_to_no_other() -> None:
    texts = [f"word{number}" for number in range(200)]
    vectors = hashed("", *texts, dimensions=16)

    assert np.abs(vectors[1:] @ vectors[0]).max() == 0.0


def test_hashed_vectors_are_the_same_everywhere() -> None:
    vector = hashed("The blue pump: two, two.", dimensions=64)[0]

    found = {place: round(float(value), 6) for place, value in enumerate(vector) if value}
    assert found == {24: -0.412859, 41: -0.412859, 48: 0.412859, 62: 0.69903}


def test_only_a_fingerprint_of_the_same_dimension_is_the_same() -> None:
    one, two = (hashing.create({"dimensions": size}, no_client) for size in (64, 65))

    assert one.fingerprint != two.fingerprint


@pytest.mark.parametrize("settings", [{"dimensions": 15}, {"dimension": 64}, {"model": "x"}])
def test_wrong_keys_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=r"\[system.embedder\]"):
        hashing.create(settings, no_client)


def test_only_hashing_says_that_it_repeats_exactly() -> None:
    assert hashing.HashingEmbedder.deterministic
    assert not LocalEmbedder.deterministic
    assert not openai.OpenAIEmbedder.deterministic
