"""Vectors of hashed words, without a model: ``[system.embedder]`` with ``use = "hashing"``."""

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import fsum, log, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import Field

from ragate.core.text.words import tokens
from ragate.models import Frozen
from ragate.settings import read_settings

VERSION = 1  # raised whenever the same text would get another vector


class Settings(Frozen):
    """Vectors of words, without a model: [Embedders](retrieval.md).

    Attributes:
        dimensions: Length of a vector; words share a place the more often, the shorter it is.
    \f

    Each word is hashed to a place in the vector and a sign, and adds `1 + ln(count)`; the vector is
    scaled to length 1. It knows nothing of meaning: "refund" and "refunds" have nothing in common.
    Expect worse results than BM25 with a stemmer. Use it to try dense and hybrid search, in tests
    and in forks without a key.
    """

    dimensions: int = Field(default=1024, ge=16, le=16_000)


class HashingEmbedder:
    """Implements `ragate.protocols.Embedder` by feature hashing.

    Each word adds 1 + ln(count), with a sign, at a place that its hash gives; the vector is then
    scaled to length 1. Texts are near when they share words: nothing is known of meaning, and
    common words count as much as rare ones.

    Source:
        Weinberger et al., Feature hashing for large scale multitask learning, ICML 2009.
    """

    deterministic = True
    portion = 1024

    def __init__(self, settings: Settings) -> None:
        self._dimensions = settings.dimensions

    @property
    def fingerprint(self) -> str:
        """Identity of the vectors."""
        return f"hashing:{VERSION}:{self._dimensions}"

    async def __call__(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return one vector of length 1 a text.

        The last place belongs to texts without a word alone: a vector of zeros has no angle.
        """
        vectors = np.zeros((len(texts), self._dimensions), dtype=np.float32)
        for vector, text in zip(vectors, texts, strict=True):
            for index, value in self._features(text).items():
                vector[index] = value
        return vectors

    def _features(self, text: str) -> dict[int, float]:
        """Return the places that are not zero; the sums are exact, in whatever order they come."""
        added: dict[int, list[float]] = {}
        for word, count in Counter(tokens(text)).items():
            index, sign = _index(word, self._dimensions - 1)
            added.setdefault(index, []).append(sign * (1.0 + log(count)))
        summed = {index: fsum(values) for index, values in added.items()}
        length = sqrt(fsum(value * value for value in summed.values()))
        if not length:
            return {self._dimensions - 1: 1.0}
        return {index: value / length for index, value in summed.items()}


@lru_cache(maxsize=100_000)
def _index(word: str, places: int) -> tuple[int, float]:
    hashed = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "big")
    return (hashed >> 1) % places, 1.0 if hashed & 1 else -1.0


def create(settings: Mapping[str, Any], clients: Callable[[str], Any]) -> HashingEmbedder:
    """Return the embedder; it needs no client.

    Raises:
        ConfigError: a key is unknown or wrong.
    """
    del clients
    return HashingEmbedder(read_settings(Settings, settings, where="[system.embedder]"))
