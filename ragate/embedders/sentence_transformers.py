"""A local model of sentence-transformers; the extra ``ragate[local]`` brings the library."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import Field

from ragate.clients.local_models import check_folder, is_folder, load_model
from ragate.core.hashing import digest
from ragate.models import Frozen
from ragate.settings import read_settings

WHERE = "[system.embedder] model"


class Settings(Frozen):
    """A model of the library sentence-transformers on this machine: [Embedders](retrieval.md).

    Attributes:
        model: A model of the Hugging Face hub, or a folder that begins with `./` or `/`.
        revision: Branch, tag or commit on the hub; empty: its main branch.
        batch_size: Texts at once.
    \f

    ```toml
    [system]
    use       = "pgvector"
    corpus    = "docs"
    retrieval = "hybrid"

    [system.embedder]
    use      = "sentence_transformers"
    revision = "main"
    ```

    No text leaves this machine. The default model makes 384 dimensions and reads the first 256 word
    pieces of a chunk: set `chunk_size` to 200 or less. Installing the CPU build of `torch` first
    saves several gigabytes.

    - **Hub.** The first use downloads into the cache of Hugging Face (keep `HF_HOME` in CI;
      `HF_HUB_OFFLINE=1` downloads nothing). Pin `revision` to a commit, or the model can change
      under the baseline.
    - **Folder**, for runners without internet: relative to where the command starts, with
      `modules.json` and a `.safetensors` file, as `SentenceTransformer.save` writes them. Its files
      are part of the fingerprint.
    - **No code** of a model is run, and weights are read as safetensors only.
    """

    model: str = Field(default="sentence-transformers/all-MiniLM-L6-v2", min_length=1)
    revision: str = ""
    batch_size: int = Field(default=32, ge=1, le=4096)


class LocalEmbedder:
    """Implements `ragate.protocols.Embedder`; the model is loaded for the first text.

    Args:
        load: Returns a ``SentenceTransformer``; slow, and called once.
    """

    # Another processor, thread count or batch adds up in another order: the last bits differ.
    deterministic = False

    def __init__(self, settings: Settings, fingerprint: str, load: Callable[[], Any]) -> None:
        self.fingerprint = fingerprint
        self._settings = settings
        self._load = cache(load)
        self._turn = asyncio.Lock()

    @property
    def portion(self) -> int:
        """Some batches: texts of like length are put together among them."""
        return 8 * self._settings.batch_size

    async def __call__(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return one vector of length 1 a text.

        Raises:
            ConfigError: the model cannot be loaded.
        """
        if not texts:
            return np.zeros((0, 0), dtype=np.float32)
        async with self._turn:  # the model uses all cores for one batch
            return await asyncio.to_thread(self._encode, list(texts))

    def _encode(self, texts: list[str]) -> npt.NDArray[np.float32]:
        vectors = self._load().encode(
            texts,
            batch_size=self._settings.batch_size,
            normalize_embeddings=True,
            convert_to_numpy=True,
            show_progress_bar=False,
        )
        return np.asarray(vectors, dtype=np.float32)


def create(settings: Mapping[str, Any], clients: Callable[[str], Any]) -> LocalEmbedder:
    """Return the embedder; nothing is loaded yet.

    Raises:
        ConfigError: a key is unknown or wrong, or the model's folder is not there.
    """
    del clients
    keys = read_settings(Settings, settings, where="[system.embedder]")
    identity = (
        check_folder(keys.model, where=WHERE)
        if is_folder(keys.model)
        else [keys.model, keys.revision]
    )
    name = f"sentence_transformers:{digest(identity)}"
    load = partial(
        load_model,
        "SentenceTransformer",
        keys.model,
        keys.revision,
        table="[system.embedder]",
        use="sentence_transformers",
    )
    return LocalEmbedder(keys, name, load)
