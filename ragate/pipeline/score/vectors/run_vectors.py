"""The vectors of a run: every distinct text is embedded once, in batches."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ragate.errors import ProviderError
from ragate.protocols import Embedder

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

MOST_BYTES = 512 * 1024**2  # held at once; beyond it the oldest are asked for again


class RunVectors:
    """The texts of a run that one embedder has embedded."""

    def __init__(self, embedder: Embedder, *, most_bytes: int = MOST_BYTES) -> None:
        self._embedder = embedder
        self._most_bytes = most_bytes
        self._held: dict[bytes, npt.NDArray[np.float32]] = {}
        self._bytes = 0

    async def of(self, texts: Iterable[str]) -> dict[str, npt.NDArray[np.float64]]:
        """Return the vector of each text; those that are not known yet are embedded in one call.

        Raises:
            ProviderError: the embedder failed, or gave no vector for a text.
        """
        distinct = {text: _key(text) for text in texts}
        unknown = [text for text, key in distinct.items() if key not in self._held]
        fresh = await self._embed(unknown) if unknown else {}
        vectors = {
            text: (fresh[text] if text in fresh else self._held[key]).astype("float64")
            for text, key in distinct.items()
        }
        for text, vector in fresh.items():
            self._hold(distinct[text], vector)
        return vectors

    async def _embed(self, texts: list[str]) -> dict[str, npt.NDArray[np.float32]]:
        import numpy as np

        rows = np.asarray(await self._embedder(texts), dtype=np.float32)
        if rows.ndim != 2 or len(rows) != len(texts) or not rows.shape[1]:
            shape = "x".join(map(str, rows.shape))
            raise ProviderError(f"the embedder gave {shape} numbers for {len(texts)} texts")
        if not np.isfinite(rows).all():
            raise ProviderError("the embedder gave a vector that holds no finite numbers")
        return {text: row.copy() for text, row in zip(texts, rows, strict=True)}

    def _hold(self, key: bytes, vector: npt.NDArray[np.float32]) -> None:
        self._held[key] = vector
        self._bytes += vector.nbytes
        while self._bytes > self._most_bytes:
            self._bytes -= self._held.pop(next(iter(self._held))).nbytes


def _key(text: str) -> bytes:
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest()
