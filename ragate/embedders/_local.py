"""A model on this machine as an embedder: loaded for the first text, one batch at a time."""

import asyncio
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

Encode = Callable[[list[str]], npt.NDArray[np.float32]]
"""Returns one vector of length 1 a text."""


class LocalEmbedder:
    """Implements `ragate.protocols.Embedder`.

    Args:
        load: Returns the model; slow, and called once.
    """

    # Another processor, thread count or batch adds up in another order: the last bits differ.
    deterministic = False

    def __init__(self, fingerprint: str, batch_size: int, load: Callable[[], Encode]) -> None:
        self.fingerprint = fingerprint
        self.portion = 8 * batch_size  # texts of like length are put together among them
        self._load = cache(load)
        self._turn = asyncio.Lock()

    async def __call__(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return one vector of length 1 a text.

        Raises:
            ConfigError: the model cannot be loaded.
            ProviderError: it failed on a text.
        """
        if not texts:
            return np.zeros((0, 0), dtype=np.float32)
        async with self._turn:  # the model uses all cores for one batch
            return await asyncio.to_thread(self._encode, list(texts))

    def _encode(self, texts: list[str]) -> npt.NDArray[np.float32]:
        return np.asarray(self._load()(texts), dtype=np.float32)
